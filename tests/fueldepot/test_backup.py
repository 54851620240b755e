"""The restore that docs/operations.md describes, rehearsed: dump, fresh database, migrate, the same answers."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from tests import factories
from tests.fueldepot.databases import address, fresh_database, url
from tests.fueldepot.sharers import PROJECT_ROOT, server_package
from tests.regulations.factories import DeadlineFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ASK = """
import django, sys
django.setup()
from django.test import Client
for path in sys.argv[1:]:
    answer = Client().get(path)
    print(answer.status_code, answer.content.decode())
"""
PATHS = [
    "/api/v1/stores?teryt=1261011",
    "/api/v1/stores?lat=50.06&lon=19.94",
    "/api/v1/locations?q=krak",
    "/api/v1/prices/pellet?values=1",
    "/api/v1/regulations?teryt=1261011",
]


def tool(name: str) -> str:
    """A program of the server's own PostgreSQL: an older one refuses, a newer one sets what it does not know.

    Skips the test where there is none.
    """
    wanted = connection.pg_version // 10000
    places = [str(path) for path in (server_package() / "pginstall" / "bin" / name,) if path.exists()]
    places += [str(path) for path in Path("/usr/lib/postgresql").glob(f"*/bin/{name}")]
    places += [found for found in (shutil.which(name),) if found]
    for place in places:
        said = subprocess.run([place, "--version"], capture_output=True, text=True, check=True).stdout
        if int(said.split()[2].split(".")[0]) == wanted:
            return place
    pytest.skip(f"no {name} of PostgreSQL {wanted} is installed")


def ask(database: str) -> list[str]:
    """Answers of a service over a database."""
    environment = {**os.environ, "DATABASE_URL": url(database), "DJANGO_SETTINGS_MODULE": "fueldepot.settings"}
    environment |= {"RATE_LIMIT": "off", "ALLOWED_HOSTS": "testserver,127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK, *PATHS],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture
def copy():
    """A fresh database on the same server."""
    with fresh_database("restored") as name:
        yield name


def dump_as_documented(tools: Path, database: str, folder: Path) -> Path:
    """The file that the line for crontab makes, run as cron runs it: `%` ends a command, and `\\%` is one."""
    text = (PROJECT_ROOT / "docs" / "operations.md").read_text()
    (line,) = re.findall(r"^(?:[\d*]+ ){5}(.*pg_dump.*)$", text, re.MULTILINE)
    settings = folder / "fueldepot.env"
    settings.write_text(f"DATABASE_URL='{url(database)}'\n")
    command = re.split(r"(?<!\\)%", line)[0].replace("\\%", "%")
    command = command.replace("/etc/fueldepot.env", str(settings)).replace("/backup/", f"{folder}/")
    path = f"{tools}:{os.environ['PATH']}"
    subprocess.run(["/bin/sh", "-c", command], env={"PATH": path, "HOME": str(folder)}, umask=0o022, check=True)
    (file,) = folder.glob("fueldepot-????-??-??.dump")
    return file


def test_a_restored_database_gives_the_same_answers(copy, tmp_path):
    dump, restore = tool("pg_dump"), tool("pg_restore")
    krakow = factories.krakow()
    factories.PlaceFactory(municipality=krakow)
    for amount in (1400, 1500, 1600):
        factories.DepotPriceFactory(depot=factories.DepotFactory(municipality=krakow), fuel="pellet", price=amount)
    DeadlineFactory(krakow=True)
    here = str(connection.settings_dict["NAME"])
    before = ask(here)
    assert all(line.startswith("200 ") for line in before)
    file = dump_as_documented(Path(dump).parent, here, tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600  # editors' accounts and addresses of readers are in it
    subprocess.run(
        [restore, "--exit-on-error", "--no-owner", f"--dbname={make_conninfo(**address(copy))}", str(file)], check=True
    )
    environment = {**os.environ, "DATABASE_URL": url(copy)}
    subprocess.run([sys.executable, "manage.py", "migrate"], cwd=PROJECT_ROOT, env=environment, check=True)
    assert ask(copy) == before
