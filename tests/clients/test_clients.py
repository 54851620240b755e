"""Clients generated from the description compile without a warning, and programs that use every operation work.

`tests/openapi/test_document.py` tests that they use every one. The generators are installed below `var/clients`, from
`requirements.txt` and `package.json` beside this file; where one of them cannot be had, or does not run on this
machine's Node or Java, its tests are skipped and say so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.fueldepot.sharers import PROJECT_ROOT
from tests.npm import install, node_modules

pytestmark = [pytest.mark.clients, pytest.mark.slow]

HERE = Path(__file__).parent
TOOLS = PROJECT_ROOT / "var" / "clients"

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
    with urllib.request.urlopen(f"{site}/api/v1/openapi.json", timeout=20) as answer:  # noqa: S310
        (tmp_path / "openapi.json").write_bytes(answer.read())
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
    """Where the tools of npm are."""
    return node_modules(HERE / "package.json", "clients/node")


def run(command: list[str | Path], cwd: Path, **environment: str) -> str:
    """What a program says; it must succeed."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, "NO_COLOR": "1", **environment}, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    return said


def needs(command: list[str | Path]) -> None:
    """Skip the test where a tool does not run here at all, as on an older Node."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{command[0]} does not run here: {done.stderr.strip()[-200:]}")


def warnings(said: str) -> list[str]:
    found = re.findall(r"(?im)^.*\bwarn(?:ing)?\b.*$", said)
    return [line for line in found if not any(known in line for known in KNOWN)]


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
    needs([tool, "version"])
    command = [tool, "generate", "-i", "openapi.json", "-g", "python", "-o", "made"]
    assert warnings(run([*command, "--additional-properties=packageName=fuelclient2"], folder)) == []
    made = str(folder / "made")
    run([python / "python", HERE / "generator_client.py", site], folder, PYTHONPATH=made, NO_PROXY="*")


def compile_and_run(site: str, folder: Path, node: Path, program: str) -> None:
    """Compile a program by `tsc --strict`, and run it."""
    (folder / "node_modules").symlink_to(node)
    shutil.copy(HERE / program, folder)
    run([node / ".bin" / "tsc", "-p", "."], folder)
    built = str(Path("built", program).with_suffix(".js"))
    run(["node", built, site], folder)


def test_openapi_typescript(site, folder, node):
    tool = node / ".bin" / "openapi-typescript"
    needs([tool, "--version"])
    assert warnings(run([tool, "openapi.json", "-o", "api.d.ts"], folder)) == []
    compile_and_run(site, folder, node, "openapi_fetch.ts")


def test_hey_api(site, folder, node):
    tool = node / ".bin" / "openapi-ts"
    needs([tool, "--version"])
    assert warnings(run([tool], folder)) == []
    compile_and_run(site, folder, node, "hey_api.ts")


def test_redocly(folder, node):
    tool = node / ".bin" / "redocly"
    needs([tool, "--version"])
    said = run([tool, "lint", "openapi.json", "--format=json"], folder, REDOCLY_SUPPRESS_UPDATE_NOTICE="true")
    report = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_spectral(folder, node):
    tool = node / ".bin" / "spectral"
    needs([tool, "--version"])
    said = run([tool, "lint", "openapi.json", "--ruleset", ".spectral.yaml", "--fail-severity=hint"], folder)
    assert "No results" in said
