from datetime import timedelta

import pytest
from django.utils import timezone

from regulations.codes import Appliance
from regulations.models import Deadline
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

URL = "/api/v1/heating-costs"
BOILERS = ["boiler_class_5", "boiler_ecodesign"]


@pytest.fixture
def pellet():
    """Create three prices of pellet in Kraków and three dearer ones in Warszawa, today."""
    for municipality, base in ((factories.krakow(), 1540), (factories.warszawa(), 1940)):
        factories.price_depots(base, base + 100, base + 200, depot__municipality=municipality)


def rows_of(client, **query):
    return {row["source"]: row for row in client.get(URL, query).json()["rows"]}


def test_the_median_of_the_voivodeship_else_of_poland_with_rounded_ranges(client, pellet):
    row = rows_of(client, teryt="1261011")["pellet"]
    price = row["price"]
    assert (price["amount"], price["kind"], price["n"], price["area"]) == (1640, "median", 3, "województwo małopolskie")
    assert price["window_to"] == timezone.localdate().isoformat()
    # To the grosz and to a hundred złoty.
    assert row["cost_per_kwh"] == {"low": 0.37, "middle": 0.4, "high": 0.45}
    assert (row["cost_per_year"], row["amount_per_year"]) == ({"low": 7800, "middle": 8400, "high": 9400}, 5.15)
    assert rows_of(client, teryt="12")["pellet"]["cost_per_year"] == row["cost_per_year"]
    factories.bielsko_biala()
    price = rows_of(client, voivodeship="slaskie")["pellet"]["price"]
    assert (price["amount"], price["n"], price["area"]) == (1840, 6, "Polska")


def test_an_invented_price_outside_the_window_makes_no_demonstration(client, pellet):
    invented = {"depot__demonstration": True, "depot__municipality": factories.krakow()}
    today = timezone.localdate()
    for is_invented, day in ((False, today - timedelta(days=300)), (True, today)):
        factories.price_depots(1500, day=day, **invented)
        answer = client.get(URL, {"teryt": "1261011"}).json()
        (row,) = [row for row in answer["rows"] if row["source"] == "pellet"]
        assert (answer["demonstration"], row["price"]["demonstration"]) == (is_invented, is_invented)
        assert client.get(URL, {"voivodeship": "mazowieckie"}).json()["demonstration"] is False


def test_the_heat_of_a_year(client):
    for query, demand in (({}, 21_000), ({"area": 100, "need": 80}, 8_000), ({"kwh": "18000", "area": 100}, 18_000)):
        assert client.get(URL, query).json()["demand_kwh"] == demand


def test_ones_own_price_comes_first(client, pellet):
    row = rows_of(client, teryt="1261011", price_pellet="1500,50")["pellet"]
    assert (row["price"]["amount"], row["price"]["kind"], row["price"]["area"]) == (1500.5, "own", None)
    for bag, tonne in (("36", 2400), ("38", 2533.33), ("25.55", 1703.33)):
        assert rows_of(client, bag_pellet=bag)["pellet"]["price"]["amount"] == tonne
    assert rows_of(client, bag_pellet="36", price_pellet="1600")["pellet"]["price"]["amount"] == 1600


def test_an_efficiency_of_ones_own(client):
    value = rows_of(client, efficiency_heat_pump_air="3.5", price_heat_pump_air="1.05")["heat_pump_air"]
    assert value["cost_per_kwh"] == {"low": 0.3, "middle": 0.3, "high": 0.3}
    assert (value["efficiency"]["default"], value["efficiency"]["certainty"]) == (3.5, "own")


def test_without_a_price_there_is_no_cost_and_no_rank(client):
    rows = rows_of(client).values()
    assert len(rows) == 20
    for row in rows:
        assert [row[name] for name in ("price", "cost_per_kwh", "cost_per_year", "group")] == [None] * 4
        assert row["amount_per_year"] > 0


def test_the_newest_average_of_electricity_with_its_year_and_none_of_gas(client):
    malopolskie = factories.krakow().voivodeship
    for slug, area, year, value in (
        ("prad-g11", None, 2023, "0.93"),
        ("prad-g11", None, 2024, "1.01"),
        ("prad-g11", malopolskie, 2024, "0.97"),
        ("gaz-w11", None, 2025, "0.36"),
    ):
        factories.average(year, value, slug, voivodeship=area)
    rows = rows_of(client)
    price = rows["electric"]["price"]
    assert (price["amount"], price["kind"], price["year"], price["area"]) == (1.01, "official", 2024, "Polska")
    assert rows_of(client, teryt="1261011")["heat_pump_ground"]["price"]["amount"] == 0.97
    assert rows["gas"]["price"] is None
    assert rows_of(client, price_gas="0.38")["gas"]["cost_per_kwh"] == {"low": 0.4, "middle": 0.42, "high": 0.44}


def test_ranges_that_overlap_stand_in_polish_order(client):
    prices = {"price_pellet": 1600, "price_ekogroszek_class_5": 2400, "price_electric": "1.10", "price_gas": "1.00"}
    priced = [(row["source"], row["group"]) for row in client.get(URL, prices).json()["rows"] if row["group"]]
    assert priced == [("ekogroszek_class_5", 1), ("pellet", 1), ("gas", 2), ("electric", 2)]


@pytest.fixture
def ban():
    """Forbid every appliance for solid fuel in Kraków, fireplaces with an exemption."""
    ResolutionFactory()
    boilers = [code.value for code in Appliance if code != Appliance.FIREPLACE]
    every = {"kind": Deadline.Kind.SOLID_FUEL_BAN, "date": "2019-09-01"}
    DeadlineFactory(**every, appliances=boilers)
    DeadlineFactory(**every, appliances=["fireplace"], exemptions=["ecodesign"])


def test_what_the_place_forbids_says_so_in_its_row(client, ban):
    rows = rows_of(client, teryt="1261011")
    assert rows["pellet"]["allowed"] is False
    assert "nie wolno już używać od 1" in rows["pellet"]["rule"]
    assert rows["pellet"]["rule_url"].endswith("/przepisy/sprawdz/?miejsce=1261011&piec=boiler_class_5")
    assert rows["beech_fireplace"]["allowed"] is None
    assert "chyba że spełnia ekoprojekt" in rows["beech_fireplace"]["rule"]
    assert (rows["heat_pump_air"]["allowed"], rows["gas"]["allowed"]) == (True, None)


def test_a_ban_of_coal_is_none_of_pellet(client):
    ResolutionFactory()
    DeadlineFactory(date="2019-09-01", appliances=BOILERS, fuels=["hard_coal"])
    rows = rows_of(client, teryt="1261011")
    assert (rows["ekogroszek_class_5"]["allowed"], rows["pellet"]["allowed"]) == (False, None)


def test_a_limit_counts_from_its_own_day_on(client):
    ResolutionFactory()
    DeadlineFactory(date="2100-01-01", appliances=BOILERS)
    for days, allowed in ((1, True), (0, None)):
        day = timezone.localdate() + timedelta(days=days)
        DeadlineFactory(date=day, appliances=BOILERS, conditions=["network_available"])
        assert rows_of(client, teryt="1261011")["pellet"]["allowed"] is allowed


OLD = "fireplace | 2017-07-01"


@pytest.mark.parametrize(("spared", "allowed"), [([OLD], None), (["fireplace"], True), ([OLD, "fireplace"], True)])
def test_what_is_spared_by_its_age_alone_depends_on_it(client, spared, allowed):
    ResolutionFactory()
    for line in spared:
        DeadlineFactory(appliances=["stove"], spared=line)
    assert rows_of(client, teryt="1261011")["beech_fireplace"]["allowed"] is allowed


def test_without_a_municipality_nothing_is_judged_and_a_postcode_stands_for_that_of_most_addresses(client, ban):
    for query in ({}, {"voivodeship": "malopolskie"}, {"teryt": "1261"}):
        assert rows_of(client, **query)["pellet"]["allowed"] is None
    factories.PostcodeFactory()
    answer = client.get(URL, {"postcode": "30-001"}).json()
    assert (answer["municipality"], answer["voivodeship"]) == ("1261011", "malopolskie")


def test_notes_say_what_is_left_out(client):
    notes = " ".join(client.get(URL).json()["notes"])
    for words in ("zakupu i montażu", "zachodzą na siebie", "W-1.1", "Ciepła z sieci, miału"):
        assert words in notes
