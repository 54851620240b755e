"""Golden responses, samples and examples match the OpenAPI description."""

import json
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fueldepot.http import links
from tests.openapi.description import example_of, form, make_sample, mistakes

GOLDEN = Path(__file__).parent.parent / "golden"

FORMS = {
    "error": "Error",
    "locate": "LocatedMunicipality",
    "locations": ["Location"],
    "municipality": "Municipality",
    "postcode": "Postcode",
    "prices": "AllSeries",
    "prices_*": "FuelPrices",
    "regulations": ["Regulation"],
    "store": "FullStore",
    "stores": ["Store"],
    "stores_geojson": "StoreFeatureCollection",
    "subsidy": "Subsidy",
}


def form_of(name):
    if name == "stores_geojson":
        return FORMS[name]
    kind, _, rest = name.partition("_")
    return FORMS["prices_*" if kind == "prices" and rest else kind]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_answers_fit(path):
    answer = json.loads(path.read_text(encoding="utf-8"))
    expected = form_of(path.stem)
    if isinstance(expected, str):
        assert mistakes(form(expected), answer) == []
    else:
        assert answer
        assert [one for row in answer for one in mistakes(form(expected[0]), row)] == []


def test_an_undeclared_field_would_be_found():
    answer = json.loads((GOLDEN / "locate_krakow.json").read_text(encoding="utf-8"))
    assert mistakes(form("LocatedMunicipality"), answer | {"new": 1}) != []
    assert mistakes(form("LocatedMunicipality"), {**answer, "teryt": 1261011}) != []
    assert mistakes(form("LocatedMunicipality"), {key: answer[key] for key in answer if key != "url"}) != []


def test_examples_of_fields_fit():
    for name in sorted(links.document()["components"]["schemas"]):
        assert mistakes(form(name), make_sample(links.document()["components"]["schemas"][name])) == []


def test_examples_of_parameters_fit():
    for path, methods in links.document()["paths"].items():
        for method, operation in methods.items():
            for index, parameter in enumerate(operation.get("parameters", [])):
                where = f"/paths/{path.replace('/', '~1')}/{method}/parameters/{index}/schema"
                assert mistakes(where, example_of(parameter)) == [], parameter["name"]


def test_commands_are_of_this_site(settings):
    for methods in links.document()["paths"].values():
        for operation in methods.values():
            for sample in operation["x-codeSamples"]:
                url = shlex.split(sample["source"])[-1]
                assert url.startswith(f"{settings.SITE_URL}/api/v1")
                assert urlsplit(url).path != "/api/v1/"
