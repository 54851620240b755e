"""The last release and this one on the same tables: during an upgrade, after a rollback, and decisions carried over."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests import ROOT
from tests.bench.__main__ import served
from tests.ops.databases import fresh_database
from tests.ops.releases import PREVIOUS_RELEASE, READ_PATHS, checkout, environment, run, with_packages

pytestmark = [pytest.mark.slow, pytest.mark.machines, pytest.mark.django_db(transaction=True)]

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


def ask(port: int, path: str) -> int:
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
            return dict(zip(paths, callers.map(partial(ask, port), paths), strict=True))

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


def test_the_tests_of_the_previous_release_pass_on_the_tables_of_this_one(previous, database):
    """Its pages, API, forms and desk read and write as before. Some 2,000 tests, four minutes."""
    for code in (previous, ROOT):
        run(code, database, "manage.py", "migrate", "--verbosity=0")
    marks = "database and not (slow or live or full_scale or browser or machines or clients)"
    folders = [f"tests/{name}" for name in ("pages", "api", "prices", "regulations", "catalog/admin")]
    names = f"not {FLUSHES} and not {COUNTS_LINES}"
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
