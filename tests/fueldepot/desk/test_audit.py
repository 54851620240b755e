"""The audit page over all histories."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from catalog.models import Depot
from catalog.services import editing, moderation
from prices import services as price_actions
from tests import factories

pytestmark = pytest.mark.django_db

AUDIT = reverse("audit")
TODAY = date(2026, 11, 21)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_decisions_about_depots_and_prices_stand_on_one_page(client, editor):
    depot = factories.DepotFactory(name="Skład <b>Nowak</b>")
    moderation.remove_depot(depot=depot, reason=Depot.RemovalReason.CLOSED, by=editor, on=TODAY)
    price = factories.DepotPriceFactory(pending=True, price=Decimal("1499.50"), depot=factories.DepotFactory())
    price_actions.reject_prices(prices=[price], reason="zła jednostka", by=editor, on=NOW)
    text = client.get(AUDIT).content.decode()
    assert "usunięto: skład zakończył działalność" in text
    assert "Pellet 1499,50 zł, skład nr" in text
    assert "odrzucona: zła jednostka" in text
    assert "odrzucona: zła jednostka" in client.get(AUDIT, {"q": "zła jednostka"}).content.decode()
    assert "Skład &lt;b&gt;Nowak&lt;/b&gt;" in text


def test_a_single_change_shows_the_values_before_and_after(client, editor):
    depot = factories.DepotFactory(verified=True, phone="")
    depot.save()
    editing.edit_depot(depot=depot, values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    price_actions.change_range(fuel="pellet", low=Decimal(650), high=Decimal(4000), by=editor, on=NOW)
    price_actions.change_range(fuel="pellet", low=Decimal("660.50"), high=Decimal(4000), by=editor, on=NOW)
    text = client.get(AUDIT).content.decode().replace("\xa0", " ")
    assert "<li>telefon: <del>–</del> → <ins>+48 12 345 67 89</ins></li>" in text
    assert "<li>od: <del>650</del> → <ins>660,50</ins></li>" in text
    assert "<li>do:" not in text


def test_a_request_is_named_in_words(client, editor):
    asked = factories.SubmissionFactory(
        kind="claim", state="rejected", reason="nie ta firma", decided_at=NOW, decided_by=editor
    )
    text = client.get(AUDIT, {"imports": "on"}).content.decode()
    assert f"przejęcie wpisu nr {asked.pk}" in text


def test_it_is_cut_by_person_and_days(client, editor):
    other = factories.UserFactory(username="adam")
    moderation.verify_depot(depot=factories.DepotFactory(name="Przez Ewę"), by=editor, on=TODAY)
    moderation.verify_depot(depot=factories.DepotFactory(name="Przez Adama"), by=other, on=TODAY)
    text = client.get(AUDIT, {"who": other.pk}).content.decode()
    assert "Przez Adama" in text
    assert "Przez Ewę" not in text
    assert "Przez Ewę" not in client.get(AUDIT, {"until": "2020-01-01"}).content.decode()
    assert "Przez Ewę" in client.get(AUDIT, {"since": "2020-01-01"}).content.decode()


def test_imports_show_only_when_asked_for(client, editor):
    factories.DepotFactory(name="Z importu")
    assert "Z importu" not in client.get(AUDIT).content.decode()
    assert "Z importu" in client.get(AUDIT, {"imports": "on"}).content.decode()


@pytest.mark.parametrize(
    "asked",
    [
        {"who": "x"},
        {"who": "9" * 30},
        {"since": "2026-02-31"},
        {"since": "9999-12-31", "until": "0001-01-01"},
        {"before": "2026-01-01"},
        {"before": "nie"},
    ],
)
def test_rubbish_in_the_address_is_set_aside(client, editor, asked):
    assert client.get(AUDIT, asked).status_code == 200


def test_a_page_holds_a_hundred_and_leads_to_the_older(client, editor, django_assert_num_queries):
    keys = [factories.DepotFactory(name=f"Skład {number:03}").pk for number in range(130)]
    for key in keys:
        moderation.verify_depots(keys=[key], by=editor, on=TODAY)
    with django_assert_num_queries(2 + 2 + 1 + 2 + 1):  # session, user; rights; decisions; values; people
        text = client.get(AUDIT).content.decode()
    assert text.count("sprawdzono") == 100
    older = text.split('<a href="?before=')[1].split('"')[0]
    text = client.get(f"{AUDIT}?before={older}").content.decode()
    assert text.count("sprawdzono") == 30


def test_strangers_and_staff_without_a_role_see_nothing(client):
    assert client.get(AUDIT).status_code == 302
    client.force_login(get_user_model().objects.create(username="nikt", is_staff=True))
    assert client.get(AUDIT).status_code == 403


def test_a_bulk_decision_is_one_line(client, editor):
    depots = [factories.DepotFactory(name=f"Skład {n}", lat=50 + n / 10) for n in range(4)]
    closed = Depot.RemovalReason.CLOSED
    moderation.remove_depots(keys=[row.pk for row in depots[:3]], reason=closed, by=editor, on=TODAY, note="kontrola")
    moderation.remove_depot(depot=depots[3], reason=closed, by=editor, on=TODAY)
    text = client.get(AUDIT).content.decode()
    assert text.count("usunięto: skład zakończył działalność") == 2
    assert "jeszcze 2<" in text
    assert "Skład 3" in text
    found = client.get(AUDIT, {"q": "KONTROLA"}).content.decode()
    assert "jeszcze 2<" in found
    assert "Skład 3" not in found
    assert "Skład 3" in client.get(AUDIT, {"q": "skład 3"}).content.decode()
    assert "Nic nie znaleziono" in client.get(AUDIT, {"q": "%"}).content.decode()


def test_decisions_are_counted_by_day_and_editor(client, editor):
    adam = factories.UserFactory(username="adam")
    depots = [factories.DepotFactory(lat=50 + n / 10) for n in range(3)]
    moderation.verify_depots(keys=[row.pk for row in depots], by=editor, on=TODAY)
    moderation.revoke_verification(depot=depots[0], by=adam)
    Depot.history.filter(history_user=adam).update(history_date=NOW - timedelta(days=400))
    page = reverse("audit-statistics")
    text = client.get(page).content.decode()
    assert "<td>ewa</td><td>3</td><td>skład opału: 3</td>" in text
    assert "adam" not in text
    asked = {"since": str((NOW - timedelta(days=400)).date()), "until": str((NOW - timedelta(days=399)).date())}
    assert "<td>adam</td><td>1</td>" in client.get(page, asked).content.decode()
    for until in ("2026-02-31", "9999-12-31", "0001-01-01"):
        assert client.get(page, {"since": "x", "until": until}).status_code == 200
