"""The restore that docs/deployment describes, rehearsed: dump, fresh database, migrate, the same answers."""

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from catalog.importers.freshness import last_end
from fueldepot.management.commands.back_up import delete_old
from fueldepot.monitoring import BACK_UP
from tests import factories
from tests.fueldepot.sharers import PROJECT_ROOT, server_package
from tests.ops.databases import address, fresh_database, url
from tests.ops.releases import run
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


def back_up(tools: Path, database: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command of the nightly timer, under a umask that lets everybody read."""
    ours = os.environ | {"DATABASE_URL": url(database), "PATH": f"{tools}:{os.environ['PATH']}"}
    command = [sys.executable, "manage.py", "back_up", str(folder)]
    return subprocess.run(command, cwd=PROJECT_ROOT, env=ours, umask=0o022, capture_output=True, text=True)


def restore_into(database: str, dump: Path) -> None:
    to = make_conninfo(**address(database))
    subprocess.run([tool("pg_restore"), "--exit-on-error", "--no-owner", f"--dbname={to}", dump], check=True)


def test_a_restored_database_gives_the_same_answers(tmp_path):
    tools = Path(tool("pg_dump")).parent
    krakow = factories.krakow()
    factories.PlaceFactory(municipality=krakow)
    for amount in (1400, 1500, 1600):
        factories.DepotPriceFactory(depot=factories.DepotFactory(municipality=krakow), fuel="pellet", price=amount)
    DeadlineFactory(krakow=True)
    here = str(connection.settings_dict["NAME"])
    before = run(PROJECT_ROOT, here, "-c", ASK, *PATHS)
    assert all(line.startswith("200 ") for line in before.splitlines())
    done = back_up(tools, here, tmp_path)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600  # editors' accounts and addresses of readers are in it
    with fresh_database("restored") as copy:
        restore_into(copy, file)
        run(PROJECT_ROOT, copy, "manage.py", "migrate")
        assert run(PROJECT_ROOT, copy, "-c", ASK, *PATHS) == before
        with psycopg.connect(make_conninfo(**address(copy)), autocommit=True) as server:
            document = (PROJECT_ROOT / "docs/production.md").read_text()
            server.execute(re.search(r'psql .*--command="([^"]+)"', document)[1])
            (number,) = server.execute("SELECT nextval(pg_get_serial_sequence('catalog_ownerlink', 'id'))").fetchone()
        assert number > 100_000  # none of those in letters sent since


def test_a_dump_that_fails_leaves_nothing_and_is_one_line(tmp_path):
    stand_in = tmp_path / "bin" / "pg_dump"
    stand_in.parent.mkdir()
    stand_in.write_text(
        "#!/bin/sh\nfor word; do case $word in -f*) echo half > ${word#-f};; esac; done\n"
        "echo 'pg_dump: error: could not write: No space left on device' >&2; exit 1\n"
    )
    stand_in.chmod(0o755)
    folder = tmp_path / "dumps"
    folder.mkdir()
    done = back_up(stand_in.parent, str(connection.settings_dict["NAME"]), folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "CommandError: no dump was made: pg_dump: error: could not write: No space left on device\n"
    assert not list(folder.iterdir())
    assert last_end(BACK_UP) is None


def test_dumps_and_halves_of_those_that_were_killed_go_after_their_time_and_the_newest_stays(tmp_path):
    now = datetime(2026, 11, 22, tzinfo=UTC)
    names = ["2026-06-01T000000.dump", "2026-07-01T000000.dump", "2026-08-01T000000.dump"]
    names += ["2026-08-01T000000.part", "2026-09-01T000000.part"]
    made = [tmp_path / f"fueldepot-{name}" for name in names]
    for days, path in zip((200, 91, 90, 91, 0), made, strict=True):
        path.touch()
        at = (now - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))
    (tmp_path / "notes.txt").touch()
    assert delete_old(tmp_path, before=now - timedelta(days=90)) == [*made[:2], made[3]]
    made[4].unlink()
    assert delete_old(tmp_path, before=now) == []
