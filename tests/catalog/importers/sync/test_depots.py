"""Depots: what people set outlives every import, which never overwrites, brings back or drops what they decided."""

from dataclasses import replace
from datetime import date

import pytest

from catalog import models
from catalog.importers.records import DepotRecord, Extract, ImportRefused, Note, Options
from catalog.importers.successions import REVIEW
from catalog.importers.sync_depots import sync_depots
from catalog.parsing.opening_hours import weekly_hours
from catalog.services import editing, moderation, publishing
from tests import deciding, factories, texts
from tests.factories import NOW, TODAY

pytestmark = pytest.mark.django_db

OSM = models.Depot.Source.OSM

RECORD = DepotRecord("node/1", "Skład opału Nowak", 50.0617, 19.9373, fuels=("wegiel",), phone="+48 12 345 67 89")
OTHERS = [replace(RECORD, source_id=f"node/{n}") for n in range(2, 30)]


@pytest.fixture(autouse=True)
def _krakow(db):
    factories.BoundaryFactory()


def load(*records, origin=OSM, **options):
    return sync_depots(Extract(records), Options(**{"today": TODAY, "write": True} | options), origin=origin)


def imported(**changed):
    """Import the one depot. Returns what the report says was kept."""
    return [note.reason for note in load(replace(RECORD, **changed)).skipped]


def the_depot():
    return models.Depot.objects.get(source_id="node/1")


def edit(**values):
    editing.edit_depot(depot=the_depot(), values=values, by=factories.UserFactory(), on=TODAY)


def reasons():
    return list(the_depot().history.order_by("history_id").values_list("history_change_reason", flat=True))


def test_changes_are_taken_dated_and_named():
    load(RECORD, today=date(2026, 1, 1))
    report = load(replace(RECORD, phone="", name="Skład opału Kowal"))
    depot = the_depot()
    assert (depot.phone, depot.name, depot.updated_at) == ("", "Skład opału Kowal", TODAY)
    assert report.lines == ["changed: node/1 Skład opału Kowal: name, phone"]


def test_a_depot_gone_from_the_source_is_marked_and_comes_back_with_it_unless_it_is_verified():
    load(RECORD, *OTHERS)
    assert load(*OTHERS).removed == 1
    assert (the_depot().publication, the_depot().removal_reason) == ("removed", "gone_from_source")
    report = load(RECORD, *OTHERS)
    assert (report.changed, report.unchanged, report.rows) == (1, len(OTHERS), len(OTHERS) + 1)
    assert (the_depot().publication, the_depot().removed_at) == ("published", None)
    moderation.verify_depot(depot=the_depot(), by=factories.UserFactory(), on=TODAY)
    report = load(*OTHERS)
    assert (the_depot().publication, report.skipped[0].key) == ("published", "node/1")


def test_a_row_that_cannot_be_used_or_lies_outside_every_boundary_leaves_its_depot_as_it_is():
    load(RECORD)
    unusable = Extract((), rejected=(Note("node/1", "has no position"),))
    sync_depots(unusable, Options(today=TODAY, write=True), origin=OSM)
    report = load(replace(RECORD, lat=54.0))
    assert (report.added, report.changed, report.rejected[0].key) == (0, 0, "node/1")
    assert (the_depot().publication, the_depot().lat) == ("published", RECORD.lat)


@pytest.mark.parametrize("stored", [(), (RECORD,)], ids=["new", "stored"])
def test_texts_longer_than_their_columns_are_reported_and_left_out_never_cut_in_silence(stored):
    load(*stored)
    long = {name: texts.too_long(name) for name in texts.LIMITS}
    assert {note.reason for note in load(replace(RECORD, **long, hours=weekly_hours(long["opening_hours"]))).notes} == {
        f"{name} {'cut' if name == 'name' else 'left out'}: "
        f"Ensure this value has at most {limit} characters (it has {limit + 1})."
        for name, limit in texts.LIMITS.items()
    }
    values = {name: getattr(the_depot(), name) for name in (*long, "hours")}
    assert (name := values.pop("name")).endswith("…")
    assert (len(name) <= texts.LIMITS["name"], any(values.values())) == (True, False)
    longest = {name: texts.longest(name) for name in texts.LIMITS}
    assert load(replace(RECORD, **longest)).notes == []
    assert models.Depot.objects.values(*longest).get() == longest


@pytest.mark.parametrize("renamed", [False, True])
def test_a_private_person_is_held_back_until_an_editor_publishes_not_by_a_new_name(renamed):
    person = {"name": "Jan Kowalski", "held": True, "review": "nazwa to imię i nazwisko"}
    imported(**person)
    assert the_depot().publication == "held"
    if renamed:
        edit(name="Kowalski Opał")
        imported(**person)
        assert (the_depot().publication, the_depot().name) == ("held", "Kowalski Opał")
    publishing.publish_depot(depot=the_depot(), on=TODAY)
    imported(**person)
    assert (the_depot().publication, the_depot().review) == ("published", "")


def test_an_entry_that_is_back_at_its_owner_s_request_is_not_held_for_the_name_that_its_source_has_now():
    imported()
    moderation.remove_depot(depot=the_depot(), reason=models.Depot.RemovalReason.OWNER, on=TODAY)
    request = factories.SubmissionFactory(depot=the_depot(), kind="restore", proposed={}, stored={})
    deciding.accept_submission(submission=request, by=factories.UserFactory(), on=NOW)
    imported(name="Jan Kowalski", held=True, review="nazwa to imię i nazwisko")
    assert (the_depot().publication, the_depot().name) == ("published", RECORD.name)


def test_a_remark_follows_the_source_unless_it_is_that_of_a_merger():
    imported(review="bez nazwy")
    imported()
    assert the_depot().review == ""
    models.Depot.objects.update(review=REVIEW)
    imported()
    assert the_depot().review == REVIEW


def test_without_name_and_place_it_is_called_after_its_kind_and_municipality_which_says_no_fuel():
    record = replace(RECORD, name="Skład węgla", kind_name="Skład węgla", review="bez nazwy", fuels=())
    load(record)
    assert (the_depot().name, the_depot().review, the_depot().fuels) == ("Skład węgla, Kraków", "bez nazwy", [])
    assert load(record).changes == 0


def test_real_depots_drive_out_the_demonstration_and_a_dry_run_says_so():
    factories.DepotFactory(demonstration=True)
    for write, source in ((False, "demo"), (True, "osm")):
        assert load(RECORD, write=write).lines[0] == "1 demonstration depots give way"
        assert [depot.source for depot in models.Depot.objects.all()] == [source]


def test_a_third_of_the_depots_does_not_vanish_unasked():
    load(RECORD, *OTHERS)
    with pytest.raises(ImportRefused, match="10 of 29"):
        load(*OTHERS[9:])
    assert models.Depot.objects.published().count() == 29
    assert load(*OTHERS[9:], allow_removals=True).removed == 10


def test_imported_corrected_imported_verified_removed_imported():
    imported()
    phone = {"proposed": {"phone": "+48 600 000 000"}, "stored": {"phone": "+48 12 345 67 89"}}
    submission = factories.SubmissionFactory(depot=the_depot(), **phone)
    deciding.accept_submission(submission=submission, by=factories.UserFactory(), on=NOW)
    assert imported(phone="+48 11 111 11 11", name="Nowak sp. z o.o.") == [
        "phone kept, a person set or checked it: '+48 600 000 000'; the source says '+48 11 111 11 11'"
    ]
    depot = the_depot()
    assert (depot.phone, depot.name, depot.data_status) == ("+48 600 000 000", "Nowak sp. z o.o.", "unverified")

    moderation.verify_depot(depot=depot, by=factories.UserFactory(), on=TODAY)
    assert imported(phone="+48 11 111 11 11", name="Jeszcze inaczej", fuels=("pellet", "wegiel")) == [
        "name kept, a person set or checked it: 'Nowak sp. z o.o.'; the source says 'Jeszcze inaczej'",
        "phone kept, a person set or checked it: '+48 600 000 000'; the source says '+48 11 111 11 11'",
        """fuels kept, a person set or checked it: '["wegiel"]'; the source says '["wegiel", "pellet"]'""",
    ]

    assert (the_depot().name, the_depot().data_status) == ("Nowak sp. z o.o.", "verified")
    moderation.remove_depot(depot=the_depot(), reason=models.Depot.RemovalReason.OWNER, on=TODAY)
    assert imported(phone="+48 11 111 11 11") == ["stays removed: usunięty na wniosek właściciela"]
    assert the_depot().publication == "removed"
    source = "import: OpenStreetMap"
    removal = "usunięto: usunięty na wniosek właściciela"
    assert reasons() == [source, "zgłoszenie: poprawka", source, "sprawdzono", removal]

    publishing.publish_depot(depot=the_depot(), on=TODAY, note="działa dalej")
    imported(phone="+48 11 111 11 11")
    assert (the_depot().publication, the_depot().phone) == ("published", "+48 600 000 000")


def test_what_an_owner_had_deleted_waits_for_an_editor_when_its_source_gives_it_another_identifier():
    load(RECORD, replace(RECORD, source_id="node/2", name="Opał Wilk", lat=50.0618))
    moderation.remove_depot(depot=the_depot(), reason=models.Depot.RemovalReason.OWNER, on=TODAY)
    redrawn = replace(RECORD, source_id="way/1", lat=50.0619)
    far = replace(redrawn, source_id="node/3", lat=50.064)
    rows = [replace(RECORD, source_id="node/2", name="Opał Wilk", lat=50.0618), far]
    rows.append(replace(far, source_id="node/4", lat=50.066, nip="5260250274"))
    for lat in (50.0619, 50.0639):  # the second import publishes nothing either, wherever the source moves it
        load(*rows, replace(redrawn, lat=lat), allow_removals=True)
        published = models.Depot.objects.published().order_by("source_id").values_list("source_id", flat=True)
        assert [*published] == ["node/2", "node/3", "node/4"]
    held = models.Depot.objects.get(source_id="way/1")
    assert held.review == f"przypomina wpis {the_depot().pk} (usunięty na wniosek właściciela)"
    editor = factories.UserFactory()
    stays = moderation.publish_depots(keys=[held.pk], by=editor, on=TODAY).unchanged
    assert stays == [(held, f"{held.review} (przywróć pojedynczo, z powodem)")]
    publishing.publish_depot(depot=held, on=TODAY, by=editor, note="nowy właściciel")
    load(*rows, redrawn, allow_removals=True)
    assert factories.fresh(held).publication == "published"


@pytest.mark.parametrize(("position", "lat"), [({"lat": 49.82, "lon": 19.04}, 49.82), ({}, 50.0618)])
def test_a_municipality_that_a_person_set_stays_with_a_position_set_too_or_one_of_the_source(position, lat):
    other = factories.bielsko_biala().pk
    factories.BoundaryFactory(municipality=factories.bielsko_biala(), lat=49.82, lon=19.04)
    imported()
    edit(municipality=other, **position)
    assert [reason.split()[0] for reason in imported(lat=50.0618)] == [*position, "municipality"]
    assert (the_depot().lat, the_depot().municipality_id) == (lat, other)


def test_hours_that_a_person_set_are_kept_whole():
    imported(opening_hours="Mo-Fr 08:00-16:00")
    edit(opening_hours="Mo-Sa 07:00-15:00")
    imported(opening_hours="24/7", hours={"mon": "0:00-24:00"})
    assert (the_depot().opening_hours, the_depot().hours["sat"]) == ("Mo-Sa 07:00-15:00", "7:00-15:00")


def test_fuels_of_the_name_are_added_to_those_of_the_source():
    imported()
    imported(name="Skład węgla, pelletu i drewna", denied_fuels=("drewno-kominkowe",))
    assert (the_depot().fuels, the_depot().fuels_in_name) == (["wegiel", "pellet"], ["pellet"])
    lines = len(reasons())
    imported(name="Skład węgla, pelletu i drewna", denied_fuels=("drewno-kominkowe",))
    assert len(reasons()) == lines
    # What the source states itself is no longer read from the name.
    imported(name="Skład węgla, pelletu i drewna", fuels=("wegiel", "pellet"), denied_fuels=("drewno-kominkowe",))
    assert (the_depot().fuels, the_depot().fuels_in_name) == (["wegiel", "pellet"], [])
    imported()
    assert (the_depot().fuels, the_depot().fuels_in_name) == (["wegiel"], [])


@pytest.mark.parametrize(
    ("values", "fuels", "by_name"),
    [({"fuels": ["brykiet"]}, ["brykiet"], []), ({"name": "Skład brykietu"}, ["wegiel", "brykiet"], ["brykiet"])],
)
def test_fuels_that_a_person_set_are_not_read_from_the_name_but_from_one_that_a_person_gave(values, fuels, by_name):
    imported()
    imported(name="Skład pelletu")
    edit(**values)
    imported(name="Skład pelletu")
    assert (the_depot().fuels, the_depot().fuels_by_name) == (fuels, by_name)
    lines = len(reasons())
    imported(name="Skład pelletu")
    assert len(reasons()) == lines


@pytest.mark.slow
def test_history_of_many_changes_costs_one_statement(django_assert_num_queries):
    records = [replace(RECORD, source_id=f"node/{n}") for n in range(300)]
    load(*records)
    with django_assert_num_queries(1 + 4 + 1 + 1):  # locks; boundaries, units, depots, merged ones; update; history
        load(*[replace(record, phone="") for record in records])
    assert models.Depot.history.filter(history_type="~").count() == 300
