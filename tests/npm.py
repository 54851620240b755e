"""Tools of npm for tests, installed below `var/` from a `package.json`; tests are skipped where they cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import ROOT

INSTALL_S = 600


def install(command: list[str], cwd: Path, *, stamp: str) -> None:
    """Run an installation unless the same one has succeeded before. Skips the test where it fails."""
    cwd.mkdir(parents=True, exist_ok=True)
    done = cwd / "installed"
    if done.exists() and done.read_text() == stamp:
        return
    # Tests read no certificates (`conftest`); an installation needs those of the machine.
    environment = {name: value for name, value in os.environ.items() if name != "SSL_CERT_DIR"}
    run = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=INSTALL_S)
    if run.returncode:
        pytest.skip(f"{command[0]} cannot install the tools: {run.stderr.strip()[-200:]}")
    done.write_text(stamp)


def skip_unless_it_runs(command: list[str | Path]) -> None:
    """Skip the test where a tool does not run here at all, as on an older Node."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{command[0]} does not run here: {done.stderr.strip()[-200:]}")


def node_modules(wanted: Path, name: str) -> Path:
    """Return the folder of the packages that a `package.json` names. name: of their folder below `var/`."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    packages = ROOT / "var" / name
    packages.mkdir(parents=True, exist_ok=True)
    shutil.copy(wanted, packages)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    install(command, packages, stamp=wanted.read_text())
    return packages / "node_modules"
