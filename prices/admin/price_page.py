"""The page on which a price is decided, together with the others of its depot that wait."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from catalog.admin.bulk import report_decision
from catalog.admin.desk import NextRowMixin, current_editor, desk_page, page_url, read_number, read_numbers, read_text
from catalog.admin.evidence import evidence_of, find_neighbours, live_map
from catalog.admin.submission_queue import AUTHOR_ANSWERED, AWAITS_AUTHOR
from catalog.models import Decision
from catalog.services import Refusal
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
