"""Databases of earlier releases, migrated and asked: during an upgrade, after a rollback, and with their decisions.

The code of a release comes out of the history of this repository and fills its database itself.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from tests import ROOT, small_country
from tests.bench.__main__ import served
from tests.ops.databases import fresh_database, url
from tests.ops.releases import PATHS, PREVIOUS_RELEASE, READ_PATHS, ask, checkout, environment, run, with_packages
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


DECIDE = """
from datetime import UTC, datetime, timedelta
import django
django.setup()
from catalog.models import Depot, DepotBatch
from catalog.services import batches, editing, merging, moderation, voivodeship_claims
from catalog.submissions import decisions
from prices import services as prices
from tests import ROOT, factories

now = datetime(2026, 11, 1, 12, tzinfo=UTC)
ewa = factories.UserFactory(username="ewa")
one, two, three, four, loser, edited, restored, kept = (
    factories.DepotFactory(name=name, lat=50 + number / 100, phone="")
    for number, name in enumerate(["Jeden", "Dwa", "Trzy", "Cztery", "Scalony", "Zmieniony", "Wrócił", "Został"])
)
moderation.verify_depots(keys=[one.pk, two.pk], by=ewa, on=now.date())
undone = moderation.verify_depots(keys=[three.pk], by=ewa, on=now.date()).batch
batches.undo_batch(batch=undone, by=ewa, on=now)
partly = moderation.verify_depots(keys=[restored.pk, kept.pk], by=ewa, on=now.date()).batch
moderation.reset_depots(keys=[kept.pk], by=ewa, note="nie w terenie")
assert batches.undo_batch(batch=partly, by=ewa, on=now).restored == 1
waiting = factories.SubmissionFactory(depot=four)
moderation.remove_depots(
    keys=[three.pk, four.pk], reason=Depot.RemovalReason.CLOSED, by=ewa, on=now.date(), note="w terenie"
)
price = factories.DepotPriceFactory(depot=one, pending=True)
prices.approve_prices(prices=[price], by=ewa, on=now)
factories.DepotPriceFactory(depot=loser)
merging.merge_depots(survivor=one, loser=loser, take=[], by=ewa, on=now.date())
site = {"proposed": {"website": "https://dwa.example.pl"}, "stored": {"website": ""}}
decisions.accept_submission(submission=factories.SubmissionFactory(depot=two, **site), by=ewa, on=datetime.now(UTC))
rejected = factories.SubmissionFactory(depot=one)
decisions.reject_submission(submission=rejected, reason="Nie ten numer.", by=ewa, on=datetime.now(UTC))
editing.edit_depot(depot=edited, values={"phone": "+48 601 234 567"}, by=ewa, on=now.date())
voivodeship_claims.take_voivodeship(voivodeship=factories.VoivodeshipFactory(), by=ewa, on=now)
"""
UNDO = """
import json
import django
django.setup()
from django.contrib.auth import get_user_model
from django.utils import timezone
from catalog.models import Decision, Depot, Submission, VoivodeshipClaim
from catalog.services import journal
from prices.models import DepotPrice

titles = [[row.kind, row.title, row.undone_at is not None] for row in Decision.objects.order_by("pk")]
ewa = get_user_model().objects.get(username="ewa")
# What came last goes first, as an editor would do it.
for row in Decision.objects.exclude(kind="undo").filter(undone_at=None).order_by("-pk"):
    left = journal.undo(decision=row, by=ewa, on=timezone.now()).left
    assert not left, (row.title, left)
print(json.dumps({
    "titles": titles,
    "depots": list(
        Depot.objects.order_by("pk").values_list("publication", "data_status", "phone", "website", "merged_into")
    ),
    "submissions": sorted(Submission.objects.values_list("state", flat=True)),
    "prices": list(DepotPrice.objects.order_by("pk").values_list("status", "depot__name")),
    "claims": VoivodeshipClaim.objects.standing().count(),
}))
"""


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_packages(checkout(PREVIOUS_RELEASE, tmp_path_factory.mktemp("previous")), sys.executable)


@pytest.fixture
def database() -> Iterator[str]:
    with fresh_database("upgraded", prefix="test_") as name:
        yield name


ROUTES = """
import json
import django
django.setup()
from django.urls import get_resolver
from catalog.models import Depot

values = {"voivodeship": "malopolskie", "teryt": "1261011", "slug": "krakow", "fuel": "pellet", "part": 1}
values["depot_id"] = values["pk"] = Depot.objects.published().earliest("pk").pk

def paths(resolver, prefix="/"):
    for name in resolver.reverse_dict:
        for forms, *_ in resolver.reverse_dict.getlist(name):
            yield from (prefix + form % values for form, names in forms if values.keys() >= {*names})
    for name, (start, inner) in resolver.namespace_dict.items():
        if name != "admin":
            yield from paths(inner, prefix + start)

print(json.dumps(sorted({*paths(get_resolver())})))
"""
"""Prints a path of every public route: pages, their Markdown, files, forms and the API."""


def status_of(port: int, path: str) -> int:
    """Return the status of an answer, after redirections; 0 where there is none."""
    try:
        return httpx2.get(f"http://127.0.0.1:{port}{path}", timeout=30, follow_redirects=True).status_code
    except httpx2.TransportError:
        return 0


def test_the_previous_release_answers_every_route_alike_during_and_after_the_migrations_of_this_one(previous, database):
    """Under continuous requests; then started anew on the tables of this one, as after a rollback."""
    run(previous, database, "manage.py", "migrate", "--verbosity=0")
    run(previous, database, "manage.py", "load_starter")
    run(previous, database, "manage.py", "collectstatic", "--no-input", "--verbosity=0")
    routes = json.loads(run(previous, database, "-c", ROUTES).splitlines()[-1])
    paths = sorted({*routes, *READ_PATHS, "/readyz"})
    previously = {"code": previous, **environment(previous, database)}
    rounds = []
    with ThreadPoolExecutor(4) as callers, ThreadPoolExecutor(1) as operator:

        def ask_all(port: int) -> dict[str, int]:
            return dict(zip(paths, callers.map(partial(status_of, port), paths), strict=True))

        with served("fueldepot.wsgi", **previously) as (port, _):
            before = ask_all(port)
            migrating = operator.submit(run, ROOT, database, "manage.py", "migrate", "--verbosity=0")
            while not migrating.done():
                rounds.append(ask_all(port))
            migrating.result()
            rounds.append(ask_all(port))
        with served("fueldepot.wsgi", **previously) as (port, _):
            rounds += [ask_all(port), ask_all(port)]
    print({"paths": len(paths), "rounds": len(rounds), "statuses": Counter(before.values())})
    assert {path for path in READ_PATHS if before[path] != 200} == set()
    assert Counter(before.values())[200] > 70
    assert [round_ for round_ in rounds if round_ != before] == []


FLUSHES = "test_whom_no_letter_reached_is_named"
"""Empties the tables that its release knows, which PostgreSQL refuses: new ones refer to them."""

COUNTS_LINES = "test_a_range_saved_as_it_was_is_no_change"
"""Expects no history of a plausible range; a later migration gives every range its first line."""

NAMES_TUESDAY = "test_depot_shows_every_public_field"
"""Expects a line of the hours of Tuesday, which is marked on Tuesdays."""


def test_the_tests_of_the_previous_release_pass_on_the_tables_of_this_one(previous, database):
    """Its pages, API, forms and desk read and write as before. Some 2,000 tests, four minutes."""
    for code in (previous, ROOT):
        run(code, database, "manage.py", "migrate", "--verbosity=0")
    marks = "database and not (slow or live or full_scale or browser or machines or clients)"
    folders = [f"tests/{name}" for name in ("pages", "api", "prices", "regulations", "catalog/admin")]
    names = f"not {FLUSHES} and not {COUNTS_LINES} and not {NAMES_TUESDAY}"
    command = ["-m", "pytest", "-q", "-n0", "--reuse-db", "-m", marks, "-k", names, *folders]
    # pytest-django puts `test_` before the name.
    summary = run(previous, database.removeprefix("test_"), *command, "tests/fueldepot/test_roles.py").splitlines()[-1]
    assert int(re.match(r"(\d+) passed, ", summary)[1]) > 2000, summary


def test_decisions_of_the_previous_release_are_in_the_journal_and_can_be_undone(previous, database):
    run(previous, database, "manage.py", "migrate", "--verbosity=0")
    run(previous, database, "-c", DECIDE)
    run(ROOT, database, "manage.py", "migrate", "--verbosity=0")
    found = json.loads(run(ROOT, database, "-c", UNDO).splitlines()[-1])
    assert found["titles"] == [
        ["verify", "Sprawdzono: Jeden i jeszcze 1", False],
        ["verify", "Sprawdzono: Trzy", True],
        ["verify", "Sprawdzono: Wrócił i jeszcze 1", True],
        ["verify", "Cofnięto do nieweryfikowanych: Został", False],
        ["remove", "Usunięto: Trzy i jeszcze 1 – skład zakończył działalność", False],
        ["prices", "Zatwierdzono ceny: ceny (1)", False],
        ["merge", "Scalono: Scalony z wpisem #1", False],
        ["submission", "Przyjęto nr 2: Dwa – poprawka", False],
        ["submission", "Odrzucono nr 3: Jeden – poprawka", False],
        ["voivodeship", "Wzięto województwo małopolskie", False],
        ["undo", "Cofnięto decyzję: Trzy – sprawdzono", False],
        ["undo", "Cofnięto decyzję: Wrócił – sprawdzono", False],
        ["edit", "Zmieniono: Zmieniony – telefon", False],
    ]
    unchanged = ["published", "unverified", "", "", None]
    assert found["depots"] == [*[unchanged] * 7, ["published", "verified", "", "", None]]
    assert (found["submissions"], found["prices"]) == (["waiting"] * 3, [["pending", "Jeden"], ["approved", "Scalony"]])
    assert found["claims"] == 0
