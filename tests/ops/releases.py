"""Earlier releases, out of the history of this repository: their code, packages and runs over a database."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.fueldepot.sharers import output_of
from tests.ops.databases import url

PREVIOUS_RELEASE = "d694e7129c573dd3bb466f2a33c337507d1351c3"
"""Version 1.1.0. Renew it with every minor release, from which all its patches can be installed."""

PATHS = [
    *("/api/v1/stores?teryt=1261011", "/api/v1/stores?lat=50.05&lon=19.95", "/api/v1/locate?lat=50.05&lon=19.95"),
    *("/api/v1/locations?q=krak", "/api/v1/prices/pellet", "/api/v1/regulations?voivodeship=malopolskie"),
]
READ_PATHS = [
    *(*PATHS, "/api/v1/prices", "/api/v1/stores/1", "/", "/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"),
    *("/dane/", "/dane/ceny-mediany.csv", "/przepisy/malopolskie/", "/sklad/1-x/", "/sklady/malopolskie/"),
    *("/llms.txt", "/sitemap.xml"),
]
"""Every kind of answer of version 1.0."""

ASK = """
import json, sys
import django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
# In Markdown: pages name static files, which nobody has collected here.
markdown = {"Accept": "text/markdown, */*;q=0.1"}
answers = {path: client.get(path, headers=markdown, follow=True) for path in sys.argv[1:]}
print(json.dumps({path: [answer.status_code, answer.content.decode()] for path, answer in answers.items()}))
"""


def environment(code: Path, database: str) -> dict[str, str]:
    """Return the settings of a checkout over a database."""
    ours = {**os.environ, "DATABASE_URL": url(database), "DJANGO_SETTINGS_MODULE": "fueldepot.settings"}
    return ours | {"RATE_LIMIT": "off", "ALLOWED_HOSTS": "testserver,127.0.0.1", "PYTHONPATH": str(code)}


def run(code: Path, database: str, *command: str) -> str:
    """Run the Python of a checkout, or this one, over a database."""
    python = code / ".venv/bin/python" if code != ROOT else sys.executable
    how = {"cwd": code, "env": environment(code, database)}
    return output_of(subprocess.run([python, *command], capture_output=True, text=True, **how))


def ask(code: Path, database: str, paths: Iterable[str]) -> Any:
    """Status and text of each path, in Markdown where there is a page."""
    return json.loads(run(code, database, "-c", ASK, *paths).splitlines()[-1])


def checkout(commit: str, folder: Path) -> Path:
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip(f"the history of this checkout has no {commit}")
    subprocess.run(["tar", "-x"], input=packed.stdout, cwd=folder, check=True)
    return folder


def with_packages(folder: Path, python: str) -> Path:
    """Give a checkout an environment with the packages that it has locked."""
    subprocess.run([python, "-m", "venv", ".venv"], cwd=folder, check=True)
    install = [".venv/bin/pip", "install", "--quiet", "--require-hashes", "--requirement=requirements-dev.lock"]
    subprocess.run(install, cwd=folder, check=True)
    return folder
