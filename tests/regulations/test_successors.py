"""Successors of codes in scopes, in the database and in files."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog import models as catalog
from catalog.importers.records import Extract, Options, UnitRecord
from catalog.importers.successions import Heirs
from catalog.importers.sync_units import sync_units
from regulations.models import Deadline, FuelBan, Resolution
from regulations.services import Register, follow_scope
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory

NOW = {"1207062", "1207413", "1208012", "1208022", "1262011"}


def scope(units=(), partly=(), excluded=()):
    return {"units": list(units), "partly": list(partly), "excluded": list(excluded)}


WHOLE = {"1207052": Heirs("1207413")}
MERGED = {"1207052": Heirs("1207062", whole=False)}
DIVIDED = {"1207052": Heirs("1207062", ("1207413",), whole=False)}
REUSED = {"1207062": Heirs("1207413")}
BOTH = {**WHOLE, "1207062": Heirs("1207413", whole=False)}
COUNTY = {"1299012": Heirs("1208012"), "1299022": Heirs("1208022")}


def test_scope():
    for heirs, before, after in (
        (WHOLE, scope(["1207062"]), {}),  # nothing to do
        (WHOLE, scope(["1207052"]), scope(["1207413"])),  # another code
        (WHOLE, scope(["1207051"]), scope(["1207413"])),  # named by an earlier kind
        (WHOLE, scope(partly=["1207052"]), scope(partly=["1207413"])),  # partly
        (WHOLE, scope(excluded=["1207052"]), scope(excluded=["1207413"])),  # excluded
        (WHOLE, scope(["1207052", "1207413"]), scope(["1207413"])),  # named twice
        (MERGED, scope(["1207052"]), scope(partly=["1207062"])),  # merged: a part of the successor
        (MERGED, scope(["1207052", "1207062"]), scope(["1207062"])),  # merged, both were bound
        (MERGED, scope(["1207052", "1207"]), scope(["1207062", "1207"])),  # merged within a county
        (BOTH, scope(["1207052", "1207062"]), scope(["1207413"])),  # merged into one that is newly coded
        (BOTH, scope(["1207062"]), scope(partly=["1207413"])),
        (MERGED, scope(excluded=["1207052"]), scope(partly=["1207062"])),  # merged, was excluded
        (DIVIDED, scope(["1207052"]), scope(partly=["1207062", "1207413"])),  # divided
        (REUSED, scope(["1207062"]), scope(["1207413"])),  # its code is another municipality's now
        (REUSED, scope(["1207061"]), scope(["1207413"])),  # and named by an earlier kind
        (COUNTY, scope(["1299"]), scope(["1208"])),  # a county goes on as another
        # a county becomes part of another
        ({"1299012": Heirs("1208012")}, scope(["1299"]), scope(["1208012"])),
        (COUNTY, scope(["1207"]), {}),  # a county that is still there
        (COUNTY, scope(["9999", "9999012"]), {}),  # unknown codes stay; a system check names them
    ):
        assert follow_scope(before, Register(heirs, NOW)) == after


UNITS = (
    UnitRecord("12", "małopolskie"),
    UnitRecord("1261", "Kraków"),
    UnitRecord("1261011", "Kraków", 1),
    *(UnitRecord(f"1261{n}2", f"Gmina {n}", 2) for n in range(20, 40)),
)
OPTIONS = Options(today=date(2026, 11, 21), write=True)


def renumbered():
    return Extract((*UNITS[:2], UnitRecord("1261993", "Kraków", 3), *UNITS[3:]))


@pytest.fixture
def rules(db):
    sync_units(Extract(UNITS), OPTIONS)
    ResolutionFactory()
    return DeadlineFactory(krakow=True, scope="Gmina Miejska Kraków"), DeadlineFactory()


def test_an_update_of_the_register_brings_rules_answers_and_pages_up_to_date_and_a_dry_run_none(rules, client):
    local, wide = rules
    dry = sync_units(renumbered(), Options(today=OPTIONS.today, write=False))
    assert any("units 1261011 → 1261993" in line for line in dry.lines)
    assert factories.fresh(local).units == ["1261011"]
    report = sync_units(renumbered(), OPTIONS)
    assert (factories.fresh(local).units, factories.fresh(wide).units) == (["1261993"], [])
    assert f"regulations: deadline {local.pk} (Gmina Miejska Kraków): units 1261011 → 1261993" in report.lines
    assert local.history.first().history_change_reason == "zmiana kodów w rejestrze TERYT"
    assert catalog.Dataset.objects.filter(slug="regulations").exists()
    assert "regulations" not in " ".join(sync_units(renumbered(), OPTIONS).lines)
    (answer,) = client.get("/api/v1/regulations", {"teryt": "1261993"}).json()
    assert [row["binds_requested_unit"] for row in answer["resolution"]["deadlines"]] == [True, True]
    for path in ("/api/v1/regulations", "/api/v1/regulations/malopolskie.ics"):
        refused = client.get(path, {"teryt": "1261011"})
        assert refused.status_code == 404, path
        assert "its successor is 1261993" in refused.json()["message"]
    shown, successor = (
        client.get("/przepisy/malopolskie/", {"teryt": teryt}).content.decode() for teryt in ("1261011", "1261993")
    )
    # Only the address of the twin keeps what was asked.
    assert shown.replace("teryt=1261011", "teryt=1261993") == successor


def test_the_rules_of_a_code_in_use_again_go_with_their_municipality(rules):
    local, _ = rules
    again = Extract((*UNITS[:2], UnitRecord("1261011", "Nowa", 1), UnitRecord("1261993", "Kraków", 3), *UNITS[3:]))
    dry = sync_units(again, Options(today=OPTIONS.today, write=False))
    report = sync_units(again, OPTIONS)
    assert factories.fresh(local).units == ["1261993"]
    assert report.lines == dry.lines
    assert sync_units(again, OPTIONS).lines == []


def test_rules_are_locked_until_their_codes_are_changed(rules):
    """Else what an editor saves meanwhile would go back to what the import has read."""
    with CaptureQueriesContext(connection) as queries:
        sync_units(renumbered(), OPTIONS)
    locking = " ".join(query["sql"] for query in queries if query["sql"].endswith("FOR UPDATE"))
    for model in (Resolution, Deadline, FuelBan):
        assert f'FROM "{model._meta.db_table}"' in locking


def test_merged_units_are_reported_for_editors(rules):
    factories.BoundaryFactory(municipality=catalog.Municipality.objects.get(pk="1261011"))
    factories.BoundaryFactory(municipality=catalog.Municipality.objects.get(pk="1261202"), lon=20.216)
    local, _ = rules
    report = sync_units(Extract((*UNITS[:2], *UNITS[3:])), OPTIONS)
    assert any("units 1261011 → nothing; partly nothing → 1261202; read the act" in line for line in report.lines)
    assert (factories.fresh(local).units, local.partly) == ([], ["1261202"])
