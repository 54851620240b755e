"""What a parameter's schema allows is accepted, and what it does not allow is refused."""

import re
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.api.params import QUERY_MIN_LENGTH, LocationsQuery
from fueldepot.http import links
from fueldepot.http.params import MAX_VALUE_LENGTH, InvalidParameters, text_pattern
from tests.openapi.description import example_of
from tests.openapi.fuzz_hooks import BETWEEN_PARAMETERS, readings_fit

NEEDED = {"/stores": {"teryt": "12"}, "/stores.geojson": {"teryt": "12"}}
TOGETHER = {"lat": {"lon": "20"}, "lon": {"lat": "50"}, "income": {"people": "4"}}


def parameters():
    """One parameter of each kind at each address: the calculator has dozens of amounts and switches."""
    for path, methods in links.document()["paths"].items():
        described = methods["get"].get("parameters", [])
        others = {one["name"]: str(example_of(one)) for one in described if one.get("required")}
        kinds = {str(one["schema"] | {"examples": None}): one for one in described if not one.get("deprecated")}
        for parameter in kinds.values():
            yield pytest.param(path, others, parameter, id=f"{path} {parameter['name']}")


def refusals(client, path, others, name, text):
    values = {**NEEDED.get(path, {}), **others, **TOGETHER.get(name, {}), name: text}
    for inner in re.findall(r"\{(\w+)\}", path):
        path = path.replace("{" + inner + "}", quote(values.pop(inner), safe=""))
    answer = client.get(f"/api/v1{path}?{urlencode(values)}")
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


def write(value):
    """A value as a query has it, without an exponent, which the API refuses by contract."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10f}" if isinstance(value, float) else str(value)


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "others", "parameter"), list(parameters()))
def test_description_and_service_agree(client, path, others, parameter):
    name, schema = parameter["name"], parameter["schema"]
    between = {code for where, whose, code in BETWEEN_PARAMETERS if (where, whose) == (path, name)}

    @settings(max_examples=6, suppress_health_check=list(HealthCheck))
    @given(values_of(schema), st.text(max_size=MAX_VALUE_LENGTH + 5))
    def check(valid, text):
        assert refusals(client, path, others, name, write(valid)) <= between
        if not readings_fit(text, schema, empty_is_absent=path == "/subsidy"):
            assert parameter["in"] == "path" or refusals(client, path, others, name, text)

    check()


QUERY_PATTERN = re.compile(text_pattern(QUERY_MIN_LENGTH))
ODD = "".join(map(chr, range(0xA1))) + "\u00ad\u1680\u2003\u200b\u2028\u2029\u202f\u3000\ufeffŁż"


@settings(max_examples=400)
@given(st.one_of(st.text(ODD, max_size=6), st.text("ał \t\u00a0", min_size=95, max_size=110)))
def test_the_pattern_of_a_search_says_exactly_what_is_accepted(text):
    try:
        LocationsQuery.parse([(b"q", text.encode())])
    except InvalidParameters:
        assert not QUERY_PATTERN.fullmatch(text)
    else:
        assert QUERY_PATTERN.fullmatch(text)
