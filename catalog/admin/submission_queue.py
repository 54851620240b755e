"""The queue of submissions at the editors' desk."""

from collections import Counter
from collections.abc import Collection
from operator import methodcaller
from typing import Any

from django.contrib import admin, messages
from django.db.models import OuterRef, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.lookups import Exact
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html

from catalog.admin import depot_list
from catalog.admin.bulk import bulk_action, each, report_decision
from catalog.admin.desk import (
    CsvMixin,
    FixedRowsAdmin,
    NextRowMixin,
    OptionsFilter,
    PendingByDefaultFilter,
    ReasonForm,
    current_editor,
    days_since,
    read_number,
    read_text,
)
from catalog.admin.registers_and_history import UnitFilter
from catalog.models import Depot, Municipality, Submission
from catalog.services.journal import Outcome
from catalog.submissions import decisions, field_groups, questions

AWAITS_AUTHOR = "czeka na odpowiedź autora"
AUTHOR_ANSWERED = "autor odpowiedział"
ENTRY_REMOVED = "wpis usunięty"


@admin.display(description="stan", ordering="state")
def standing(row: Any) -> str:
    """Return the state of a submission of `with_questions`, with its open or answered question.

    Of an undecided one also that its entry is gone: an import does not close it, since the source may bring it back.
    """
    state = AWAITS_AUTHOR if row.awaits_author else row.get_state_display()
    is_removed = row.is_undecided and row.depot and row.depot.publication == Depot.Publication.REMOVED
    signs = {ENTRY_REMOVED: is_removed, AUTHOR_ANSWERED: row.author_answered}
    return "; ".join([state, *(sign for sign, applies in signs.items() if applies)])


@admin.display(description="skład")
def entry(row: Submission, erased: str = "(usunięte)") -> str:
    """Name of the depot of a submission, or of the proposed one. erased: text instead of an erased name."""
    return row.depot.name if row.depot else row.proposed.get("name", erased)


Kind = Submission.Kind
State = Submission.State


class StateFilter(PendingByDefaultFilter):
    waiting = State.WAITING


class LetterFilter(OptionsFilter):
    title = "list o decyzji"
    parameter_name = "letter"
    options = {"owed": ("nie wyszedł", lambda rows: rows.left_behind(timezone.now()))}


class QuestionFilter(OptionsFilter):
    title = "pytanie do autora"
    parameter_name = "question"
    options = {
        "open": (AWAITS_AUTHOR, methodcaller("filter", awaits_author=True)),
        "answered": (AUTHOR_ANSWERED, methodcaller("filter", author_answered=True)),
        "none": ("bez otwartego pytania", methodcaller("filter", awaits_author=False)),
    }


class SubmissionVoivodeshipFilter(UnitFilter):
    def within(self, code: str) -> Q:
        return Q(Exact(Submission.VOIVODESHIP, code))


def why_not_decided(submission: Submission) -> str:
    """Why a submission cannot be decided, in Polish; "" if it can."""
    return "" if submission.state == State.WAITING else submission.get_state_display()


def why_not_accepted_in_bulk(submission: Submission) -> str:
    """Why a submission cannot be accepted in bulk, in Polish; "" if it can. Does not check the proposed values."""
    if submission.kind in decisions.ONE_BY_ONE:
        return why_not_decided(submission) or decisions.DecidedOneByOne.reason
    if submission.depot is not None and submission.depot.publication == Depot.Publication.REMOVED:
        return why_not_decided(submission) or decisions.DepotOfSubmissionIsRemoved.reason
    return why_not_decided(submission) or (AWAITS_AUTHOR if getattr(submission, "awaits_author", False) else "")


def kinds(rows: Collection[Submission]) -> dict[str, int]:
    return Counter(row.get_kind_display() for row in rows)


def named(row: Submission) -> str:
    return f"nr {row.pk}, {row.get_kind_display()}: {entry(row)}"


class SubmissionAdmin(CsvMixin, NextRowMixin, FixedRowsAdmin):
    """The queue, longest waiting first. Submissions are decided here, never edited, added or deleted.

    `prices.admin.decision_pages` registers it, with the page that decides one, or all of a visit.
    """

    list_display = ("number", "kind", entry, "municipality", "asked", "sender", "waits_since", standing)
    list_display_links = ("number", entry)
    list_filter = (StateFilter, "kind", QuestionFilter, LetterFilter, SubmissionVoivodeshipFilter)
    list_select_related = ("depot__municipality",)
    list_per_page = 200
    search_fields = ("email",)  # that there is a search; `get_search_results` looks at more
    search_help_text = f"numer, e-mail; {depot_list.HELP}"
    csv_columns = {
        "numer": lambda row: row.pk,
        "rodzaj": lambda row: row.get_kind_display(),
        "stan": standing,
        "skład": lambda row: entry(row, ""),
        "numer składu": lambda row: row.depot_id or "",
        "gmina": lambda row: row.depot.municipality.name if row.depot else "",
        "pola": lambda row: field_groups.labels(row.proposed),
        "zgłoszono": lambda row: timezone.localtime(row.created_at).date(),
        "potwierdzono": lambda row: timezone.localtime(row.confirmed_at).date() if row.confirmed_at else "",
        "zamknięto": lambda row: timezone.localtime(row.decided_at).date() if row.decided_at else "",
        "powód": lambda row: row.reason,
    }
    show_full_result_count = False
    actions = ("accept", "reject")
    action_form = ReasonForm
    change_list_template = "admin/catalog/submission/list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        rows = Submission.objects.annotate(code=KT("proposed__municipality")).oldest_waiting_first()
        proposed = Municipality.objects.filter(pk=OuterRef("code")).values("name")
        return questions.with_questions(rows.annotate(proposed_municipality=proposed))

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        typed = search_term.strip()
        own = Q(email__icontains=typed) | Q(pk=read_number(typed.removeprefix("#"))) if typed else Q()
        proposed = Q(proposed__name__icontains=typed) if typed else Q()
        return depot_list.search_depots(queryset, typed, "depot__", besides=own | proposed), False

    @admin.display(description="nr", ordering="pk")
    def number(self, row: Submission) -> str:
        return f"nr {row.pk}"

    @admin.display(description="gmina")
    def municipality(self, row: Any) -> str:
        return row.depot.municipality.name if row.depot else row.proposed_municipality or ""

    @admin.display(description="co")
    def asked(self, row: Submission) -> str:
        return field_groups.labels(row.proposed) if row.kind == Kind.CORRECT else row.get_claimant_role_display()

    @admin.display(description="e-mail", ordering="email")
    def sender(self, row: Submission) -> str | None:
        """The address, which breaks before its domain where it does not fit on one line."""
        name, _, domain = row.email.rpartition("@")
        return format_html("{}<wbr>@{}", name, domain) if name else None

    @admin.display(description="czeka od", ordering="confirmed_at")
    def waits_since(self, row: Submission) -> str:
        return "–" if row.confirmed_at is None else days_since(row.confirmed_at)

    @bulk_action(
        description="Przyjmij w całości", obstacles=each(why_not_accepted_in_bulk), attached=kinds, named=named
    )
    def accept(self, request: HttpRequest, keys: list[int]) -> None:
        editor, now = current_editor(request), timezone.now()
        self._report(request, decisions.decide_possible(submissions=keys, by=editor, on=now))

    @bulk_action(
        description="Odrzuć (podaj powód)",
        obstacles=each(why_not_decided),
        attached=kinds,
        named=named,
        reason_length=decisions.MAX_REASON,
    )
    def reject(self, request: HttpRequest, keys: list[int]) -> None:
        editor, now, reason = current_editor(request), timezone.now(), read_text(request, "reason")
        self._report(request, decisions.decide_possible(submissions=keys, rejection=reason, by=editor, on=now))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {"title": "Zgłoszenia właścicieli i czytelników", **(extra_context or {})}
        unnotified = Submission.objects.left_behind(timezone.now()).count()
        return super().changelist_view(request, context | {"unnotified": unnotified})

    def _report(self, request: HttpRequest, decided: Outcome[Submission]) -> None:
        report_decision(self, request, len(decided.changed), decided.decision)
        if decided.unchanged:
            named = "; ".join(f"nr {row.pk}: {reason}" for row, reason in decided.unchanged)
            self.message_user(request, f"Bez zmian: {named}", messages.WARNING)
