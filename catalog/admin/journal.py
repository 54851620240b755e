"""The journal of decisions at the desk: who decided what, values before and after, undoing, counts by person."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from statistics import median
from typing import Any, ClassVar, cast

from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import BigIntegerField, Count, DateTimeField, Min, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from simple_history.utils import get_history_model_for_model

from catalog.admin import depot_form
from catalog.admin.desk import (
    CsvMixin,
    OptionsFilter,
    columns_of,
    current_editor,
    desk_page,
    desk_view,
    done_options,
    page_url,
    read_number,
    read_text,
)
from catalog.admin.registers_and_history import FieldChange, RegisterAdmin, in_words
from catalog.models import Decision, DecisionLine, Depot, max_length
from catalog.services import Refusal, journal
from catalog.services.editors import may_undo
from catalog.services.undoing import undoing_needs_reason
from catalog.submissions import letter_kinds
from fueldepot.data import history

MOST_SHOWN = 100
"""Rows on one page of a decision, and named in a message; of further ones only the count."""

MOST_COMPARED, MOST_CHANGES = 3, 5
"""The list shows the values before and after of decisions on at most so many rows, with so many changed values."""

DAYS_SHOWN, MOST_DAYS = 14, 366
"""Days of the counts: by default, and at most."""

EARLIEST = date(2000, 1, 1)

DAY = timedelta(days=1)

Kind = Decision.Kind


@admin.display(description="kto", ordering="decided_by__username")
def person(decision: Decision) -> str:
    if decision.decided_by_id is None:
        # Only owners undo a decision without an account.
        return history.BY_OWNER if decision.kind in {Kind.OWNER, Kind.UNDO} else "polecenie"
    return str(decision.decided_by)


def describe_lines(lines: Sequence[Any]) -> None:
    """Set in words what the row of each line is (`label`), its `name`, `url` ("" without a page) and `changes`.

    Three queries for each model.
    """
    names: dict[tuple[str, str], str] = {}
    for label in {line.model for line in lines}:
        model = apps.get_model(label)
        keys = [model._meta.pk.to_python(line.key) for line in lines if line.model == label]
        names |= {(label, str(key)): str(row) for key, row in model._default_manager.in_bulk(keys).items()}
    changes = read_changes([line for line in lines if line.last is not None])
    for line in lines:
        options, name = apps.get_model(line.model)._meta, names.get((line.model, line.key))
        has_page = name is not None and admin.site.is_registered(options.model)
        line.label, line.name = options.verbose_name, name or f"nr {line.key} (już nie istnieje)"
        line.url = page_url(options, "change", line.key) if has_page else ""
        line.changes = changes.get(line.pk, ())


def read_changes(lines: Sequence[DecisionLine]) -> dict[int, tuple[FieldChange, ...]]:
    """Return the fields that decisions changed, by id of the line. Two queries for each model."""
    changes: dict[int, tuple[FieldChange, ...]] = {}
    for label in dict.fromkeys(line.model for line in lines):
        changes |= _changes_of(apps.get_model(label), [line for line in lines if line.model == label])
    return changes


def _changes_of(model: type[Model], lines: Sequence[DecisionLine]) -> dict[int, tuple[FieldChange, ...]]:
    """Return the changed fields; none for an added or deleted row.

    Moments and users are left out: the page shows those of the decision.
    """
    historical = get_history_model_for_model(model)
    key = model._meta.pk.name
    earlier = historical._default_manager.filter(**{key: OuterRef(key)}, history_id__lt=OuterRef("history_id"))
    former = Subquery(earlier.order_by("-history_id").values("history_id")[:1])
    firsts = historical._default_manager.filter(history_id__in=[line.first for line in lines]).annotate(former=former)
    formers = dict(firsts.values_list("history_id", "former"))
    numbers = [line.last for line in lines] + [number for number in formers.values() if number]
    rows = {row["history_id"]: row for row in historical._default_manager.filter(history_id__in=numbers).values()}
    compare = depot_form.changes_of if model is Depot else partial(_compare, historical)
    return {
        line.pk: compare(rows[before], rows[line.last])
        for line in lines
        if (before := formers.get(line.first)) and line.last in rows and rows[line.last]["history_type"] != "-"
    }


def _compare(historical: type[Model], before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """Compare rows of any history by the labels and choices of its fields."""
    return tuple(
        FieldChange(str(field.verbose_name), *(in_words(field, row[field.attname]) for row in (before, after)))
        for field in historical._meta.concrete_fields
        if field.name not in history.OWN_FIELDS
        and not isinstance(field, DateTimeField)
        and field.related_model is not get_user_model()
        and before[field.attname] != after[field.attname]
    )


class UndoneFilter(OptionsFilter):
    parameter_name = "undone"
    options = done_options("undone_at", "obowiązuje", "cofnięta")


@admin.register(Decision)
class DecisionAdmin(CsvMixin, RegisterAdmin):
    """The journal, newest first. A decision is undone as a whole, never edited."""

    list_display = ("decided_at", person, "what", "municipality", "kind", "reason", "count", "state")
    list_display_links = ("what",)
    list_filter = (UndoneFilter, "kind", ("decided_by", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("decided_by", "undone_by")
    date_hierarchy = "decided_at"
    search_fields = ("title", "reason")
    search_help_text = "Słowo z opisu lub powodu albo #123: decyzje o składzie nr 123."
    ordering = ("-decided_at", "-pk")
    list_per_page = 100
    show_full_result_count = False
    csv_columns: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "numer": lambda row: row.pk,
        "kiedy": lambda row: f"{timezone.localtime(row.decided_at):%Y-%m-%d %H:%M}",
        "kto": person,
        **columns_of(Decision, "kind", "title", "reason"),
        "gmina": lambda row: row.town or "",
        "wiersze": lambda row: row.rows,
        "czekało dni": lambda row: "" if row.waiting_since is None else (row.decided_at - row.waiting_since).days,
        "cofnięto": lambda row: "" if row.undone_at is None else f"{timezone.localtime(row.undone_at):%Y-%m-%d %H:%M}",
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Decision]:
        lines = DecisionLine.objects.filter(decision=OuterRef("pk")).order_by().values("decision")
        counted = Subquery(lines.annotate(number=Count("pk")).values("number"))
        of_depot = DecisionLine.objects.filter(decision=OuterRef(OuterRef("pk")), model=Depot._meta.label_lower)
        only = of_depot.order_by().values("decision").annotate(number=Count("pk")).filter(number=1)
        depots = Depot.objects.filter(pk=Subquery(only.values(depot=Cast(Min("key"), BigIntegerField()))))
        town = Subquery(depots.values("municipality__name"))
        rows = super().get_queryset(request).annotate(rows=Coalesce(counted, 0), town=town)
        return cast("QuerySet[Decision]", rows)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return the list with the values before and after of decisions that changed little."""
        changelist: Any = super().get_changelist_instance(request)
        few = [row.pk for row in changelist.result_list if row.rows <= MOST_COMPARED]
        lines = list(DecisionLine.objects.filter(decision__in=few, last__isnull=False).order_by("pk"))
        changes, changes_of = read_changes(lines), defaultdict[int, list[FieldChange]](list)
        for line in lines:
            changes_of[line.decision_id].extend(changes.get(line.pk, ()))
        for row in changelist.result_list:
            few_changes = len(changes_of[row.pk]) <= MOST_CHANGES
            row.changes = changes_of[row.pk] if few_changes else ()
        return cast("ChangeList", changelist)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        if search_term.startswith("#"):
            return queryset.about(Depot(pk=read_number(search_term[1:]))), False
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description="co zdecydowano", ordering="title")
    def what(self, decision: Any) -> SafeString:
        line = '<br><span class="quiet">{}: <del>{}</del> → <ins>{}</ins></span>'
        return format_html("{}{}", decision.title, format_html_join("", line, decision.changes))

    @admin.display(description="gmina", ordering="town")
    def municipality(self, decision: Any) -> str:
        """Of the only depot: branches of a company have one name."""
        return decision.town or ""

    @admin.display(description="wiersze", ordering="rows")
    def count(self, decision: Any) -> int:
        return cast("int", decision.rows)

    @admin.display(description="stan", ordering="undone_at")
    def state(self, decision: Decision) -> str:
        by = f" ({decision.undone_by})" if decision.undone_by_id else ""
        return f"cofnięta{by}" if decision.undone_at else "obowiązuje"

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        decision: Any = self.get_object(request, object_id)
        if decision is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        undoable = may_undo(decision, current_editor(request))
        left = journal.find_changed_since(decision) if undoable else []
        page = Paginator(decision.lines.order_by("pk"), MOST_SHOWN).get_page(request.GET.get(PAGE_VAR))
        describe_lines(page)
        context = {
            "title": f"Decyzja nr {decision.pk}",
            "decision": decision,
            "who": person(decision),
            "page": page,
            "page_range": page.paginator.get_elided_page_range(page.number),
            "may_undo": undoable,
            "max_reason": max_length(Decision, "reason"),
            "needs_reason": undoable and undoing_needs_reason(journal.Undoing(decision, None, timezone.now())),
            "count_left": len(left),
            "left": name_rows(left),
        }
        return desk_page(self, request, "catalog/decision/page", context)

    @desk_view("<int:number>/cofnij/", "undo", methods=["POST"])
    def undo_view(self, request: HttpRequest, number: int) -> HttpResponse:
        decision = Decision.objects.filter(pk=number).first()
        if decision is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, str(number))
        if decision.undone_at is None and not may_undo(decision, current_editor(request)):
            raise PermissionDenied
        try:
            note = read_text(request, "note")
            undoing = journal.undo(decision=decision, by=current_editor(request), on=timezone.now(), note=note)
        except Refusal as refusal:
            self.message_user(request, f"{refusal.reason[:1].upper()}{refusal.reason[1:]}.", messages.WARNING)
        else:
            message, returned = "Cofnięto.", ""
            for model, count in undoing.changed.items():
                if count:
                    label = capfirst(model._meta.verbose_name_plural)
                    message += f" {'Wycofane ceny' if decision.kind == Kind.PRICE_LIST else label}: {count}."
            if undoing.reopened:
                message += f" Zgłoszenia, które znów czekają: {undoing.reopened}."
            owners = letter_kinds.returning_owners(undoing.keys(Depot), undoing.on)
            if count := len(undoing.letters) + len(owners):
                message += f" Listy o cofnięciu: {count}."
            depot = Depot.objects.filter(pk=decision.details.get("loser")).first()
            if depot and decision.kind == Kind.MERGE and undoing.changed[Depot]:
                url = page_url(Depot._meta, "change", depot.pk)
                returned = format_html(' Wrócił wpis <a href="{}">{}</a>.', url, depot)
            self.message_user(request, format_html("{}{}", message, returned))
            if undoing.left:
                changed = f"{len(undoing.left)}. {name_rows(undoing.left)}"
                text = f"Bez zmian, bo od tamtej decyzji ktoś je zmienił albo sprawdził: {changed}"
                self.message_user(request, text, messages.WARNING)
        return HttpResponseRedirect(page_url(self.opts, "change", decision.pk))

    @desk_view("dni/", "days", needs="view")
    def days_view(self, request: HttpRequest) -> HttpResponse:
        today = timezone.localdate()
        until = min(max(read_day(request.GET.get("until")) or today, EARLIEST), today)
        since = read_day(request.GET.get("since")) or until - timedelta(days=DAYS_SHOWN - 1)
        since = max(since, until - timedelta(days=MOST_DAYS - 1))
        context = {"title": "Decyzje według dni i osób", "since": since, "until": until}
        return desk_page(self, request, "decision_statistics", context | {"rows": count_decisions(since, until)})


def name_rows(rows: Sequence[Model]) -> str:
    return ", ".join(map(str, rows[:MOST_SHOWN]))


def count_decisions(since: date, until: date) -> list[dict[str, Any]]:
    """Return the decisions of each person by day, newest first, then by person; without owners' changes. One query.

    Of whatever size, without undoings. kinds: counts by their Polish name. last: the newest. undone: how many were
    undone since. waited_days: median time that submissions and prices had waited, None if nothing waited.
    """
    begin, end = (timezone.make_aware(datetime.combine(*when)) for when in ((since, time.min), (until, time.max)))
    rows = Decision.objects.filter(decided_at__gte=begin, decided_at__lte=end, decided_by__isnull=False)
    rows = rows.exclude(kind=Kind.UNDO).select_related("decided_by").defer("details").order_by("pk")
    days: defaultdict[tuple[date, str], list[Decision]] = defaultdict(list)
    for row in rows:
        days[timezone.localdate(row.decided_at), str(row.decided_by)].append(row)
    counts = []
    for (day, name), some in sorted(days.items(), key=lambda item: (-item[0][0].toordinal(), item[0][1])):
        waits = [(row.decided_at - row.waiting_since) / DAY for row in some if row.waiting_since]
        counts.append(
            {
                "day": day,
                "who": name,
                "count": len(some),
                "kinds": dict(Counter(row.get_kind_display() for row in some)),
                "last": max(row.decided_at for row in some),
                "waited_days": median(waits) if waits else None,
                "undone": sum(row.undone_at is not None for row in some),
            }
        )
    return counts


def read_day(text: str | None) -> date | None:
    """Return a day of a query string, None for anything else, such as the 31st of February."""
    try:
        return parse_date((text or "").replace("\0", ""))
    except ValueError:
        return None
