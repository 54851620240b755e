"""A database of version 1.0, with all that people have done in it, is migrated and answers the same.

The code of 1.0 comes out of the history of this repository, fills the database itself and is asked before.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import ROOT, small_country
from tests.ops.databases import fresh_database, url
from tests.ops.releases import PATHS, READ_PATHS, ask, checkout, run, with_packages
from tests.ops.test_backup import restore_into, tool

pytestmark = [pytest.mark.slow, pytest.mark.machines, pytest.mark.django_db(transaction=True)]

VERSION_1_0 = "45511d02b80e583dc7773649b5797b35b058ea78"

FILL = """
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
import django
django.setup()
from django.core.management import call_command
from django.utils import timezone
call_command("import_data", sys.argv[1], commit=True, verbosity=0)
call_command("import_regulations", "regulations/data/malopolskie.yaml", commit=True, verbosity=0)

from catalog import actions, requests
from catalog.models import Depot, DepotRequest, Municipality
from prices import actions as prices
from prices.models import DepotPrice
from tests import factories

now = timezone.now()
krakow = Municipality.objects.get(teryt="1261011")
editor = factories.UserFactory(username="redaktor")
one, two, gone, twin, untouched = (
    factories.DepotFactory(municipality=krakow, name=f"Skład {name}", fuels=["pellet"], phone="+48 12 345 67 89",
                           lat=50.05, lon=19.95 + number / 1000)
    for number, name in enumerate(["Jeden", "Dwa", "Trzy", "Cztery", "Pięć"])
)
actions.verify_depot(depot=one, by=editor, on=now.date())
actions.edit_depot(depot=Depot.objects.get(pk=two.pk), values={"phone": "+48 601 234 567"}, by=editor, on=now.date())
actions.remove_depot(depot=gone, reason=Depot.RemovalReason.OWNER, by=editor, on=now.date())
actions.merge_depots(survivor=Depot.objects.get(pk=two.pk), loser=twin, take=[], by=editor, on=now.date())
site = {"proposed": {"website": "https://dwa.example.pl"}, "stored": {"website": ""}}
accepted = factories.DepotRequestFactory(depot=two, **site)
rejected, waiting = factories.DepotRequestFactory(depot=one), factories.DepotRequestFactory(depot=one)
factories.DepotRequestFactory(depot=untouched, unconfirmed=True)
requests.accept_request(request=accepted, by=editor, on=now)
requests.reject_request(request=rejected, reason="Nie ten numer.", by=editor, on=now)
for depot, amount in ((one, 1500), (two, 1600), (untouched, 1700)):
    factories.DepotPriceFactory(depot=depot, fuel="pellet", price=amount, day=now.date() - timedelta(days=3))
"""

DEPOT_PATHS = ("/api/v1/stores/{}", "/sklad/{}-x/")
COMPARED = {
    "stores": (
        *("id", "name", "address", "nip", "phone", "website", "lat", "lon", "distance_km", "fuels", "hours"),
        "source",
    ),
    "source": ("data_status", "verified_at", "updated_at", "licence"),
    "prices": (
        *("fuel", "unit", "from", "to", "n", "price_lists", "submissions", "rejected", "median", "q1", "q3", "min"),
        "max",
    ),
    "price_list": ("fuel", "price", "unit", "date"),
    "regulations": ("voivodeship", "teryt", "has_resolution"),
    "locate": ("municipality", "teryt"),
    "locations": ("type", "label", "name", "url"),
}
"""What the specification promises of each answer; releases add fields and mend sentences."""

KEPT = {
    "decisions": "SELECT state, decided_at, reason, accepted_fields, erased_at FROM catalog_depotrequest ORDER BY id",
    "what was proposed": "SELECT proposed, stored, email, depot_id FROM catalog_depotrequest ORDER BY id",
    "depots": "SELECT id, publication, data_status, verified_at, confirmed_fields FROM catalog_depot ORDER BY id",
    "history": "SELECT id, history_date, history_change_reason AS why FROM catalog_historicaldepot ORDER BY 2",
    "prices": "SELECT id, depot_id, fuel, price, day, status FROM prices_depotprice ORDER BY id",
    "editors": "SELECT username, password FROM auth_user ORDER BY id",
    "runs": "SELECT source, outcome, added FROM catalog_importrun ORDER BY id",
}


@pytest.fixture(scope="module")
def version_1_0(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of it: it was locked for Python 3.11 alone."""
    folder = checkout(VERSION_1_0, tmp_path_factory.mktemp("version-1.0"))
    python = sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11") or "/usr/bin/python3.11"
    try:
        return with_packages(folder, python)
    except OSError:
        pytest.skip("version 1.0 needs Python 3.11")


@pytest.fixture
def databases() -> Iterator[tuple[str, str]]:
    with fresh_database("old") as old, fresh_database("new") as new:
        yield old, new


def promised(code: Path, database: str) -> dict[str, Any]:
    """Of every answer what the specification promises; of the page of a depot its status."""
    depots = [number for number, *_ in kept(database)["depots"]]
    answers = ask(code, database, [*PATHS, *(path.format(number) for number in depots for path in DEPOT_PATHS)])
    return {
        path: [status, path.startswith("/api/") and chosen(json.loads(text), path.split("/")[3].partition("?")[0])]
        for path, (status, text) in answers.items()
    }


def chosen(body: Any, kind: str) -> Any:
    if isinstance(body, list):
        return [chosen(one, kind) for one in body]
    if not isinstance(body, dict) or "errors" in body:
        return body if not isinstance(body, dict) else body["code"]
    names = COMPARED.get(kind, tuple(body))
    return {name: chosen(body[name], name) if name in COMPARED else body[name] for name in names if name in body}


def kept(database: str) -> dict[str, list[tuple[Any, ...]]]:
    with psycopg.connect(url(database)) as opened:
        return {name: opened.execute(sql).fetchall() for name, sql in KEPT.items()}  # type: ignore[arg-type]


def fill(version_1_0: Path, database: str, folder: Path) -> None:
    """Let version 1.0 make its tables, import the small country, and decide what its editors decide."""
    for name, content in small_country.files().items():
        (folder / name).write_bytes(content)
    run(version_1_0, database, "manage.py", "migrate", "--verbosity=0")
    run(version_1_0, database, "-c", FILL, str(folder))


def test_a_database_of_version_1_0_is_migrated_and_answers_the_same(version_1_0, databases, tmp_path):
    old, new = databases
    fill(version_1_0, old, tmp_path)
    before = promised(version_1_0, old)
    rows = kept(old)
    assert all(rows.values())

    file = tmp_path / "old.dump"
    subprocess.run([tool("pg_dump"), "-Fc", f"--file={file}", url(old)], check=True)
    restore_into(new, file)
    run(ROOT, new, "manage.py", "migrate", "--verbosity=0")

    assert kept(new) == rows
    assert promised(ROOT, new) == before
    # All that was meant to be there: checked, removed, merged, plain; a waiting request, a median of three.
    assert [status for path, (status, _) in before.items() if "/stores/" in path].count(404) == 2
    assert before["/api/v1/prices/pellet"][1]["median"] == 1600


def test_version_1_0_loses_its_prices_on_the_tables_of_1_1_and_has_them_after_the_way_back(
    version_1_0, databases, tmp_path
):
    """docs/production.md, "Upgrade", names what is lost and the way back."""
    database, _ = databases
    fill(version_1_0, database, tmp_path)
    run(ROOT, database, "manage.py", "migrate", "--verbosity=0")
    answers = ask(version_1_0, database, READ_PATHS)
    assert {path for path, (status, _) in answers.items() if status != 200} == {
        *("/api/v1/prices/pellet", "/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/", "/dane/ceny-mediany.csv"),
        *("/llms.txt", "/sitemap.xml"),
    }
    run(ROOT, database, "manage.py", "migrate", "prices", "0002", "--verbosity=0")
    run(version_1_0, database, "manage.py", "refresh_figures")
    assert {status for status, _ in ask(version_1_0, database, READ_PATHS).values()} == {200}
