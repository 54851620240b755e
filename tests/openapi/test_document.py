"""The OpenAPI description: generated from the code, valid OpenAPI 3.1, complete, and true of answers and parameters."""

import json
import re
import shlex
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.urls import get_resolver
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.api.params import QUERY_MIN_LENGTH, LocationsQuery
from catalog.depots.fuels import FUELS
from fueldepot.http import api_description
from fueldepot.http.cache_control import version
from fueldepot.http.error_body import CODES
from fueldepot.http.params import MAX_VALUE_LENGTH, InvalidParameters, text_pattern
from fueldepot.management.commands.write_openapi import FAILURES
from subsidy.household_and_plan import Item
from tests.openapi import description
from tests.openapi.description import address_of, example_of, form, make_sample, mistakes, readings_fit, values_beside

DOCUMENT = api_description.document()
CLIENTS = Path(__file__).parents[1] / "clients"
OPERATIONS = [(path, method, one) for path, methods in DOCUMENT["paths"].items() for method, one in methods.items()]


def test_the_command_writes_the_committed_file(tmp_path, monkeypatch):
    monkeypatch.setattr("fueldepot.management.commands.write_openapi.FILE", tmp_path / "openapi.json")
    call_command("write_openapi", stdout=StringIO())
    written, committed = (
        path.read_text(encoding="utf-8") for path in (tmp_path / "openapi.json", api_description.FILE)
    )
    assert written == committed, "run `make openapi`, read the diff and commit it"


def test_it_is_openapi_3_1_and_with_its_commands_of_this_site(settings):
    committed = json.loads(api_description.FILE.read_text(encoding="utf-8"))
    assert description.faults_of(DOCUMENT) == []
    assert committed["openapi"].startswith("3.1.")
    assert (committed["info"]["version"], committed["info"]["x-release"]) == ("1.0.0", version())
    assert committed["security"] == []
    assert "securitySchemes" not in committed["components"]
    assert committed["servers"] == [{"url": "/api/v1"}]
    assert "127.0.0.1" not in json.dumps(committed)
    base = f"{settings.SITE_URL}/api/v1"
    assert DOCUMENT["servers"][0]["url"] == base
    assert DOCUMENT["info"]["termsOfService"] == f"{settings.SITE_URL}/api/"
    assert "](/" not in DOCUMENT["info"]["description"]
    for _, _, operation in OPERATIONS:
        for sample in operation["x-codeSamples"]:
            url = shlex.split(sample["source"])[-1]
            assert (url.startswith(base), urlsplit(url).path != "/api/v1/") == (True, True), url


def test_every_route_is_described():
    routes = {
        re.sub(r"<str:(\w+)>", r"{\1}", str(route.pattern)).replace("{pk}", "{id}")
        for route in get_resolver().namespace_dict["v1"][1].url_patterns
        if hasattr(route.callback, "cls")
    }
    assert {f"/{route}" for route in routes} | {"/"} == set(DOCUMENT["paths"])


def test_every_operation_has_a_name_words_its_statuses_and_one_media_type():
    """Generators of clients choose by the operation, and one of them fails on two types."""
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for path, method, operation in OPERATIONS:
        assert operation["summary"]
        assert operation["description"]
        assert set(operation["tags"]) <= tags
        assert operation["security"] == []
        expected = {"200", "400", "405", "429", "500", "503"}
        expected |= {"304", "404", "412"} if path != "/subsidy" else set()
        expected |= {"413", "415"} if method == "post" else set()
        assert set(operation["responses"]) == expected, path
        (media_type,) = operation["responses"]["200"]["content"]
        assert (media_type == "application/geo+json") is path.endswith(".geojson")
        assert "format" not in {one["name"] for one in operation.get("parameters", [])}


def test_every_parameter_has_words_a_type_and_an_example_that_fits_and_one_place_is_filled_in():
    for path, method, operation in OPERATIONS:
        parameters, headers = operation.get("parameters", []), operation["responses"]["200"]["headers"].keys()
        for index, parameter in enumerate(parameters):
            name, where = parameter["name"], f"/paths/{path.replace('/', '~1')}/{method}/parameters/{index}/schema"
            assert parameter["description"], name
            assert set(re.findall(r"`(Link|X-[\w-]+)`", parameter["description"])) <= headers, (path, name)
            assert "type" in parameter["schema"]
            assert mistakes(where, example_of(parameter)) == [], name
        filled = {parameter["name"] for parameter in parameters if "example" in parameter}
        assert len(filled & {"teryt", "postcode", "voivodeship", "lat"}) <= 1, path
        assert "offset" not in filled


def test_every_field_has_a_type_and_words_and_an_example_that_fits():
    def check(name, form):
        for field, inner in form.get("properties", {}).items():
            assert "$ref" in inner or "oneOf" in inner or ("type" in inner or "enum" in inner), f"{name}.{field}"
            described = inner.get("description") or "$ref" in inner or "$ref" in inner["oneOf"][0]
            assert described, f"{name}.{field}"
            check(f"{name}.{field}", inner)

    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert schema["description"], name
        check(name, schema)
        assert mistakes(form(name), make_sample(schema)) == [], name


def test_generators_of_clients_can_read_the_type_of_every_object():
    """They know nothing of `patternProperties`."""
    assert "patternProperties" not in json.dumps(DOCUMENT)
    years = DOCUMENT["components"]["schemas"]["Series"]["properties"]["poland"]
    assert years["additionalProperties"]["type"] == "number"
    assert years["propertyNames"]["pattern"] == "^[0-9]{4}$"


def test_the_programs_of_generated_clients_use_every_operation():
    programs = {path.name: path.read_text(encoding="utf-8") for path in CLIENTS.iterdir() if path.is_file()}
    for path, method, operation in OPERATIONS:
        name = operation["operationId"]
        in_snake_case = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        assert f"{in_snake_case}." in programs["python_client.py"], name
        assert f".{in_snake_case}(" in programs["generator_client.py"], name
        assert f"api.{name}(" in programs["hey_api.ts"], name
        assert f'api.{method.upper()}("{path}"' in programs["openapi_fetch.ts"], path


def test_references_lead_somewhere_and_nothing_is_left_over():
    asked = set(re.findall(r'"#/components/(\w+/\w+)"', json.dumps(DOCUMENT)))
    assert asked == {f"{kind}/{name}" for kind, found in DOCUMENT["components"].items() for name in found}


def parameter(path, name):
    found = next(one for one in DOCUMENT["paths"][path]["get"]["parameters"] if one["name"] == name)
    return {key: value for key, value in found["schema"].items() if key != "examples"}


def test_bounds_synonyms_and_both_bodies_of_the_calculator_are_those_of_the_specification():
    assert parameter("/locations", "q")["minLength"] == 2
    for path in ("/locate", "/stores"):
        assert parameter(path, "lat") == {"type": "number", "minimum": 48.8, "maximum": 55.1}
        assert parameter(path, "lon") == {"type": "number", "minimum": 13.9, "maximum": 24.3}
    assert parameter("/stores", "postcode")["pattern"] == "^[0-9]{2}-?[0-9]{3}$"
    assert parameter("/stores", "teryt")["pattern"] == "^[0-9]{2}([0-9]{2}([0-9]{3})?)?$"
    assert parameter("/stores", "radius") == {"type": "integer", "minimum": 1, "maximum": 50, "default": 25}
    assert parameter("/stores", "limit") == {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    assert parameter("/stores", "fuel")["enum"] == [fuel.slug for fuel in FUELS]
    assert parameter("/subsidy", "people") == {"type": "integer", "minimum": 1, "maximum": 20}
    for name in ("income", "annual_income", *(f"cost_{item}" for item in Item)):
        assert parameter("/subsidy", name) == {"type": "number", "minimum": 0, "maximum": 10_000_000}
    for name in ("ceiling", "floor", "walls", "windows", "doors", "gates"):
        assert parameter("/subsidy", name) == {"type": "number", "minimum": 0, "maximum": 5000}
    people = {"osoba", "gospodarstwo"}
    words = {"current_heating": {"stale", "stale5", "inne"}, "income_type": people, "dochod_typ": people}
    assert [name for name in words if not words[name] <= set(parameter("/subsidy", name)["enum"])] == []
    # openapi-python-client names choices by their places: VALUE_1 is "1".
    assert parameter("/subsidy", "eu")["enum"] == ["unknown", "1", "2", "3", "niewiem"]
    names = {one["name"] for one in DOCUMENT["paths"]["/subsidy"]["get"]["parameters"]}
    for schema in ("SubsidyForm", "SubsidyJson"):
        assert set(DOCUMENT["components"]["schemas"][schema]["properties"]) == names


def test_every_code_of_an_error_is_in_the_list_and_its_status_described():
    assert DOCUMENT["components"]["schemas"]["Error"]["properties"]["code"]["enum"] == list(CODES)
    assert {str(status) for status in (412, *CODES.values())} == FAILURES.keys()  # 412 has the code of 400


GOLDEN = Path(__file__).parent.parent / "golden"


def test_an_undeclared_field_would_be_found():
    answer = json.loads((GOLDEN / "locate_krakow.json").read_text(encoding="utf-8"))
    assert mistakes(form("LocatedMunicipality"), answer | {"new": 1}) != []
    assert mistakes(form("LocatedMunicipality"), {**answer, "teryt": 1261011}) != []
    assert mistakes(form("LocatedMunicipality"), {key: answer[key] for key in answer if key != "url"}) != []


def parameters():
    """One parameter of each kind at each address: the calculator has dozens of amounts and switches."""
    for path, methods in api_description.document()["paths"].items():
        described = methods["get"].get("parameters", [])
        kinds = {str(one["schema"] | {"examples": None}): one for one in described if not one.get("deprecated")}
        for parameter in kinds.values():
            if parameter["name"] != "q":  # of its pattern the last test here says more
                yield pytest.param(path, parameter, id=f"{path} {parameter['name']}")


def refusals(client, path, name, value):
    answer = client.get(address_of(path, values_beside(path, name) | {name: value}))
    errors = answer.json()["errors"] if answer.status_code == 400 else []
    return {error["code"] for error in errors if error["parameter"] == name}


def values_of(schema):
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "pattern" in schema:
        longest = schema.get("maxLength", 1_000)
        return st.from_regex(schema["pattern"], fullmatch=True).filter(lambda text: len(text) <= longest)
    if schema["type"] == "number":
        return st.floats(schema["minimum"], schema["maximum"])
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema.get("maximum"))
    return {"boolean": st.booleans(), "string": st.dates()}[schema["type"]]


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "parameter"), list(parameters()))
def test_description_and_service_agree(client, path, parameter):
    name, schema = parameter["name"], parameter["schema"]
    between = {code for where, whose, code in description.BETWEEN_PARAMETERS if (where, whose) == (path, name)}

    @settings(max_examples=4, suppress_health_check=list(HealthCheck))
    @given(values_of(schema), st.text(max_size=MAX_VALUE_LENGTH + 5))
    def check(valid, text):
        assert refusals(client, path, name, valid) <= between
        if not readings_fit(text, schema, empty_is_absent=path == "/subsidy"):
            assert parameter["in"] == "path" or refusals(client, path, name, text)

    check()


QUERY_PATTERN = re.compile(text_pattern(QUERY_MIN_LENGTH))
ODD = "".join(map(chr, range(0xA1))) + "\u00ad\u1680\u2003\u200b\u2028\u2029\u202f\u3000\ufeffŁż"


@settings(max_examples=100)
@given(st.one_of(st.text(ODD, max_size=6), st.text("ał \t\u00a0", min_size=95, max_size=110)))
def test_the_pattern_of_a_search_says_exactly_what_is_accepted(text):
    try:
        LocationsQuery.parse([("q", text)])
    except InvalidParameters:
        assert not QUERY_PATTERN.fullmatch(text)
    else:
        assert QUERY_PATTERN.fullmatch(text)
