"""POST /subsidy with forms, multipart forms, JSON, and other bodies."""

import json

import pytest
from django.test import Client

from fueldepot.http.request_body import MalformedBody, read_pairs
from tests.api.test_errors import check_body
from tests.api.test_subsidy import FORM, URL, WHOLE
from tests.client import errors_of


def test_a_form_a_multipart_form_and_json_answer_as_the_address_does(client):
    expected = client.get(URL, WHOLE).json()
    assert client.post(URL, WHOLE).json() == expected  # multipart
    assert client.post(URL, "&".join(f"{k}={v}" for k, v in WHOLE.items()), content_type=FORM).json() == expected
    assert client.post(URL, WHOLE, content_type="application/json").json() == expected
    typed = WHOLE | {"people": 4, "income": 2000.5, "business": True, "eu": 3, "walls": 150, "audit": 1, "doors": None}
    assert client.post(URL, typed, content_type="application/json; charset=UTF-8").json() == expected


def test_a_json_number_has_decimals_where_text_has_two_readings(client):
    for written, status in (("12.500", 200), ('"12.500"', 400), ('"12 500"', 200), ("12500", 200), ('"12,5"', 200)):
        answer = client.post(URL, f'{{"walls": 10, "cost_walls": {written}}}', content_type="application/json")
        assert answer.status_code == status, written
        if status == 200:
            assert answer.json()["items"][0]["net_cost_pln"] == (12.5 if "12.5" in written or "," in written else 12500)


def test_post_answers_are_not_stored_and_need_no_token(db):
    answer = Client(enforce_csrf_checks=True).post(URL, WHOLE)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert not answer.cookies


def test_post_reads_the_body_only(client):
    answer = client.post(f"{URL}?walls=10&people=x&on=2020-01-01", "eu=2&audit=1&on=2026-11-21", content_type=FORM)
    assert [row["item"] for row in answer.json()["items"]] == ["audit"]
    note = "Pominięto parametry z adresu: przy metodzie POST czytamy tylko treść żądania."
    assert note in answer.json()["notes"]
    assert note not in client.post(URL, "eu=2&audit=1&on=2026-11-21", content_type=FORM).json()["notes"]
    assert errors_of(client.post(URL, "people=2&people=2&walls=-1", content_type=FORM)) == [
        *(("people", "repeated"), ("walls", "out_of_range")),
    ]


def test_an_empty_body_gives_nothing(client):
    for content_type in (FORM, ""):
        assert client.post(URL, "", content_type=content_type).json()["level"] == "basic"


def test_other_bodies_are_415(client):
    for content_type, what in (
        ("text/plain", "content type is 'text/plain'"),
        ("application/xml", "content type is 'application/xml'"),
        ("application/jsonp", "content type is 'application/jsonp'"),
        ("", "content type is missing"),
        (f"{FORM}; charset=iso-8859-2", "charset is 'iso-8859-2'"),
        ("multipart/mixed", "content type is 'multipart/mixed'"),
    ):
        answer = client.post(URL, "people=2", content_type=content_type)
        check_body(answer, 415, "unsupported_media_type")
        assert answer.json()["message"].startswith(f"The {what}; send the parameters in UTF-8 as one of "), content_type


def test_a_large_body_is_413_and_not_looked_into(client):
    for content_type in (FORM, "application/json"):
        check_body(client.post(URL, "x=" + "a" * 70_000, content_type=content_type), 413, "payload_too_large")


MULTIPART = "multipart/form-data; boundary=frontier"
NAMED = b'--frontier\r\nContent-Disposition: form-data; name="people"'


def test_a_body_that_cannot_be_read_is_malformed(client):
    for content_type, bodies in (
        ("application/json", (b"{", b"[]", b'{"people": 2} x', b'{"people": NaN}', b'{"people": \xff}')),
        ("application/json", (b'\xef\xbb\xbf{"people": 2}', '{"people": 2}'.encode("utf-16"))),
        ("application/json", (b"[" * 60_000, b'{"a":' * 12_000)),
        (MULTIPART, (b"people=2", b"--frontier\r\n", NAMED + b"\r\n\r\n2\r\n")),
        (MULTIPART, (b"--frontier\r\nContent-Disposition: form-data\r\n\r\n2\r\n--frontier--",)),
        (MULTIPART, (NAMED + b"\r\n2\r\n--frontier--", NAMED + b'; filename="a"\r\n\r\n2\r\n--frontier--')),
        (MULTIPART, (NAMED + b"\r\nContent-Transfer-Encoding: base64\r\n\r\nMg==\r\n--frontier--",)),
        (MULTIPART, (NAMED.replace(b"frontier", b"frontierx") + b"\r\n\r\n2\r\n--frontier--",)),
        *(
            (f"multipart/form-data{boundary}", (b"--x--",))
            for boundary in ("", "; boundary=", "; boundary=" + "a" * 80)
        ),
        (FORM, (b"a&" * 2000, b'{"people": 2}', b'\r\n {"on": "a=b&people=2"}')),
    ):
        for body in bodies:
            check_body(client.post(URL, body, content_type=content_type), 400, "malformed_body")


def test_json_of_wrong_types(client):
    for parameter, code, bodies in (
        ("people", "repeated", ('{"people": 2, "people": 3}', '{"people": 2, "people": null}')),
        ("people", "malformed", ('{"people": [2]}', '{"people": {"a": 1}}', '{"people": true}', '{"people": 2.5}')),
        ("people", "malformed", ('{"people": 2e0}', '{"people": "\\u0000"}', '{"people": "\\ud800"}')),
        ("income", "malformed", ('{"people": 2, "income": 1E3}', '{"people": 2, "income": []}')),
        ("income", "too_long", ('{"people": 2, "income": 1' + "0" * 5000 + "}",)),
        ("benefit", "not_a_choice", ('{"benefit": 2}', '{"benefit": []}')),
        ("eu", "not_a_choice", ('{"eu": true}',)),
        ("new_source", "not_a_choice", ('{"new_source": 1}',)),
        ("on", "malformed", ('{"on": 20260720}',)),
    ):
        for body in bodies:
            answer = client.post(URL, body, content_type="application/json")
            check_body(answer, 400, "invalid_parameter")
            assert (parameter, code) in [(error["parameter"], error["code"]) for error in answer.json()["errors"]], body


def test_unknown_names_in_json_are_ignored(client):
    body = json.dumps({"on": "2026-11-21", "x": {"y": [1]}, "z": [], "eu": "2"})
    assert client.post(URL, body, content_type="application/json").status_code == 200


def test_a_quoted_boundary_and_a_preamble(client):
    body = b'preamble\r\n--a b\r\nContent-Disposition: form-data; name="people"\r\n\r\n21\r\n--a b--\r\n'
    answer = client.post(URL, body, content_type='multipart/form-data; boundary="a b"')
    assert answer.json()["errors"][0]["parameter"] == "people"


def test_an_empty_body_is_no_json_and_no_multipart():
    for content_type in ("application/json", MULTIPART):
        with pytest.raises(MalformedBody):
            read_pairs(content_type, b"")


def test_an_integer_in_json_may_be_written_with_a_point(client):
    written = client.post(URL, '{"people": 2.0, "income": 1000}', content_type="application/json")
    assert written.content == client.post(URL, {"people": "2", "income": "1000"}).content
