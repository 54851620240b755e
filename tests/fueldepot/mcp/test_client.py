"""/mcp with the official client."""

import asyncio
import json
from datetime import date, timedelta
from decimal import Decimal
from functools import partial

import httpx2
import pytest
from django.db import connection
from django.utils import timezone
from jsonschema import Draft202012Validator, FormatChecker
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from catalog.depots.snapshot import LICENCES
from catalog.models import Depot
from catalog.search import entries
from fueldepot.mcp import answers
from fueldepot.mcp.answers import ENVELOPE_BYTES, MOST_BYTES
from pages.fixed_pages import rules_of_use
from pages.regulations import regulation_page
from prices.models import Observation, Series
from tests import factories
from tests.client import build_snapshots, note_query
from tests.openapi.description import close
from tests.pages.reading import present
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory, ResolutionFactory

pytestmark = pytest.mark.django_db

NO_BREAK = "\N{NO-BREAK SPACE}"


class InProcess(httpx2.AsyncBaseTransport):
    """Transport from an HTTP client to Django's test client."""

    def __init__(self, client):
        self.client, self.answers = client, []

    async def handle_async_request(self, request):
        kind = request.headers.get("Content-Type", "")
        answer = self.client.generic(
            request.method, request.url.path, await request.aread(), content_type=kind, headers=dict(request.headers)
        )
        self.answers.append(answer)
        return httpx2.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


@pytest.fixture
def ask(client):
    """Call tools in order; return the list of tools and the responses. Asserts that no query runs."""

    def run(*calls, mode="auto"):
        async def talk():
            http = httpx2.AsyncClient(transport=InProcess(client))
            url = "http://testserver/mcp"
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as mcp:
                tools = (await mcp.list_tools()).tools
                return tools, [await mcp.call_tool(name, arguments) for name, arguments in calls]

        build_snapshots()
        sent = []
        with connection.execute_wrapper(partial(note_query, sent)):
            tools, results = asyncio.run(talk())
        assert sent == []
        return tools, results

    return run


@pytest.fixture
def call(ask):
    """Call tools in order; return the body of each answer, for a single call alone."""

    def run(*calls):
        bodies = [json.loads(result.content[0].text) for result in ask(*calls)[1]]
        return bodies if len(calls) > 1 else bodies[0]

    return run


@pytest.fixture
def country():
    town = factories.zakopane()
    factories.PostcodeFactory(code="34-500", shares=[(town, 3)])
    real = factories.DepotFactory(municipality=town, name="Opał Próba", fuels=["pellet"])
    factories.DepotPriceFactory(depot=real, fuel="pellet", price=Decimal(1500))
    LegalStateFactory()
    ResolutionFactory()
    DeadlineFactory(date=date(2027, 1, 1), applies_to="kotły klasy 3 i 4", appliances=["boiler_class_3"])
    FuelBanFactory()
    return real


def calls(depot):
    return (
        ("depots_near", {"teryt": "1217011", "fuel": "pellet"}),
        ("depot", {"id": depot.pk}),
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


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_in_short_and_says_how_to_quote(ask, country, mode):
    factories.BoundaryFactory(municipality=country.municipality, lat=49.2992, lon=19.9496)
    asked = calls(country)
    tools, results = ask(*asked, mode=mode)
    schemas = {tool.name: tool.output_schema for tool in tools}
    assert schemas.keys() == {name for name, _ in asked}
    bodies = []
    for (name, _), result in zip(asked, results, strict=True):
        (text,) = result.content
        assert not result.is_error, text.text
        assert len(json.dumps(text.text, ensure_ascii=False).encode()) < MOST_BYTES - ENVELOPE_BYTES
        bodies.append(json.loads(text.text))
        assert result.structured_content == bodies[-1]
        validate(schemas[name], bodies[-1])
        assert bodies[-1].keys() >= {"answer", "as_of", "source", "demonstration", "cite"}
        assert bodies[-1]["demonstration"] is False
        assert bodies[-1]["page"] in bodies[-1]["cite"]
    near, depot, law, coming, _, average, subsidy, *_ = (body["answer"] for body in bodies)
    assert (near["total"], near["depots"][0]["price"]["price"]) == (1, 1500)
    assert depot["name"] == "Opał Próba"
    assert (law[0]["status"], law[0]["deadlines"][0]["from"]) == ("ends", "2027-01-01")
    assert (coming["total"], coming["deadlines"][0]["from"]) == (1, "2027-01-01")
    assert average == {"values": [], "why_empty": "Tej liczby nie znamy."}
    assert (subsidy["level"], subsidy["max_subsidy_pln"]) == ("elevated", 43225)


VOIVODESHIPS = [
    *("dolnoslaskie", "kujawsko-pomorskie", "lubelskie", "lubuskie", "lodzkie", "malopolskie", "mazowieckie"),
    *("opolskie", "podkarpackie", "podlaskie", "pomorskie", "slaskie", "swietokrzyskie", "warminsko-mazurskie"),
    *("wielkopolskie", "zachodniopomorskie"),
]

STATED = {"people": 3, "income": 1200, "eu": "3", "on": "2026-11-21"}
AMOUNTS = ("max_subsidy_pln", "between_pln", "confirmed")


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


def test_a_place_says_where_its_position_is_from_and_the_fuel_beside_it(call, country):
    entries.rebuild_index()
    bodies = call(("find_place", {"q": "pellet zakopane"}), ("find_place", {"q": "34-500"}))
    with_fuel, postcode = (body["answer"]["places"][0] for body in bodies)
    assert (with_fuel["position"], with_fuel["fuel"]) == ("municipality", "pellet")
    assert (postcode["position"], "fuel" in postcode) == ("postcode", False)


def test_long_notes_keep_the_range_of_amounts_and_the_first_reason(call):
    body = call(("subsidy", STATED | {"new_source": "pellet_boiler", "central_heating_dhw": True, "audit": True}))
    assert body["left_out"]
    assert body["answer"]["between_pln"] == [0, 0]
    assert body["answer"]["notes"][0].startswith("pellet_boiler: Przy wskaźniku EU")


def test_one_reason_of_many_works_is_told_once(call):
    works = dict.fromkeys(["walls", "windows", "doors", "gates", "floor", "ceiling"], 10)
    (note,) = call(("subsidy", STATED | works | {"eu": "1"}))["answer"]["notes"]
    assert note.startswith("ceiling, floor, walls, windows, doors, gates: Przy wskaźniku EU")


def test_parameters_say_what_the_tool_takes(ask, country):
    tools, (four, five, seven) = ask(
        ("depots_near", {"teryt": "1217011", "limit": 4}),
        ("depots_near", {"teryt": "1217011", "limit": 5}),
        ("deadlines", {"limit": "7"}),
    )
    assert not four.is_error
    assert json.loads(five.content[0].text) == {"error": ["limit is '5'; give a number of depots, from 1 to 4"]}
    assert "limit is '7'; give a number of deadlines, from 1 to 6" in seven.content[0].text
    near, average = (next(tool for tool in tools if tool.name == name) for name in ("depots_near", "official_average"))
    limit = near.input_schema["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 4, 3)
    assert "At most 4" in near.description
    assert "Poland only" in average.description
    assert "without it Poland only" in average.input_schema["properties"]["voivodeship"]["description"]


RULES = ("rules_at", {"teryt": "1217011", "on": "2026-11-22"})


def test_a_deadline_says_what_it_means_and_what_is_uncertain(call, country):
    text = "Nie wolno palić węglem po 1 stycznia 2028 r. w kotłach. Wolno używać gazu."
    caveat = "Źródła różnią się co do drewna."
    for year in (2028, 2029):
        DeadlineFactory(date=date(year, 1, 1), applies_to="wszystkie instalacje", description=text, caveat=caveat)
    plain, first, second = call(RULES)["answer"][0]["deadlines"]
    assert (plain["description"], "caveat" in plain) == ("Nie wolno ich używać.", False)
    assert first["description"] == "Nie wolno palić węglem po 1 stycznia 2028 r. w kotłach. […]"
    assert (first["caveat"], "caveat" in second) == (caveat, False)


def test_descriptions_give_way_before_deadlines(call, country):
    for year in (2028, 2029, 2030):
        DeadlineFactory(date=date(year, 1, 1), description="Nie wolno używać kotłów, które nie mają klasy 5. " * 5)
    for year in (2031, 2032):
        DeadlineFactory(date=date(year, 1, 1), description="Nie wolno używać kotłów" + " i pieców" * 20)
    rows = call(RULES)["answer"][0]["deadlines"]
    assert len(rows) == 6
    assert "description" in rows[0]
    assert "description" not in rows[-1]


def test_deadlines_of_the_requested_appliance_come_first(call, country):
    for year in (2028, 2029, 2030):
        DeadlineFactory(date=date(year, 1, 1), applies_to="kotły klasy 5", appliances=["boiler_class_5"])
    about = {"date": date(2024, 5, 1), "applies_to": "kominki", "appliances": ["fireplace"]}
    DeadlineFactory(**about, exemptions=["ecodesign"], description="Nie wolno używać kominków. " + "Wyjątki. " * 90)
    name, arguments = RULES
    answer = call((name, arguments | {"appliance": "fireplace"}))["answer"][0]
    assert answer["status"] == "ended"
    assert [row["what"] for row in answer["deadlines"]] == ["kominki", "kotły klasy 3 i 4", *["kotły klasy 5"] * 3]


def test_a_citation_of_a_former_state_has_its_day(call, country):
    (name, arguments), on = RULES, date(2016, 1, 1)
    LegalStateFactory().__class__.objects.update(as_of=date(2024, 4, 30))
    former, present = call((name, arguments | {"on": on.isoformat()}), RULES)
    assert former["answer"][0]["has_resolution"] is False
    assert "Zakopane, województwo małopolskie, w dniu 1 stycznia 2016" in former["cite"].replace(NO_BREAK, " ")
    assert "w dniu" not in present["cite"]


def test_deadlines_of_the_country_are_cut_to_the_limit_and_counted(call, country):
    for year in range(2028, 2038):
        DeadlineFactory(date=date(year, 1, 1), applies_to="kotły bezklasowe", caveat="Źródła różnią się co do drewna.")
    country_wide, later = call(
        ("deadlines", {"from": "2026-11-22"}),
        ("deadlines", {"from": "2030-01-01", "to": "2030-12-31", "voivodeship": "małopolskie"}),
    )
    rows = country_wide["answer"]["deadlines"]
    assert (country_wide["answer"]["total"], country_wide["answer"]["next_offset"]) == (11, len(rows))
    assert [row["from"] for row in rows] == sorted(row["from"] for row in rows)
    assert 3 <= len(rows) <= 6
    (row,) = later["answer"]["deadlines"]
    assert (row["from"], row["voivodeship"]) == ("2030-01-01", "malopolskie")
    assert row["caveat"] == "Źródła różnią się co do drewna."


def test_every_deadline_is_on_one_page(call, country):
    for number in range(10):
        what = f"kotły {number} " + "bezklasowe " * 15
        DeadlineFactory(date=date(2028, 1, 1), applies_to=what, caveat="Źródła różnią się. " * 20)
    offset, names = 0, []
    while offset is not None:
        body = call(("deadlines", {"from": "2028-01-01", "to": "2028-01-01", "offset": offset}))
        assert "left_out" not in body
        names += [row["what"] for row in body["answer"]["deadlines"]]
        offset = body["answer"]["next_offset"]
    assert len(names) == len(set(names)) == 10


@pytest.mark.parametrize(("age_days", "stale"), [(180, False), (181, True)])
def test_an_old_legal_state_is_marked(call, country, age_days, stale):
    LegalStateFactory().__class__.objects.update(as_of=timezone.localdate() - timedelta(age_days))
    bodies = call(("rules_at", {"teryt": "1217011"}), ("deadlines", {"from": "2026-11-22"}))
    warning = "malopolskie: not confirmed for over 180" if stale else ""
    assert {body.get("stale", "").partition(" days")[0] for body in bodies} == {warning}


def test_a_citation_rests_on_the_rows_that_are_shown(call, country):
    """Rows of the second voivodeship, confirmed long ago, do not fit."""
    slaskie = LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"), as_of=date(2020, 1, 1))
    ResolutionFactory(state=slaskie, publication="Dz. Urz. Woj. Śląskiego")
    for _ in range(5):
        DeadlineFactory(date=date(2028, 1, 1), applies_to="kotły bezklasowe " * 10)
    DeadlineFactory(state=slaskie, date=date(2029, 1, 1), applies_to="kotły")
    first, both = call(("deadlines", {"from": "2028-01-01"}), ("deadlines", {"from": "2028-01-01", "offset": 4}))
    assert {row["voivodeship"] for row in first["answer"]["deadlines"]} == {"malopolskie"}
    assert (first["as_of"], "2020" in first["cite"], "stale" in first) == ("2026-10-01", False, False)
    assert ("Śląskiego" in first["source"], first["page"][-22:]) == (False, "/przepisy/malopolskie/")
    assert {row["voivodeship"] for row in both["answer"]["deadlines"]} == {"malopolskie", "slaskie"}
    assert (both["as_of"], both["stale"].partition(":")[0]) == ("2020-01-01", "slaskie")
    assert "stan na dni od 1 stycznia 2020 r. do 1 października 2026 r." in both["cite"].replace(NO_BREAK, " ")
    assert both["page"] == "http://127.0.0.1:8000/przepisy/"


def test_rules_are_cited_as_their_page_cites_them(call, country):
    codes = ("1217011", "1217", "12")
    *bodies, country_wide = call(*(("rules_at", {"teryt": code}) for code in codes), ("deadlines", {}))
    for body, query in zip([*bodies, country_wide], (*(f"teryt={code}" for code in codes), ""), strict=True):
        page = regulation_page("malopolskie", query, timezone.localdate())
        assert body["cite"] == page.citation.removesuffix(f", {page.quoted_status}")
    units = [body["answer"][0]["unit"] for body in bodies]
    assert units == ["Zakopane (1217011)", "powiat tatrzański (1217)", "województwo małopolskie (12)"]
    assert "Uchwała antysmogowa: powiat tatrzański, województwo małopolskie" in bodies[1]["cite"]


def test_what_no_answer_holds_is_counted(call):
    series, _ = Series.objects.get_or_create(slug="prad-g11")
    Observation.objects.bulk_create(
        Observation(series=series, year=year, value=Decimal("0.6"), source="GUS") for year in range(2010, 2020)
    )
    body = call(("official_average", {"series": "prad-g11"}))
    assert next(row["year"] for row in body["answer"]["values"]) == 2019
    assert body["left_out"] == {"values": 10 - len(body["answer"]["values"])}
    assert len(body["answer"]["values"]) <= 6


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


def test_the_address_with_a_slash_answers_too(client):
    body = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    answers = [client.generic("POST", path, body, content_type="application/json") for path in ("/mcp", "/mcp/")]
    assert [(answer.status_code, answer.json()["result"]) for answer in answers] == [(200, {})] * 2
    refused = client.get("/mcp/")
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")


def test_a_point_has_a_municipality_or_an_error(call, country):
    factories.BoundaryFactory(municipality=country.municipality, lat=49.2992, lon=19.9496)
    inside, abroad = call(("locate", {"lat": 49.2992, "lon": 19.9496}), ("locate", {"lat": 54.9, "lon": 15.0}))
    unit = inside["answer"]
    assert (unit["municipality"], unit["teryt"], unit["approximate"]) == ("Zakopane", "1217011", False)
    assert "lies in no Polish municipality" in abroad["error"][0]


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


@pytest.mark.parametrize("stale", [False, True])
def test_the_states_of_all_voivodeships_fit_in_one_answer(call, stale):
    as_of = date(2020, 1, 1) if stale else date(2026, 10, 1)
    for number, slug in enumerate(VOIVODESHIPS, 1):
        unit = factories.VoivodeshipFactory(teryt=f"{2 * number:02}", name=slug, slug=slug)
        state = LegalStateFactory(voivodeship=unit, as_of=as_of)
        if slug != "lodzkie":
            ResolutionFactory(state=state, publication=f"Dz. Urz. Woj. {slug} z 2017 r. poz. 787")
            DeadlineFactory(state=state, date=date(2027, 1, 1))
    body = call(("states", {"on": "2026-11-22"}))
    assert "left_out" not in body
    rows = body["answer"]["states"]
    assert [row.partition(",")[0] for row in rows] == VOIVODESHIPS
    assert {f"malopolskie,true,2027-01-01,{as_of}", f"lodzkie,false,null,{as_of}"} < {*rows}
    assert body.get("stale", "").partition(" not")[0] == ("16 voivodeships:" if stale else "")


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


def test_a_price_is_of_the_window_asked_for(call, country):
    windows = ({}, {"window": 12}, {"window": "7"})
    usual, year, refused = call(*(("price", {"fuel": "pellet", **window}) for window in windows))
    assert year["answer"]["window_from"] < usual["answer"]["window_from"]
    assert "window is '7'; give one of" in refused["error"][0]


def test_no_error_repeats_an_income(ask):
    private = {"people": 2, "income": "98765x", "annual_income": "98.765.x"}
    _, results = ask(("subsidy", private), ("subsidy", {**private, "wals": 1}), ("subsidy", {"income": 98765}))
    for result in results:
        assert result.is_error
        assert not present(result.content[0].text, "98765", "98.765")


def test_rules_of_use_are_those_of_the_page_with_the_licences(call):
    every, *single, past = call(("rules_of_use", {}), *(("rules_of_use", {"rule": n}) for n in range(1, 12)))
    page, licences = rules_of_use(), every["answer"]["licences"]
    assert every["answer"]["rules"] == [title for title, _ in page]
    assert {"depots/osm"} == {*licences[LICENCES[Depot.Source.OSM]]}
    assert "regulations" in licences[LICENCES[Depot.Source.EDITOR]]
    assert every["page"].endswith("/api/")
    assert [body["answer"]["text"] for body in single] == [" ".join(rule) for rule in page]
    assert "left_out" not in every
    assert "from 1 to 10" in past["error"][0]


def test_a_number_has_decimals_where_text_has_two_readings(ask):
    _, results = ask(("subsidy", {"walls": 10, "annual_income": 833.125}), ("subsidy", {"annual_income": "140.000"}))
    assert [result.is_error for result in results] == [False, True]


MISTAKES = [
    ("subsidy", {"wals": 150}, "did you mean walls?"),
    ("depots_near", {"postcode": "00-999"}, "find the place with find_place"),
    ("depots_near", {"limit": "x"}, "limit is 'x'"),
    ("rules_at", {}, "teryt or postcode"),
    ("depot", {}, "id is missing; give the id of a depot"),
    ("price", {"fuel": None}, "fuel is missing; give one of wegiel,"),
    ("rules_at", {"teryt": "1217011", "binding": True}, "'binding' is no parameter of rules_at"),
    ("find_place", {"q": ["Zakopane"]}, "q is an array or object; give a place name"),
    ("depots_near", {"teryt": {"code": "1217011"}}, "teryt is an array or object; give a TERYT code"),
]


def test_a_mistake_is_an_error_of_the_tool_that_says_what_to_do(ask, country):
    _, results = ask(*((name, arguments) for name, arguments, _ in MISTAKES))
    assert all(result.is_error and result.structured_content is None for result in results)
    for result, (_, _, advice) in zip(results, MISTAKES, strict=True):
        (message,) = json.loads(result.content[0].text)["error"]
        assert advice in message


def post(client, name, arguments):
    """Call a tool without the official client; return the result, and what its text holds."""
    build_snapshots()
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result = client.post("/mcp", message, content_type="application/json").json()["result"]
    return result, json.loads(result["content"][0]["text"])


def test_a_deeply_nested_argument_is_refused(client):
    nested = "[" * 1000 + "]" * 1000
    call = '"method": "tools/call", "params": {"name": "find_place", "arguments": {"q": ' + nested
    answer = client.post("/mcp", '{"jsonrpc": "2.0", "id": 1, ' + call + "}}}", content_type="application/json")
    assert "q is an array or object" in answer.json()["result"]["content"][0]["text"]


def test_advice_names_tools(client, country):
    for name, arguments, advice in (
        ("depots_near", {"teryt": "9999999"}, "find_place finds codes by name"),
        ("depot", {"id": 987654}, "take the id from depots_near"),
    ):
        assert advice in post(client, name, arguments)[1]["error"][0]


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
    assert beyond["id"] == country.pk
    assert beyond["km"] == pytest.approx(55.6, abs=0.2)


def test_a_municipality_without_a_depot_says_the_nearest_beyond(call, country):
    factories.BoundaryFactory(municipality=factories.krakow())
    town, county = call(("depots_near", {"teryt": "1261011"}), ("depots_near", {"teryt": "1261"}))
    (beyond,) = town["answer"]["nearest_beyond"]
    assert (beyond["id"], beyond["km"] < 5) == (country.pk, True)
    assert town["answer"]["distances_from"].startswith("middle of the municipality: ")
    assert (county["answer"]["total"], "nearest_beyond" in county["answer"]) == (0, False)


def test_the_longest_answer_fits_and_says_what_was_left_out(client):
    LegalStateFactory()
    ResolutionFactory(publication="Dz. Urz. z 2017 r. poz. 1" * 4)
    for day in range(1, 29):
        DeadlineFactory(date=date(2999, 1, day), applies_to="kotły" * 12)
    factories.zakopane()
    result, body = post(client, "rules_at", {"teryt": "1217011"})
    assert result.pop("structuredContent")
    assert len(json.dumps(result, ensure_ascii=False).encode()) < MOST_BYTES
    assert body["left_out"] == {"deadlines": 28 - len(body["answer"][0]["deadlines"])}
    assert body["answer"][0]["deadlines"][0]["from"] == "2999-01-01"


def test_an_answer_loses_the_parts_of_its_last_row_but_not_the_row():
    content = [{"unit": "Zakopane", "deadlines": ["Nie wolno " * 150], "banned_fuels": ["muły"]}]
    body = answers.answer(
        answers.Findings(content, answers.Citation("Przepisy", "/przepisy/", None, ["Dz. Urz."]), rows=content)
    )
    assert body["answer"] == [{"unit": "Zakopane", "deadlines": [], "banned_fuels": ["muły"]}]
    assert body["left_out"] == {"deadlines": 1}


def test_errors_of_the_protocol(client):
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": '
    ping = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    for body, headers, status, code in (
        ("{", {}, 400, -32700),
        ("[]", {}, 400, -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', {}, 200, -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": ["ping"]}', {}, 400, -32600),
        (call + '{"name": "x"}}', {}, 200, -32602),
        (call + '{"name": "depot", "arguments": []}}', {}, 200, -32602),
        (ping, {"Mcp-Protocol-Version": "1999-01-01"}, 400, -32022),
        (ping, {"Mcp-Protocol-Version": "2026-07-28"}, 400, -32020),
    ):
        answer = client.generic("POST", "/mcp", body, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), body
        assert answer["Cache-Control"] == "no-store"


def test_there_is_neither_a_stream_nor_a_session(client):
    for method in ("GET", "DELETE"):
        answer = client.generic(method, "/mcp")
        assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")
    note = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    answer = client.generic("POST", "/mcp", note, content_type="application/json")
    assert (answer.status_code, answer.content, "Mcp-Session-Id" in answer) == (202, b"", False)


def test_what_a_method_refuses_has_a_status_in_the_newest_version_only(client):
    version = "2026-07-28"
    for method, name, status in (("tools/call", "x", 400), ("resources/list", "", 404)):
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, "_meta": meta}}
        headers = {"Mcp-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name}
        answer = client.post("/mcp", json.dumps(body), content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content
