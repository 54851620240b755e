"""Fixtures of the tests of forms: a stopped clock, and a user who fills in forms."""

import re
from datetime import date, timedelta

import pytest
from django.core import mail
from django.template.backends.jinja2 import Template
from django.test.signals import template_rendered
from django.utils import timezone

from catalog.submissions import owner_links, tokens
from prices.models import DepotPrice
from tests import factories
from tests.client import shared_rows
from tests.factories import NOW

CLAIM = {"role": "owner", "claimant_nip": "526-025-02-74", "agreed": "on"}
"""What somebody types who claims an entry."""

OWNER = "/zgloszenia/moj-sklad/"

YESTERDAY = date(2026, 11, 20)


@shared_rows
def krakow():
    factories.BoundaryFactory()


@pytest.fixture(autouse=True)
def _tell_the_context(db, krakow, monkeypatch):
    """Provide `answer.context` for Jinja2 templates; Django does so only for its own engine."""
    render = Template.render

    def tell_and_render(self, context=None, request=None):
        tell(self, context)
        return render(self, context, request)

    monkeypatch.setattr(Template, "render", tell_and_render)


def tell(template, context=None, request=None):
    template_rendered.send(sender=template, template=template, context=context)
    return ""


class Clock:
    """Set the time of the views and of `django.core.signing`."""

    def __init__(self):
        self.now = NOW

    def move(self, **delta):
        self.now += timedelta(**delta)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    monkeypatch.setattr("time.time", lambda: clock.now.timestamp())
    return clock


class Stranger:
    """Fills in forms as a browser does: sends the displayed values with the changed ones."""

    def __init__(self, client, clock, commit):
        self.client, self.clock, self.commit = client, clock, commit

    def show(self, path):
        """The values of a form, whose page is not rendered."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Template, "render", tell)
            answer = self.client.get(path)
        assert answer.status_code == 200, answer.status_code
        form = answer.context["form"]
        typed = {"stamp": form.form_token, "email": "jan@opal-nowak.pl"}
        for field in form:
            value = field.value()
            if value is not None and field.name not in typed and field.name != "firma_adres":
                typed[field.name] = value
        return typed

    def type(self, path, **changed):
        """The values of a form after ten seconds, without sending them."""
        typed = self.show(path) | changed
        self.clock.move(seconds=10)
        return typed

    def send(self, path, typed, **headers):
        return self.commit(self.client.post, path, typed, **headers)

    def fill(self, path, network="127.0.0.1", **changed):
        return self.send(path, self.type(path, **changed), REMOTE_ADDR=network)

    def fill_and_confirm(self, path, **changed):
        """Send a form and confirm it by the letter; returns the page of its state."""
        self.fill(path, **changed)
        answer = self.confirm()
        assert answer.status_code == 302
        return answer["Location"]

    def answer(self, path, link, name="znak", **changed):
        """Fill in the form that a link of a letter leads to, and send it to a path."""
        typed = self.type(link, **changed) | {name: token_of(link)}
        return self.send(path, {field: value for field, value in typed.items() if field != "email"})

    def owner(self, link, **typed):
        return self.send(OWNER, {"odnosnik": token_of(link)} | typed)

    def undo(self, link, decision):
        return self.send("/zgloszenia/cofnij/", {"znak": token_of(link), "cofnij": decision})

    def link(self):
        return link_in(next(letter for letter in mail.outbox[::-1] if "/potwierdz/" in letter.body), "potwierdz")

    def confirm(self, link=None):
        link = link or self.link()
        self.client.get(link)
        return self.send("/zgloszenia/potwierdz/", {"odnosnik": token_of(link)})


@pytest.fixture
def stranger(client, clock, commit):
    return Stranger(client, clock, commit)


@pytest.fixture
def nowak(db):
    return factories.DepotFactory(
        phone="+48 12 345 67 89", place="Kraków", postcode="30-001", website="https://www.opal-nowak.pl/"
    )


@pytest.fixture
def path(nowak):
    """The form that corrects an entry."""
    return f"/sklad/{nowak.pk}/popraw/"


def link_in(letter, page="moj-sklad"):
    return re.search(rf"http://127\.0\.0\.1:8000(/zgloszenia/{page}/\?\S+)", letter.body)[1]


def token_of(link):
    return link.partition("=")[2]


@pytest.fixture
def link(nowak, clock):
    """The permanent link that an accepted claim grants."""
    nowak.data_status, nowak.verified_at, nowak.verified_by = "owner", clock.now.date(), factories.UserFactory()
    nowak.save()
    granted = owner_links.grant_link(depot=nowak, email="jan@opal-nowak.pl", on=clock.now)
    return tokens.OWNER.path_of(tokens.OWNER.token([granted.pk, granted.serial]))


def hidden(html, name):
    return re.findall(rf'name="{name}" value="([^"]*)"', html)


def prices_of_today():
    return DepotPrice.objects.filter(day__gt=YESTERDAY)


@pytest.fixture
def priced(nowak):
    """Two prices of yesterday, one of them per bag."""
    factories.DepotPriceFactory(depot=nowak, fuel="pellet", price=1613, day=YESTERDAY)
    factories.DepotPriceFactory(depot=nowak, fuel="ekogroszek", price=1500, day=YESTERDAY, bag_price=30, bag_kg=20)
    return nowak


@pytest.fixture
def branch(nowak, link, clock):
    """Return a second entry of the same owner, with a price of yesterday."""
    depot = factories.DepotFactory(name="Opał Nowak Wieliczka", nip="5260250274", verified=True, data_status="owner")
    owner_links.grant_link(depot=depot, email="jan@opal-nowak.pl", on=clock.now)
    factories.DepotPriceFactory(depot=depot, fuel="brykiet", price=1300, day=YESTERDAY)
    return depot
