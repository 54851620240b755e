"""/mcp without the official client: protocol, errors, sizes."""

import json
from datetime import date

import pytest

from fueldepot.mcp.answers import MOST_BYTES
from tests import factories
from tests.fueldepot.mcp.conftest import post, rpc
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = pytest.mark.django_db


def test_the_address_with_a_slash_answers_too(client):
    body = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    answers = [client.generic("POST", path, body, content_type="application/json") for path in ("/mcp", "/mcp/")]
    assert [(answer.status_code, answer.json()["result"]) for answer in answers] == [(200, {})] * 2
    refused = client.get("/mcp/")
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")


def test_a_client_of_an_older_version_shakes_hands(client):
    for version, agreed in (("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
        stated = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        answer = rpc(client, "initialize", **stated)
        assert (answer["protocolVersion"], answer["capabilities"]) == (agreed, {"tools": {}})


# First those without the country, which stays until the end of the module.


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


def test_an_error_repeats_an_id_only_if_it_can_be_one(client):
    for stated, repeated in ((7, 7), ("a", "a"), ({"a": 1}, None), ([1], None), (True, None), (1.5, None)):
        message = {"jsonrpc": "1.0", "id": stated, "method": "ping"}
        answer = client.post("/mcp", message, content_type="application/json")
        assert (answer.status_code, answer.json()["id"]) == (400, repeated), stated


def test_a_batch_is_answered_in_the_version_that_has_them(client):
    ping, note, bad = {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, {"id": 2}
    for batch, version, status, answers in (
        ([ping, note, bad], {}, 200, [{"result": {}}, {"error": -32600}]),
        ([ping] * 10, {"Mcp-Protocol-Version": "2025-03-26"}, 200, [{"result": {}}] * 10),
        ([note, note], {}, 202, None),
        ([ping] * 11, {}, 400, {"error": -32600}),
        ([ping], {"Mcp-Protocol-Version": "2025-06-18"}, 400, {"error": -32600}),
    ):
        answer = client.post("/mcp", json.dumps(batch), content_type="application/json", headers=version)
        assert answer.status_code == status
        assert (outcome_of(answer.json()) if answer.content else None) == answers


def outcome_of(body):
    if isinstance(body, list):
        return [outcome_of(part) for part in body]
    return {"error": body["error"]["code"]} if "error" in body else {"result": body["result"]}


def test_there_is_neither_a_stream_nor_a_session(client):
    for method in ("GET", "DELETE"):
        answer = client.generic(method, "/mcp")
        assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")
    note = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    answer = client.generic("POST", "/mcp", note, content_type="application/json")
    assert (answer.status_code, answer.content, "Mcp-Session-Id" in answer) == (202, b"", False)


def test_what_a_method_refuses_has_a_status_in_the_newest_version_only(client):
    version = "2026-07-28"
    for method, name, status in (
        *(("tools/call", "x", 400), ("resources/list", "", 404)),
        *(("tools/list", "", 200), ("server/discover", "", 200)),
    ):
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, "_meta": meta}}
        headers = {"Mcp-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name}
        answer = client.post("/mcp", json.dumps(body), content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content


def test_advice_names_tools(client, country):
    for name, arguments, queries, advice in (
        ("depots_near", {"teryt": "9999999"}, 0, "find_place finds codes by name"),
        ("depot", {"id": 987654}, 1, "take the id from depots_near"),
    ):
        assert advice in post(client, name, arguments, queries)[1]["error"][0]
