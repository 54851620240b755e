"""Clients generated from the description compile without a warning, and programs that use every operation work.

`tests/openapi/test_document.py` tests that they use every one. The generators are installed below `var/clients`, from
`requirements.txt` and `package.json` beside this file; where one of them cannot be had, or does not run on this
machine's Node or Java, its tests are skipped and say so.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests import ROOT
from tests.npm import install, node_modules, skip_unless_it_runs

pytestmark = [pytest.mark.clients, pytest.mark.slow]

HERE = Path(__file__).parent
TOOLS = ROOT / "var" / "clients"

KNOWN = (
    "OpenAPI 3.1 support is still in beta",  # of openapi-generator, about itself
    "From (reserved word)",  # of openapi-generator, about the parameter `from`, which it calls `var_from`
    "Failed to get the schema name: null",  # of openapi-generator, about a null beside a reference; nothing is missing
)
"""Warnings that no description could avoid."""


@pytest.fixture
def folder(site: str, tmp_path: Path) -> Path:
    """A folder with the description as it is served, and the programs."""
    for name in ("tsconfig.json", "package.json", "openapi-ts.config.mjs", ".spectral.yaml"):
        shutil.copy(HERE / name, tmp_path)
    description = httpx2.get(f"{site}/api/v1/openapi.json", timeout=20, trust_env=False)
    (tmp_path / "openapi.json").write_bytes(description.raise_for_status().content)
    return tmp_path


@pytest.fixture(scope="module")
def python() -> Path:
    """Where the Python generators are, in an environment of their own."""
    bin_folder = TOOLS / "python" / "bin"
    uv = Path(sys.executable).parent / "uv"
    wanted = (HERE / "requirements.txt").read_text()
    if not bin_folder.exists():
        subprocess.run([uv, "venv", "--quiet", TOOLS / "python"], check=True)
    command = [str(uv), "pip", "install", "--quiet", "--system-certs", "--python", str(bin_folder / "python")]
    install([*command, "-r", str(HERE / "requirements.txt")], TOOLS / "python", stamp=wanted)
    return bin_folder


@pytest.fixture(scope="module")
def node() -> Path:
    return node_modules(HERE / "package.json", "clients/node")


def run(command: list[str | Path], cwd: Path, **environment: str) -> str:
    """What a program says; it must succeed."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, "NO_COLOR": "1", **environment}, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    return said


def run_tool(node: Path, command: str, folder: Path) -> str:
    """What a tool of npm says; skips the test where it does not run here at all."""
    tool, *arguments = command.split()
    skip_unless_it_runs([node / ".bin" / tool, "--version"])
    return run([node / ".bin" / tool, *arguments], folder, REDOCLY_SUPPRESS_UPDATE_NOTICE="true")


def warnings(said: str) -> list[str]:
    lines = re.findall(r"(?im)^.*\bwarn(?:ing)?\b.*$", said)
    return [line for line in lines if not any(known in line for known in KNOWN)]


def test_openapi_python_client(site, folder, python):
    tool = python / "openapi-python-client"
    # It formats what it writes with ruff, which is a tool of ours.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [tool, "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "fuelclient"]
    assert warnings(run(command, folder, PATH=path)) == []
    run([python / "python", HERE / "python_client.py", site], folder, PYTHONPATH=str(folder), NO_PROXY="*")


def test_openapi_generator(site, folder, python):
    tool = python / "openapi-generator-cli"
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    skip_unless_it_runs([tool, "version"])
    command = [tool, "generate", "-i", "openapi.json", "-g", "python", "-o", "made"]
    assert warnings(run([*command, "--additional-properties=packageName=fuelclient2"], folder)) == []
    made = str(folder / "made")
    run([python / "python", HERE / "generator_client.py", site], folder, PYTHONPATH=made, NO_PROXY="*")


@pytest.mark.parametrize(
    ("command", "program"),
    [("openapi-typescript openapi.json -o api.d.ts", "openapi_fetch.ts"), ("openapi-ts", "hey_api.ts")],
)
def test_typescript(site, folder, node, command, program):
    """It compiles by `tsc --strict`, and runs."""
    assert warnings(run_tool(node, command, folder)) == []
    (folder / "node_modules").symlink_to(node)
    shutil.copy(HERE / program, folder)
    run([node / ".bin" / "tsc", "-p", "."], folder)
    run(["node", str(Path("built", program).with_suffix(".js")), site], folder)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("redocly lint openapi.json --format=json", '"totals":{"errors":0,"warnings":0,"ignored":0}'),
        ("spectral lint openapi.json --ruleset .spectral.yaml --fail-severity=hint", "No results"),
    ],
)
def test_linters(folder, node, command, said):
    answer = run_tool(node, command, folder)
    assert "".join(said.split()) in "".join(answer.split())
