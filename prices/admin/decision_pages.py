"""Pages of decisions: a price with the others of its depot that wait; claim, deletion, data and prices of an author."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from catalog.admin.bulk import report_decision
from catalog.admin.desk import NextRowMixin, current_editor, desk_page, page_url, read_number, read_numbers, read_text
from catalog.admin.evidence import evidence_of, find_neighbours, live_map
from catalog.admin.submission_page import ProposalForm, page_context, part_context, undecided_together
from catalog.admin.submission_queue import AUTHOR_ANSWERED, AWAITS_AUTHOR, SubmissionAdmin
from catalog.models import Decision, Submission
from catalog.services import Refusal
from catalog.services.editors import is_chief
from catalog.submissions import field_groups, questions
from catalog.submissions.decisions import MAX_REASON, PartDecision, SubmissionAlreadyDecided, SubmissionIsErased
from catalog.submissions.field_groups import values_of
from prices.medians import Range
from prices.models import LONGEST_REASON, DepotPrice
from prices.price_list_cells import read_amount
from prices.snapshot import prices, read_ranges
from prices.submissions import PriceDecidedMeanwhile, decide_visit
from prices.validation import describe_outlier, deviation, find_doubts

MOST_EARLIER = 8
"""Published prices of the depot listed beside those that wait."""


def describe_prices(rows: Iterable[Any], ranges: Mapping[str, Range]) -> None:
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
            typed = {key: read_amount(read_text(request, f"value-{key}").strip()) for key in decided if decided[key]}
            if DepotPrice.objects.filter(pk__in=decided).exclude(depot=price.depot_id).exists():
                raise PriceDecidedMeanwhile  # merged since, or forged
            count, recorded = decide_visit(
                parts=(),
                prices=decided,
                corrected=typed,
                reason=read_text(request, "reason"),
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
        return self.leave(request, following, goes_on=bool(goes_on))

    def _show_price(self, request: HttpRequest, price: DepotPrice) -> HttpResponse:
        """Render the page. Nine queries besides the price, the rights and its place in the list."""
        depot = price.depot
        is_pending = price.status == DepotPrice.Status.PENDING
        batch = list(self.get_queryset(request).pending().filter(depot=depot))
        batch.sort(key=lambda row: (row.pk != price.pk, -row.distance, row.pk))
        describe_prices(batch, read_ranges())
        # Reading a doubtful price is the point of this page; the others come along where nothing speaks against them.
        alone = any(row.doubts for row in batch if row.pk == price.pk)
        ticked = {row.pk for row in batch if row.pk == price.pk or not (alone or row.doubts)}
        if request.method == "POST":
            ticked = read_numbers(request, "price")
        for row in batch:
            row.is_ticked = row.pk in ticked
            row.typed = request.POST.get(f"value-{row.pk}", f"{row.price:f}".replace(".", ","))
        earlier = list(DepotPrice.objects.approved().filter(depot=depot).order_by("-day", "-pk")[:MOST_EARLIER])
        describe_prices(earlier, {})
        context = {
            **evidence_of(values_of(depot), depot),
            "title": f"Ceny: {depot.name}",
            "price": price,
            "depot": depot,
            "rows": batch if is_pending else [],
            "others_wait": 0 if is_pending else len(batch),
            "earlier_prices": earlier,
            "live": live_map(depot.municipality, after=(depot.lat, depot.lon), others=find_neighbours(depot)),
            "decisions": Decision.objects.about(price).order_by("-pk") if not is_pending else [],
            **self.list_context(request, price.pk),
            "max_reason": LONGEST_REASON,
            "may_decide": is_pending and self.has_change_permission(request),
        }
        return desk_page(self, request, "prices/depotprice/price", context)


Kind = Submission.Kind
State = Submission.State

CHOICES = {"accept": "przyjmij", "reject": "odrzuć", "later": "zostaw na później"}


@admin.register(Submission)
class SubmissionPageAdmin(SubmissionAdmin):
    """The queue of submissions, whose page decides one, or those of one author about one depot together: a visit."""

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = Submission.objects.select_related("depot__municipality__voivodeship", "decided_by")
        submission = rows.prefetch_related("questions__asked_by").filter(pk=read_number(object_id)).first()
        if submission is None:
            self.message_user(request, "Nie ma takiego zgłoszenia.", messages.WARNING)
            return HttpResponseRedirect(page_url(self.opts, "changelist"))
        if request.method != "POST":
            parts = undecided_together(submission)
            return self._show(request, submission, parts, is_visit=len(parts) > 1)
        if not self.has_change_permission(request):
            raise PermissionDenied
        decision, _, goes_on = request.POST.get("decision", "").partition("_")
        parts = undecided_together(submission) if decision == "visit" else [submission]
        # Find the next row first: a decision may take this one off the list.
        following = self.find_next(request, submission.pk, besides=[part.pk for part in parts]) if goes_on else None
        if decision == "ask":
            self._ask(request, submission)
            return self.to_row(request, following if goes_on else submission.pk)
        try:
            refused = self._decide(request, submission, parts, decision)
        except (SubmissionIsErased, Submission.DoesNotExist) as gone:
            refused = None
            number = gone.args[0] if isinstance(gone, SubmissionIsErased) else submission.pk
            text = f"Nic nie zmieniono. Zgłoszenie nr {number}: {SubmissionIsErased.reason}."
            self.message_user(request, text, messages.WARNING)
        return refused or self.leave(request, following, goes_on=bool(goes_on))

    def _decide(
        self, request: HttpRequest, submission: Submission, parts: list[Submission], decision: str
    ) -> HttpResponse | None:
        """Accept or reject. Returns the answer to a decision that was refused, None to one that was carried out."""
        is_visit = decision == "visit" and submission.depot_id is not None
        if is_visit:
            prefetch_related_objects(parts, "prices")
            choices = {key: request.POST.get(f"choice-{key}") for key in read_numbers(request, "part")}
            is_closed = not submission.is_undecided
        elif decision in {"accept", "reject"}:
            choices, is_closed = {submission.pk: decision}, submission.state != State.WAITING
        else:
            raise BadRequest("unknown decision")
        forms = {part.pk: ProposalForm(part, request.POST, f"-{part.pk}" if is_visit else "") for part in parts}
        if closed := {submission.pk} if is_closed else choices.keys() - forms.keys():
            return self._tell_decided(request, min(closed))
        ticked, pending = read_numbers(request, "price"), read_numbers(request, "pending")
        decided: list[PartDecision] = []
        of_prices: dict[int, bool] = {}
        for part in parts:
            choice, form = choices.get(part.pk), forms[part.pk]
            accept = choice == "accept"
            if choice not in {"accept", "reject"}:
                continue
            if part.kind == Kind.PRICE:
                if not request.user.has_perm("prices.change_depotprice"):
                    raise PermissionDenied
                of_part = pending & {price.pk for price in part.prices.all()}
                of_prices |= {key: accept and key in ticked for key in of_part}
            elif accept and not form.is_valid():
                self.message_user(request, "Nic nie zapisano: popraw wartości przy polach.", messages.ERROR)
                return self._show(request, submission, parts, forms, is_visit=is_visit)
            else:
                groups = form.ticked if form.may_choose else None
                decided.append(PartDecision(part.pk, accept, groups, form.values() if accept else {}))
        try:
            count, recorded = decide_visit(
                parts=decided,
                prices=of_prices,
                reason=read_text(request, "reason"),
                opened=None if decision == "reject" else read_number(request.POST.get("opened")),
                verify="verify" in request.POST,
                keep_owners="keep_owners" in request.POST,
                by=current_editor(request),
                on=timezone.now(),
            )
        except SubmissionAlreadyDecided as refusal:
            return self._tell_decided(request, refusal.args[0])
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zmieniono: {refusal.reason}.", messages.WARNING)
            submission.refresh_from_db()
            parts = undecided_together(submission) if is_visit else [submission]
            return self._show(request, submission, parts, forms, is_visit=is_visit)
        report_decision(self, request, count, recorded)
        return None

    def _tell_decided(self, request: HttpRequest, number: int) -> HttpResponse:
        """Say who has decided a submission meanwhile, and show the page again. Raises SubmissionIsErased."""
        row = Submission.objects.filter(pk=number).first()
        if row is None:
            raise SubmissionIsErased(number)
        by = f" ({row.decided_by})" if row.decided_by else ""
        text = f"O zgłoszeniu nr {row.pk} zdecydował już ktoś inny{by}: {row.get_state_display()}."
        self.message_user(request, f"{text} Twoja decyzja nic nie zmieniła.", messages.WARNING)
        return HttpResponseRedirect(self.with_filters(request, request.path))

    def _ask(self, request: HttpRequest, submission: Submission) -> None:
        editor, text = current_editor(request), read_text(request, "question")
        try:
            questions.ask_author(submission=submission, text=text, by=editor, on=timezone.now())
        except Refusal as refusal:
            self.message_user(request, f"Nie wysłano: {refusal.reason}.", messages.ERROR)
        else:
            sent = f"Pytanie wychodzi listem. Zgłoszenie nr {submission.pk} czeka na odpowiedź autora."
            self.message_user(request, sent)

    def _show(
        self,
        request: HttpRequest,
        submission: Submission,
        parts: list[Submission],
        forms: Mapping[int, ProposalForm] = MappingProxyType({}),
        *,
        is_visit: bool,
    ) -> HttpResponse:
        """Render the page. forms: what a refused decision had posted, by submission; the template repeats the rest."""
        context = page_context(submission, parts)
        if is_visit:
            context |= self._describe_visit(request, submission, parts, forms)
        else:
            context |= part_context(submission, forms.get(submission.pk) or ProposalForm(submission))
            context["title"] = f"Zgłoszenie nr {submission.pk}: {submission.get_kind_display()}"
        may_change = self.has_change_permission(request)
        # A visit is decided from each of its parts, also from its prices, which are never in the state WAITING.
        decidable = submission.is_undecided if is_visit else submission.state == State.WAITING
        context |= {
            **self.list_context(request, submission.pk),
            "max_reason": LONGEST_REASON if any(part.kind == Kind.PRICE for part in parts) else MAX_REASON,
            "may_decide": decidable and may_change,
            "may_ask": submission.is_undecided and submission.erased_at is None and may_change,
            "awaits_author": any(question.answered_at is None for question in submission.questions.all()),
            "max_question": questions.MAX_QUESTION,
            "decisions": [] if submission.is_undecided else Decision.objects.about(submission).order_by("-pk"),
        }
        return desk_page(self, request, f"catalog/submission/{'visit' if is_visit else 'decide'}", context)

    def _describe_visit(
        self, request: HttpRequest, submission: Submission, parts: list[Submission], forms: Mapping[int, ProposalForm]
    ) -> dict[str, Any]:
        ranges, today, ticked = read_ranges(), timezone.localdate(), read_numbers(request, "price")
        chief = is_chief(current_editor(request))
        prefetch_related_objects(parts, "questions__asked_by", "prices")
        rows: list[dict[str, Any]] = []
        for part in parts:
            row = part_context(part, forms.get(part.pk) or ProposalForm(part, suffix=f"-{part.pk}"))
            may_accept = chief or not row["owners"] or row["owners_heard"]
            own_prices: Iterable[Any] = part.prices.all()
            for price in own_prices:
                price.doubts = ", ".join(find_doubts(price.fuel, price.price, price.day, ranges, today))
                price.is_ticked = price.pk in ticked if request.method == "POST" else not price.doubts
            rows.append(
                {
                    **row,
                    "comparisons": () if rows else row["comparisons"],  # of the author, once
                    "same_visit": part.pk != submission.pk and part.visit_number == submission.visit_number,
                    "fields": field_groups.labels(part.proposed),
                    "choice": request.POST.get(f"choice-{part.pk}") or ("accept" if may_accept else "later"),
                }
            )
        return {
            "title": f"Zgłoszenia do wpisu: {parts[0].depot.name}",  # type: ignore[union-attr] # see `undecided_together`
            "first": submission,
            "parts": rows,
            "choices": CHOICES.items(),
            "has_correction": any(part.kind == Kind.CORRECT for part in parts),
            "has_owners": any(row["has_owners"] for row in rows),
        }
