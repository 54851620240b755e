import json
from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from django.db import connection

from tests import factories
from tests.client import build_snapshots, note_query, shared_rows
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory, ResolutionFactory


def rpc(client, method, queries=0, **params):
    """Return the result of a method of the protocol. queries: that it must send."""
    build_snapshots()
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with connection.execute_wrapper(partial(note_query, sent := [])):
        answer = client.post("/mcp", message, content_type="application/json")
    assert len(sent) == queries, sent
    return answer.json()["result"]


def post(client, name, arguments, queries=0):
    """Return the result of a tool, and what its text holds, which may be an error."""
    result = rpc(client, "tools/call", queries, name=name, arguments=arguments)
    body = json.loads(result["content"][0]["text"])
    assert result["isError"] is ("structuredContent" not in result) is ("error" in body)
    return result, body


@pytest.fixture
def call(client):
    """Call tools in order; return what each says, or the only one."""

    def run(*calls):
        bodies = [post(client, name, arguments)[1] for name, arguments in calls]
        return bodies if len(calls) > 1 else bodies[0]

    return run


@shared_rows
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
