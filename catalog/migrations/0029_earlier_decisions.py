"""Bulk decisions, merges, decided submissions, claims and the histories of version 1.1 become decisions of the journal.

The tables of bulk decisions and merges are emptied and stay until a later release: the former one still reads them.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone

OWNER, SUBMISSION, UNDOING = "właściciel", ("zgłoszenie", "wniosek"), "cofnięto decyzję"
PRICE_LIST = "cennik z pliku"

HISTORIES = {
    "catalog.depot": ("id", ("name",)),
    "prices.depotprice": ("id", ("fuel", "price")),
    "prices.plausiblerange": ("fuel", ("fuel",)),
    "regulations.legalstate": (None, ("voivodeship__name",)),
    "regulations.resolution": (None, ("number", "title")),
    "regulations.amendment": (None, ("number", "changes")),
    "regulations.deadline": (None, ("date", "applies_to")),
    "regulations.fuelban": (None, ("fuel",)),
}
"""Key and names of the rows of each history; None for the primary key of the model."""

DEPOT_KINDS = {
    "sprawdzono": "verify",
    "cofnięto do nieweryfikowanych": "verify",
    "potwierdzono paliwa": "verify",
    "potwierdzono paliwa według nazwy": "verify",
    "usunięto": "remove",
    "opublikowano": "publish",
    "przywrócono": "publish",
    "opublikowano lub przywrócono": "publish",
    "dodano": "add",
}
"""Kinds of decisions on depots by their label or the beginning of the reason in the history."""


class Row(NamedTuple):
    model: str
    key: Any
    first: int | None = None
    last: int | None = None


def carry_over(apps: Any, schema_editor: Any) -> None:
    """Write the decisions, oldest kind of record first; a history row belongs to one of them."""
    journal = Journal(apps)
    journal.write(batches(apps))
    journal.write(merges(apps))
    journal.write(submissions(apps))
    journal.write(claims(apps))
    for label in HISTORIES:
        journal.write(histories(apps, label, journal.used[label]))
    apps.get_model("catalog", "DepotBatch").objects.all().delete()
    apps.get_model("catalog", "DepotMerge").objects.all().delete()


class Journal:
    """Writes decisions. used: the history rows that they have, by model."""

    def __init__(self, apps: Any) -> None:
        self.decisions = apps.get_model("catalog", "Decision")
        self.lines = apps.get_model("catalog", "DecisionLine")
        self.used: dict[str, set[int]] = {label: set() for label in HISTORIES}

    def write(self, rows: Iterable[tuple[dict[str, Any], list[Row]]]) -> None:
        found = list(rows)
        decisions = self.decisions.objects.bulk_create(
            [self.decisions(**values | {"title": values["title"][:300]}) for values, _ in found], batch_size=1000
        )
        self.lines.objects.bulk_create(
            (
                self.lines(decision=decision, model=line.model, key=str(line.key), first=line.first, last=line.last)
                for decision, (_, lines) in zip(decisions, found, strict=True)
                for line in lines
            ),
            batch_size=1000,
        )
        for line in (line for _, lines in found for line in lines if line.last is not None):
            self.used[line.model] |= {line.first or 0, line.last or 0}


def titled(label: str, names: list[str]) -> str:
    """Return the title of a decision: "Usunięto: Skład Nowak i jeszcze 3 – powtórzony wpis"."""
    done, _, detail = label.partition(": ")
    what = f"{names[0]} i jeszcze {len(names) - 1}" if len(names) > 1 else "".join(names)
    return f"{done[:1].upper()}{done[1:]}: {what}" + (f" – {detail}" if detail else "")


def historical(apps: Any, label: str) -> Any:
    app, model = label.split(".")
    return apps.get_model(app, f"historical{model}").objects


def batches(apps: Any) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    for batch in apps.get_model("catalog", "DepotBatch").objects.order_by("pk").iterator():
        label = "catalog.depot" if batch.about == "depots" else "prices.depotprice"
        rows = historical(apps, label).filter(history_id__in=batch.lines).order_by("history_id")
        last = dict(rows.values_list("history_id", "id"))
        first = {key: line for line, key in last.items()}
        if batch.label == PRICE_LIST:
            made = historical(apps, label).filter(
                id__in=first, history_type="+", history_change_reason=PRICE_LIST, history_id__lt=min(last, default=0)
            )
            first |= dict(made.values_list("id", "history_id"))
        kind = "price_list" if batch.label == PRICE_LIST else "prices"
        names = [f"ceny ({len(last)})"]
        if batch.about == "depots":
            kind = DEPOT_KINDS.get(batch.label.partition(":")[0], "edit")
            names = list(rows.values_list("name", flat=True))
        values = {
            "kind": kind,
            "title": titled(batch.label, names),
            "reason": batch.reason,
            "decided_at": batch.decided_at,
            "decided_by_id": batch.decided_by_id,
            "undone_at": batch.undone_at,
            "undone_by_id": batch.undone_by_id,
        }
        closed = [Row("catalog.submission", number) for number in batch.closed_submissions]
        yield values, [Row(label, key, first[key], line) for line, key in last.items()] + closed


def merges(apps: Any) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    rows = historical(apps, "catalog.depot")
    for merge in apps.get_model("catalog", "DepotMerge").objects.select_related("loser").order_by("pk"):
        loser = merge.loser
        gone = rows.filter(id=loser.pk, history_change_reason__startswith="scalono z wpisem ").last()
        if gone is None or loser.merged_into_id is None:
            continue
        survivor = int(gone.history_change_reason.split()[-1])
        kept = rows.filter(id=survivor, history_change_reason__startswith=f"wchłonięto wpis {loser.pk}").last()
        values = {
            "kind": "merge",
            "title": f"Scalono: {loser.name} z wpisem #{survivor}",
            "decided_at": gone.history_date,
            "decided_by_id": gone.history_user_id,
            "details": {
                "loser": loser.pk,
                "survivor": survivor,
                "absorbed": merge.absorbed,
                "open_submissions": merge.open_submissions,
                "closed_submissions": merge.closed_submissions,
                "followers": merge.followers,
            },
        }
        yield values, [Row("catalog.depot", row.id, row.history_id, row.history_id) for row in (gone, kept) if row]


def submissions(apps: Any) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    model = apps.get_model("catalog", "Submission")
    kinds = dict(model._meta.get_field("kind").choices)
    # The history row of a depot that an accepted submission changed: of the same person, at the same time. Newest first,
    # since the next decision about the depot may have followed within that time.
    written: dict[tuple[int, Any], list[Any]] = {}
    changes = historical(apps, "catalog.depot").filter(history_user__isnull=False).order_by("history_id")
    columns = ("history_id", "id", "history_user_id", "history_date", "history_change_reason")
    for row in changes.values_list(*columns):
        if (row[-1] or "").startswith(SUBMISSION):
            written.setdefault((row[1], row[2]), []).append(row)
    decided = model.objects.filter(state__in=["accepted", "rejected"]).select_related("depot")
    ordered = decided.order_by("decided_at", "decided_by", "pk").iterator()
    groups = [
        (key, list(group)) for key, group in groupby(ordered, key=lambda row: (row.decided_at, row.decided_by_id))
    ]
    carried = []
    for (at, by), rows in reversed(groups):
        first, lines = rows[0], [Row("catalog.submission", row.pk) for row in rows]
        for depot in dict.fromkeys(row.depot_id for row in rows if row.depot_id):
            free = written.get((depot, by), [])
            own = [row for row in free if 0 <= (row[3] - at).total_seconds() < 60]
            written[depot, by] = [row for row in free if row not in own]
            lines.append(Row("catalog.depot", depot, *((own[0][0], own[-1][0]) if own else ())))
        done = "Przyjęto" if first.state == "accepted" else "Odrzucono"
        title = f"{done} nr {first.pk}: {first.depot.name + ' – ' if first.depot else ''}{kinds[first.kind]}"
        if len(rows) > 1:
            title = f"{done} zgłoszenia nr {', '.join(str(row.pk) for row in rows[:3])}"
        waits = [row.confirmed_at for row in rows if row.confirmed_at]
        values = {
            "kind": "submission",
            "title": title,
            "reason": first.reason,
            "decided_at": at,
            "decided_by_id": by,
            "waiting_since": min(waits, default=None),
        }
        carried.append((values, lines))
    yield from reversed(carried)


def claims(apps: Any) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    for claim in apps.get_model("catalog", "VoivodeshipClaim").objects.select_related("voivodeship").order_by("pk"):
        steps = [("Wzięto", claim.taken_at, claim.editor_id)]
        if claim.released_at:
            steps.append(("Oddano", claim.released_at, claim.released_by_id))
        for done, at, by in steps:
            title = f"{done} województwo {claim.voivodeship.name}"
            values = {"kind": "voivodeship", "title": title, "decided_at": at, "decided_by_id": by}
            yield values, [Row("catalog.voivodeshipclaim", claim.pk)]


def histories(apps: Any, label: str, used: set[int]) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    """Yield what people changed besides; rows written by one statement share a time and are one decision."""
    key, names = HISTORIES[label]
    key = key or apps.get_model(label)._meta.pk.attname
    rows = historical(apps, label).order_by("history_id")
    columns = ("history_id", "history_date", "history_user_id", "history_change_reason", "history_type", key, *names)
    people = (
        row
        for row in rows.values_list(*columns).iterator()
        if row[0] not in used and (row[2] is not None or (row[3] or "").startswith(OWNER))
    )
    for (at, by, reason, kind), group in groupby(people, key=lambda row: row[1:5]):
        some = list(group)
        label_of = reason or {"+": "dodano", "-": "skasowano"}.get(kind, "zmieniono")
        if label.startswith("regulations") or label == "prices.plausiblerange":
            label_of = {"+": "dodano", "-": "skasowano"}.get(kind, "zmieniono")
        values = {
            "kind": kind_of(label, reason or "", by),
            "title": titled(label_of, [" ".join(str(value) for value in row[6:] if value) for row in some]),
            "reason": "" if label in {"catalog.depot", "prices.depotprice"} else (reason or ""),
            "decided_at": at or timezone.now(),
            "decided_by_id": by,
        }
        yield values, [Row(label, row[5], row[0], row[0]) for row in some]


def kind_of(label: str, reason: str, by: int | None) -> str:
    """Return the kind of a decision that only the history knows."""
    if by is None:
        return "owner"
    if reason.startswith(UNDOING):
        return "undo"
    if label == "prices.depotprice":
        return "prices"
    if label != "catalog.depot":
        return "draft"
    return "submission" if reason.startswith(SUBMISSION) else DEPOT_KINDS.get(reason.partition(":")[0], "edit")


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0028_decisions"),
        ("prices", "0005_submissions"),
        ("regulations", "0004_part_caveat"),
    ]

    operations = [
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        # The tables that stay must not keep anybody from deleting a depot or a user.
        *(
            migrations.AlterField(
                model,
                name,
                models.ForeignKey(
                    to, django.db.models.deletion.DO_NOTHING, db_constraint=False, null=null, related_name="+"
                ),
            )
            for model, name, to, null in (
                ("depotbatch", "decided_by", settings.AUTH_USER_MODEL, False),
                ("depotbatch", "undone_by", settings.AUTH_USER_MODEL, True),
            )
        ),
        migrations.AlterField(
            "depotmerge",
            "loser",
            models.OneToOneField(
                "catalog.depot", django.db.models.deletion.DO_NOTHING, db_constraint=False, related_name="+"
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel("DepotBatch"), migrations.DeleteModel("DepotMerge")]
        ),
    ]
