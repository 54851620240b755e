"""The page that decides all that one author has sent about one depot: claim, deletion, data and prices.

Admin of plausible ranges. A draft shows its effects and takes effect once approved.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from catalog.admin.bulk import report_decision
from catalog.admin.desk import KeptRowsMixin, current_editor, read_number, read_numbers, read_text
from catalog.admin.drafts import DraftedAdmin
from catalog.admin.evidence import evidence_of
from catalog.admin.registers import HistoryAdmin
from catalog.admin.submission_page import ProposalForm, describe_part, live_map_of, others, parts_of, same_contact
from catalog.admin.submission_queue import SubmissionAdmin
from catalog.depots import fuels
from catalog.models import Depot, Submission
from catalog.services import Refusal
from catalog.services.editing import edit_version
from catalog.services.editors import is_chief
from catalog.submissions import field_groups
from catalog.submissions.decisions import PartDecision, SubmissionAlreadyDecided
from catalog.text import short_zloty
from prices import medians, models, services, validation
from prices.medians import IMPLAUSIBLE, PriceStatistics, Range, Rejected
from prices.models import DepotPrice
from prices.snapshot import read_prices, read_ranges
from prices.submissions import decide_visit
from prices.validation import find_doubts

Kind = Submission.Kind

CHOICES = {"accept": "przyjmij", "reject": "odrzuć", "later": "zostaw na później"}


@admin.register(Submission)
class VisitAdmin(SubmissionAdmin):
    """The queue of submissions, whose page decides those of one author about one depot together."""

    def show(self, request: HttpRequest, found: Submission) -> HttpResponse:
        parts = parts_of(found)
        return super().show(request, found) if len(parts) == 1 else self._show_visit(request, found, parts, {})

    def decide(self, request: HttpRequest, found: Submission, decision: str) -> HttpResponse | None:
        if decision != "visit":
            return super().decide(request, found, decision)
        parts = parts_of(found)
        for part in parts:
            part.depot = found.depot
        prefetch_related_objects(parts, "prices")
        forms = {part.pk: ProposalForm(part, request.POST, f"-{part.pk}") for part in parts}
        choices = {part.pk: request.POST.get(f"choice-{part.pk}") for part in parts}
        on_page, accepted, pending = (read_numbers(request, name) for name in ("part", "price", "pending"))
        decided: list[PartDecision] = []
        prices: dict[int, bool] = {}
        for part in parts:
            accept = choices[part.pk] == "accept"
            if choices[part.pk] not in {"accept", "reject"} or part.pk not in on_page:
                continue
            if part.kind == Kind.PRICE:
                if not request.user.has_perm("prices.change_depotprice"):
                    raise PermissionDenied
                of_part = pending & {price.pk for price in part.prices.all()}
                prices |= {key: accept and key in accepted for key in of_part}
                continue
            form = forms[part.pk]
            if accept and not form.is_valid():
                self.message_user(request, "Nic nie zapisano: popraw wartości przy polach.", messages.ERROR)
                return self._show_visit(request, found, parts, forms)
            groups = request.POST.getlist(form.groups_name) if part.kind == Kind.CORRECT else None
            decided.append(PartDecision(part.pk, accept, groups, form.values() if accept else {}))
        try:
            if closed := on_page - forms.keys() if found.is_undecided else {found.pk}:
                raise SubmissionAlreadyDecided(min(closed))
            count, recorded = decide_visit(
                parts=decided,
                prices=prices,
                reason=read_text(request, "reason"),
                opened=read_number(request.POST.get("opened")),
                verify="verify" in request.POST and any(part.accept and part.groups for part in decided),
                keep_owners="keep_owners" in request.POST,
                by=current_editor(request),
                on=timezone.now(),
            )
        except SubmissionAlreadyDecided as refusal:
            return self.tell_decided(request, Submission.objects.filter(pk=refusal.args[0]).first() or found)
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zmieniono: {refusal.reason}.", messages.WARNING)
            found.refresh_from_db()
            return self._show_visit(request, found, parts_of(found), forms)
        report_decision(self, request, count, recorded)
        return None

    def _show_visit(
        self, request: HttpRequest, found: Submission, parts: list[Submission], forms: Mapping[int, ProposalForm]
    ) -> HttpResponse:
        """Render the page of a visit. forms: what a refused decision had posted, by submission."""
        depot = found.depot
        assert depot is not None  # noqa: S101 - see `parts_of`
        ranges, today = read_ranges(), timezone.localdate()
        chief = is_chief(current_editor(request))
        ticked = read_numbers(request, "price")
        prefetch_related_objects(parts, "questions__asked_by", "prices")
        described: list[dict[str, Any]] = []
        for part in parts:
            part.depot = depot
            visit = found.visit_id or found.pk
            row = describe_part(part, forms.get(part.pk) or ProposalForm(part, suffix=f"-{part.pk}"))
            may_accept = chief or not row["owners"] or row["owners_heard"]
            row |= {
                "is_first": part.pk == found.pk,
                "same_visit": part.pk != found.pk and visit in {part.pk, part.visit_id},
                "comparisons": () if described else row["comparisons"],  # of the author, once
                "fields": field_groups.labels(part.proposed),
                "choice": request.POST.get(f"choice-{part.pk}") or ("accept" if may_accept else "later"),
                "prices": [
                    {
                        "row": price,
                        "is_pending": price.status == DepotPrice.Status.PENDING,
                        "doubts": (doubts := ", ".join(find_doubts(price.fuel, price.price, price.day, ranges, today))),
                        "is_ticked": price.pk in ticked if request.method == "POST" else not doubts,
                    }
                    for price in part.prices.all()
                ],
            }
            described.append(row)
        keys = {part.pk for part in parts}
        context = evidence_of(field_groups.values_of(depot), depot) | {
            "title": f"Zgłoszenia do wpisu: {depot.name}",
            "submission": found,
            "first": found,
            "depot": depot,
            "parts": described,
            "choices": CHOICES.items(),
            "has_correction": any(part.kind == Kind.CORRECT for part in parts),
            "has_owners": any(row["owners"] for row in described),
            "live": live_map_of(next((part for part in parts if "lat" in part.proposed), found)),
            "others": [row for row in others(found) if row["row"].pk not in keys],
            "awaits_author": any(question.answered_at is None for question in found.questions.all()),
            "same_contact": same_contact(*parts),
            "removed": depot.publication == Depot.Publication.REMOVED,
            "opened": edit_version(depot),
        }
        return self.render(request, found, context, "visit")


def describe_range(fuel: str, wanted: Range, today: date) -> list[str]:
    """Return the numbers of prices that drop out and come back, and the changed medians. Two queries.

    The medians are those of the fuel and of every fuel that has it among its assortments.
    """
    prices = read_prices()
    ranges: Mapping[str, Range] = {**prices.ranges, fuel: wanted}
    effects: list[str] = []
    for other in fuels.FUELS:
        if fuel not in fuels.assortments(other.slug):
            continue
        columns = prices.columns.of_fuels(fuels.assortments(other.slug))
        before = medians.compute(columns, prices.ranges, today)
        after = medians.compute(columns, ranges, today)
        if other.slug == fuel:
            gone, back = implausible(after) - implausible(before), implausible(before) - implausible(after)
            effects.append(
                f"Ceny z ostatnich {medians.WINDOW_MONTHS} miesięcy: {before.considered}. "
                f"Wypadnie: {gone.total()}, wróci: {back.total()}."
            )
        effects.append(
            f"{other.name}: liczba cen w medianie kraju {before.country.n} → {after.country.n}, "
            f"mediana {amount(before)} → {amount(after)}."
        )
    return effects


def implausible(figures: PriceStatistics) -> Counter[Rejected]:
    return Counter(row for row in figures.rejected if row.reason == IMPLAUSIBLE)


def amount(figures: PriceStatistics) -> str:
    """Return the country's median as text, "brak" without one."""
    median = figures.country.median
    return "brak" if median is None else short_zloty(medians.rounded(median))


class RangeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    class Meta:
        model = models.PlausibleRange
        fields = ("low", "high")
        localized_fields = "__all__"

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        low, high = data.get("low"), data.get("high")
        if low is not None and high is not None and not 0 < low <= high < validation.PRICE_LIMIT:
            self.add_error("high", "Przedział musi być dodatni, a jego początek nie większy od końca.")
        return data


@admin.register(models.PlausibleRange)
class PlausibleRangeAdmin(KeptRowsMixin, DraftedAdmin, HistoryAdmin):
    """Ranges change by drafts. Each fuel has at most one range; ranges cannot be deleted."""

    list_display = ("fuel", "low", "high")
    ordering = ("fuel",)
    form = RangeForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request)) and bool(find_fuels_without_range())

    def get_fields(self, request: HttpRequest, obj: models.PlausibleRange | None = None) -> list[str]:
        return ["fuel", "low", "high"] if obj is None else ["low", "high"]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the fuels without a range."""
        missing = [(fuel.slug, fuel.name) for fuel in find_fuels_without_range()]
        return super().formfield_for_choice_field(db_field, request, **kwargs, choices=missing)

    def describe_draft(self, before: Any, after: Any, cleaned: Any) -> list[str]:
        return describe_range(after.pk, Range(after.low, after.high), timezone.localdate())

    def write_draft(self, request: HttpRequest, obj: models.PlausibleRange, form: Any, change: bool) -> None:
        super().write_draft(request, obj, form, change)
        services.record_prices(timezone.localdate())


def find_fuels_without_range() -> list[fuels.Fuel]:
    """Return the fuels without a plausible range. One query."""
    with_range = set(models.PlausibleRange.objects.values_list("fuel", flat=True))
    return [fuel for fuel in fuels.FUELS if fuel.slug not in with_range]
