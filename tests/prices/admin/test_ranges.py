"""The range of plausible prices of a fuel, at the desk."""

from decimal import Decimal

import pytest

from catalog.models import Dataset
from catalog.services.editors import CHIEF, EDITOR
from fueldepot.data import snapshot
from prices.models import PlausibleRange
from tests import factories
from tests.drafts import approve
from tests.pages.reading import html_of
from tests.prices.helpers import decide, waiting

pytestmark = pytest.mark.django_db

API = "/api/v1/prices/pellet"


def test_a_range_is_written_with_a_decimal_comma_and_refused_in_one_sentence(desk):
    page = "/admin/prices/plausiblerange/pellet/change/"
    approve(desk, desk.post(page, {"low": "650,50", "high": "3900"}))
    stored = PlausibleRange.objects.get(pk="pellet")
    assert (stored.low, stored.high) == (Decimal("650.50"), 3900)
    assert 'value="650,50"' in desk.get(page).content.decode()
    for low, high in (("5000", "4000"), ("0", "10"), ("-1", "10")):
        refused = html_of(desk.post(page, {"low": low, "high": high}))
        assert "musi być dodatni" in refused
        assert "plausiblerange_ends_in_order" not in refused


def test_an_earlier_range_is_put_back(desk, client):
    decide(desk, "approve", *(waiting(amount) for amount in (1400, 1500, 1600)))
    page = "/admin/prices/plausiblerange/pellet/"
    approve(desk, desk.post(f"{page}change/", {"low": "600", "high": "3900"}))
    approve(desk, desk.post(f"{page}change/", {"low": "1450", "high": "3900"}))
    assert client.get(API).json()["rejected"] == 1
    earlier = PlausibleRange.objects.get(pk="pellet").history.earliest()
    version = f"{page}history/{earlier.pk}/"
    form = desk.get(version).context["adminform"].form
    approve(desk, desk.post(version, {name: form[name].value() for name in ("low", "high")}))
    assert PlausibleRange.objects.get(pk="pellet").low == 600
    snapshot.invalidate()
    assert client.get(API).json()["rejected"] == 0


ADD_RANGE = "/admin/prices/plausiblerange/add/"


def test_no_range_is_added_while_every_fuel_has_one(desk):
    assert desk.get(ADD_RANGE).status_code == 403
    assert desk.post(ADD_RANGE, {"fuel": "pellet", "low": "1", "high": "2"}).status_code == 403
    assert PlausibleRange.objects.get(pk="pellet").low == 600


@pytest.fixture
def pellet_without_range():
    PlausibleRange.objects.get(pk="pellet").delete()


def test_an_editor_in_chief_gives_a_fuel_without_range_its_own(pellet_without_range, desk, client):
    decide(desk, "approve", *(waiting(amount) for amount in (1400, 1500, 1600)))
    assert client.get(API).json()["n"] == 3
    chief = factories.desk_of(factories.member(CHIEF, "adam"))
    form = chief.get(ADD_RANGE)
    assert [slug for slug, _ in form.context["adminform"].form.fields["fuel"].choices] == ["pellet"]
    for low, high, fuel in [("5000", "4000", "pellet"), ("1450", "4000", "brykiet"), ("", "4000", "pellet")]:
        assert chief.post(ADD_RANGE, {"fuel": fuel, "low": low, "high": high}).status_code == 200
    assert not PlausibleRange.objects.filter(pk="pellet").exists()
    approve(desk, chief.post(ADD_RANGE, {"fuel": "pellet", "low": "1450", "high": "4000"}))
    made = PlausibleRange.objects.get(pk="pellet")
    assert (made.low, made.high) == (1450, 4000)
    assert made.history.latest().history_type == "+"
    assert made.history.latest().history_user.username == "redaktorka"
    assert made.history.latest().history_change_reason == "szkic adam: Zmiana uchwały."
    snapshot.invalidate()
    answer = client.get(API).json()
    assert (answer["n"], answer["rejected"]) == (2, 1)
    assert chief.get(ADD_RANGE).status_code == 403


def test_other_editors_add_no_range(pellet_without_range):
    editor = factories.desk_of(factories.member(EDITOR))
    assert editor.get("/admin/prices/plausiblerange/").status_code == 200
    assert editor.post(ADD_RANGE, {"fuel": "pellet", "low": "1450", "high": "4000"}).status_code == 403
    assert not PlausibleRange.objects.filter(pk="pellet").exists()


def test_a_range_saved_as_it_was_is_no_change(desk):
    before = Dataset.objects.filter(slug="prices").first()
    page = "/admin/prices/plausiblerange/pellet/change/"
    form = desk.get(page).context["adminform"].form
    assert desk.post(page, {name: form[name].value() for name in ("low", "high")}).status_code == 302
    assert PlausibleRange.objects.get(pk="pellet").history.count() == 1
    assert Dataset.objects.filter(slug="prices").first() == before
