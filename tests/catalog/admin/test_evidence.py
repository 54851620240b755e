"""What stands beside a decision: ways to check a depot, its owner, neighbours and decisions, comments of editors."""

import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse

from catalog.models import CaseComment, Depot
from catalog.services import editors, moderation
from catalog.submissions import owner_links
from tests import factories
from tests.deciding import page
from tests.factories import NOW
from tests.pages.reading import missing, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def depot(db):
    values = {"website": "https://www.opal.pl/", "phone": "+48 600 000 001, +48 600 000 002 ext. 5"}
    return factories.DepotFactory(name="Skład Zieliński", place="Kraków", **values)


def test_a_case_is_checked_by_links_beside_it_and_leads_to_the_public_page(client, editor, depot):
    place = f"{depot.lat}&amp;mlon={depot.lon}#map=18/{depot.lat}/{depot.lon}"
    expected = ["https://www.opal.pl/", "tel:+48600000001", "tel:+48600000002"]
    expected += [f"https://www.openstreetmap.org/?mlat={place}"]
    expected += ["https://duckduckgo.com/?q=Sk%C5%82ad+Zieli%C5%84ski+Krak%C3%B3w"]
    for row in (depot, factories.SubmissionFactory(depot=depot), factories.SubmissionFactory(add=True)):
        html = client.get(page(row)).content.decode()
        links = re.findall(r'<a href="([^"]*)"', html.partition('"evidence"')[2])
        published = getattr(row, "kind", "") != "add"
        assert (links[:5] == expected) is published, row
        assert ("-sklad-zielinski/" in html and "trona publiczna" in html) is published, row
        assert '<a href="/">' in html, row


def test_owner_neighbours_and_decisions_stand_beside_the_form(client, editor, depot):
    near = factories.DepotFactory(name="Sąsiad", lat=depot.lat + 0.01)
    factories.DepotFactory(name="Za miastem", lat=depot.lat + 0.03)
    alone = text_of(client.get(page(depot)))
    assert ("Właściciel brak" in alone, "Właściciel dostanie list" in alone) == (True, False)
    owner_links.grant_link(depot=depot, email="jan@opal.pl", on=NOW)
    Depot.objects.filter(pk=depot.pk).update(data_status="owner", verified_at=NOW, verified_by=editor)
    moderation.verify_depots(keys=[near.pk], by=editor, on=NOW.date())
    answer = client.get(page(depot))
    assert not missing(text_of(answer), "od 21 listopada 2026 r., j…@opal.pl", "nieweryfikowanych i o usunięciu.")
    letters = {email: factories.SubmissionFactory(depot=depot, email=email) for email in ("Jan@opal.pl", "x@opal.pl")}
    marked = {email: "(adres zgłaszającego)" in text_of(client.get(page(row))) for email, row in letters.items()}
    assert marked == {"Jan@opal.pl": True, "x@opal.pl": False}
    (others,) = re.findall(r'data-others="([^"]*)"', answer.content.decode())
    assert [row[2:] for row in json.loads(unescape(others))] == [["Sąsiad, 1112 m", page(near)]]
    assert ", ewa: Sprawdzono: Sąsiad" in text_of(client.get(page(near)))


def test_a_pair_shows_whose_its_entries_are_and_what_waits(client, editor, depot):
    other = factories.DepotFactory()
    url = reverse("admin:catalog_depot_pair", args=[depot.pk, other.pk])
    assert "właściciel brak brak czeka nic nic" in text_of(client.get(url))
    Depot.objects.filter(pk=other.pk).update(data_status="owner", verified_at=NOW, verified_by=editor)
    owner_links.grant_link(depot=other, email="jan@opal.pl", on=NOW)
    row = factories.SubmissionFactory(depot=depot, claim=True)
    answer = client.get(url)
    owner = "od 21 listopada 2026 r., j…@opal.pl"
    assert f"właściciel brak {owner} czeka nr {row.pk}: przejęcie wpisu nic" in text_of(answer)
    assert page(row) in answer.content.decode()


def test_a_page_opened_from_a_list_says_its_place(client, editor, depot):
    others = [factories.DepotFactory(name=f"Zet {number}") for number in range(2)]
    assert "1 z 3" in text_of(client.get(page(depot), {"_changelist_filters": "queue=never"}))
    assert "3 z 3" in text_of(client.get(page(others[1]), {"_changelist_filters": "queue=never"}))
    moderation.verify_depots(keys=[depot.pk], by=editor, on=NOW.date())
    assert "zostało 2" in text_of(client.get(page(depot), {"_changelist_filters": "queue=never"}))
    assert "1 z 3" in text_of(client.get(page(depot)))  # of the list without filters
    assert "place-in-list" not in client.get(page(factories.SubmissionFactory(decided=True))).content.decode()


def test_editors_comment_on_a_case_wherever_they_meet_it(client, editor, depot):
    submission = factories.SubmissionFactory(depot=depot)
    back = f"{page(submission)}?_changelist_filters=state%3Dall#comments"
    answer = client.get(page(submission), {"_changelist_filters": "state=all"}).content.decode()
    assert f'value="{back}"' in answer
    write = re.search(r'id="comment-form" action="([^"]*)"', answer)[1]
    assert client.post(write, {"comment": " Dzwoniłam: <b>czynne</b>. ", "back": back})["Location"] == back
    assert "Dzwoniłam: &lt;b&gt;czynne&lt;/b&gt;." in client.get(page(depot)).content.decode()
    assert client.post(write, {"comment": " ", "back": "https://evil.example/"})["Location"] == page(depot)
    assert CaseComment.objects.get().depot == depot
    lines = ["x"] * 499 + ["ab"]
    client.post(write, {"comment": "\r\n".join(lines)})
    assert CaseComment.objects.latest("pk").text == "\n".join(lines)  # as long as its field allows
    new = factories.SubmissionFactory(add=True)
    editors.write_comment(case=new, text="Zapytać w gminie.", by=editor, on=NOW)
    assert "Zapytać w gminie." in text_of(client.get(page(new)))
    editor.groups.clear()
    assert client.post(write, {"comment": "x"}).status_code == 403


def test_the_newest_comments_are_shown_the_oldest_first_and_one_clicked_twice_once(client, editor, depot):
    rows = [CaseComment(depot=depot, text=f"Rozmowa {n}.", written_at=NOW, written_by=editor) for n in range(60)]
    CaseComment.objects.bulk_create(rows)
    for after in (0, 1, 61):
        editors.write_comment(case=depot, text="Rozmowa 99.", by=editor, on=NOW + timedelta(seconds=after))
    shown = re.findall(r"Rozmowa (\d+)\.", text_of(client.get(page(depot))))
    assert shown == [str(n) for n in (*range(12, 60), 99, 99)]
    assert depot.comments.latest("pk").written_at == NOW + timedelta(seconds=61)
