"""What is refused, in one body of errors: by each address parameters with their codes, all at once; by the service."""

from unicodedata import normalize
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.test import Client
from psycopg.errors import QueryCanceled

from catalog.search.engine import Search
from fueldepot.http.params import quote
from tests import factories
from tests.client import errors_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

READING = ("", "locations", "locate", "stores", "stores/1", "prices", "prices/pellet", "regulations")
READING += ("openapi.json", "docs")
METHODS = {path: {"GET", "HEAD", "OPTIONS"} for path in READING} | {"subsidy": {"GET", "HEAD", "POST", "OPTIONS"}}


def check_body(answer, status, code):
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert list(body) == ["status", "code", "message", "errors", "documentation"]
    assert (body["status"], body["code"]) == (status, code)
    assert body["message"]
    assert body["documentation"].startswith("http")


def test_error_body_golden(client, golden):
    answer = client.get("/api/v1/locate", {"lat": "60"})
    check_body(answer, 400, "invalid_parameter")
    golden("error_locate", answer.json())


def test_unknown_paths():
    caller = Client(enforce_csrf_checks=True)
    description = (f"/api/v1/{file}" for file in ("openapi.json/", "docs/", "docs/x", "openapi.yaml"))
    stores = "/api/v1/nothing", "/api/v1/stores/", "/api/v1/stores/1/x"
    for path in ("/api/v2", "/api/v2/x", "/api/%0A", *stores, *description):
        for ask in (caller.get, caller.post, caller.delete):
            check_body(ask(path), 404, "not_found")


def test_options_name_the_methods_and_others_are_refused_and_told_them():
    caller = Client(enforce_csrf_checks=True)
    for path, allowed in METHODS.items():
        answer = caller.options(f"/api/v1/{path}")
        assert (answer.status_code, answer.content, set(answer["Allow"].split(", "))) == (200, b"", allowed), path
        assert "Content-Type" not in answer
        for method in {"POST", "PUT", "PATCH", "DELETE", "TRACE"} - allowed:
            answer = getattr(caller, method.lower())(f"/api/v1/{path}")
            check_body(answer, 405, "method_not_allowed")
            assert set(answer["Allow"].split(", ")) == allowed, path
            message = f"{method} is not allowed here; use one of the methods in the Allow header."
            assert answer.json()["message"] == message


def test_addresses_that_lead_elsewhere_are_for_reading_only():
    for path in ("/api/v1/reference", "/api/index.html.md"):
        answer = Client(enforce_csrf_checks=True).post(path)
        check_body(answer, 405, "method_not_allowed")
        assert (answer["Allow"], answer["X-Content-Type-Options"]) == ("GET, HEAD", "nosniff")


def test_head_is_get_without_a_body(client):
    for path in ("locations?q=krak", "openapi.json", "docs"):
        answer, whole = client.head(f"/api/v1/{path}"), client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer["Content-Length"] == whole["Content-Length"] == str(len(whole.content))


def test_scripts_of_other_sites_may_read_answers_their_headers_and_public_files_and_no_page(client):
    for path in ("/api/v1/locations?q=krak", "/api/v1/locate?lat=1", "/api/v1/nothing", "/dane/gminy.csv", "/llms.txt"):
        for headers in ({"origin": "https://example.org"}, {}):
            assert client.get(path, headers=headers)["Access-Control-Allow-Origin"] == "*", path
    exposed = client.get("/api/v1/prices")["Access-Control-Expose-Headers"].split(", ")
    assert {"ETag", "X-Total-Count", "RateLimit", "RateLimit-Policy", "Retry-After", "Link"} <= set(exposed)
    assert "X-Ignored-Parameters" in exposed
    twin, page = client.get("/dotacja.md"), client.get("/dotacja/")
    assert (twin["Access-Control-Allow-Origin"], "Access-Control-Allow-Origin" in page) == ("*", False)


@pytest.mark.parametrize("host", ["evil.example", "evil example", "x" * 300])
def test_a_host_that_is_not_served_is_told_in_json(client, settings, host):
    answer = client.get("/api/v1/locations?q=krak", headers={"host": host})
    check_body(answer, 400, "invalid_parameter")
    said = answer.json()["message"]
    assert said.startswith(f"The host '{host[:40]}")
    assert said.endswith(f"is not served here; send the request to {settings.SITE_URL}.")


def test_a_body_that_nobody_would_read_is_refused_unread(client):
    huge = {"CONTENT_LENGTH": "99999999999", "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    check_body(client.post("/api/v1/subsidy", **huge), 413, "payload_too_large")
    check_body(client.post("/api/v1/nothing", **huge), 413, "payload_too_large")
    page = client.post("/dotacja/", **huge)
    assert (page.status_code, page["Cache-Control"]) == (413, "no-store")
    assert "większych niż 5\N{NO-BREAK SPACE}MB." in page.content.decode()
    assert "Przesłano za dużo danych" in page.content.decode()


def test_preflight(client):
    asked = {"origin": "https://a.example", "access-control-request-method": "POST"}
    for names, allowed in (("content-type, x-request-id",) * 2, ("a\x01;b", None)):
        answer = client.options("/api/v1/subsidy", headers=asked | {"access-control-request-headers": names})
        assert (answer.status_code, answer.content, answer["Access-Control-Allow-Origin"]) == (204, b"", "*")
        assert answer["Access-Control-Allow-Methods"] == "GET, HEAD, POST, OPTIONS"
        assert answer.get("Access-Control-Allow-Headers") == allowed


def test_an_unknown_voivodeship_is_quoted_as_it_was_given_shortened_and_made_visible(client):
    for name in ("Mała Polska", "Śląsk", normalize("NFD", "Śląsk")):
        for path in (f"/api/v1/regulations?voivodeship={name}", f"/api/v1/regulations/{name}.ics"):
            answer = client.get(path)
            check_body(answer, 404, "not_found")
            message = f"no voivodeship is known by '{normalize('NFC', name)}'; give the name,"
            assert answer.json()["message"].startswith(message)
    assert len(client.get("/api/v1/regulations?voivodeship=Województwo Małopolskie").json()) == 1
    assert client.get("/api/v1/prices?voivodeship=POLSKA").status_code == 200
    assert (quote("a" * 50), quote("a\x00b")) == ("'" + "a" * 40 + "…'", "'a\\x00b'")


def test_our_own_fault_says_nothing_of_it_and_a_database_that_is_away_when_to_ask_again(monkeypatch):
    faults = {"server_error": RuntimeError("secret"), "unavailable": OperationalError("connection refused")}
    monkeypatch.setattr(Search, "suggest", Mock(side_effect=faults.values()))
    caller = Client(raise_request_exception=False)
    fault, away = (caller.get("/api/v1/locations?q=krak") for _ in faults)
    check_body(fault, 500, "server_error")
    check_body(away, 503, "unavailable")
    assert (b"secret" in fault.content, int(away["Retry-After"]) > 0) == (False, True)


def test_a_cancelled_query_of_a_post_is_told_as_json_too(monkeypatch):
    cancelled = OperationalError("canceling statement due to statement timeout")
    cancelled.__cause__ = QueryCanceled()
    monkeypatch.setattr(Search, "suggest", Mock(side_effect=cancelled))
    tool = {"name": "find_place", "arguments": {"q": "krak"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    caller = Client(raise_request_exception=False)
    check_body(caller.post("/mcp", message, content_type="application/json"), 503, "unavailable")


def test_advice_is_what_helps(client):
    said = {path: client.get(path).json()["message"] for path in ("/api/v1/stores/", "/api/v1/store", "/api/v2")}
    assert said["/api/v1/stores/"].endswith("is not an address of this API; there is no slash at the end of any.")
    assert said["/api/v1/store"].endswith("is not an address of this API; /api/v1 lists all of them.")
    assert "slash" not in said["/api/v2"]
    for path in ("stores?postcode=00-000", "regulations?postcode=00-000", "postcodes/00-000"):
        message = client.get(f"/api/v1/{path}").json()["message"]
        assert message == "postcode 00-000 is not in the register; check it, or find the place with /api/v1/locations."


REFUSED = {
    "locations?": (
        ("q missing", [""]),
        ("q empty", ["q=", "q=%20%20"]),
        ("q too_short", ["q=a"]),
        ("q too_long", ["q=" + "a" * 101]),
        ("q repeated", ["q=ab&q=cd"]),
        ("q malformed", ["q=%FF%FE", "q=ab%00", "q=ab%0A"]),
    ),
    "locate?": (
        ("lat missing, lon missing", [""]),
        ("lat missing", ["lon=20"]),
        ("lon missing", ["lat=50"]),
        ("lat malformed", ["lat=nan&lon=20", "lat=5e1&lon=20", "lat=50,06&lon=20", "lat=50.06%0A&lon=20"]),
        ("lat malformed", ["lat=%D9%A5%D9%A0&lon=20"]),
    ),
    "stores?": (
        ("teryt missing", ["", "county=1217", "=x"]),
        ("lon missing", ["lat=50", "teryt=12&lat=50", "=x&lat=50"]),
        ("lat missing", ["lon=20"]),
        ("lat repeated, lon missing", ["lat=50&lat=50"]),
        ("lat out_of_range", ["teryt=12&lat=1&lon=20"]),
        ("teryt malformed", ["teryt=126", "teryt=1261011%0a"]),
        ("postcode malformed", ["teryt=12&postcode=x"]),
        ("format not_a_choice", ["teryt=12&format=xml"]),
        ("limit out_of_range", ["teryt=12&limit=101.0"]),
        ("offset out_of_range", ["teryt=12&offset=10001"]),
        ("teryt malformed, radius out_of_range, fuel not_a_choice", ["teryt=1&radius=0&fuel=uran"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("teryt unknown", ["teryt=9999&county=1217"]),
    ),
    "stores/": (
        ("id out_of_range", ["0", "-1"]),
        ("id malformed", ["1.5", "abc", "1e3", "%00", "%D9%A1", "1%0A", "9" * 101]),
    ),
    "municipalities?": (
        ("voivodeship missing", [""]),
        ("county malformed", ["county=12"]),
        ("county unknown", ["county=1299", "county=9999", "county=9999&teryt=12"]),
        ("voivodeship unknown", ["voivodeship=atlantyda"]),
    ),
    "municipalities/": (
        ("teryt malformed", ["126101", "12", "126101.geojson"]),
        ("format not_a_choice", ["1261011?format=xml"]),
        ("teryt unknown", ["1299011", "1299011.geojson"]),
    ),
    "postcodes/": (
        ("code unknown", ["00-000", "00-000?postcode=30-001"]),
        ("code malformed", ["3000", "30-0011", "30 001"]),
    ),
    "prices?": (
        ("series not_a_choice", ["series=ropa"]),
        ("year out_of_range", ["year=1998"]),
        ("year malformed", ["year=x"]),
        ("voivodeship malformed", ["voivodeship=_"]),
        ("voivodeship unknown", ["voivodeship=narnia"]),
    ),
    "prices/pellet?": (
        ("on out_of_range", ["on=2026-11-22", "on=2024-11-20", "on=2026-02-30"]),
        ("on malformed", ["on=21.11.2026"]),
        ("voivodeship unknown", [f"voivodeship={name}" for name in ("99", "atlantyda", "00", "male-polskie") * 2]),
    ),
    "regulations?": (
        ("teryt malformed", ["teryt=1"]),
        ("postcode malformed", ["postcode=30--001", "teryt=12&postcode=x"]),
        ("voivodeship malformed", ["voivodeship=malo_polskie", "voivodeship=1", "teryt=12&voivodeship=1"]),
        ("voivodeship malformed", ["postcode=30-001&voivodeship=1"]),
        ("teryt missing", ["binding=1", "binding=1&voivodeship=12"]),
        ("teryt unknown", ["teryt=99", "teryt=1299", "teryt=1261012"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("voivodeship unknown", ["voivodeship=nigdzie", "voivodeship=99"]),
        ("appliance not_a_choice", ["teryt=1217011&appliance=kopciuch"]),
        ("teryt missing", ["appliance=boiler_class_3", "voivodeship=malopolskie&appliance=boiler_class_3"]),
        ("teryt out_of_range", ["teryt=12&appliance=boiler_class_3"]),
    ),
    "regulations/": (
        ("voivodeship unknown", ["nigdzie.ics", "99.ics"]),
        ("voivodeship malformed", ["Mało_polskie.ics"]),
        ("teryt malformed", ["malopolskie.ics?teryt=1"]),
        ("teryt unknown", ["malopolskie.ics?teryt=9999999"]),
        ("teryt out_of_range", ["malopolskie.ics?teryt=2461011"]),
        ("on malformed", ["malopolskie.ics?on=x"]),
    ),
    "deadlines?": (("to out_of_range", ["from=2027-01-02&to=2027-01-01", "to=2020-01-01"]),),
    "heating-costs?": (
        ("price_pellet ambiguous", ["price_pellet=1.640"]),
        ("efficiency_pellet out_of_range", ["efficiency_pellet=85"]),
        ("area out_of_range", ["area=10"]),
        ("kwh malformed", ["kwh=dużo"]),
        ("teryt unknown", ["teryt=9999999"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("voivodeship unknown", ["voivodeship=nigdzie"]),
    ),
    "subsidy?": (
        ("people missing", ["income=1000"]),
        ("walls malformed, people missing", ["income=1000&walls=x"]),
        ("people out_of_range", ["people=0", "people=21"]),
        ("people malformed", ["people=2.5"]),
        ("people repeated", ["people=2&people=2", "income=1000&people=2&people=3"]),
        ("income malformed", ["people=2&income=nan", "people=2&income=1e3", "people=2&income=1%2000"]),
        ("income ambiguous", ["people=2&income=140.000"]),
        ("annual_income ambiguous", ["annual_income=140,000"]),
        ("income out_of_range", ["people=2&income=-0.01", "people=2&income=10000000.01"]),
        ("income too_long", ["people=2&income=" + "9" * 3000]),
        ("annual_income out_of_range", ["annual_income=10000001"]),
        ("walls out_of_range", ["walls=5000.01", "walls=-1"]),
        ("walls malformed", ["walls=.5"]),
        ("cost_gates out_of_range", ["cost_gates=10000000,01"]),
        ("cost_ventilation malformed", ["cost_ventilation=x"]),
        ("audit not_a_choice", ["audit=ja"]),
        ("eu not_a_choice", ["eu=4"]),
        ("new_source not_a_choice", ["new_source=gas_boiler", "new_source=ground_source_loop"]),
        ("current_heating not_a_choice", ["current_heating=coal"]),
        ("income_type not_a_choice", ["income_type=family"]),
        ("income_type repeated", ["income_type=person&dochod_typ=osoba"]),
        ("on out_of_range", ["on=2025-03-30", "on=2026-02-29"]),
        ("on malformed", ["on=20260720"]),
    ),
    "subsidy/limits?": (("on out_of_range", ["on=2025-03-30"]), ("about not_a_choice", ["about=x"])),
}
"""By address, what is refused of each query; every parameter that is wrong is named at once."""


@pytest.mark.parametrize("address", REFUSED)
def test_what_is_wrong_is_named_by_its_parameter_and_code(client, the_day, address):
    factories.zakopane(), factories.bielsko_biala()
    for errors, queries in REFUSED[address]:
        for query in queries:
            answer = client.get(f"/api/v1/{address}{query}")
            assert ", ".join(map(" ".join, errors_of(answer, 404 if "unknown" in errors else 400))) == errors, query
            assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/json", "no-store")
