"""What the client of tests and its database promise to all other tests."""

import ast

import pytest
from django.db import transaction

from catalog.depots.snapshot import depots
from catalog.models import Depot
from catalog.territory.snapshot import territory
from prices.snapshot import official
from tests import APPS, ROOT, factories, template_database
from tests.client import build_snapshots


@pytest.mark.django_db
def test_snapshots_follow_the_rows_and_are_built_anew_only_where_these_changed():
    depot = factories.DepotFactory(name="Nowak")
    build_snapshots()
    before = territory.get(), official.get()
    Depot.objects.filter(pk=depot.pk).update(name="Kowalski")
    build_snapshots()
    assert [row.name for row in depots.get().rows] == ["Kowalski"]
    assert (territory.get(), official.get()) == before


@pytest.mark.django_db
def test_rows_that_are_rolled_back_are_not_in_the_snapshots():
    factories.DepotFactory(name="Nowak")
    with transaction.atomic():
        factories.DepotFactory(name="Kowalski")
        build_snapshots()
        assert len(depots.get().rows) == 2
        transaction.set_rollback(True)
    build_snapshots()
    assert [row.name for row in depots.get().rows] == ["Nowak"]
    factories.DepotFactory(name="Zima")
    build_snapshots()
    assert {row.name for row in depots.get().rows} == {"Nowak", "Zima"}


def test_a_change_of_what_migrations_import_makes_the_template_anew():
    files = [file for app in APPS for file in (ROOT / app).glob("migrations/*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = {
        f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    making = {file for pattern in template_database.MAKING for file in ROOT.glob(pattern)}
    ours = {name for name in names if name.partition(".")[0] in APPS}
    assert ours
    for name in ours:
        parts = ROOT.joinpath(*name.split("."))
        assert making & {parts.with_suffix(".py"), parts / "__init__.py", parts.parent.with_suffix(".py")}, name
