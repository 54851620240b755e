"""The queue of requests, and the page on which one is decided."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.urls import reverse

from catalog import requests
from catalog.models import Depot, DepotRequest
from catalog.roles import EDITOR
from tests import bulk, factories
from tests.pages.reading import SCRIPT

pytestmark = pytest.mark.django_db

QUEUE = reverse("admin:catalog_depotrequest_changelist")


@pytest.fixture
def editor(client):
    user = get_user_model().objects.create(username="ewa", is_staff=True)
    user.groups.add(Group.objects.get(name=EDITOR))
    client.force_login(user)
    return user


def text_of(answer):
    """What an editor sees, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def page(request):
    return reverse("admin:catalog_depotrequest_change", args=[request.pk])


def decide(client, request, commit, **typed):
    opened = client.get(page(request)).context["opened"]
    with commit(execute=True):
        return client.post(page(request), {"opened": opened, **typed}, follow=True)


def test_the_queue_costs_no_query_per_row(client, editor, django_assert_max_num_queries):
    for _ in range(60):
        factories.DepotRequestFactory()
        factories.DepotRequestFactory(
            kind="add", depot=None, proposed={"name": "Nowy", "municipality": factories.krakow().pk}, stored={}
        )
    # session, user, rights 2; filter of voivodeships; count, rows, municipalities
    with django_assert_max_num_queries(10):
        answer = client.get(QUEUE)
    text = text_of(answer)
    assert "Razem: 120" in text
    assert "Nowy" in text
    assert "telefon" in text


def test_what_waits_longest_comes_first_and_only_what_waits(client, editor):
    late, early = factories.DepotRequestFactory(), factories.DepotRequestFactory()
    DepotRequest.objects.filter(pk=early.pk).update(confirmed_at=early.created_at)
    factories.DepotRequestFactory(unconfirmed=True)
    rows = list(client.get(QUEUE).context["cl"].result_list)
    assert rows == [early, late]
    assert len(client.get(QUEUE, {"state": "all"}).context["cl"].result_list) == 3
    assert list(client.get(QUEUE, {"unit": "24"}).context["cl"].result_list) == []


def test_stored_and_proposed_stand_side_by_side(client, editor, django_assert_max_num_queries):
    depot = factories.DepotFactory(phone="+48 12 345 67 89", place="Kraków")
    request = factories.DepotRequestFactory(
        depot=depot,
        proposed={"phone": "+48 601 234 567", "place": "Wieliczka"},
        stored={"phone": "+48 12 111 11 11", "place": "Kraków"},
        message=SCRIPT,
    )
    with django_assert_max_num_queries(9):
        answer = client.get(page(request))
    text = text_of(answer)
    assert "Telefon +48 12 345 67 89 +48 12 111 11 11 +48 601 234 567" in text
    assert "Miejscowość Kraków bez zmian Wieliczka" in text
    assert "Wpis zmienił się od chwili zgłoszenia" in text
    assert SCRIPT not in answer.content.decode()


def test_the_other_requests_about_an_entry_are_named_however_many_are_unconfirmed(
    client, editor, django_capture_on_commit_callbacks
):
    first = factories.DepotRequestFactory()
    values = {"depot": first.depot, "email": first.email}
    earlier = factories.DepotRequestFactory(claim=True, state="superseded", decided_at=first.created_at, **values)
    for _ in range(30):
        factories.DepotRequestFactory(depot=first.depot, unconfirmed=True)
    proposed = {"phone": "+48 602 234 567", "place": "Wieliczka"}
    second = factories.DepotRequestFactory(proposed=proposed, stored={"phone": "", "place": ""}, **values)
    factories.DepotRequestFactory(depot=first.depot, delete=True)
    shown = client.get(page(first))
    text = text_of(shown)
    assert f"nr {second.pk}: poprawka (miejscowość, telefon), czeka na decyzję, ten sam zgłaszający" in text
    assert "usunięcie wpisu , czeka na decyzję" in text
    assert f'href="{page(second)}"' in shown.content.decode()
    decide(client, first, django_capture_on_commit_callbacks, decision="accept", groups=["phone"])
    text = text_of(client.get(page(second)))
    assert "Telefon +48 601 234 567 (brak) +48 602 234 567" in text
    assert "Wpis zmienił się od chwili zgłoszenia" in text
    second.refresh_from_db()
    assert second.state == "waiting"
    DepotRequest.objects.filter(state="unconfirmed").delete()
    text = text_of(client.get(page(second)))
    assert f"nr {earlier.pk}: przejęcie wpisu , nieaktualne, ten sam zgłaszający" in text


@pytest.mark.parametrize(
    ("email", "website", "said"),
    [
        ("jan@opal.pl", "https://www.opal.pl/kontakt", "ta sama domena co strona wpisu"),
        ("jan@biuro.opal.pl", "https://opal.pl/", "ta sama domena co strona wpisu"),
        ("jan@opal.pl", "https://inny-opal.pl/", "inna domena niż strona wpisu"),
        ("jan@opal.pl", "", "wpis nie ma strony do porównania"),
        ("jan@gmail.com", "https://gmail.com/", "bezpłatna poczta: adres nie mówi nic o firmie"),
    ],
)
def test_a_claimant_is_compared_with_the_entry(client, editor, email, website, said):
    depot = factories.DepotFactory(website=website, nip="5260250274", phone="+48 12 345 67 89, +48 601 234 567")
    request = factories.DepotRequestFactory(depot=depot, claim=True, email=email, claimant_phone="+48 601 234 567")
    text = text_of(client.get(page(request)))
    assert said in text
    assert "numer jest we wpisie" in text
    assert "ten sam NIP" in text


def test_a_claimant_who_does_not_fit(client, editor):
    depot = factories.DepotFactory(nip="1234563218", phone="+48 12 345 67 89")
    request = factories.DepotRequestFactory(depot=depot, claim=True, claimant_phone="+48 601 234 567")
    text = text_of(client.get(page(request)))
    assert "inny NIP niż we wpisie" in text
    assert "inny numer niż we wpisie" in text


def test_chosen_fields_are_accepted(client, editor, django_capture_on_commit_callbacks):
    request = factories.DepotRequestFactory(
        proposed={"phone": "+48 601 234 567", "place": "Wieliczka"}, stored={"phone": "", "place": ""}
    )
    answer = decide(client, request, django_capture_on_commit_callbacks, decision="accept", groups=["place"])
    assert "Zdecydowano: 1." in text_of(answer)
    request.depot.refresh_from_db()
    assert (request.depot.phone, request.depot.place) == ("", "Wieliczka")
    assert (request.depot.verified_by, len(mail.outbox)) == (editor, 1)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"decision": "accept"}, "Zaznacz co najmniej jedno pole"),
        ({"decision": "reject", "reason": " "}, "Odrzucenie wymaga podania powodu."),
        ({"decision": "reject"}, "Odrzucenie wymaga podania powodu."),
        ({"decision": "accept", "groups": ["phone"], "opened": "xx"}, "Wpis zmienił się, gdy strona była otwarta."),
    ],
)
def test_what_stands_in_the_way_is_said(client, editor, django_capture_on_commit_callbacks, typed, said):
    request = factories.DepotRequestFactory()
    answer = decide(client, request, django_capture_on_commit_callbacks, **typed)
    assert said in text_of(answer)
    request.refresh_from_db()
    assert request.state == "waiting"


def test_a_request_about_a_removed_entry_is_not_accepted(client, editor, django_capture_on_commit_callbacks):
    request = factories.DepotRequestFactory(depot=factories.DepotFactory(removed=True))
    answer = decide(client, request, django_capture_on_commit_callbacks, decision="accept", groups=["phone"])
    assert "Wpis jest usunięty; zgłoszenie można tylko odrzucić." in text_of(answer)


def test_a_missing_depot_outside_the_country_is_not_accepted(client, editor, django_capture_on_commit_callbacks):
    proposed = {"name": "Opał", "place": "Praga", "lat": 50.08, "lon": 14.43, "fuels": []}
    request = factories.DepotRequestFactory(kind="add", depot=None, proposed=proposed, stored={})
    answer = decide(client, request, django_capture_on_commit_callbacks, decision="accept")
    assert "Położenie nie leży w żadnej gminie." in text_of(answer)
    assert not Depot.objects.exists()


def test_a_missing_depot_whose_data_were_forgotten_still_has_its_page(client, editor):
    request = factories.DepotRequestFactory(
        kind="add",
        depot=None,
        state="rejected",
        reason="Nie ma go.",
        decided_by=editor,
        decided_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    requests.purge_requests(on=datetime(2026, 11, 21, tzinfo=UTC))
    assert "Nie ma go." in text_of(client.get(page(request)))


def test_the_second_of_two_editors_is_told(client, editor, django_capture_on_commit_callbacks):
    request = factories.DepotRequestFactory()
    decide(client, request, django_capture_on_commit_callbacks, decision="reject", reason="Nie.")
    answer = decide(client, request, django_capture_on_commit_callbacks, decision="accept", groups=["phone"])
    assert "zdecydował już ktoś inny (ewa): odrzucone. Twoja decyzja nic nie zmieniła." in text_of(answer)
    request.depot.refresh_from_db()
    assert request.depot.phone == ""


def test_a_missing_depot_shows_what_is_near_and_whose_name_it_bears(client, editor):
    factories.BoundaryFactory()
    factories.DepotFactory(name="Opał Zosia", lat=50.0627, lon=19.9373)
    proposed = {
        "name": "Jan Kowalski",
        "street": "",
        "house_number": "",
        "postcode": "30-001",
        "place": "Kraków",
        "nip": None,
        "phone": "",
        "website": "",
        "fuels": ["pellet"],
        "hours": None,
        "opening_hours": "",
        "lat": 50.0617,
        "lon": 19.9373,
        "location_approximate": False,
        "municipality": "1261011",
    }
    request = factories.DepotRequestFactory(kind="add", depot=None, proposed=proposed, stored={})
    text = text_of(client.get(page(request)))
    assert "Opał Zosia , 111 m" in text
    assert "Nazwa wygląda na imię i nazwisko" in text
    client.post(page(request), {"decision": "accept", "opened": "0"})
    depot = Depot.objects.get(name="Jan Kowalski")
    assert (depot.source, depot.municipality_id, depot.data_status) == ("editor", "1261011", "verified")
    assert depot.history.get().history_user == editor


def test_bulk_decisions(client, editor, django_capture_on_commit_callbacks):
    rows = [factories.DepotRequestFactory() for _ in range(3)]
    assert "wymaga podania powodu" in text_of(bulk.act(client, QUEUE, "reject", *rows))
    with django_capture_on_commit_callbacks(execute=True):
        bulk.act(client, QUEUE, "accept", *rows)
    assert set(DepotRequest.objects.values_list("state", flat=True)) == {"accepted"}
    assert len(mail.outbox) == 3
    asked = text_of(bulk.choose(client, f"{QUEUE}?state=all", "reject", *rows, reason="Nie."))
    assert f"Przyjęte: 3 nr {rows[2].pk}, poprawka: " in asked
    assert "Tak, wykonaj" not in asked


@pytest.mark.django_db(transaction=True)  # letters leave once it is committed, and before the editor is answered
def test_whom_no_letter_reached_is_named(client, settings):
    settings.EMAIL_BACKEND = "tests.catalog.requests.test_actions.HalfBroken"
    client.force_login(factories.UserFactory())
    lost = factories.DepotRequestFactory(email="nobody@opal.pl")
    answer = client.post(page(lost), {"decision": "reject", "reason": "Nie."}, follow=True)
    assert f"Decyzja zapisana, ale list do zgłaszającego nie wyszedł: nr {lost.pk}." in text_of(answer)
    assert "Listy o decyzji, które nie wyszły: 1 ." in text_of(answer)


def test_a_letter_that_did_not_leave_is_sent_again_from_the_page(client, editor, settings):
    lost = factories.DepotRequestFactory(decided=True, letter_owed=True)
    assert "List o decyzji nie wyszedł Powód Nie." in text_of(client.get(page(lost)))
    settings.EMAIL_BACKEND = "tests.catalog.requests.test_actions.Down"
    answer = client.post(page(lost), {"decision": "tell"}, follow=True)
    assert f"List nadal nie wyszedł: nr {lost.pk}. Spróbuj później." in text_of(answer)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    answer = client.post(page(lost), {"decision": "tell"}, follow=True)
    assert f"Wysłano listy: nr {lost.pk}." in text_of(answer)
    assert "List o decyzji" not in text_of(answer)
    assert "Żaden z tych listów" in text_of(client.post(page(lost), {"decision": "tell"}, follow=True))
    assert len(mail.outbox) == 1


def test_letters_that_did_not_leave_are_found_and_sent_from_the_queue(client, editor):
    lost = [factories.DepotRequestFactory(decided=True, letter_owed=True) for _ in range(2)]
    told, erased = factories.DepotRequestFactory(decided=True), factories.DepotRequestFactory(erased=True)
    DepotRequest.objects.filter(pk=erased.pk).update(letter_owed=True)
    answer = client.get(QUEUE, {"state": "all", "letter": "owed"})
    assert set(answer.context["cl"].result_list) == set(lost)
    answer = bulk.act(client, f"{QUEUE}?state=all", "tell", *lost, told, erased)
    assert f"Wysłano listy: nr {lost[0].pk}, nr {lost[1].pk}." in text_of(answer)
    assert "które nie wyszły" not in text_of(answer)
    assert sorted(letter.to[0] for letter in mail.outbox) == sorted(row.email for row in lost)


def test_requests_are_neither_added_nor_deleted_by_hand_and_strangers_see_nothing(client, editor):
    request = factories.DepotRequestFactory()
    assert client.get(reverse("admin:catalog_depotrequest_add")).status_code == 403
    assert client.post(reverse("admin:catalog_depotrequest_delete", args=[request.pk])).status_code == 403
    assert client.get(reverse("admin:catalog_depotrequest_change", args=[999])).status_code == 302
    assert client.get(reverse("admin:catalog_depotrequest_change", args=["x"])).status_code == 302
    client.logout()
    assert client.get(page(request)).status_code == 302


def test_who_may_only_look_decides_nothing(client):
    user = get_user_model().objects.create(username="gosc", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_depotrequest"))
    client.force_login(user)
    request = factories.DepotRequestFactory()
    assert "Przyjmij zaznaczone" not in client.get(page(request)).content.decode()
    assert client.post(page(request), {"decision": "reject", "reason": "x"}).status_code == 403
    lost = factories.DepotRequestFactory(decided=True, letter_owed=True)
    assert "Wyślij jeszcze raz" not in text_of(client.get(page(lost)))
    assert client.post(page(lost), {"decision": "tell"}).status_code == 403
    stranger = get_user_model().objects.create(username="obcy", is_staff=True)
    client.force_login(stranger)
    assert client.get(page(request)).status_code == 403
