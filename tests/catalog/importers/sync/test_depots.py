"""Depots: an import never overwrites, brings back or drops what a person decided."""

from dataclasses import replace
from datetime import date

import pytest

from catalog import models
from catalog.importers.records import DepotRecord, Extract, Note, Options, TooManyRemovals
from catalog.importers.sync_depots import sync_depots
from catalog.parsing.opening_hours import weekly_hours
from catalog.services import moderation, publishing
from tests import factories, texts

pytestmark = pytest.mark.django_db

RECORD = DepotRecord("node/1", "Skład opału Nowak", 50.0617, 19.9373, fuels=("wegiel",), phone="+48 12 345 67 89")


@pytest.fixture(autouse=True)
def _krakow(db):
    factories.BoundaryFactory()


def load(*records, options):
    return sync_depots(Extract(records), options, origin=models.Depot.Source.OSM)


def the_depot():
    return models.Depot.objects.get(source_id="node/1")


def test_without_write_nothing_changes(options):
    assert load(RECORD, options=replace(options, write=False)).added == 1
    assert not models.Depot.objects.exists()


def test_changes_are_taken_dated_and_named(options):
    load(RECORD, options=replace(options, today=date(2026, 1, 1)))
    report = load(replace(RECORD, phone="", name="Skład opału Kowal"), options=options)
    depot = the_depot()
    assert (depot.phone, depot.name, depot.updated_at) == ("", "Skład opału Kowal", options.today)
    assert report.lines == ["changed: node/1 Skład opału Kowal: name, phone"]


def test_a_verified_depot_keeps_its_fields_and_the_report_names_them(options):
    load(RECORD, options=options)
    moderation.verify_depot(depot=the_depot(), by=factories.UserFactory(), on=options.today)
    report = load(replace(RECORD, phone="+48 11 111 11 11"), options=options)
    assert (the_depot().phone, the_depot().data_status) == ("+48 12 345 67 89", "verified")
    assert "phone kept" in report.skipped[0].reason


def test_a_single_confirmed_field_is_kept_and_the_others_follow_the_source(options):
    load(RECORD, options=options)
    models.Depot.objects.update(confirmed_fields=["phone"], phone="+48 600 000 000")
    load(replace(RECORD, phone="+48 11 111 11 11", name="Nowa nazwa"), options=options)
    assert (the_depot().phone, the_depot().name) == ("+48 600 000 000", "Nowa nazwa")


def test_a_depot_removed_by_its_owner_does_not_come_back(options):
    load(RECORD, options=options)
    moderation.remove_depot(depot=the_depot(), reason=models.Depot.RemovalReason.OWNER, on=options.today)
    report = load(RECORD, options=options)
    assert the_depot().publication == "removed"
    assert report.skipped[0].key == "node/1"


def test_a_depot_gone_from_the_source_is_marked_and_comes_back_with_it(options):
    others = [replace(RECORD, source_id=f"node/{n}") for n in range(2, 30)]
    load(RECORD, *others, options=options)
    assert load(*others, options=options).removed == 1
    assert (the_depot().publication, the_depot().removal_reason) == ("removed", "gone_from_source")
    load(RECORD, *others, options=options)
    assert (the_depot().publication, the_depot().removed_at) == ("published", None)


def test_a_row_that_cannot_be_used_leaves_its_depot_as_it_is(options):
    load(RECORD, options=options)
    sync_depots(Extract((), rejected=(Note("node/1", "has no position"),)), options, origin=models.Depot.Source.OSM)
    assert the_depot().publication == "published"


@pytest.mark.parametrize("name", texts.LIMITS)
@pytest.mark.parametrize("stored", [(), (RECORD,)])
def test_a_text_longer_than_its_column_is_reported_and_left_out_never_cut_in_silence(options, stored, name):
    load(*stored, options=options)
    limit = texts.LIMITS[name]
    report = load(replace(RECORD, **{name: texts.too_long(name)}), options=options)
    value = getattr(the_depot(), name)
    what = "name cut" if name == "name" else f"{name} left out"
    reason = f"{what}: Ensure this value has at most {limit} characters (it has {limit + 1})."
    assert report.notes == [Note("node/1", reason)]
    assert (value[-1] == "…" and len(value) <= limit) if name == "name" else not value
    assert load(replace(RECORD, **{name: texts.longest(name)}), options=options).notes == []
    assert getattr(the_depot(), name) == texts.longest(name)


def test_a_week_longer_than_its_column_leaves_the_hours_unknown(options):
    text = texts.too_long("opening_hours")
    load(replace(RECORD, opening_hours=text, hours=weekly_hours(text)), options=options)
    assert the_depot().hours is None


def test_a_verified_depot_stays_although_gone_from_the_source(options):
    others = [replace(RECORD, source_id=f"node/{n}") for n in range(2, 30)]
    load(RECORD, *others, options=options)
    moderation.verify_depot(depot=the_depot(), by=factories.UserFactory(), on=options.today)
    report = load(*others, options=options)
    assert the_depot().publication == "published"
    assert report.skipped[0].key == "node/1"


def test_a_private_person_is_held_back_until_an_editor_publishes(options):
    record = replace(RECORD, name="Jan Kowalski", held=True, review="nazwa to imię i nazwisko")
    load(record, options=options)
    assert the_depot().publication == "held"
    publishing.publish_depot(depot=the_depot(), on=options.today)
    load(record, options=options)
    assert the_depot().publication == "published"


def test_without_name_and_place_it_is_called_after_its_kind_and_municipality(options):
    record = replace(RECORD, name="Skład opału", kind_name="Skład opału", review="bez nazwy")
    load(record, options=options)
    assert (the_depot().name, the_depot().review) == ("Skład opału, Kraków", "bez nazwy")
    assert load(record, options=options).changes == 0


def test_outside_every_boundary_is_rejected(options):
    report = load(replace(RECORD, lat=54.0), options=options)
    assert (report.added, report.rejected[0].key) == (0, "node/1")


def test_real_depots_drive_out_the_demonstration_and_a_dry_run_says_so(options):
    factories.DepotFactory(demonstration=True)
    for write, source in ((False, "demo"), (True, "osm")):
        assert load(RECORD, options=replace(options, write=write)).lines[0] == "1 demonstration depots give way"
        assert [depot.source for depot in models.Depot.objects.all()] == [source]


def test_a_third_of_the_depots_does_not_vanish_unasked(options):
    records = [replace(RECORD, source_id=f"node/{n}") for n in range(30)]
    load(*records, options=options)
    with pytest.raises(TooManyRemovals, match="10 of 30"):
        load(*records[:20], options=options)
    assert models.Depot.objects.published().count() == 30
    assert load(*records[:20], options=replace(options, allow_removals=True)).removed == 10


def test_each_origin_keeps_to_its_own_depots():
    options = Options(today=date(2026, 11, 21), write=True, allow_removals=True)
    other = replace(RECORD, source_id="7", name="Skład opału Inny")
    load(RECORD, options=options)
    sync_depots(Extract((other,)), options, origin=models.Depot.Source.EDITOR)
    report = load(RECORD, options=options)
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    stored = models.Depot.objects.order_by("source_id").values_list("source_id", "source", "publication")
    assert list(stored) == [("7", "editor", "published"), ("node/1", "osm", "published")]
