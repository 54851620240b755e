"""Who decided what: one page over the histories of depots, requests, prices and the legal state."""

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, NamedTuple

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import Case, F, Func, Model, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.expressions import Expression
from django.db.models.functions import Cast, Coalesce, Concat, Replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from catalog import fuels
from catalog.models import Depot, DepotRequest, Voivodeship
from prices.models import DepotPrice, PlausibleRange
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution

PER_PAGE = 100

KINDS = {"+": "dodano", "~": "zmieniono", "-": "skasowano"}


@dataclass(frozen=True, slots=True)
class Audited:
    """A history to read. title: what a row is called, as text of the database."""

    model: type[Model]
    title: Expression

    @property
    def label(self) -> str:
        return str(self.model._meta.verbose_name)

    @property
    def permission(self) -> str:
        return f"{self.model._meta.app_label}.view_{self.model._meta.model_name}"


class Entry(NamedTuple):
    """One decision. audited: index in `AUDITED`. kind: "+", "~", "-", or the state of a request."""

    at: datetime
    who: str | None
    audited: int
    key: str
    title: str
    kind: str
    reason: str


KIND = Case(*(When(kind=kind, then=Value(label)) for kind, label in DepotRequest.Kind.choices))
"""The kind of a request in words."""

COLUMNS = ("shown_at", "shown_who", "shown_audited", "shown_key", "shown_title", "shown_kind", "shown_reason")
"""What the database calls the fields of `Entry`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A decision as the page shows it."""

    at: datetime
    who: str
    what: str
    title: str
    kind: str
    reason: str
    url: str


def text(*parts: Any) -> Expression:
    """Columns and words as one text."""
    return Concat(*(Cast(part, TextField()) for part in parts), Value(""), output_field=TextField())


def day(field: str) -> Expression:
    """A day as the desk writes it."""
    return Func(F(field), Value("DD.MM.YYYY"), function="to_char", output_field=TextField())


def zloty(field: str) -> Expression:
    """An amount with a decimal comma."""
    return Replace(Cast(F(field), TextField()), Value("."), Value(","))


FUEL = Case(*(When(fuel=slug, then=Value(name)) for slug, name in fuels.CHOICES), default=F("fuel"))
"""The name of a fuel."""

VOIVODESHIP = Subquery(Voivodeship.objects.filter(pk=OuterRef("voivodeship_id")).values("name"))

AUDITED = (
    Audited(Depot, text(F("name"))),
    Audited(DepotRequest, text(KIND, Value(" nr "), F("pk"))),
    Audited(DepotPrice, text(FUEL, Value(" "), zloty("price"), Value(" zł, skład nr "), F("depot_id"))),
    Audited(PlausibleRange, text(FUEL, Value(": "), zloty("low"), Value("–"), zloty("high"), Value(" zł"))),
    Audited(LegalState, text(VOIVODESHIP)),
    Audited(Resolution, text(F("number"), Value(" "), F("title"))),
    Audited(Amendment, text(F("number"), Value(" "), F("changes"))),
    Audited(Deadline, text(day("date"), Value(" "), F("applies_to"))),
    Audited(FuelBan, text(F("fuel"))),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the page. since, until: days, both inside. before: for the next page. imports: those too."""

    who: int | None
    since: date | None
    until: date | None
    before: datetime | None
    imports: bool

    @classmethod
    def read(cls, given: Any) -> "Question":
        """From a query string; what cannot be read is left out."""
        who = given.get("who", "")
        before = _read(parse_datetime, given.get("before", ""))
        return cls(
            who=int(who) if who.isascii() and who.isdigit() and len(who) < 10 else None,
            since=_read(parse_date, given.get("since", "")),
            until=_read(parse_date, given.get("until", "")),
            before=before if before is None or timezone.is_aware(before) else None,
            imports=given.get("imports") == "on",
        )

    def condition(self, moment: str, person: str) -> Q:
        """The same for one history. moment, person: names of its columns."""
        found = Q()
        if self.who is not None:
            found &= Q(**{person: self.who})
        elif not self.imports:
            found &= Q(**{f"{person}__isnull": False})
        if self.since:
            found &= Q(**{f"{moment}__gte": timezone.make_aware(datetime.combine(self.since, time.min))})
        if self.until:
            found &= Q(**{f"{moment}__lte": timezone.make_aware(datetime.combine(self.until, time.max))})
        if self.before:
            found &= Q(**{f"{moment}__lt": self.before})
        return found


def _read(parse: Any, given: str) -> Any:
    """A parsed date or moment, None for anything else, such as the 31st of February."""
    try:
        return parse(given.replace("\0", ""))
    except ValueError:
        return None


def find(question: Question, numbers: list[int]) -> list[Entry]:
    """The newest decisions, one more than a page holds where there are more. One query; an index cuts each history.

    numbers: of histories, at least one.
    """
    parts = [part(number, question) for number in numbers]
    rows = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    return [Entry(*row) for row in rows.order_by("-shown_at", "shown_audited", "-shown_key")[: PER_PAGE + 1]]


def part(number: int, question: Question) -> QuerySet[Any, Any]:
    """The newest decisions of one history."""
    audited = AUDITED[number]
    key = audited.model._meta.pk.name
    if audited.model is DepotRequest:
        rows: Any = DepotRequest.objects.filter(state__in=["accepted", "rejected"])
        at, person, kind, why = "decided_at", "decided_by", "state", "reason"
    else:
        rows = audited.model.history.all()  # type: ignore[attr-defined] # every other one has a history
        at, person, kind, why = "history_date", "history_user", "history_type", "history_change_reason"
    # Names of their own, because a field of one history may be called like a column of the answer.
    return (  # type: ignore[no-any-return] # see rows
        rows.filter(question.condition(at, person))
        .annotate(
            shown_at=F(at),
            shown_who=F(f"{person}__username"),
            shown_audited=Value(number),
            shown_key=text(F(key)),
            shown_title=audited.title,
            shown_kind=Cast(F(kind), TextField()),
            shown_reason=Coalesce(Cast(F(why), TextField()), Value(""), output_field=TextField()),
        )
        .order_by(f"-{at}")
        .values_list(*COLUMNS)[: PER_PAGE + 1]
    )


def audit(request: HttpRequest) -> HttpResponse:
    """The page. Each history is shown to whom may see its rows."""
    numbers = [number for number, audited in enumerate(AUDITED) if request.user.has_perm(audited.permission)]
    if not numbers:
        raise PermissionDenied
    question = Question.read(request.GET)
    found = find(question, numbers)
    query = request.GET.copy()
    if len(found) > PER_PAGE:
        query["before"] = found[PER_PAGE - 1].at.isoformat()
    context = {
        **admin.site.each_context(request),
        "title": "Kto co zdecydował",
        "question": question,
        "entries": [show(entry) for entry in found[:PER_PAGE]],
        "older": query.urlencode() if len(found) > PER_PAGE else "",
        "people": get_user_model().objects.filter(is_staff=True).order_by("username").values_list("pk", "username"),
    }
    return render(request, "admin/audit.html", context)


def show(entry: Entry) -> Shown:
    """A decision in words."""
    audited = AUDITED[entry.audited]
    states = dict(DepotRequest.State.choices)
    title = entry.title.strip()
    return Shown(
        at=entry.at,
        who=entry.who or "import",
        what=audited.label,
        title=title if len(title) <= 120 else f"{title[:120]}…",
        kind=KINDS.get(entry.kind) or str(states.get(entry.kind, entry.kind)),
        reason=entry.reason,
        url=reverse(f"admin:{audited.model._meta.app_label}_{audited.model._meta.model_name}_change", args=[entry.key]),
    )
