"""The whole life of a depot: what people set outlives every import, and the report names what was kept."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from catalog.importers.records import DepotRecord, Extract
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot, Submission
from catalog.services import editing, moderation, publishing
from tests import deciding, factories

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = date(2026, 11, 21)

RECORD = DepotRecord(
    "node/1",
    "Skład opału Nowak",
    50.0617,
    19.9373,
    fuels=("wegiel",),
    phone="+48 12 345 67 89",
    opening_hours="Mo-Fr 08:00-16:00",
)


@pytest.fixture(autouse=True)
def _krakow(db):
    factories.BoundaryFactory()


@pytest.fixture
def imported(options):
    """An import of the one depot, saying what it kept."""

    def load(**changed):
        report = sync_depots(Extract((replace(RECORD, **changed),)), options, origin=Depot.Source.OSM)
        return [note.reason for note in report.skipped]

    load()
    return load


def the_depot():
    return Depot.objects.get(source_id="node/1")


def reasons():
    return list(the_depot().history.order_by("history_id").values_list("history_change_reason", flat=True))


def corrected_by_its_owner(**proposed):
    depot = the_depot()
    submission = Submission.objects.create(
        depot=depot,
        kind="correct",
        state="waiting",
        proposed=proposed,
        stored={name: getattr(depot, name) for name in proposed},
        email="a@example.pl",
        email_hash="x",
        created_at=NOW,
        confirmed_at=NOW,
    )
    deciding.accept_submission(submission=submission, by=factories.UserFactory(), on=NOW)


def test_imported_corrected_imported_verified_removed_imported(imported, options):
    corrected_by_its_owner(phone="+48 600 000 000")
    assert imported(phone="+48 11 111 11 11", name="Nowak sp. z o.o.") == [
        "phone kept, a person set or checked it: '+48 600 000 000'; the source says '+48 11 111 11 11'"
    ]
    depot = the_depot()
    assert (depot.phone, depot.name, depot.data_status) == ("+48 600 000 000", "Nowak sp. z o.o.", "unverified")

    moderation.verify_depot(depot=depot, by=factories.UserFactory(), on=TODAY)
    kept = imported(phone="+48 11 111 11 11", name="Jeszcze inaczej", fuels=("pellet", "wegiel"))
    assert kept == [
        "name kept, a person set or checked it: 'Nowak sp. z o.o.'; the source says 'Jeszcze inaczej'",
        "phone kept, a person set or checked it: '+48 600 000 000'; the source says '+48 11 111 11 11'",
        """fuels kept, a person set or checked it: '["wegiel"]'; the source says '["wegiel", "pellet"]'""",
    ]

    moderation.remove_depot(depot=the_depot(), reason=Depot.RemovalReason.OWNER, on=TODAY)
    assert imported(phone="+48 11 111 11 11") == ["stays removed: usunięty na wniosek właściciela"]
    assert the_depot().publication == "removed"
    assert reasons() == [
        "import: OpenStreetMap",
        "zgłoszenie: poprawka",
        "import: OpenStreetMap",
        "sprawdzono",
        "usunięto: usunięty na wniosek właściciela",
    ]

    publishing.publish_depot(depot=the_depot(), on=TODAY, note="działa dalej")
    imported(phone="+48 11 111 11 11")
    assert (the_depot().publication, the_depot().phone) == ("published", "+48 600 000 000")


def test_a_position_that_a_person_set_keeps_its_municipality(imported, options):
    factories.BoundaryFactory(municipality=factories.bielsko_biala(), lat=49.82, lon=19.04)
    moved = {"lat": 49.82, "lon": 19.04, "municipality": factories.bielsko_biala().pk}
    editing.edit_depot(depot=the_depot(), values=moved, by=factories.UserFactory(), on=TODAY)
    assert [reason.split()[0] for reason in imported(lat=50.0618)] == ["lat", "lon", "municipality"]
    assert (the_depot().lat, the_depot().municipality_id) == (49.82, factories.bielsko_biala().pk)


def test_a_municipality_that_a_person_set_stays_while_the_position_follows_the_source(imported):
    other = factories.bielsko_biala().pk
    editing.edit_depot(depot=the_depot(), values={"municipality": other}, by=factories.UserFactory(), on=TODAY)
    imported(lat=50.0618)
    assert (the_depot().lat, the_depot().municipality_id) == (50.0618, other)


def test_hours_that_a_person_set_are_kept_whole(imported):
    editing.edit_depot(
        depot=the_depot(), values={"opening_hours": "Mo-Sa 07:00-15:00"}, by=factories.UserFactory(), on=TODAY
    )
    imported(opening_hours="24/7", hours={"mon": "0:00-24:00"})
    assert the_depot().opening_hours == "Mo-Sa 07:00-15:00"
    assert the_depot().hours["sat"] == "7:00-15:00"


def test_fuels_of_the_name_are_added_to_those_of_the_source(imported, options):
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


def test_fuels_that_a_person_set_or_confirmed_are_not_read_from_the_name(imported):
    editor = factories.UserFactory()
    imported(name="Skład pelletu")
    editing.edit_depot(depot=the_depot(), values={"fuels": ["brykiet"]}, by=editor, on=TODAY)
    imported(name="Skład pelletu")
    assert (the_depot().fuels, the_depot().fuels_by_name) == (["brykiet"], [])
    lines = len(reasons())
    imported(name="Skład pelletu")
    assert len(reasons()) == lines


def test_fuels_are_read_from_the_name_that_a_person_gave(imported):
    imported(name="Skład pelletu")
    editing.edit_depot(depot=the_depot(), values={"name": "Skład brykietu"}, by=factories.UserFactory(), on=TODAY)
    imported(name="Skład pelletu")
    assert (the_depot().fuels, the_depot().fuels_by_name) == (["wegiel", "brykiet"], ["brykiet"])


def test_a_name_made_of_the_kind_says_no_fuel(imported):
    imported(name="Skład węgla, Kraków", kind_name="Skład węgla", fuels=())
    assert the_depot().fuels == []


def test_renaming_a_held_entry_does_not_publish_it_by_the_back_door(imported, options):
    imported(name="Jan Kowalski", held=True)
    assert the_depot().publication == "held"
    editing.edit_depot(depot=the_depot(), values={"name": "Kowalski Opał"}, by=factories.UserFactory(), on=TODAY)
    imported(name="Jan Kowalski", held=True)
    assert (the_depot().publication, the_depot().name) == ("held", "Kowalski Opał")
    publishing.publish_depot(depot=the_depot(), on=TODAY)
    imported(name="Jan Kowalski", held=True)
    assert the_depot().publication == "published"


@pytest.mark.slow
def test_history_of_many_changes_costs_one_statement(options, django_assert_num_queries):
    records = tuple(replace(RECORD, source_id=f"node/{n}") for n in range(300))
    sync_depots(Extract(records), options, origin=Depot.Source.OSM)
    changed = tuple(replace(record, phone="") for record in records)
    with django_assert_num_queries(1 + 4 + 1 + 1):  # locks; boundaries, units, depots, merged ones; update; history
        sync_depots(Extract(changed), options, origin=Depot.Source.OSM)
    assert Depot.history.filter(history_type="~").count() == 300
