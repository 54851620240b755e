"""Squashing must keep the migrations that write data, and the last release must work on the tables of this one."""

import subprocess
from importlib import import_module
from pathlib import PurePosixPath

import pytest
from django.apps import apps
from django.conf import settings
from django.db.migrations import RunPython, RunSQL, operations
from django.db.migrations.loader import MigrationLoader
from django.db.models import NOT_PROVIDED
from django.utils import timezone

from catalog.models import DecisionLine, Depot, OwnerLink
from catalog.services import editing, journal, moderation, publishing
from catalog.services.merging import merge_depots
from catalog.services.moderation import remove_depot
from catalog.submissions import letters, owner_links
from catalog.submissions.decisions import PartDecision
from prices.submissions import decide_visit
from tests import ROOT, factories
from tests.deciding import accept_submission, reject_submission
from tests.ops.releases import PREVIOUS_RELEASE
from tests.regulations.factories import LegalStateFactory

TOUCH_ROWS_THAT_ARE_THERE = {"keep_present_state"}
"""Elidable: they complete rows of an older version, and a database that begins with the squashed one has none."""


OWN = {config.label for config in apps.get_app_configs() if (settings.BASE_DIR / config.name).is_dir()}
"""Our apps."""


def operations_with_code():
    """Those of the project's own migrations that run code or SQL, with where they are."""
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if app in OWN:
            for operation in migration.operations:
                if isinstance(operation, (RunPython, RunSQL)):
                    yield f"{app}.{name}", operation


def test_no_migration_that_brings_data_is_elidable():
    found = dict.fromkeys(where for where, _ in operations_with_code())
    assert {"prices.0002_cascade_and_ranges", "fueldepot.0001_editor_groups"} <= found.keys()
    elidable = {
        (where, getattr(getattr(operation, "code", None), "__name__", "SQL"))
        for where, operation in operations_with_code()
        if operation.elidable
    }
    assert {name for _, name in elidable} <= TOUCH_ROWS_THAT_ARE_THERE, elidable


HARMLESS = {
    "catalog.0026_districts_of_places: Raw SQL operation": "fills the new column only",
    "catalog.0029_earlier_decisions: Raw Python operation": (
        "empties bulk decisions and merges, which the last release then lists as none; it cannot undo earlier ones"
    ),
    **dict.fromkeys(
        (
            "catalog.0029_earlier_decisions: Alter field decided_by on depotbatch",
            "catalog.0029_earlier_decisions: Alter field undone_by on depotbatch",
            "catalog.0029_earlier_decisions: Alter field loser on depotmerge",
        ),
        "drops a foreign key, the column stays",
    ),
    **dict.fromkeys(
        (f"catalog.0036_choices_of_fuels: Alter field fuels on {model}" for model in ("depot", "historicaldepot")),
        "changes no column",
    ),
    "catalog.0039_losses_of_owners: Raw Python operation": "fills a new column only",
    "catalog.0041_vouching_lines: Raw Python operation": "fills a new column only",
    "fueldepot.0006_editors_see_the_journal: Raw Python operation": "adds a right",
    "prices.0007_first_history_of_ranges: Raw Python operation": "adds lines of history",
    "prices.0008_first_history_of_demonstration: Raw Python operation": "adds lines of history",
}
"""Operations since the last release that take or demand something, with why the last release works with them.

During an upgrade, and after a rollback, its processes read and write the tables of this release. So what it reads goes
one release later, and a new column is null or has a `db_default`: it does not know the column.
"""

TAKING = (
    operations.RemoveField,
    operations.DeleteModel,
    operations.RenameField,
    operations.RenameModel,
    operations.AlterModelTable,
    operations.AlterUniqueTogether,
    operations.RunSQL,
    operations.RunPython,
)


def column(field):
    _, path, arguments, options = field.deconstruct()
    ignored = {*field.non_db_attrs, "default"}
    return path, arguments, {name: value for name, value in options.items() if name not in ignored}


def burdens(operation, app, state, new_models):
    """Whether an operation could keep the last release from reading or writing its tables."""
    model = (app, getattr(operation, "model_name_lower", ""))
    if isinstance(operation, TAKING):
        return True
    if model in new_models:
        return False
    match operation:
        case operations.AddField(field=field):
            return not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED)
        case operations.AlterField(field=field):
            return column(field) != column(state.models[model].fields[operation.name])
    return isinstance(operation, operations.AddConstraint)


def test_the_last_release_reads_and_writes_the_tables_of_this_one():
    listing = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", PREVIOUS_RELEASE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("the history of this checkout lacks the last release")
    files = [PurePosixPath(line) for line in listing.stdout.splitlines()]
    released = {(file.parts[0], file.stem) for file in files if file.parts[1:-1] == ("migrations",)}
    loader = MigrationLoader(None)
    state = loader.project_state([key for key in loader.graph.nodes if key in released or key[0] not in OWN])
    new_models, burdening = set(), set()
    for key in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):
        if key[0] not in OWN or key in released:
            continue
        for operation in loader.graph.nodes[key].operations:
            on_tables = getattr(operation, "database_operations", [operation])
            if any(burdens(each, key[0], state, new_models) for each in on_tables):
                burdening.add(f"{key[0]}.{key[1]}: {operation.describe()}")
            if isinstance(operation, operations.CreateModel):
                new_models.add((key[0], operation.name_lower))
            operation.state_forwards(key[0], state)
    assert burdening == HARMLESS.keys()


EARLIER_DECISIONS = import_module("catalog.migrations.0029_earlier_decisions")


@pytest.mark.django_db
def test_decisions_of_1_1_about_a_depot_in_a_minute_keep_each_its_change_and_legal_states_are_called_by_voivodeship():
    ewa, state = factories.UserFactory(), LegalStateFactory()
    state._history_user = ewa
    state.save()
    carried = EARLIER_DECISIONS.histories(apps, "regulations.legalstate", set())
    assert [values["title"] for values, _ in carried] == ["Zmieniono: małopolskie"]
    refused, first = factories.SubmissionFactory.create_batch(2, depot=factories.DepotFactory())
    site = {"proposed": {"website": "https://b.pl"}, "stored": {"website": ""}}
    second = factories.SubmissionFactory(depot=first.depot, **site)
    reject_submission(submission=refused, reason="Nie.", by=ewa, on=timezone.now())
    for submission in (first, second):
        accept_submission(submission=submission, by=ewa, on=timezone.now())
    carried = EARLIER_DECISIONS.submissions(apps)
    spans = [(line.first, line.last) for _, lines in carried for line in lines if line.model == "catalog.depot"]
    changes = Depot.history.filter(history_user=ewa).order_by("history_id").values_list("history_id", flat=True)
    assert spans == [(None, None), *((change, change) for change in changes)]
    assert len(changes) == 2


@pytest.mark.django_db
def test_lines_of_earlier_decisions_vouch_as_if_they_were_written_now(monkeypatch):
    migration = import_module("catalog.migrations.0041_vouching_lines")
    # Fields that came later are in no history that it reads.
    monkeypatch.setattr(Depot, "PUBLIC_FIELDS", migration.PUBLIC_FIELDS)
    monkeypatch.setattr(Depot, "CHECKED", (*migration.CHECKED,))
    ewa, on = factories.UserFactory(), timezone.now()
    today = timezone.localdate(on)
    one, two, three, four, held = depots = factories.DepotFactory.create_batch(5, fuels_in_name=["wegiel"])
    for depot in depots:
        depot.save()
    Depot.objects.filter(pk=held.pk).update(publication="held")
    editing.edit_depot(depot=one, values={"phone": "+48 12 345 67 89"}, by=ewa, on=today)
    moderation.confirm_fuels(keys=[three.pk], by=ewa)
    checked = moderation.verify_depots(keys=[three.pk, four.pk], by=ewa, on=today).decision
    moderation.reset_depots(keys=[four.pk], by=ewa)
    journal.undo(decision=checked, by=ewa, on=on)  # leaves the fourth
    publishing.publish_depot(depot=held, by=ewa, on=today)
    price = factories.DepotPriceFactory(depot=two, fuel="pellet", pending=True)
    price.save()
    claim = PartDecision(factories.SubmissionFactory(depot=two, claim=True).pk, accept=True)
    _, claimed = decide_visit(parts=[claim], prices={price.pk: True}, reason="", by=ewa, on=on)
    moderation.verify_depot(depot=two, by=ewa, on=today)
    journal.undo(decision=claimed, by=ewa, on=on)  # of its depot the fuel of its price alone
    merge_depots(survivor=one, loser=two, take=["website", "fuels"], unite_fuels=True, by=ewa, on=today)
    publishing.publish_depot(depot=Depot.objects.get(pk=two.pk), by=ewa, on=today, note="to dwa składy")
    lines = DecisionLine.objects.filter(first__isnull=False).order_by("pk")
    written = list(lines.values_list("decision__kind", "key", "vouches"))
    whole = sorted(Depot.CHECKED)
    assert [(kind, sorted(some)) for kind, _, some in written if some and kind != "merge"] == [
        *(("edit", ["phone"]), ("verify", ["fuels"]), ("verify", whole), ("verify", ["nobody"]), ("publish", ["name"])),
        *(("submission", whole), ("verify", whole), ("publish", ["name"])),
    ]
    DecisionLine.objects.update(vouches=[])
    migration.fill(apps, None)
    assert list(lines.values_list("decision__kind", "key", "vouches")) == written


@pytest.mark.django_db
def test_owners_are_not_told_of_what_they_lost_before_there_was_a_letter_about_it(mailoutbox):
    ewa, on = factories.UserFactory(), timezone.now()
    status = {"data_status": "owner", "verified_at": on.date(), "verified_by": ewa}
    kept, gone = factories.DepotFactory.create_batch(2, **status)
    for depot in (kept, gone):
        owner_links.grant_link(depot=depot, email="jan@opal-nowak.pl", on=on)
    remove_depot(depot=gone, reason="closed", by=ewa, on=on.date())
    import_module("catalog.migrations.0039_losses_of_owners").note_earlier_losses(apps, None)
    letters.send_waiting()
    assert not mailoutbox
    assert OwnerLink.objects.get(loss_told_at=None).depot == kept
