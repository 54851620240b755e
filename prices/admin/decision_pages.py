"""Pages of decisions: one price with the others of its depot that wait, and all that an author has sent about a depot.

The latter are claim, deletion, data and prices.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from catalog.admin.bulk import report_decision
from catalog.admin.desk import NextRowMixin, current_editor, desk_page, page_url, read_number, read_numbers, read_text
from catalog.admin.evidence import evidence_of, find_neighbours, live_map
from catalog.admin.submission_page import ProposalForm, describe_part, live_map_of, others, parts_of, same_contact
from catalog.admin.submission_queue import AUTHOR_ANSWERED, AWAITS_AUTHOR, SubmissionAdmin
from catalog.models import Decision, Depot, Submission
from catalog.services import Refusal
from catalog.services.editing import edit_version
from catalog.services.editors import is_chief
from catalog.submissions import field_groups
from catalog.submissions.decisions import PartDecision, SubmissionAlreadyDecided
from catalog.submissions.field_groups import values_of
from prices.medians import Range
from prices.models import LONGEST_REASON, DepotPrice
from prices.price_list_files import read_amount
from prices.snapshot import prices, read_ranges
from prices.submissions import PriceDecidedMeanwhile, decide_visit
from prices.validation import describe_outlier, deviation, find_doubts

CANNED_REASONS = (
    "Cena jest za inną ilość niż podana jednostka.",
    "To nie jest cena tego paliwa.",
    "Skład podaje na swojej stronie inną cenę.",
    "To cena promocyjna albo z dowozem, a publikujemy zwykłe ceny odbioru w składzie.",
    "Nie udało się potwierdzić tej ceny w żadnym źródle.",
)
"""Common reasons of a rejection; editors can change the text before sending it."""

MOST_EARLIER = 8
"""Published prices of the depot listed beside those that wait."""


def describe_rows(rows: Iterable[Any], ranges: Mapping[str, Range]) -> None:
    """Set `doubts`, what speaks against each price in Polish, and `comparison` with the median of Poland.

    Both are "" where there is none. No query if the snapshot is built.
    """
    today = timezone.localdate()
    for row in rows:
        figures = prices.get().figures(row.fuel, today)
        doubts = [*find_doubts(row.fuel, row.price, row.day, ranges, today), describe_outlier(row.price, figures)]
        if getattr(row, "awaits_author", False):
            doubts.append(AWAITS_AUTHOR)
        elif getattr(row, "author_answered", False):
            doubts.append(AUTHOR_ANSWERED)
        median = figures.country.median
        row.doubts = ", ".join(filter(None, doubts))
        row.comparison = "" if median is None else f"{deviation(row.price, median)}% od mediany"


class PricePageMixin(NextRowMixin):
    """Mixin: prices are decided on the page of one, with those of the same depot that wait."""

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_kwargs: Any) -> HttpResponse:
        """Show a price with the evidence, and process the decision."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = DepotPrice.objects.select_related("depot__municipality__voivodeship", "submission", "decided_by")
        price = rows.filter(pk=read_number(object_id)).first()
        if price is None:
            return cast("HttpResponse", self._get_obj_does_not_exist_redirect(request, self.opts, object_id))
        if request.method != "POST":
            return self._show_price(request, price)
        if not self.has_change_permission(request):
            raise PermissionDenied
        decision, _, goes_on = request.POST.get("decision", "").partition("_")
        if decision not in {"approve", "reject"}:
            raise BadRequest("unknown decision")
        chosen, pending = read_numbers(request, "price"), read_numbers(request, "pending")
        following = self.find_next(request, price.pk, besides=chosen) if goes_on else None
        try:
            decided = dict.fromkeys(sorted(pending & chosen), decision == "approve")
            approved = [key for key in decided if decided[key]]
            typed = {key: read_amount(read_text(request, f"value-{key}").strip()) for key in approved}
            count, recorded = decide_visit(
                parts=(),
                prices=decided,
                corrected={key: amount for key, amount in typed.items() if amount is not None},
                reason=read_text(request, "reason")[:LONGEST_REASON],
                by=current_editor(request),
                on=timezone.now(),
            )
        except (Refusal, ValidationError) as error:
            why = error.reason if isinstance(error, Refusal) else " ".join(error.messages)
            self.message_user(request, f"Nic nie zmieniono: {why}.", messages.WARNING)
            if isinstance(error, PriceDecidedMeanwhile):
                return HttpResponseRedirect(self.with_filters(request, request.path))
            return self._show_price(request, price)
        report_decision(self, request, count, recorded)
        if goes_on:
            return self.to_row(request, following)
        return HttpResponseRedirect(self.with_filters(request, page_url(self.opts, "changelist")))

    def _show_price(self, request: HttpRequest, price: DepotPrice) -> HttpResponse:
        """Render the page. Nine queries besides the price, the rights and its place in the list."""
        depot = price.depot
        is_pending = price.status == DepotPrice.Status.PENDING
        batch = list(self.get_queryset(request).pending().filter(depot=depot))
        batch.sort(key=lambda row: (row.pk != price.pk, -row.distance, row.pk))
        describe_rows(batch, read_ranges())
        # Reading a doubtful price is the point of this page; the others come along where nothing speaks against them.
        alone = any(row.doubts for row in batch if row.pk == price.pk)
        ticked = {row.pk for row in batch if row.pk == price.pk or not (alone or row.doubts)}
        if request.method == "POST":
            ticked = read_numbers(request, "price")
        for row in batch:
            row.is_ticked = row.pk in ticked
            row.typed = request.POST.get(f"value-{row.pk}", f"{row.price:f}".replace(".", ","))
        earlier = list(DepotPrice.objects.approved().filter(depot=depot).order_by("-day", "-pk")[:MOST_EARLIER])
        describe_rows(earlier, {})
        context = {
            **evidence_of(values_of(depot), depot),
            "title": f"Ceny: {depot.name}",
            "price": price,
            "original": price,
            "depot": depot,
            "rows": batch if is_pending else [],
            "others_wait": 0 if is_pending else len(batch),
            "earlier_prices": earlier,
            "live": live_map(depot.municipality, after=(depot.lat, depot.lon), others=find_neighbours(depot)),
            "decisions": Decision.objects.about(price).order_by("-pk") if not is_pending else [],
            **self.list_context(request, price.pk),
            "reasons": CANNED_REASONS,
            "reason": request.POST.get("reason", ""),
            "max_reason": LONGEST_REASON,
            "may_decide": is_pending and self.has_change_permission(request),
        }
        return desk_page(self, request, "prices/depotprice/price", context)


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
