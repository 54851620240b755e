"""A real server with starter data, fuzzed with valid and invalid requests."""

import asyncio
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from fueldepot.http import api_description
from fueldepot.mcp.answers import MOST_BYTES
from prices.official_series import BY_SLUG
from tests import ROOT
from tests.fueldepot.mcp.test_client import calls
from tests.openapi.description import check_answer, closed, example_of
from tests.ports import free_port

SECONDS_TO_START = 180
EXAMPLES = 60
"""For each operation, besides every boundary value of every parameter."""

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server as `make run` starts it, or of the one that LIVE_SITE names."""
    if given := os.environ.get("LIVE_SITE"):
        yield given
        return
    log = tmp_path_factory.mktemp("live") / "server.log"
    with log.open("wb") as output:
        server, address = start(output, log)
        try:
            yield address
        finally:
            server.terminate()
            server.wait(30)


def start(output: IO[bytes], log: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers. Starting loads the starter data and collects static files: never two at a time."""
    (ROOT / "var").mkdir(exist_ok=True)
    with (ROOT / "var" / "static.lock").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        port = free_port()
        command = [sys.executable, "-m", "fueldepot.local.serve", "--port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + SECONDS_TO_START
        while not answers(f"{address}/api/v1/stores/1"):
            if server.poll() is not None or time.monotonic() > deadline:
                server.kill()
                raise AssertionError(f"no server: {log.read_text()}")
            time.sleep(0.3)
    return server, address


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def write_description(site: str, path: Path) -> Path:
    """The description with every object closed, so that a field which it does not declare is found."""
    path.write_text(json.dumps({**closed(), "servers": [{"url": site + api_description.PREFIX}]}), encoding="utf-8")
    return path


@pytest.mark.release
def test_schemathesis_finds_nothing(site, tmp_path):
    """No 5xx and no warning; only described statuses, headers, media types and fields; invalid requests are refused."""
    file = write_description(site, tmp_path / "openapi.json")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", str(file), f"--url={site}{api_description.PREFIX}"),
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


class Answer:
    """What curl received, as a Django test client would hand it over."""

    def __init__(self, received: str) -> None:
        head, _, self.body = received.partition("\r\n\r\n")
        status, *lines = head.split("\r\n")
        self.status_code = int(status.split()[1])
        self.headers = {name.title(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self.headers["ETag"] = self.headers.get("Etag", "")

    def json(self):
        return json.loads(self.body)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands of the description need curl")
@pytest.mark.parametrize(("method", "command"), list(samples()))
def test_commands_of_the_description_answer(site, method, command):
    program, *options, url = shlex.split(command)
    url = site + url[url.index("/api/v1") :]
    run = subprocess.run([program, "-s", "-i", "--noproxy", "*", *options, url], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    answer = Answer(run.stdout if "\r\n\r\n" in run.stdout else run.stdout.replace("\n", "\r\n"))
    assert answer.status_code == 200
    assert check_answer(method, url.partition("?")[0].removeprefix(site), answer) == []


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
            assert ask_with(site, path, methods["get"], parameter) == 200, (path, parameter["name"])


def ask_with(site, path, operation, parameter):
    needed = {
        "/stores": {"teryt": "1261011"},
        "/stores.geojson": {"teryt": "1261011"},
        "/regulations/{voivodeship}.ics": {"voivodeship": "malopolskie"},
    }
    together = {"lat": {"lon": 19.9366}, "lon": {"lat": 50.0614}, "income": {"people": 4}}
    together |= {name: {"teryt": "1261011"} for name in ("appliance", "binding")}
    given = {one["name"]: example_of(one) for one in operation["parameters"] if one.get("required")}
    given |= needed.get(path, {}) | together.get(parameter["name"], {}) | {parameter["name"]: example_of(parameter)}
    with urllib.request.urlopen(address(site, path, given), timeout=10) as answer:  # noqa: S310
        return answer.status


def address(site, path, values):
    """The address of an operation with parameters, in the path and in the query."""
    for name in [name for name in values if "{" + name + "}" in path]:
        path = path.replace("{" + name + "}", str(values.pop(name)))
    return f"{site}/api/v1{path}?{urllib.parse.urlencode({name: str(value).lower() for name, value in values.items()})}"


def filled_in():
    for path, methods in api_description.document()["paths"].items():
        parameters = methods["get"].get("parameters", [])
        # As Swagger UI does: the example of the parameter, else its default.
        rows = ((one["name"], one.get("example", one["schema"].get("default"))) for one in parameters)
        yield pytest.param(path, {name: value for name, value in rows if value is not None}, id=path)


@pytest.mark.parametrize(("path", "values"), list(filled_in()))
def test_trying_an_operation_shows_something(site, path, values):
    with urllib.request.urlopen(address(site, path, values), timeout=10) as answer:  # noqa: S310
        body = answer.read()
        assert answer.headers["X-Ignored-Parameters"] is None
    if path.endswith(".ics"):
        assert b"BEGIN:VEVENT" in body
        return
    shown = json.loads(body)
    assert shown
    if path == "/stores.geojson":
        assert shown["features"]
    if path == "/prices":
        assert any(shown[series]["poland"] for series in BY_SLUG)
    if path == "/prices/{fuel}":
        assert shown["median"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_of_mcp_uses_every_tool(site, mode):
    """With `initialize` (legacy) and without, over connections that stay open: the list, each tool, a mistake."""
    import httpx2  # all these take long to import
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    sizes = []

    async def note_size(answer):
        body = json.loads(await answer.aread() or "{}")
        body.get("result", {}).pop("structuredContent", None)
        sizes.append(len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()))

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
            sizes.clear()
            answers = {tool: await call(tool, **arguments) for tool, arguments in calls(depot["id"])}
            return listed, answers, await call("subsidy", wals=150)

    http = httpx2.AsyncClient(trust_env=False, event_hooks={"response": [note_size]})
    listed, answers, (refused, mistake) = asyncio.run(talk(http))
    assert listed == answers.keys()
    for name, (is_error, body) in answers.items():
        assert not is_error, (name, body)
        assert body["answer"], name
        assert body["cite"], name
    assert len(answers["states"][1]["answer"]["states"]) == 16
    assert "left_out" not in answers["states"][1]
    assert refused
    assert "did you mean walls?" in mistake["error"][0]
    assert len(sizes) == len(answers) + 1
    assert max(sizes) < MOST_BYTES
