"""The restore that docs/deployment describes, rehearsed: dump, fresh database, migrate, the same answers."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from catalog.importers.freshness import last_end
from fueldepot.management.commands.back_up import delete_old
from fueldepot.monitoring import BACK_UP
from tests import ROOT, factories
from tests.fueldepot.sharers import output_of, server_package
from tests.ops.databases import fresh_database, url
from tests.ops.releases import PATHS, ask, run
from tests.regulations.factories import DeadlineFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def tool(name: str) -> Path:
    """A program of the server's own PostgreSQL: an older one refuses, a newer one sets what it does not know."""
    debian = Path(f"/usr/lib/postgresql/{connection.pg_version // 10000}/bin/{name}")
    return debian if debian.exists() else server_package() / "pginstall" / "bin" / name


def back_up(tools: Path, database: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command of the nightly timer, under a umask that lets everybody read."""
    ours = os.environ | {"DATABASE_URL": url(database), "PATH": f"{tools}:{os.environ['PATH']}"}
    command = [sys.executable, "manage.py", "back_up", str(folder)]
    return subprocess.run(command, cwd=ROOT, env=ours, umask=0o022, capture_output=True, text=True)


def restore_into(database: str, dump: Path) -> None:
    command = [tool("pg_restore"), "--exit-on-error", "--no-owner", f"--dbname={url(database)}", dump]
    subprocess.run(command, check=True)


@pytest.mark.release
def test_a_restored_database_gives_the_same_answers(tmp_path):
    tools = tool("pg_dump").parent
    krakow = factories.krakow()
    factories.PlaceFactory(municipality=krakow)
    for amount in (1400, 1500, 1600):
        factories.DepotPriceFactory(depot=factories.DepotFactory(municipality=krakow), fuel="pellet", price=amount)
    DeadlineFactory(krakow=True)
    here = str(connection.settings_dict["NAME"])
    paths = ["/api/v1/prices/pellet?values=1", "/api/v1/regulations?teryt=1261011"]
    paths += [path for path in PATHS if "/locate" not in path]
    before = ask(ROOT, here, paths)
    assert {status for status, _ in before.values()} == {200}
    output_of(back_up(tools, here, tmp_path))
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600  # editors' accounts and addresses of readers are in it
    with fresh_database("restored") as copy:
        restore_into(copy, file)
        run(ROOT, copy, "manage.py", "migrate")
        assert ask(ROOT, copy, paths) == before
        with psycopg.connect(url(copy), autocommit=True) as server:
            document = (ROOT / "docs/production.md").read_text()
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
