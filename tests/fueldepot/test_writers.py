"""Every write operation bumps the version of its data set."""

from contextlib import contextmanager
from datetime import date
from functools import partial

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from catalog.models import Dataset, Depot
from catalog.services import editing, moderation, publishing
from prices import services as prices
from prices.models import PlausibleRange
from regulations import services as regulations
from regulations.models import Deadline, LegalState, Resolution
from tests import factories
from tests.client import ReadOnlyClient, message_of
from tests.drafts import approve
from tests.factories import TODAY
from tests.pages.reading import text_of
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory
from tests.regulations.test_admin import AMENDMENT, form_of, url_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

LAW = ["/api/v1/regulations", "/api/v1/regulations/malopolskie.ics"]
PRICES = ["/api/v1/prices/pellet"]


def tags(addresses):
    """Return the current validators of paths, as another process sees them."""
    answers = [ReadOnlyClient().get(address) for address in addresses]
    assert {answer.status_code for answer in answers} <= {200, 404, 410}
    return {address: answer.get("ETag") for address, answer in zip(addresses, answers, strict=True)}


@contextmanager
def changing(addresses):
    """A block in which the validator of every path changes; a calendar without a deadline is not there and has none."""
    before = tags(addresses)
    yield
    now = tags(addresses)
    assert not [address for address in addresses if now[address] is not None and before[address] == now[address]]


def page_of(row, name, *args):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{name}", args=args)


@pytest.mark.parametrize(
    ("make", "typed"),
    [
        (ResolutionFactory, {}),
        (ResolutionFactory, AMENDMENT),
        (AmendmentFactory, {}),
        (lambda: ResolutionFactory().state, {"summary": "Inaczej."}),
    ],
)
def test_saving_a_part_of_the_law(desk, make, typed):
    row = make()
    with changing(LAW):
        assert desk.post(url_of(row), form_of(desk, url_of(row)) | typed).status_code == 302


@pytest.mark.parametrize("make", [DeadlineFactory, FuelBanFactory])
def test_approving_a_draft_of_the_law(desk, make):
    row = make()
    with changing(LAW):
        approve(desk, desk.post(url_of(row), form_of(desk, url_of(row)) | {"scope": "inny obszar"}))
    with changing(LAW):
        approve(desk, desk.post(page_of(row, "delete", row.pk), {"post": "yes"}))
    assert not type(row).objects.exists()


@pytest.mark.parametrize("make", [ResolutionFactory, AmendmentFactory])
def test_deleting_a_part_of_the_law(desk, make):
    row, other = make(), make()
    delete, listing = page_of(row, "delete", row.pk), page_of(row, "changelist")
    assert "Czy chcesz skasować wpis „" in text_of(desk.get(delete))
    with changing(LAW):
        assert message_of(desk.post(delete, {"post": "yes"})) == f"Usunięto: {row}."
    data = {"action": "delete_selected", "_selected_action": [other.pk]}
    assert "Usuń zaznaczone" in text_of(desk.get(listing))
    assert "Czy usunąć zaznaczone?" in text_of(desk.post(listing, data))
    with changing(LAW):
        assert desk.post(listing, {**data, "post": "yes"}).status_code == 302
    assert not type(row).objects.exists()


def test_moving_a_deadline():
    act, user = ResolutionFactory(), factories.UserFactory()
    deadline, amendment = DeadlineFactory(state=act.state), AmendmentFactory(resolution=act)
    with changing(LAW):
        regulations.move_deadline(deadline=deadline, to=date(2030, 1, 1), amendment=amendment, by=user)
    assert Dataset.objects.get(pk="regulations").row_count == Resolution.objects.count() == 1
    assert Deadline.objects.count() == 2


def test_importing_the_law():
    call_command("import_regulations", "regulations/data/malopolskie.yaml", commit=True, verbosity=0)
    with changing(LAW):
        Resolution.objects.filter(state="12").first().delete()
        LegalState.objects.update(file={})
        call_command("import_regulations", "regulations/data/malopolskie.yaml", commit=True, verbosity=0)


def test_what_editors_do_to_a_depot():
    depot, user = factories.DepotFactory(), factories.UserFactory()
    addresses = ["/api/v1/stores?teryt=1261011", f"/api/v1/stores/{depot.pk}", *PRICES]
    for act, count in (
        (partial(moderation.verify_depot, by=user, on=TODAY), 1),
        (moderation.revoke_verification, 1),
        (partial(editing.edit_depot, values={"featured": True}, by=user, on=TODAY), 1),
        (partial(moderation.remove_depot, reason=Depot.RemovalReason.CLOSED, on=TODAY), 0),
        (partial(publishing.publish_depot, on=TODAY, note="działa"), 1),
    ):
        with changing(addresses):
            act(depot=depot)
        assert Dataset.objects.get(slug="depots").row_count == count
    assert Depot.objects.get().featured


def test_what_editors_do_to_prices(desk):
    depot, user = factories.DepotFactory(), factories.UserFactory()
    price = factories.DepotPriceFactory(depot=depot, pending=True)
    addresses = [*PRICES, f"/api/v1/stores/{depot.pk}"]
    for act in (prices.approve_prices, partial(prices.reject_prices, reason="pomyłka"), prices.approve_prices):
        with changing(addresses):
            act(prices=[price], by=user, on=timezone.now())
    page = reverse("admin:prices_plausiblerange_change", args=["pellet"])
    with changing(addresses):
        approve(desk, desk.post(page, {"low": "2", "high": "10"}))
    assert PlausibleRange.objects.get(pk="pellet").high == 10


def test_removing_the_demonstration():
    depot = factories.DepotFactory(source=Depot.Source.DEMO)
    factories.DepotPriceFactory(depot=depot, fuel="pellet")
    kept = factories.DepotPriceFactory(fuel="pellet", depot=factories.DepotFactory())
    factories.DepotPriceFactory(fuel="brykiet", depot=kept.depot, pending=True)
    prices.record_prices(TODAY)
    addresses = ["/api/v1/stores?teryt=1261011", f"/api/v1/stores/{kept.depot_id}", *PRICES]
    with changing(addresses):
        call_command("remove_demo", verbosity=0)
    rows = dict(Dataset.objects.values_list("slug", "row_count"))
    assert (rows["depots"], rows["prices"]) == (1, 1)


def test_a_change_elsewhere_leaves_validators_alone():
    DeadlineFactory()
    addresses = ["/api/v1/stores?teryt=1261011", "/api/v1/locations?q=krak", "/api/v1/prices", *PRICES]
    before = tags(addresses)
    regulations.record_change()
    assert tags(addresses) == before
