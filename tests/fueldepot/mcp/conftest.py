import asyncio
import json
from datetime import date
from decimal import Decimal
from functools import partial

import httpx2
import pytest
from django.db import connection

from tests import factories
from tests.client import build_snapshots, note_query, shared_rows
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory, ResolutionFactory


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
        from mcp.client import Client  # takes a second: only the tests that ask by it wait for it
        from mcp.client.streamable_http import streamable_http_client

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


def post(client, name, arguments):
    """Call a tool without the official client; return the result, and what its text holds."""
    build_snapshots()
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result = client.post("/mcp", message, content_type="application/json").json()["result"]
    return result, json.loads(result["content"][0]["text"])


@pytest.fixture
def call(client):
    """Call tools without the official client, in order and without a query; return what each says, or the only one."""

    def run(*calls):
        build_snapshots()
        with connection.execute_wrapper(partial(note_query, sent := [])):
            bodies = [post(client, name, arguments)[1] for name, arguments in calls]
        assert sent == []
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
