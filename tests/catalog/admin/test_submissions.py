"""The queue of submissions, and the page on which one is decided and its values changed."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from catalog.admin.submission_page import compare
from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot, Submission
from catalog.services import merging
from catalog.submissions import field_groups, letters, retention
from tests import bulk, factories, texts
from tests.client import context_of, message_of
from tests.deciding import page
from tests.factories import TODAY
from tests.mail import words_of
from tests.pages.reading import SCRIPT, html_of, missing, text_of

pytestmark = pytest.mark.django_db

QUEUE = reverse("admin:catalog_submission_changelist")
TWO_FIELDS = {"proposed": {"phone": "+48 601 234 567", "place": "Wieliczka"}, "stored": {"phone": "", "place": ""}}


@pytest.fixture
def decide(client, commit):
    """Decide on the page of a submission, with the letter; returns the answer."""

    def act(submission, **typed):
        return commit(
            client.post, page(submission), {"opened": context_of(client, page(submission))["opened"], **typed}
        )

    return act


def test_the_queue_costs_no_query_per_row(client, editor, django_assert_max_num_queries):
    factories.SubmissionFactory.create_batch(6)
    new = {"name": "Nowy", "municipality": "1261011"}
    factories.SubmissionFactory.create_batch(6, add=True, proposed=new)
    # session, user, rights 2; filter of voivodeships; count, rows, municipalities
    with django_assert_max_num_queries(10):
        answer = client.get(QUEUE)
    assert not missing(text_of(answer), "Razem: 12", "Nowy", "telefon")


def test_a_waiting_one_about_an_entry_that_an_import_has_removed_says_so_and_how_to_accept_it(client, editor):
    factories.BoundaryFactory()
    rows = [factories.SubmissionFactory(depot=factories.DepotFactory(source_id=f"node/{number}")) for number in (1, 2)]
    record = DepotRecord("node/1", "Skład", 50.0617, 19.9373)
    options = Options(today=TODAY, write=True, allow_removals=True)
    sync_depots(Extract((record,)), options, origin=Depot.Source.OSM)
    assert text_of(client.get(QUEUE)).count("czeka na decyzję; wpis usunięty") == 1
    advice = "Wpis jest usunięty (zniknął ze źródła danych): najpierw go przywróć albo odrzuć zgłoszenie."
    assert advice in text_of(client.get(page(rows[1])))
    # One that an earlier release has left at a merged entry.
    merging.merge_depots(survivor=factories.DepotFactory(), loser=rows[0].depot, take=(), by=editor, on=TODAY)
    left = factories.SubmissionFactory(depot=rows[0].depot, claim=True)
    survivor = factories.fresh(left.depot).merged_into_id
    assert f"(powtórzony wpis, scalony z wpisem {survivor} ): najpierw go przywróć" in text_of(client.get(page(left)))
    client.post(page(left), {"decision": "reject", "reason": "Wpis scalono."})
    assert factories.fresh(left).state == "rejected"


def test_what_waits_longest_comes_first_and_only_what_waits_unless_another_order_is_chosen(client, editor):
    early = factories.SubmissionFactory(email="jan.kowalski@wp.pl")
    late = factories.SubmissionFactory(email="anna.kowalska@wp.pl")
    Submission.objects.filter(pk=early.pk).update(confirmed_at=early.created_at)
    factories.SubmissionFactory(unconfirmed=True)
    factories.SubmissionFactory(erased=True)
    for query, rows in (
        ({}, [early, late]),
        ({"o": "6"}, [late, early]),  # by address
        ({"o": "-6"}, [early, late]),
        ({"q": f"#{late.pk}"}, [late]),
        ({"unit": "24"}, []),
    ):
        assert list(context_of(client, QUEUE, query)["cl"].result_list) == rows, query
    html = html_of(client.get(QUEUE, {"state": "all"}))
    # An address breaks before its domain, and may be erased.
    assert not missing(html, "Razem: 4", "jan.kowalski<wbr>@wp.pl</td>", '<td class="field-sender">-</td>')
    assert "pokaż wszystkie" not in html
    assert 'href="?state=all">pokaż wszystkie' in html_of(client.get(QUEUE, {"state": "all", "q": f"#{late.pk}"}))


def test_stored_and_proposed_stand_side_by_side(client, editor, django_assert_max_num_queries):
    depot = factories.DepotFactory(phone="+48 12 345 67 89", place="Kraków")
    values = TWO_FIELDS | {"stored": {"phone": "+48 12 111 11 11", "place": "Kraków"}, "message": SCRIPT}
    submission = factories.SubmissionFactory(depot=depot, **values)
    with django_assert_max_num_queries(20):
        answer = client.get(page(submission))
    text = text_of(answer)
    assert "Telefon +48 12 345 67 89 +48 12 111 11 11 +48 601 234 567" in text
    assert not missing(text, "Miejscowość Kraków bez zmian Wieliczka", "Wpis zmienił się od chwili zgłoszenia")
    assert SCRIPT not in answer.content.decode()


def test_the_other_submissions_about_an_entry_are_named_however_many_are_unconfirmed(client, editor):
    first = factories.SubmissionFactory()
    values = {"depot": first.depot, "email": first.email}
    earlier = factories.SubmissionFactory(claim=True, state="superseded", decided_at=first.created_at, **values)
    factories.SubmissionFactory.create_batch(30, depot=first.depot, unconfirmed=True)
    second = factories.SubmissionFactory(**TWO_FIELDS, **values)
    factories.SubmissionFactory(depot=first.depot, delete=True)
    shown = client.get(page(first))
    text = text_of(shown)
    assert f"nr {second.pk}: poprawka (miejscowość, telefon), czeka na decyzję, ten sam zgłaszający" in text
    assert "usunięcie wpisu , czeka na decyzję" in text
    assert f'href="{page(second)}"' in shown.content.decode()
    Submission.objects.filter(state="unconfirmed").delete()
    text = text_of(client.get(page(second)))
    assert f"nr {earlier.pk}: przejęcie wpisu , nieaktualne, ten sam zgłaszający" in text


def test_a_claimant_is_compared_with_the_entry_and_may_not_fit(client, editor):
    depot = factories.DepotFactory(nip="5260250274", phone="+48 12 345 67 89, +48 601 234 567")
    submission = factories.SubmissionFactory(depot=depot, claim=True, claimant_phone="+48 601 234 567")
    for submission.email, depot.website, verdict, text in (
        ("jan@opal.pl", "https://www.opal.pl/kontakt", "same", "ta sama domena co strona wpisu"),
        ("jan@biuro.opal.pl", "https://opal.pl/", "same", "ta sama domena co strona wpisu"),
        ("jan@opal.pl", "https://inny-opal.pl/", "different", "inna domena niż strona wpisu"),
        ("jan@opal.pl", "", "unknown", "wpis nie ma strony do porównania"),
        ("jan@gmail.com", "https://gmail.com/", "unknown", "bezpłatna poczta: adres nie mówi nic o firmie"),
    ):
        of_email, *numbers = compare(submission)
        assert (of_email["verdict"], of_email["text"]) == (verdict, text)
        assert {row["verdict"] for row in numbers} == {"unknown"}  # public ones prove nothing
    Depot.objects.update(website="https://opal-nowak.pl/")
    answer = client.get(page(submission), {"_changelist_filters": "state=all"})
    said = "ta sama domena co strona wpisu", "numer jest we wpisie: publiczny, więc niczego nie dowodzi"
    assert not missing(text_of(answer), *said, "zgadza się z publicznym, więc niczego nie dowodzi")
    assert answer.content.decode().count('<tr class="same">') == 1  # what is green
    assert f'<a href="{QUEUE}?state=all" data-key="l">' in answer.content.decode()  # the way back to the list
    depot.nip, depot.phone = "1234563218", "+48 12 345 67 89"
    others = [("different", "inny numer niż we wpisie"), ("different", "inny NIP niż we wpisie")]
    assert [(row["verdict"], row["text"]) for row in compare(submission)[1:]] == others
    depot.nip, submission.claimant_phone = None, ""
    assert [row["text"] for row in compare(submission)[1:]] == ["zgłaszający nie podał numeru", "brak NIP-u we wpisie"]
    assert len(compare(factories.SubmissionFactory(depot=depot))) == 1  # a correction is not asked for numbers


def test_chosen_fields_are_accepted_and_the_whole_entry_verified_only_where_it_is_ticked(client, editor, decide):
    submission = factories.SubmissionFactory(**TWO_FIELDS)
    answer = decide(submission, decision="accept", groups=["place"])
    assert "podaj powód tego, czego nie przyjmujesz." in message_of(answer)
    assert re.findall(r'name="groups" value="(\w+)"[^>]*checked', answer.content.decode()) == ["place"]
    answer = decide(submission, decision="accept", groups=["place"], reason="Numer nie odpowiada.")
    assert "Zdecydowano: 1." in message_of(answer)
    assert (factories.fresh(submission.depot).phone, submission.depot.place) == ("", "Wieliczka")
    assert (submission.depot.data_status, submission.depot.confirmed_fields) == ("unverified", ["place"])
    assert len(mail.outbox) == 1
    assert "Wpis zmienił się od chwili zgłoszenia" not in text_of(client.get(page(submission)))
    other = factories.SubmissionFactory(depot=submission.depot)
    assert '<input type="checkbox" name="verify"> cały wpis sprawdzony' in client.get(page(other)).content.decode()
    decide(other, decision="accept", groups=["phone"], verify="on")
    assert (factories.fresh(submission.depot).data_status, submission.depot.verified_by) == ("verified", editor)


def test_what_was_sent_together_stands_first_and_stays_after_the_decision(client, editor):
    claim = factories.SubmissionFactory(claim=True)
    prices = factories.SubmissionFactory(passed_on=True, depot=claim.depot, email=claim.email, visit=claim)
    factories.SubmissionFactory.create_batch(20, depot=claim.depot, unconfirmed=True)
    together = f"nr {prices.pk}: cena , przekazane do kolejki cen, wysłane razem z tym"
    assert together in text_of(client.get(page(claim)))
    client.post(page(claim), {"decision": "reject", "reason": "Nie."})
    assert together in text_of(client.get(page(claim)))
    assert f"nr {claim.pk}: przejęcie wpisu , odrzucone, wysłane razem z tym" in text_of(client.get(page(prices)))


def test_what_stands_in_the_way_is_said_first_who_has_decided_and_nothing_typed_is_lost(client, editor, decide):
    submission = factories.SubmissionFactory()
    for typed, words in (
        ({"decision": "accept"}, "zaznacz co najmniej jedno pole"),
        ({"decision": "reject", "reason": " "}, "podaj powód tego"),
        ({"decision": "accept", "groups": ["phone"], "opened": "xx"}, "ktoś zmienił wpis po otwarciu tej strony"),
    ):
        assert words in message_of(decide(submission, **typed))
    for decision in ("", "x", "acceptance"):
        assert client.post(page(submission), {"decision": decision, "reason": "Nie"}).status_code == 400
    typed = {"groups": ["phone"], "reason": "Numer „stary”.", "question": "Który?", "value-phone": "601 999 999"}
    shown = html_of(decide(submission, decision="accept", **typed))
    assert "podano powód, ale wszystkie pola są zaznaczone: odznacz te" in shown
    assert not missing(shown, 'value="Numer „stary”."', ">Który?</textarea>", 'value="601 999 999"')
    assert factories.fresh(submission).state == "waiting"
    decide(submission, decision="reject", reason="Nie.")
    for typed in ({"decision": "accept", "groups": ["phone"]}, {"decision": "reject"}):
        said = message_of(decide(submission, **typed))
        assert said.endswith("zdecydował już ktoś inny (ewa): odrzucone. Twoja decyzja nic nie zmieniła.")
    assert factories.fresh(submission.depot).phone == ""


def test_a_missing_depot_whose_data_were_forgotten_still_has_its_page(client, editor):
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    submission = factories.SubmissionFactory(add=True, decided=True, reason="Nie ma go.", decided_at=moment)
    retention.purge_submissions(on=datetime(2026, 11, 21, tzinfo=UTC))
    html = html_of(client.get(page(submission)))
    assert ("Nie ma go." in html, "position-picker" in html) == (True, False)


def test_a_missing_depot_shows_what_is_near_and_whose_name_it_bears(client, editor):
    factories.BoundaryFactory()
    factories.DepotFactory(name="Opał Zosia", lat=50.0627, lon=19.9373)
    entry = factories.DepotFactory.build(name="Jan Kowalski", postcode="30-001", place="Kraków", fuels=["pellet"])
    submission = factories.SubmissionFactory(add=True, proposed=field_groups.values_of(entry))
    text = text_of(client.get(page(submission)))
    assert not missing(text, "Opał Zosia , 111 m", "Nazwa wygląda na imię i nazwisko")
    client.post(page(submission), {"decision": "accept", "opened": "0"})
    depot = Depot.objects.get(name="Jan Kowalski")
    assert (depot.source, depot.municipality_id, depot.data_status) == ("editor", "1261011", "verified")
    Depot.objects.filter(pk=depot.pk).update(phone="+48 601 234 567")
    text = text_of(client.get(page(submission)))
    assert "W pobliżu są już wpisy" not in text
    assert "Telefon (przyjęte) +48 601 234 567 (brak)" in text
    assert depot.history.get().history_user == editor


def test_many_are_decided_at_once_a_rejection_with_a_reason_and_no_claim_or_deletion_accepted(client, editor, commit):
    claim, delete = factories.SubmissionFactory(claim=True), factories.SubmissionFactory(delete=True)
    rows = factories.SubmissionFactory.create_batch(3)
    assert "wymaga podania powodu" in message_of(bulk.act(client, QUEUE, "reject", *rows, reason=""))
    asked = text_of(bulk.choose(client, QUEUE, "reject", claim, delete, *rows, reason="Nie."))
    assert not missing(asked, "poprawka: 3", "przejęcie wpisu: 1", "usunięcie wpisu: 1")
    removed = factories.DepotFactory(removed=True)
    back = factories.SubmissionFactory(depot=removed, kind="restore", proposed={}, stored={})
    asked = text_of(bulk.choose(client, QUEUE, "accept", claim, delete, back, *rows))
    assert "rzejęcia, usunięcia i przywrócenia przyjmuje się pojedynczo, na stronie zgłoszenia: 3" in asked
    assert f"nr {back.pk}, przywrócenie wpisu: Skład opału Nowak" in asked
    back.delete()
    assert f"nr {claim.pk}, przejęcie wpisu: Skład opału Nowak" in asked
    commit(bulk.act, client, QUEUE, "accept", claim, delete, *rows)
    states = {("claim", "waiting"), ("delete", "waiting"), ("correct", "accepted")}
    assert (set(Submission.objects.values_list("kind", "state")), len(mail.outbox)) == (states, 3)
    asked = text_of(bulk.choose(client, f"{QUEUE}?state=all", "reject", *rows, reason="Nie."))
    assert not missing(asked, f"Przyjęte: 3 nr {rows[2].pk}, poprawka: ", "Nic się nie zmieni")
    assert "Tak, wykonaj" not in asked
    late = text_of(bulk.choose(client, QUEUE, "reject", *rows, reason="Nie."))
    assert "zaznaczonych nie ma już na tej liście" in late  # the queue was open while they were decided


def test_letters_that_did_not_leave_are_found_and_leave_by_themselves(client, editor):
    lost = [factories.SubmissionFactory(decided=True, notification_pending=True) for _ in range(2)]
    factories.SubmissionFactory(decided=True)
    Submission.objects.filter(pk=factories.SubmissionFactory(erased=True).pk).update(notification_pending=True)
    waits = "List o decyzji jeszcze nie wyszedł; wyjdzie sam przy jednej z następnych prób, najwyżej 3 na godzinę"
    assert waits in text_of(client.get(page(lost[0])))
    answer = client.get(QUEUE, {"state": "all", "letter": "owed"})
    assert set(answer.context["cl"].result_list) == set(lost)
    assert "Listy o decyzji, które jeszcze nie wyszły: 2 . Wyjdą same" in text_of(answer)
    letters.send_waiting()
    assert sorted(letter.to[0] for letter in mail.outbox) == sorted(row.email for row in lost)
    for moment in ("decided_at", "answered_at"):  # what is about to leave is no cause for alarm
        factories.SubmissionFactory(decided=True, notification_pending=True, **{moment: timezone.now()})
    assert "które jeszcze nie wyszły" not in text_of(client.get(QUEUE))
    assert not context_of(client, QUEUE, {"state": "all", "letter": "owed"})["cl"].result_count
    assert "List o decyzji" not in text_of(client.get(page(lost[0])))


def test_who_may_only_look_decides_nothing(client):
    submission = factories.SubmissionFactory()
    client.force_login(factories.staff("gosc", "view_submission"))
    assert "Przyjmij zaznaczone" not in client.get(page(submission)).content.decode()
    assert client.post(page(submission), {"decision": "reject", "reason": "x"}).status_code == 403


def form_of(client, submission):
    found = re.findall(r'name="(value-[a-z_]+)" value="([^"]*)"', client.get(page(submission)).content.decode())
    return {name: unescape(value) for name, value in found}


def test_a_proposed_value_is_changed_while_it_is_accepted_and_no_other_can_be_slipped_in(client, editor, decide):
    proposed = {"phone": "+48 601 234 567", "place": "wieliczka", "hours": None, "opening_hours": "Mo-Fr 08:00-16:00"}
    submission = factories.SubmissionFactory(proposed=proposed, stored={**dict.fromkeys(proposed, ""), "hours": None})
    typed = form_of(client, submission)
    assert typed["value-place"] == "wieliczka"
    typed |= {"value-place": " Wieliczka ", "value-opening_hours": "pn.-pt. 7:00-15:00"}
    typed |= {"value-name": "Inna nazwa", "value-nip": "5260250274"}
    decide(submission, decision="accept", groups=["phone", "place", "hours", "name"], **typed)
    depot = submission.depot
    assert (factories.fresh(depot).phone, depot.place) == ("+48 601 234 567", "Wieliczka")
    assert (depot.hours["fri"], depot.name, depot.nip) == ("7:00-15:00", "Skład opału Nowak", None)
    assert (factories.fresh(submission).state, submission.proposed) == ("accepted", proposed)
    letter = words_of(mail.outbox[0])
    assert "jest: Wieliczka z poprawką redakcji; w zgłoszeniu: wieliczka" in letter
    assert letter.count("z poprawką redakcji") == 2  # the hours, too


def position(lat):
    return {"lat": lat, "lon": 19.9373, "location_approximate": True, "municipality": "1261011"}


@pytest.fixture
def moved():
    factories.BoundaryFactory()
    proposed, stored = {"fuels": ["wegiel"], **position(50.07)}, {"fuels": [], **position(50.06)}
    return factories.SubmissionFactory(proposed=proposed, stored=stored)


@pytest.mark.parametrize(
    ("typed", "fuels", "lat", "sure"),
    [
        ({}, ["wegiel"], 50.07, False),
        ({"value-fuels": ["", "pellet", "wegiel"]}, ["wegiel", "pellet"], 50.07, False),
        ({"value-fuels": [""]}, [], 50.07, False),
        ({"value-lat": "50.08", "value-lon": "19.9373"}, ["wegiel"], 50.08, True),
        ({"value-lat": "50.08"}, ["wegiel"], 50.07, False),
        ({"value-lat": "50.07", "value-lon": "19.9373"}, ["wegiel"], 50.07, False),
    ],
)
def test_fuels_and_a_position_are_changed_while_they_are_accepted(editor, decide, moved, typed, fuels, lat, sure):
    decide(moved, decision="accept", groups=["fuels", "lat"], **typed)
    depot = factories.fresh(moved.depot)
    assert (depot.fuels, depot.lat, depot.location_approximate) == (fuels, lat, not sure)
    assert ("z poprawką redakcji" in words_of(mail.outbox[0])) is (sure or fuels != ["wegiel"])


def test_a_position_outside_every_municipality_and_an_unknown_fuel_are_refused(client, editor, moved):
    sent = {"decision": "accept", "groups": ["fuels", "lat"], "opened": "0"}
    outside = client.post(page(moved), sent | {"value-lat": "54.9", "value-lon": "16"})
    assert "To miejsce nie leży w żadnej gminie." in text_of(outside)
    for wrong in ({"value-lat": "nan", "value-lon": "16"}, {"value-fuels": ["", "uran"]}):
        assert "Nic nie zapisano" in message_of(client.post(page(moved), sent | wrong))
    assert factories.fresh(moved).state == "waiting"


def test_a_wrong_value_is_refused_at_its_field_nothing_typed_is_lost_and_one_too_long_left_out(client, editor, decide):
    proposed = {"phone": "+48 601 234 567", "place": texts.too_long("place")}
    submission = factories.SubmissionFactory(proposed=proposed, stored={"phone": "", "place": ""})
    typed = form_of(client, submission) | {"decision": "accept", "groups": ["phone", "place"]}
    text = html_of(decide(submission, **typed | {"value-phone": "zadzwoń"}))
    assert not missing(text, "To nie jest poprawny numer telefonu", 'value="zadzwoń"', f'value="{proposed["place"]}"')
    assert "ma co najwyżej 120 znaków (obecnie ma 121)" in text
    assert factories.fresh(submission).state == "waiting"
    decide(submission, **typed | {"groups": ["phone"], "reason": "Zbyt długa nazwa."})
    assert (factories.fresh(submission.depot).phone, submission.depot.place) == ("+48 601 234 567", "")


def test_every_text_typed_may_be_as_long_as_its_column_and_no_longer(client, editor, decide):
    stored = {**dict.fromkeys(texts.LIMITS, ""), "hours": None}
    submission = factories.SubmissionFactory(proposed=stored | dict.fromkeys(texts.LIMITS, "Opał"), stored=stored)
    typed = {"decision": "accept", "groups": [*stored]}
    longer = {f"value-{name}": texts.too_long(name) for name in texts.LIMITS}
    answer = decide(submission, **typed, **longer)
    wrong = {field.html_name for row in answer.context["rows"] for field in row["fields"] if field.errors}
    assert wrong == set(longer)
    decide(submission, **typed, **{f"value-{name}": texts.longest(name) for name in texts.LIMITS})
    assert Depot.objects.values(*texts.LIMITS).get() == {name: texts.longest(name) for name in texts.LIMITS}


def test_a_proposed_position_stands_on_a_map_beside_the_present_one(client, editor, settings):
    settings.MAP_TILES_URL = "https://{s}.tiles.example.pl/{z}/{x}/{y}.png"
    here = factories.SubmissionFactory(proposed=position(50.0717), stored=position(50.0617))
    proposed = position(50.0717) | {"name": "Opał", "place": "Kraków", "fuels": []}
    new = factories.SubmissionFactory(add=True, proposed=proposed)
    shown = client.get(page(here)).content.decode()
    outlines = 'data-outlines="/sklady/malopolskie/krakow-1261011/granice.geojson"'
    tiles = 'data-tiles="https://{s}.tiles.example.pl/{z}/{x}/{y}.png"'
    assert not missing(shown, 'data-before="50.061700,19.937300" data-after="50.071700,19.937300"', outlines, tiles)
    assert "o 1 112 m od obecnego" in shown.replace("\xa0", " ")
    shown = client.get(page(new)).content.decode()
    assert 'data-after="50.071700,19.937300"' in shown
    assert "data-before" not in shown
    assert 'data-before="50.061700,19.937300"' in client.get(page(here.depot)).content.decode()
