"""Audit page: decisions in the histories of depots, submissions, prices and the legal state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, NamedTuple

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, F, Func, Min, Model, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.expressions import Expression
from django.db.models.functions import Cast, Coalesce, Concat, Replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from catalog.admin.desk import page_url
from catalog.admin.history import FieldChange
from catalog.depots import fuels
from catalog.models import Depot, Submission, Voivodeship
from fueldepot.data import history
from fueldepot.desk.audit_changes import read_changes
from prices.models import DepotPrice, PlausibleRange
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution

PER_PAGE = 100

KINDS = {"+": "dodano", "~": "zmieniono", "-": "skasowano"} | dict(Submission.State.choices)
"""Decisions by the type of a history row, or the state of a submission."""


@dataclass(frozen=True, slots=True)
class AuditedModel:
    """A model with a history. title: SQL expression of a row's name."""

    model: type[Model]
    title: Expression

    @property
    def label(self) -> str:
        return str(self.model._meta.verbose_name)

    @property
    def permission(self) -> str:
        return f"{self.model._meta.app_label}.view_{self.model._meta.model_name}"

    def decisions(self) -> tuple[Any, str, str]:
        """Return the rows that record decisions, and their columns of time and user."""
        if self.model is Submission:
            return Submission.objects.filter(state__in=["accepted", "rejected"]), "decided_at", "decided_by"
        return self.model.history.all(), "history_date", "history_user"  # type: ignore[attr-defined]


class AuditEntry(NamedTuple):
    """A decision, or a bulk decision: several of the same kind and time about rows of one table.

    audited: index in `AUDITED`. key, title: of the row, or of one of them. kind: "+", "~", "-", or the state of a
    submission. rows: their number. line: `history_id` of a single row.
    """

    at: datetime
    who: str | None
    audited: int
    key: str
    title: str
    kind: str
    reason: str
    rows: int
    line: int


KIND = Case(*(When(kind=kind, then=Value(label)) for kind, label in Submission.Kind.choices))
"""Kind of a submission in words."""

COLUMNS = tuple(f"shown_{name}" for name in AuditEntry._fields)
"""Column aliases of the fields of `AuditEntry`."""


def text(*parts: Any) -> Expression:
    """Concatenate columns and words."""
    return Concat(*(Cast(part, TextField()) for part in parts), Value(""), output_field=TextField())


def day(field: str) -> Expression:
    """Format a day."""
    return Func(F(field), Value("DD.MM.YYYY"), function="to_char", output_field=TextField())


def zloty(field: str) -> Expression:
    """Format an amount with a decimal comma."""
    return Replace(Cast(F(field), TextField()), Value("."), Value(","))


FUEL = Case(*(When(fuel=slug, then=Value(name)) for slug, name in fuels.CHOICES), default=F("fuel"))
"""Name of a fuel."""

VOIVODESHIP = Subquery(Voivodeship.objects.filter(pk=OuterRef("voivodeship_id")).values("name"))

AUDITED = (
    AuditedModel(Depot, text(F("name"))),
    AuditedModel(Submission, text(KIND, Value(" nr "), F("pk"))),
    AuditedModel(DepotPrice, text(FUEL, Value(" "), zloty("price"), Value(" zł, skład nr "), F("depot_id"))),
    AuditedModel(PlausibleRange, text(FUEL, Value(": "), zloty("low"), Value("–"), zloty("high"), Value(" zł"))),
    AuditedModel(LegalState, text(VOIVODESHIP)),
    AuditedModel(Resolution, text(F("number"), Value(" "), F("title"))),
    AuditedModel(Amendment, text(F("number"), Value(" "), F("changes"))),
    AuditedModel(Deadline, text(day("date"), Value(" "), F("applies_to"))),
    AuditedModel(FuelBan, text(F("fuel"))),
)


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Parameters of the page.

    since, until: inclusive days. before: for the next page. imports: whether to include them. words: contained in the
    row's name or the reason.
    """

    who: int | None = None
    since: date | None = None
    until: date | None = None
    before: datetime | None = None
    imports: bool = False
    words: str = ""

    @classmethod
    def read(cls, given: Any) -> "AuditQuery":
        """Parse a query string, ignoring invalid values."""
        who = given.get("who", "")
        before = _read(parse_datetime, given.get("before", ""))
        return cls(
            who=int(who) if who.isascii() and who.isdigit() and len(who) < 10 else None,
            since=_read(parse_date, given.get("since", "")),
            until=_read(parse_date, given.get("until", "")),
            before=before if before is None or timezone.is_aware(before) else None,
            imports=given.get("imports") == "on",
            words=given.get("q", "").replace("\0", "").strip()[:100],
        )

    def condition(self, moment: str, person: str, why: str = "") -> Q:
        """Return the condition for one history. moment, person: names of its columns.

        why: its column of reasons, to include what owners change by their links.
        """
        found = Q()
        if self.who is not None:
            found &= Q(**{person: self.who})
        elif not self.imports:
            by_owner = Q(**{f"{why}__startswith": history.OWNER}) if why else Q()
            found &= Q(**{f"{person}__isnull": False}) | by_owner
        if self.since:
            found &= Q(**{f"{moment}__gte": timezone.make_aware(datetime.combine(self.since, time.min))})
        if self.until:
            found &= Q(**{f"{moment}__lte": timezone.make_aware(datetime.combine(self.until, time.max))})
        if self.before:
            found &= Q(**{f"{moment}__lt": self.before})
        return found


def _read(parse: Any, given: str) -> Any:
    """Return a parsed date or datetime, None for anything else, such as the 31st of February."""
    try:
        return parse(given.replace("\0", ""))
    except ValueError:
        return None


def find(question: AuditQuery, numbers: list[int]) -> list[AuditEntry]:
    """Return the newest decisions, one more than a page if there are more. One query; an index limits each history.

    numbers: indexes of histories, at least one.
    """
    parts = [part(number, question) for number in numbers]
    rows = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    return [AuditEntry(*row) for row in rows.order_by("-shown_at", "shown_audited", "-shown_key")[: PER_PAGE + 1]]


def part(number: int, question: AuditQuery) -> QuerySet[Any, Any]:
    """Return the newest decisions of one history. Rows written by one statement share a time and are one decision."""
    audited = AUDITED[number]
    key = audited.model._meta.pk.name
    rows, at, person = audited.decisions()
    kind, why, line = "history_type", "history_change_reason", "history_id"
    if audited.model is Submission:
        kind, why, line = "state", "reason", "pk"
    if question.words:
        rows = rows.annotate(named=audited.title).filter(
            Q(named__icontains=question.words) | Q(**{f"{why}__icontains": question.words})
        )
    # Aliases, since a field of a history may have the name of an output column.
    return (  # type: ignore[no-any-return] # see rows
        rows.filter(question.condition(at, person, why))
        .annotate(
            shown_at=F(at),
            shown_who=F(f"{person}__username"),
            shown_audited=Value(number),
            shown_kind=Cast(F(kind), TextField()),
            shown_reason=Coalesce(Cast(F(why), TextField()), Value(""), output_field=TextField()),
        )
        .values("shown_at", "shown_who", "shown_audited", "shown_kind", "shown_reason")
        .annotate(
            shown_key=Min(text(F(key))),
            shown_title=Min(audited.title),
            shown_rows=Count("*"),
            shown_line=Min(F(line)),
        )
        .order_by("-shown_at")
        .values_list(*COLUMNS)[: PER_PAGE + 1]
    )


def audit(request: HttpRequest) -> HttpResponse:
    """Show the page. Users see the histories of models that they may view."""
    numbers = [number for number, audited in enumerate(AUDITED) if request.user.has_perm(audited.permission)]
    if not numbers:
        raise PermissionDenied
    question = AuditQuery.read(request.GET)
    found = find(question, numbers)
    query = request.GET.copy()
    if len(found) > PER_PAGE:
        query["before"] = found[PER_PAGE - 1].at.isoformat()
    context = {
        **admin.site.each_context(request),
        "title": "Kto co zdecydował",
        "question": question,
        "entries": show(found[:PER_PAGE]),
        "older": query.urlencode() if len(found) > PER_PAGE else "",
        "people": get_user_model().objects.filter(is_staff=True).order_by("username").values_list("pk", "username"),
    }
    return render(request, "admin/audit.html", context)


def show(entries: Sequence[AuditEntry]) -> list[dict[str, Any]]:
    """Return decisions in the words of the page. Two queries for each kind of rows that was changed one by one."""
    lines: dict[int, list[int]] = {}
    for entry in entries:
        if entry.kind == history.CHANGED and entry.rows == 1:
            lines.setdefault(entry.audited, []).append(entry.line)
    changes = {number: read_changes(AUDITED[number].model, numbers) for number, numbers in lines.items()}
    return [show_entry(entry, changes.get(entry.audited, {}).get(entry.line, ())) for entry in entries]


def show_entry(entry: AuditEntry, changes: Sequence[FieldChange]) -> dict[str, Any]:
    """Return a decision in the words of the page. changes: values before and after."""
    audited = AUDITED[entry.audited]
    title = entry.title.strip()
    return {
        "at": entry.at,
        "who": history.author(entry.who, entry.reason),
        "what": audited.label,
        "title": title if len(title) <= 120 else f"{title[:120]}…",
        "count": entry.rows,
        "kind": KINDS[entry.kind],
        "changes": changes,
        "reason": entry.reason,
        "url": page_url(audited.model._meta, "change", entry.key),
    }
