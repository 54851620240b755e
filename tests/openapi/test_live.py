"""A real server with starter data, fuzzed with valid and invalid requests."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from email import message_from_string
from types import SimpleNamespace

import httpx2
import pytest

from fueldepot.http import api_description
from prices.official_series import BY_SLUG
from tests import ROOT
from tests.fueldepot.mcp.test_tools import calls
from tests.fueldepot.once import once_a_run
from tests.fueldepot.sharers import eventually
from tests.openapi.description import address_of, check_answer, closed, example_of, values_beside
from tests.ops.live import START_S
from tests.ports import free_port

EXAMPLES = 60
"""For each operation, besides every boundary value of every parameter."""

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server as `make run` starts it, or of the one that LIVE_SITE names."""
    if given := os.environ.get("LIVE_SITE"):
        yield given
        return
    log, port = tmp_path_factory.mktemp("live") / "server.log", free_port()
    address = f"http://127.0.0.1:{port}"
    with ExitStack() as stack:
        output = stack.enter_context(log.open("wb"))
        # It loads the starter data and collects static files: never two at a time.
        with once_a_run("static", lambda: None):
            command = [sys.executable, "-m", "fueldepot.local.serve", "--port", str(port)]
            server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
            stack.callback(server.wait, 30)
            stack.callback(server.terminate)
            assert eventually(lambda: server.poll() is not None or answers(address), START_S)
            assert server.poll() is None, log.read_text()
        yield address


def answers(site: str) -> bool:
    with suppress(httpx2.HTTPError):
        return ask(f"{site}/api/v1/stores/1").is_success
    return False


def ask(url: str) -> httpx2.Response:
    """Raises HTTPStatusError for a refusal."""
    return httpx2.get(url, timeout=10, trust_env=False, verify=False).raise_for_status()


@pytest.mark.release
def test_schemathesis_finds_nothing(site, tmp_path):
    """No 5xx and no warning; only described statuses, headers, media types and fields; invalid requests are refused."""
    file, url = tmp_path / "openapi.json", site + api_description.PREFIX
    file.write_text(json.dumps({**closed(), "servers": [{"url": url}]}), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", str(file), f"--url={url}"),
        *("--phases=examples,coverage,fuzzing,stateful", "--mode=all", f"--max-examples={EXAMPLES}"),
        *("--generation-deterministic", "--continue-on-failure", "--no-color"),
        *("--checks=all", "--exclude-checks=positive_data_acceptance,negative_data_rejection"),
        *("--request-timeout=10", f"--report-dir={tmp_path}"),
    ]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.openapi.fuzz_hooks", "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
    run = subprocess.run(command, cwd=tmp_path, env=os.environ | hooks, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-4_000:]
    assert "No issues found" in run.stdout, run.stdout[-4_000:]  # nor a warning
    assert f"Tested: {sum(map(len, api_description.document()['paths'].values()))}" in run.stdout


def samples():
    for path, methods in api_description.document()["paths"].items():
        for method, operation in methods.items():
            for sample in operation["x-codeSamples"]:
                yield pytest.param(method.upper(), sample["source"], id=f"{method} {path}: {sample['label']}")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands of the description need curl")
@pytest.mark.parametrize(("method", "command"), list(samples()))
def test_commands_of_the_description_answer(site, tmp_path, method, command):
    program, *options, url = shlex.split(command)
    path = url[url.index("/api/v1") :]
    write = ["-s", "-D", tmp_path / "head", "-o", tmp_path / "body", "--noproxy", "*"]
    subprocess.run([program, *write, *options, site + path], check=True)
    status, _, headers = (tmp_path / "head").read_text().partition("\n")
    assert status.split()[1] == "200"
    answer = SimpleNamespace(status_code=200, headers=message_from_string(headers))
    answer.json = lambda: json.loads((tmp_path / "body").read_bytes())
    assert check_answer(method, path.partition("?")[0], answer) == []


CALL = re.compile(r"^(?:\$ )?(curl [^#\n]*?) *(?:#.*)?\n(?:\{\"status\":(\d+))?", re.MULTILINE)


def printed_calls():
    """Yield the calls that documents print, with the status of the body below them, 200 for any other."""
    for name in ("README.md", "docs/calls.md"):
        for command, status in CALL.findall((ROOT / name).read_text(encoding="utf-8")):
            yield pytest.param(command, int(status or 200), id=f"{name}: {command}")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands of the documents need curl")
@pytest.mark.parametrize(("command", "status"), list(printed_calls()))
def test_calls_that_documents_print_answer(site, command, status):
    """As people copy them, where `$api` is the base of the API."""
    program, *options = (word.replace("$api", f"{site}/api/v1") for word in shlex.split(command))
    write = ["-s", "-o", os.devnull, "-w", "%{http_code}", "--noproxy", "*"]
    run = subprocess.run([program, *write, *options], capture_output=True, text=True, check=True)
    assert int(run.stdout) == status


def test_documents_print_calls():
    assert len(list(printed_calls())) >= 15


def test_examples_of_parameters_answer(site):
    for path, methods in api_description.document()["paths"].items():
        for parameter in methods["get"].get("parameters", []):
            name = parameter["name"]
            address = address_of(path, values_beside(path, name) | {name: example_of(parameter)})
            assert ask(site + address).status_code == 200


def filled_in():
    for path, methods in api_description.document()["paths"].items():
        parameters = methods["get"].get("parameters", [])
        # As Swagger UI does: the example of the parameter, else its default.
        rows = ((one["name"], one.get("example", one["schema"].get("default"))) for one in parameters)
        yield pytest.param(path, {name: value for name, value in rows if value is not None}, id=path)


@pytest.mark.parametrize(("path", "values"), list(filled_in()))
def test_trying_an_operation_shows_something(site, path, values):
    answer = ask(site + address_of(path, values))
    assert "X-Ignored-Parameters" not in answer.headers
    if path.endswith(".ics"):
        assert b"BEGIN:VEVENT" in answer.content
        return
    assert (shown := answer.json())
    if path == "/stores.geojson":
        assert shown["features"]
    if path == "/prices":
        assert any(shown[series]["poland"] for series in BY_SLUG)
    if path == "/prices/{fuel}":
        assert shown["median"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_of_mcp_uses_every_tool(site, mode):
    """With `initialize` (legacy) and without, over connections that stay open: the list, and each tool."""
    from mcp.client import Client  # takes long to import
    from mcp.client.streamable_http import streamable_http_client

    async def talk(http):
        transport = streamable_http_client(f"{site}/mcp", http_client=http)
        async with http, Client(transport, mode=mode) as mcp:
            listed = {tool.name for tool in (await mcp.list_tools()).tools}

            async def call(tool, **arguments):
                result = await mcp.call_tool(tool, arguments)
                (text,) = result.content
                return result.is_error, json.loads(text.text)

            _, near = await call("depots_near", teryt="1217011", limit=1)
            (depot,) = near["answer"]["depots"]
            return listed, {tool: await call(tool, **arguments) for tool, arguments in calls(depot["id"])}

    listed, answers = asyncio.run(talk(httpx2.AsyncClient(trust_env=False)))
    assert listed == answers.keys()
    for name, (is_error, body) in answers.items():
        assert not is_error, (name, body)
        assert body["answer"], name
        assert body["cite"], name
