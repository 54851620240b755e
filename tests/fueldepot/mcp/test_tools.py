"""The tools of /mcp. With the official client over HTTP: tests/openapi/test_live.py."""

import json
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from jsonschema import Draft202012Validator, FormatChecker

from catalog.depots.attribution import LICENCES
from catalog.importers.sources import openstreetmap
from catalog.models import Dataset, Depot
from catalog.search import entries
from fueldepot.mcp import answers
from fueldepot.mcp.answers import ENVELOPE_BYTES, MOST_BYTES
from pages.api_and_text_pages import rules_of_use
from pages.fuel_prices import fuel_prices_page
from pages.heating_api import SOURCES
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import voivodeship_page
from pages.municipality import find_municipality, municipality_page
from prices.models import Observation, Series
from regulations import sources as regulations
from tests import factories
from tests.fueldepot.mcp.conftest import post, rpc
from tests.openapi.description import close
from tests.pages.reading import present

pytestmark = pytest.mark.django_db


def calls(depot):
    return (
        ("depots_near", {"teryt": "1217011", "fuel": "pellet"}),
        ("depot", {"id": depot}),
        ("rules_at", {"teryt": "1217011", "appliance": "boiler_class_3", "on": "2026-11-22"}),
        ("deadlines", {"from": "2026-11-22", "appliance": "boiler_class_3"}),
        ("price", {"fuel": "pellet", "voivodeship": "Małopolskie"}),
        ("official_average", {"series": "prad-g11", "year": 2019}),
        ("subsidy", {"people": 4, "income": 2000, "eu": "3", "walls": 150, "new_source": "pellet_boiler"}),
        ("find_place", {"q": "Zakopane"}),
        ("locate", {"lat": 49.2992, "lon": 19.9496}),
        ("municipalities", {"county": "1217"}),
        ("median_method", {"fuel": "pellet"}),
        ("heating", {"teryt": "1217011"}),
        ("states", {"on": "2026-11-22"}),
        ("rules_of_use", {}),
    )


def validate(schema, body):
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(close(schema), format_checker=FormatChecker()).validate(body)
    assert schema["type"] == "object"
    assert "$ref" not in json.dumps(schema)


# First those without the country, which stays until the end of the module.


def test_notes_say_why_works_are_not_paid(call):
    for plan, amounts, note in (
        ({"walls": 100}, [27500, [27500, 27500], False], None),
        ({"new_source": "pellet_boiler"}, [0, [0, 0], None], "nowe źródło ciepła przysługuje tylko razem z"),
        ({"people": None, "income": None, "annual_income": 200000, "walls": 1}, [0, [0, 0], None], "zbyt wysoki"),
        ({}, [None, None, None], "Nie podano żadnych prac"),
        ({"audit": True}, [1200, [1200, 1200], False], "Sam audyt nie wystarcza"),
    ):
        answer = call(("subsidy", STATED | plan))["answer"]
        assert [answer.get(name) for name in AMOUNTS] == amounts, plan
        assert [note in text for text in answer["notes"]] == [True] if note else answer["notes"] == []


def test_a_business_has_its_revenue_limit_and_conditions(call, client):
    for income, limit in ((1200, 57_672), (2000, 192_240), (9000, None)):
        stated = STATED | {"income": income, "business": True, "walls": 100}
        body = call(("subsidy", stated))
        told = client.get("/api/v1/subsidy", stated).json()
        assert body["answer"].get("business_revenue_limit_pln") == told["business_revenue_limit_pln"] == limit
        conditions = [row["text"] for row in told["conditions"] if "działalności gospodarczej" in row["text"]]
        notes = body["answer"]["notes"]
        assert notes == conditions[: len(notes)]
        assert len(notes) + body.get("left_out", {}).get("notes", 0) == len(conditions) == 2
    assert call(("subsidy", STATED | {"walls": 100}))["answer"]["notes"] == []


def test_long_notes_keep_the_range_of_amounts_and_a_reason_of_many_works_is_told_once(call):
    works = dict.fromkeys(["walls", "windows", "doors", "gates", "floor", "ceiling"], 10)
    refused = {"new_source": "pellet_boiler", "central_heating_dhw": True, "audit": True}
    body, other = call(("subsidy", STATED | refused), ("subsidy", STATED | works | {"eu": "1"}))
    assert body["left_out"]
    assert body["answer"]["between_pln"] == [0, 0]
    assert body["answer"]["notes"][0].startswith("pellet_boiler: Przy wskaźniku EU")
    (note,) = other["answer"]["notes"]
    assert note.startswith("ceiling, floor, walls, windows, doors, gates: Przy wskaźniku EU")


def test_what_no_answer_holds_is_counted(call):
    series, _ = Series.objects.get_or_create(slug="prad-g11")
    Observation.objects.bulk_create(
        Observation(series=series, year=year, value=Decimal("0.6"), source="GUS") for year in range(2010, 2020)
    )
    body = call(("official_average", {"series": "prad-g11"}))
    assert next(row["year"] for row in body["answer"]["values"]) == 2019
    assert body["left_out"] == {"values": 10 - len(body["answer"]["values"])}
    assert len(body["answer"]["values"]) <= 6


def test_no_error_repeats_an_income(call):
    private = {"people": 2, "income": "98765x", "annual_income": "98.765.x"}
    refused = (private, {**private, "wals": 1}, {"income": 98765}, {"annual_income": "98.765"})
    decimals, *bodies = call(*(("subsidy", stated) for stated in ({"walls": 10, "annual_income": 833.125}, *refused)))
    assert "error" not in decimals, "a number has decimals where text has two readings"
    for body in bodies:
        assert body.keys() == {"error"}
        assert not present(str(body["error"]), "98765", "98.765")


def test_rules_of_use_are_those_of_the_page_with_the_licences(call):
    for source in (openstreetmap.SOURCES[0], regulations.SOURCE):
        Dataset.objects.bump_version(source.dataset, as_of=date(2026, 10, 3), source=source.credit)
    every, *single, past = call(("rules_of_use", {}), *(("rules_of_use", {"rule": n}) for n in range(1, 13)))
    page, licences = rules_of_use(), every["answer"]["licences"]
    assert every["answer"]["rules"] == [title for title, _ in page]
    assert {"depots", "depots/osm"} == {*licences[LICENCES[Depot.Source.OSM]]}
    assert "regulations" in licences[LICENCES[Depot.Source.EDITOR]]
    assert every["page"].endswith("/api/")
    assert [body["answer"]["text"] for body in single] == [" ".join(rule) for rule in page]
    assert "wykorzystanie komercyjne" in single[-1]["answer"]["text"]
    assert "left_out" not in every
    assert "from 1 to 11" in past["error"][0]


def test_a_deeply_nested_argument_is_refused(client):
    nested = "[" * 1000 + "]" * 1000
    call = '"method": "tools/call", "params": {"name": "find_place", "arguments": {"q": ' + nested
    answer = client.post("/mcp", '{"jsonrpc": "2.0", "id": 1, ' + call + "}}}", content_type="application/json")
    assert "q is an array or object" in answer.json()["result"]["content"][0]["text"]


def answer_of(content):
    citation = answers.Citation("Przepisy", "/przepisy/", None, ["Dz. Urz."])
    return answers.answer(answers.Findings(content, citation, rows=content))


def test_an_answer_loses_the_parts_of_its_last_row_but_not_the_row():
    body = answer_of([{"unit": "Zakopane", "deadlines": ["Nie wolno " * 150], "banned_fuels": ["muły"]}])
    assert body["answer"] == [{"unit": "Zakopane", "deadlines": [], "banned_fuels": ["muły"]}]
    assert body["left_out"] == {"deadlines": 1}


def test_both_voivodeships_of_a_postcode_stay_while_their_deadlines_can_be_left_out():
    content = [{"unit": unit, "deadlines": ["Nie wolno " * 40] * 4} for unit in ("Łukowica", "Ślemień")]
    body = answer_of(content)
    assert [(row["unit"], len(row["deadlines"])) for row in body["answer"]] == [("Łukowica", 1), ("Ślemień", 1)]
    assert body["left_out"] == {"deadlines": 6}
    content = [{"unit": unit * 50, "deadlines": ["Nie wolno " * 3] * 4} for unit in ("Łukowica", "Ślemień", "Żywiec")]
    body = answer_of(content)
    assert [len(row["deadlines"]) for row in body["answer"]] == [2, 3]
    assert body["left_out"] == {"answer": 1, "deadlines": 3}


@pytest.mark.usefixtures("the_day")
def test_every_tool_answers_in_short_and_says_how_to_quote(client, country):
    factories.BoundaryFactory(municipality=country.municipality, lat=49.2992, lon=19.9496)
    schemas = {tool["name"]: tool["outputSchema"] for tool in rpc(client, "tools/list")["tools"]}
    assert schemas.keys() == {name for name, _ in calls(country.pk)}
    bodies = []
    for name, arguments in calls(country.pk):
        result, body = post(client, name, arguments)
        (text,) = result["content"]
        assert len(json.dumps(text["text"], ensure_ascii=False).encode()) < MOST_BYTES - ENVELOPE_BYTES
        assert result["structuredContent"] == body
        validate(schemas[name], body)
        assert body.keys() >= {"answer", "as_of", "source", "demonstration", "cite"}
        assert body["demonstration"] is False
        assert body["page"] in body["cite"]
        bodies.append(body)
    near, depot, law, coming, _, average, subsidy, *_ = (body["answer"] for body in bodies)
    assert (near["total"], near["depots"][0]["price"]["price"]) == (1, 1500)
    assert depot["name"] == "Opał Próba"
    assert (law[0]["status"], law[0]["deadlines"][0]["from"]) == ("ends", "2027-01-01")
    assert (coming["total"], coming["deadlines"][0]["from"]) == (1, "2027-01-01")
    assert average == {"values": [], "why_empty": "Tej liczby nie znamy."}
    assert (subsidy["level"], subsidy["max_subsidy_pln"]) == ("elevated", 43225)


STATED = {"people": 3, "income": 1200, "eu": "3", "on": "2026-11-21"}
AMOUNTS = ("max_subsidy_pln", "between_pln", "confirmed")


def test_a_place_says_where_its_position_is_from_and_a_point_its_municipality_or_an_error(call, country):
    factories.BoundaryFactory(municipality=country.municipality, lat=49.2992, lon=19.9496)
    entries.rebuild_index()
    points = ({"lat": 49.2992, "lon": 19.9496}, {"lat": 54.9, "lon": 15.0})
    *bodies, inside, abroad = call(
        *(("find_place", {"q": text}) for text in ("pellet zakopane", "34-500")), *(("locate", at) for at in points)
    )
    unit = inside["answer"]
    assert (unit["municipality"], unit["teryt"], unit["approximate"]) == ("Zakopane", "1217011", False)
    assert "lies in no Polish municipality" in abroad["error"][0]
    with_fuel, postcode = (body["answer"]["places"][0] for body in bodies)
    assert (with_fuel["position"], with_fuel["fuel"]) == ("municipality", "pellet")
    assert (postcode["position"], "fuel" in postcode) == ("postcode", False)


def test_parameters_say_what_the_tool_takes(client, country):
    assert "answer" in post(client, "depots_near", {"teryt": "1217011", "limit": 4})[1]
    tools = {tool["name"]: tool for tool in rpc(client, "tools/list")["tools"]}
    near, average = tools["depots_near"], tools["official_average"]
    limit = near["inputSchema"]["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 4, 3)
    assert "At most 4" in near["description"]
    assert "Poland only" in average["description"]
    assert "without it Poland only" in average["inputSchema"]["properties"]["voivodeship"]["description"]
    household = tools["subsidy"]["inputSchema"]["properties"]
    assert "monthly income" in household["income"]["description"]
    assert "annual income" in household["annual_income"]["description"]


def test_depots_are_cited_by_those_that_are_shown(call, country):
    invented = factories.DepotFactory(demonstration=True, municipality=country.municipality, name="Żar")
    for number in range(2):
        factories.DepotFactory(municipality=country.municipality, name=f"Opał {number} " + "długa nazwa " * 9)
    first, rest, alone = call(
        ("depots_near", {"teryt": "1217011", "limit": 4}),
        ("depots_near", {"teryt": "1217011", "offset": 3}),
        ("depot", {"id": invented.pk}),
    )
    assert invented.pk not in {row["id"] for row in first["answer"]["depots"]}
    assert (first["demonstration"], "demonstracyjne" in first["source"]) == (False, False)
    assert {row["id"] for row in rest["answer"]["depots"]} == {invented.pk}
    for body in (rest, alone):
        assert (body["demonstration"], body["cite"]) == (True, "nie wolno, dane demonstracyjne (zmyślone)")


def test_depots_are_cited_by_the_page_that_lists_them(call, country):
    *bodies, nowhere = call(
        ("depots_near", {"teryt": "1217011", "fuel": "brykiet"}),
        ("depots_near", {"postcode": "34-500"}),
        ("depots_near", {"teryt": "1217"}),
        ("municipalities", {"county": "1217"}),
        ("depots_near", {"lat": 54, "lon": 18, "fuel": "brykiet"}),
    )
    town = municipality_page(find_municipality("1217011"), "", timezone.now())
    voivodeship = voivodeship_page("malopolskie", timezone.localdate())
    assert [body["cite"] for body in bodies] == [town.citation] * 2 + [voivodeship.citation] * 2
    assert nowhere["page"].endswith("/dane/")


def test_depots_are_counted_by_municipality_and_county(call, country):
    rural = factories.MunicipalityFactory(teryt="1217042", name="Kościelisko", county=country.municipality.county)
    for fuels in (["pellet"], ["wegiel-orzech"]):
        factories.DepotFactory(municipality=rural, fuels=fuels)
    *bodies, refused = call(
        ("municipalities", {"county": "1217"}),
        ("municipalities", {"voivodeship": "małopolskie", "fuel": "pellet", "by": "county"}),
        ("municipalities", {"county": "1217", "limit": 1, "offset": 1}),
        ("municipalities", {"by": "county"}),
    )
    every, pellet, second = (body["answer"] for body in bodies)
    assert every["units"] == [["Kościelisko", "1217042", 2], ["Zakopane", "1217011", 1]]
    assert (every["total"], every["depots"], every["next_offset"]) == (2, 3, None)
    assert pellet["units"] == [[country.municipality.county.name, "1217", 2]]
    assert (second["units"], second["next_offset"]) == ([["Zakopane", "1217011", 1]], None)
    assert "give voivodeship or county" in refused["error"][0]


def test_every_row_of_counts_is_on_one_page(call, country):
    for number in range(10, 70):
        name = f"Gmina o bardzo długiej nazwie {number}"
        factories.MunicipalityFactory(teryt=f"1217{number:02}1", name=name, county=country.municipality.county)
    offset, codes = 0, []
    while offset is not None:
        answer = call(("municipalities", {"county": "1217", "offset": offset}))["answer"]
        codes += [code for _, code, _ in answer["units"]]
        offset = answer["next_offset"]
    assert codes[0] == "1217011"
    assert len(codes) == len(set(codes)) == 61


@pytest.mark.parametrize("fuel", ["pellet", "wegiel"])
@pytest.mark.parametrize("demonstration", [False, True])
def test_a_median_says_how_it_is_made(call, client, country, fuel, demonstration):
    source = Depot.Source.DEMO if demonstration else Depot.Source.OSM
    for number in range(6):
        other = factories.DepotFactory(municipality=country.municipality, fuels=[fuel], source=source, source_id=number)
        factories.DepotPriceFactory(depot=other, fuel=fuel, price=Decimal(1500 + number), day=timezone.localdate())
    body, prices = call(("median_method", {"fuel": fuel})), client.get(f"/api/v1/prices/{fuel}").json()
    assert (body["answer"]["method"], body["answer"]["n"]) == (prices["method"], prices["n"])
    assert body["answer"]["steps"] == {name: prices["arithmetic"][name] for name in body["answer"]["steps"]}
    assert body["demonstration"] is demonstration


@pytest.mark.parametrize("tool", ["price", "median_method"])
def test_a_price_cites_the_page_of_its_day_and_window(call, country, tool):
    today = timezone.localdate()
    day = str(today - timedelta(days=40))
    windows = ({}, ""), ({"window": 12}, "?okres=12"), ({"on": day, "window": 3}, f"?dzien={day}&okres=3")
    bodies = call(*((tool, {"fuel": "pellet", **asked}) for asked, _ in windows))
    if tool == "price":
        usual, year, _ = (body["answer"]["window_from"] for body in bodies)
        assert year < usual
    for body, (_, query) in zip(bodies, windows, strict=True):
        assert body["page"].endswith(f"/ceny/pellet/{query}")
        assert body["page"] == fuel_prices_page("pellet", query.removeprefix("?"), today).cited_url
        assert f"{body['page']}, " in body["cite"]


def test_heat_cites_the_page_of_its_place_and_house(call, country):
    for asked, query in (
        ({"postcode": "34-500", "area": 120.5, "need": 80}, "miejsce=1217011&powierzchnia=120%2C5&potrzeba=80"),
        ({"voivodeship": "12", "kwh": 18000}, "wojewodztwo=malopolskie&kwh=18000"),
    ):
        body, page = call(("heating", asked)), heating_costs_page(query, timezone.localdate())
        assert body["cite"] == page.citation
        assert body["page"].endswith(f"/ceny/porownanie/?{query}")
        assert len(body["answer"]["sources"]) == len(SOURCES)
    assert call(("heating", {}))["page"].endswith("/ceny/porownanie/")


@pytest.mark.usefixtures("the_day")
def test_a_price_without_a_median_says_why(call, country):
    for number in range(2):
        body = call(("price", {"fuel": "pellet"}))["answer"]
        assert (body["n"], body["median"], body["why_empty"]) == (number + 1, None, "Medianę podajemy od 3 cen.")
        other = factories.DepotFactory(municipality=country.municipality, fuels=["pellet"])
        factories.DepotPriceFactory(depot=other, fuel="pellet", price=Decimal(1600))
    body, firewood = (call(("price", {"fuel": fuel}))["answer"] for fuel in ("pellet", "drewno-kominkowe"))
    assert (body["n"], body["median"], "why_empty" in body) == (3, 1600, False)
    assert (body["bag_kg"], body["bag_price"]) == (15, 24)
    assert (firewood["bag_kg"], firewood["bag_price"]) == (None, None)


MISTAKES = [
    ("subsidy", {"wals": 150}, "did you mean walls?"),
    ("depots_near", {"postcode": "00-999"}, "find the place with find_place"),
    ("depots_near", {"teryt": "1217011", "limit": 5}, "limit is '5'; give a number of depots, from 1 to 4"),
    ("depots_near", {"limit": "x"}, "limit is 'x'"),
    ("deadlines", {"limit": "7"}, "limit is '7'; give a number of deadlines, from 1 to 6"),
    ("rules_at", {}, "teryt or postcode"),
    ("depot", {}, "id is missing; give the id of a depot"),
    ("price", {"fuel": "pellet", "window": "7"}, "window is '7'; give one of"),
    ("price", {"fuel": None}, "fuel is missing; give one of wegiel,"),
    ("rules_at", {"teryt": "1217011", "binding": True}, "'binding' is no parameter of rules_at"),
    ("find_place", {"q": ["Zakopane"]}, "q is an array or object; give a place name"),
    ("depots_near", {"teryt": {"code": "1217011"}}, "teryt is an array or object; give a TERYT code"),
]


def test_a_mistake_is_an_error_of_the_tool_that_says_what_to_do_about_the_first_ten(call, country):
    unknown = {"fuel": "pellet"} | {f"fuel{number}": 1 for number in range(3000)}
    of_thousands, *bodies = call(("price", unknown), *((name, arguments) for name, arguments, _ in MISTAKES))
    assert [text.partition(" ")[0] for text in of_thousands["error"]] == [f"'fuel{number}'" for number in range(10)]
    for body, (_, _, advice) in zip(bodies, MISTAKES, strict=True):
        (message,) = body["error"]
        assert advice in message


@pytest.mark.usefixtures("the_day")
def test_an_empty_list_says_why_and_what_is_nearest_beyond(call, country):
    point = {"lat": country.lat + 0.5, "lon": country.lon, "radius": 10}
    near, past = call(("depots_near", point), ("depots_near", {"teryt": country.municipality.pk, "offset": 5}))
    answer = past["answer"]
    assert (answer["total"], answer["depots"], answer["next_offset"]) == (1, [], None)
    assert answer["why_empty"] == "offset 5 is past the end; the last depot is at 0"
    answer = near["answer"]
    assert (answer["total"], answer["why_empty"]) == (0, "Nie znamy tu żadnego składu.")
    coming, past = call(("deadlines", {"to": "2026-12-01"}), ("deadlines", {"offset": 3}))
    assert (coming["answer"]["total"], coming["answer"]["deadlines"]) == (0, [])
    assert "rules_at" in coming["answer"]["why_empty"]
    assert past["answer"]["why_empty"] == "offset 3 is past the end; the last deadline is at 0"
    (beyond,) = answer["nearest_beyond"]
    assert (beyond["id"], beyond["km"]) == (country.pk, pytest.approx(55.6, abs=0.2))


def test_a_municipality_without_a_depot_says_the_nearest_beyond(call, country):
    factories.BoundaryFactory(municipality=factories.krakow())
    town, county = call(("depots_near", {"teryt": "1261011"}), ("depots_near", {"teryt": "1261"}))
    (beyond,) = town["answer"]["nearest_beyond"]
    assert (beyond["id"], beyond["km"] < 5) == (country.pk, True)
    assert town["answer"]["distances_from"].startswith("middle of the municipality: ")
    assert (county["answer"]["total"], "nearest_beyond" in county["answer"]) == (0, False)
