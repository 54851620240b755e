"""The whole chain, from an empty database to a served catalog: `python -m tests.ops.rehearsal [DIR]`.

DIR holds publishers' files as they are downloaded by hand (TERC_Urzedowy*.csv, SIMC_Urzedowy*.zip,
00_jednostki_administracyjne.zip, PL.zip, *.overpass.json); without it a country of four municipalities is published.
The official averages are those of the tests. A server on this machine gives them out, `manage.py refresh` fetches them
into a database and a folder of their own, and both are gone afterwards.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2

from fueldepot import local
from tests import ROOT
from tests.bench.__main__ import served

NAMES = {
    "simc.zip": "SIMC_Urzedowy*.zip",
    "granice.zip": "00_jednostki_administracyjne.zip",
    "PL.zip": "PL.zip",
    "depots.json": "*.overpass.json",
}
ASKED = (
    *("/api/v1/locate?lat=50.05&lon=19.95", "/api/v1/stores?teryt=1261011&limit=1", "/api/v1/locations?q=krak"),
    *("/api/v1/prices", "/sklady/malopolskie/", "/dane/gminy.csv"),
)


def step(title: str, *command: str) -> None:
    """Run a command of manage.py, its output as it comes."""
    print(f"\n== {title}", flush=True)
    subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=Path, metavar="DIR")
    directory = parser.parse_args().directory
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    import django

    django.setup()
    from tests import small_country
    from tests.fueldepot.once import static_files_collected
    from tests.ops.databases import fresh_database, url
    from tests.publisher_server import Publishers, serve

    if directory:
        (terc,) = sorted(directory.glob("TERC_Urzedowy*.csv"))
        files = {"terc.zip": small_country.zipped(terc.name, terc.read_bytes())}
        files |= {name: next(directory.glob(pattern)).read_bytes() for name, pattern in NAMES.items()}
    else:
        files = small_country.files()
    publishers = Publishers(files)
    with fresh_database("rehearsal") as name, tempfile.TemporaryDirectory() as folder, serve(publishers):
        sources = publishers.sources(Path(folder) / "sources.yaml", **({} if directory else small_country.SMALL))
        rehearsed = ["--sources", str(sources), "--downloads", folder]
        os.environ |= {"DATABASE_URL": url(name), "ALLOWED_HOSTS": "127.0.0.1"}
        step("an empty database", "migrate", "--verbosity=0")
        step("what is due", "refresh", *rehearsed)
        step("first run", "refresh", "--commit", *rehearsed)
        step("second run", "refresh", "--commit", *rehearsed)
        step("by force: the publishers have nothing new", "refresh", "--commit", "--force", *rehearsed)
        print("\n== the catalog as it is served", flush=True)
        with static_files_collected(), served("fueldepot.wsgi") as (port, _):
            for path in ASKED:
                answer = httpx2.get(f"http://127.0.0.1:{port}{path}", timeout=30)
                print(f"{answer.status_code} {path}: {answer.text[:150]!r}", flush=True)
                answer.raise_for_status()


if __name__ == "__main__":
    main()
