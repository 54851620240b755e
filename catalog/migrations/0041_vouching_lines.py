"""Lines of decisions say for which fields of a depot a person vouches; of earlier ones the histories tell.

Changes before the journal that belong to no decision have no line. They need none: what the first row of a history has
as confirmed stays confirmed.
"""

from collections import defaultdict
from itertools import groupby
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

POSITION = ("lat", "lon", "location_approximate", "municipality")
PUBLIC_FIELDS = (
    *("name", "street", "house_number", "postcode", "place", "nip", "phone", "website", "fuels"),
    *(*POSITION, "hours", "opening_hours"),
)
CHECKED = {*PUBLIC_FIELDS, "data_status", "verified_at", "verified_by"}
BOUND = (({*POSITION[:3]}, {*POSITION}), ({"hours", "opening_hours"}, {"hours", "opening_hours"}))
COLUMNS = {name: "municipality_id" if name == "municipality" else name for name in PUBLIC_FIELDS}

CHECKS = (
    "sprawdzono",
    *(f"{sent}: {kind}" for sent in ("zgłoszenie", "wniosek") for kind in ("przejęcie wpisu", "brakujący skład")),
)
RESET, UNDONE = "cofnięto do nieweryfikowanych", "cofnięto decyzję"
ADDED, TAKEN_BACK = "paliwo z ceny", "cofnięto paliwo z ceny"

Row = dict[str, Any]


def fill(apps: Any, schema_editor: Any) -> None:
    """Read the histories of the depots that decisions changed: two queries, and a statement for 1000 lines."""
    lines: defaultdict[int, list[Any]] = defaultdict(list)
    rows = apps.get_model("catalog", "DecisionLine").objects.filter(model="catalog.depot", first__isnull=False)
    for line in rows.select_related("decision").order_by("pk"):
        lines[int(line.key)].append(line)
    columns = ("history_id", "id", "history_change_reason", "confirmed_fields", *COLUMNS.values())
    history = apps.get_model("catalog", "HistoricalDepot").objects.filter(id__in=list(lines))
    ordered = history.order_by("id", "history_id").values(*columns).iterator(chunk_size=2000)
    for depot, group in groupby(ordered, key=lambda row: row["id"]):
        read_depot(lines[depot], list(group))
    vouching = [line for some in lines.values() for line in some if line.vouches]
    rows.bulk_update(vouching, ["vouches"], batch_size=1000)


def read_depot(lines: list[Any], rows: list[Row]) -> None:
    """Set what the lines of a depot vouch for, by its history."""
    spans = {line.decision_id: (line.first, line.last) for line in lines}
    # What undoing a decision restored; where it took a fuel of a price back, the decision stands.
    restoring = [
        row["history_id"]
        for row in rows
        if reason_of(row).startswith(UNDONE) and not reason_of(row).endswith(TAKEN_BACK)
    ]
    before: Row = {"confirmed_fields": [], **dict.fromkeys(COLUMNS.values())}
    for row in rows:
        for line in lines:
            if line.first <= row["history_id"] <= line.last and stands(line.decision, spans, restoring):
                named = line.decision.details.get("confirmed", {}).get(line.key, ())
                line.vouches = sorted({*line.vouches, *named, *vouched(before, row)})
        before = row


def stands(decision: Any, spans: dict[int, tuple[int, int]], restoring: list[int]) -> bool:
    """Whether a decision on a depot is not undone. Restoring a merged depot undoes its merge, but not the values."""
    if decision.undone_at is None or (decision.undoing_id is None and decision.kind == "merge"):
        return True
    first, last = spans.get(decision.undoing_id, (0, 0))
    return decision.undoing_id is not None and not any(first <= number <= last for number in restoring)


def vouched(before: Row, row: Row) -> set[str]:
    """Return for what a person vouches in a row of a history."""
    reason = reason_of(row)
    if reason.startswith(CHECKS):
        return CHECKED
    if reason.startswith(RESET):
        return {"nobody"}
    if reason.startswith(UNDONE) or reason.endswith((ADDED, TAKEN_BACK)):
        return set()
    confirmed = {*row["confirmed_fields"]}
    names = confirmed.difference(before["confirmed_fields"])
    names |= {name for name in confirmed if before[COLUMNS[name]] != row[COLUMNS[name]]}
    names = names.union(*(bound for some, bound in BOUND if some & names)) & confirmed
    return names | ({"name"} if reason.startswith(("opublikowano", "przywrócono")) else set())


def reason_of(row: Row) -> str:
    return row["history_change_reason"] or ""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0040_cities_before_towns")]

    operations = [
        migrations.AddField(
            "decisionline",
            "vouches",
            ArrayField(models.CharField(max_length=30), verbose_name="ręczy za", default=list, db_default=[]),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
