"""GET and POST /subsidy: parameters in the address, in forms, multipart forms and JSON, and other bodies."""

import pytest
from django.test import Client

from fueldepot.http.request_body import MalformedBody, read_pairs
from subsidy import rules
from tests.api.test_errors import check_body
from tests.client import errors_of

URL = "/api/v1/subsidy"
FORM = "application/x-www-form-urlencoded"
WHOLE = {"people": "4", "income": "2000,50", "business": "tak", "eu": "3", "on": "2026-11-21", "audit": "1"}
WHOLE |= {"new_source": "heat_pump_ground", "central_heating_dhw": "1", "walls": "150", "windows": "20"}
WHOLE |= {"cost_heat_pump_ground": "50000", "cost_ground_source_loop": "25000", "cost_walls": "45000"}
WHOLE |= {"cost_windows": "30000", "cost_doors": "5000"}


def ask(client, **parameters):
    answer = client.get(URL, {"on": "2026-11-21", **parameters})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_subsidy_golden(client, golden, db):
    answer = client.get(URL, WHOLE)
    assert (answer["Cache-Control"], answer["Content-Type"]) == ("no-store", "application/json")
    assert not answer.cookies
    golden("subsidy", answer.json())


def test_subsidies_golden(client, golden):
    for name, stated in (
        ("misspelt", {"people": "4", "income": "2000", "eu": "3", "new_source": "pellet_boiler", "wals": "150"}),
        ("unknown_index", {"people": "2", "income": "1000", "walls": "100", "html": "1"}),
        ("none", {"annual_income": "135000,01", "walls": "100", "eu": "3"}),
    ):
        golden(f"subsidy_{name}", ask(client, **stated))


def unknown(body):
    return [note for note in body["notes"] if "nieznan" in note.lower() and "parametr" in note]


MISSPELT = "Nieznany parametr „wals”: pominięto. Może chodziło o „walls”?"


def test_a_misspelt_parameter_is_named_first(client):
    stated = {"people": "4", "income": "2000", "eu": "3"}
    body = ask(client, **stated, wals="150")
    assert (body["notes"][0], body["max_subsidy_pln"]) == (MISSPELT, 0)
    assert {**body, "notes": body["notes"][1:]} == ask(client, **stated)
    for given in ({"data": {**stated, "wals": 150}, "content_type": "application/json"}, {"data": {"wals": "150"}}):
        assert client.post(URL, **given).json()["notes"][0] == MISSPELT


def test_every_known_parameter_and_what_is_empty_go_without_a_note(client):
    assert unknown(client.get(URL, {**WHOLE, "dochod_typ": "osoba", "annual_income": "1", "html": "1"}).json()) == []
    assert unknown(client.get(f"{URL}?wals=&=5&&eu=2&").json()) == []


def test_names_that_callers_made_up_are_repeated_short_and_few(client):
    names = ["<b>", "a\0\n", "x" * 50, "{day}", "Wals", *(f"q{number}" for number in range(20))]
    assert unknown(ask(client, **dict.fromkeys(names, "1"))) == [
        "Nieznany parametr „<b>”: pominięto.",
        "Nieznany parametr „a\ufffd\ufffd”: pominięto.",
        f"Nieznany parametr „{'x' * 40}…”: pominięto.",
        "Nieznany parametr „{day}”: pominięto.",
        "Nieznany parametr „Wals”: pominięto. Może chodziło o „walls”?",
        "Pominięto też inne nieznane parametry: 20.",
    ]
    assert "<b>" not in str(ask(client, **{"<b>": "1", "html": "1"})["html"])


def test_what_only_secondary_sources_confirm_is_noted(client):
    amended = client.get(URL, {"on": "2026-07-20", "walls": "1"}).json()
    assert amended["program"] == {"version_from": "2026-07-20", "as_of": "2026-10-01"}
    assert any("20 lipca 2026" in note for note in amended["notes"])
    before = client.get(URL, {"on": "2026-07-19", "walls": "1"}).json()
    assert before["program"]["version_from"] == "2025-03-31"
    assert not any("20 lipca 2026" in note for note in before["notes"])


def test_every_word_for_on_and_off_which_is_as_good_as_not_given(client):
    on = ("1", "true", "yes", "on", "tak", "TAK", "True", " 1 ")
    off = ("0", "false", "no", "off", "nie", "NIE", "", " ")
    for word in (*on, *off):
        assert len(ask(client, eu="2", audit=word)["items"]) == (word in on), word
    for name in SWITCHES:
        plan = {"eu": "2", "walls": "10"}
        assert ask(client, **plan, **{name: "0"}) == ask(client, **plan), name


SWITCHES = ("benefit", "business", "central_heating_dhw", "ventilation", "audit", "energy_certificate", "html", "brief")


def test_an_area_has_three_decimals_where_a_cost_has_two_readings(client):
    for written in ("1.333", "1,333", " 01,333 "):
        assert ask(client, eu="3", walls=written)["items"][0]["quantity"] == 1.333
    assert ask(client, eu="3", walls="10", cost_walls="12.500,00")["items"][0]["net_cost_pln"] == 12500
    message = client.get(URL, {"cost_walls": "12.500"}).json()["errors"][0]["message"]
    assert message == "cost_walls is '12.500', which can be read in two ways; give 12500 or 12.5"


def test_empty_parameters_are_not_given_and_the_ends_of_ranges_are_accepted(client):
    names = "people income income_type benefit current_heating eu new_source walls cost_walls"
    assert ask(client, **dict.fromkeys(names.split(), "")) == ask(client)
    assert client.head(URL).status_code == 200
    for query in ("on=", "on=2025-03-31", "on=2026-02-28", "on=9999-12-31", "unknown=5&x=1&x=2", "people=20"):
        assert client.get(f"{URL}?{query}").status_code == 200, query


def test_polish_names(client):
    for polish, ours in (
        ({"current_heating": "stale"}, {"current_heating": "solid_fuel"}),
        ({"current_heating": "stale5"}, {"current_heating": "solid_fuel_class5"}),
        ({"current_heating": "inne"}, {"current_heating": "other"}),
        ({"eu": "niewiem"}, {"eu": "unknown"}),
        ({"people": "2", "income": "2600", "income_type": "osoba"}, {"people": "2", "income": "2600"}),
        (
            {"people": "2", "income": "2600", "dochod_typ": "gospodarstwo"},
            {"people": "2", "income": "2600", "income_type": "household"},
        ),
    ):
        plan = {"new_source": "pellet_boiler", "walls": "10"}
        assert ask(client, **plan, **polish) == ask(client, **plan, **ours), polish


def test_a_message_never_repeats_an_income(client):
    for name in ("income", "annual_income"):
        for value in ("432x", "43210000.77", "432.117"):
            answer = client.get(URL, {"people": "2", name: value})
            assert answer.status_code == 400
            assert b"432" not in answer.content


def test_fragments_are_escaped_and_whole(client, monkeypatch):
    monkeypatch.setitem(rules.current().periods[-1].texts, "reason_unstated", "<script>alert(1)</script>")
    html = ask(client, eu="2", audit="1", html="1")["html"]
    assert list(html) == ["summary", "items", "conditions"]
    assert "<script" not in "".join(html.values())
    assert "&lt;script&gt;" in html["summary"]
    for fragment in html.values():
        for tag in ("section", "table", "ul", "dl", "li", "tr", "td", "th", "p"):
            assert fragment.count(f"<{tag}>") + fragment.count(f"<{tag} ") == fragment.count(f"</{tag}>")


def test_an_error_names_the_parameter_as_it_was_given(client):
    for query, name, fault in (
        ("dochod_typ=osoba&income_type=person", "income_type", "and its synonym dochod_typ are both given; "),
        ("dochod_typ=x", "dochod_typ", "is 'x'"),
        ("dochod_typ=osoba&dochod_typ=osoba", "dochod_typ", "is given 2 times"),
        ("income_type=x&dochod_typ=", "income_type", "is 'x'"),
    ):
        (error,) = client.get(f"{URL}?{query}").json()["errors"]
        assert error["parameter"] == name, query
        assert error["message"].startswith(f"{name} {fault}"), query


def test_an_empty_name_beside_its_synonym_counts_as_not_given(client):
    stated = {"people": "2", "income": "2600"}
    household = ask(client, **stated, income_type="household")
    for names in ({"income_type": "gospodarstwo", "dochod_typ": " "}, {"income_type": "", "dochod_typ": "household"}):
        assert ask(client, **stated, **names) == household
    assert ask(client, **stated, income_type="", dochod_typ="") == ask(client, **stated)


def test_a_brief_answer_says_the_same_without_the_lists(client):
    whole, brief = ask(client, **WHOLE), ask(client, **WHOLE, brief="1")
    lists = {"items", "audit_variants", "conditions", "sources"}
    assert brief.pop("max_subsidy_range_pln") == [whole["max_subsidy_pln"]] * 2
    assert brief == {name: value for name, value in whole.items() if name not in lists}
    unaudited = WHOLE | {"eu": "unknown"}
    amounts = [variant["max_subsidy_pln"] for variant in ask(client, **unaudited)["audit_variants"]]
    assert ask(client, **unaudited, brief="1")["max_subsidy_range_pln"] == [min(amounts), max(amounts)]
    assert whole["items"]
    assert ask(client, brief="1", wals="150")["notes"][0].count("walls") == 1


def test_limits_of_the_programme_as_data(client, db):
    answer = client.get(f"{URL}/limits", {"on": "2026-11-21", "about": "levels"})
    found = {(row["parameter"], row["key"]): row for row in answer.json()["limits"]}
    threshold = found["levels/monthly_income", "elevated/multi_person"]
    assert (threshold["value"], threshold["unit"], threshold["verified"]) == (2250, "PLN/person/month", True)
    assert answer.json()["program"]["version_from"] == "2026-07-20"
    assert answer["Cache-Control"].startswith("public")
    every = client.get(f"{URL}/limits", {"on": "2026-11-21"}).json()["limits"]
    assert {row["parameter"].partition("/")[0] for row in every} == {"levels", "project_types", "items"}


def test_a_form_a_multipart_form_and_json_answer_as_the_address_does_unstored_and_without_a_token(client, db):
    expected = client.get(URL, WHOLE).json()
    multipart = Client(enforce_csrf_checks=True).post(URL, WHOLE)
    assert (multipart.json(), multipart["Cache-Control"], dict(multipart.cookies)) == (expected, "no-store", {})
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


def test_post_reads_the_body_only(client):
    answer = client.post(f"{URL}?walls=10&people=x&on=2020-01-01", "eu=2&audit=1&on=2026-11-21", content_type=FORM)
    assert [row["item"] for row in answer.json()["items"]] == ["audit"]
    note = "Pominięto parametry z adresu: przy metodzie POST czytamy tylko treść zapytania."
    assert note in answer.json()["notes"]
    assert note not in client.post(URL, "eu=2&audit=1&on=2026-11-21", content_type=FORM).json()["notes"]
    wrong = client.post(URL, "people=2&people=2&walls=-1", content_type=FORM)
    assert errors_of(wrong) == [("people", "repeated"), ("walls", "out_of_range")]


def test_an_empty_body_gives_nothing_as_a_form_and_is_no_json_and_no_multipart(client):
    for content_type in (FORM, ""):
        assert client.post(URL, "", content_type=content_type).json()["level"] == "basic"
    for content_type in ("application/json", MULTIPART):
        with pytest.raises(MalformedBody):
            read_pairs(content_type, b"")


def test_other_bodies_are_415_and_a_large_one_is_413_and_not_looked_into(client):
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
        *((f"multipart/form-data{more}", (b"--x--",)) for more in ("", "; boundary=", "; boundary=" + "a" * 80)),
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


def test_a_part_may_say_that_it_is_not_encoded(client):
    for coding in (b"8bit", b"7BIT", b"binary"):
        body = NAMED + b"\r\nContent-Transfer-Encoding: " + coding + b"\r\n\r\n21\r\n--frontier--"
        answer = client.post(URL, body, content_type=MULTIPART)
        assert answer.json()["errors"][0]["parameter"] == "people", coding


def test_a_quoted_boundary_and_a_preamble(client):
    body = b'preamble\r\n--a b\r\nContent-Disposition: form-data; name="people"\r\n\r\n21\r\n--a b--\r\n'
    answer = client.post(URL, body, content_type='multipart/form-data; boundary="a b"')
    assert answer.json()["errors"][0]["parameter"] == "people"


def test_an_integer_in_json_may_be_written_with_a_point_and_unknown_names_are_ignored(client):
    for more in ("", ', "x": {"y": [1]}, "z": []'):
        body = f'{{"people": 2.0, "income": 1000, "on": "2026-11-21"{more}}}'
        written = client.post(URL, body, content_type="application/json").json()
        assert {**written, "notes": []} == {**ask(client, people="2", income="1000"), "notes": []}
