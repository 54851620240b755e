"""Views of the forms, of the status and of the confirmation of a submission. GET never writes."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import wraps
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.models import Depot, Municipality, Submission
from catalog.services.moderation import DepotIsRemoved
from catalog.submissions import intake
from catalog.submissions.intake import SubmissionPart
from catalog.submissions.limits import TooManyRequests
from catalog.submissions.notifications import PriceOutcome, record_price_outcomes
from catalog.submissions.tokens import LINK_LIFE, InvalidToken, LinkExpired, read_status_reference
from fueldepot.http.private import private
from pages.dates import until
from pages.depots import removed_page
from pages.forms.claim import ClaimForm, DeleteForm
from pages.forms.depot import AddForm, CorrectForm
from pages.forms.pages import confirmation_page, form_page, problem_page, status_page, status_path
from pages.forms.price import PriceFields, PriceForm
from pages.forms.price_json import describe_price, price_to_json, prices_from_json
from pages.forms.public_form import PublicForm
from pages.forms.texts import KINDS
from pages.rendering import as_html
from pages.rendering import render_page as show_page
from prices import services as price_actions
from prices.models import DepotPrice
from prices.validation import InvalidPrice

Kind = Submission.Kind

View = Callable[..., HttpResponse]

NOTHING_CHANGED = (
    "Niczego nie zmieniono: wpis mówi już dokładnie to, co w formularzu. Nie wysłaliśmy żadnego zgłoszenia, bo sama "
    "wiadomość nie wystarczy. Jeśli wiesz tylko, że coś się nie zgadza, na przykład telefon albo godziny, wyczyść te "
    "pola i napisz w wiadomości, co jest nie tak. Zrób tak również wtedy, gdy skład już nie działa."
)
TOO_MANY = (
    "Przyszło już zbyt wiele zgłoszeń: z Twojej sieci, z tego adresu e-mail albo w sprawie tego wpisu. Spróbuj {when}. "
    "Niczego nie zapisaliśmy."
)
TOO_SOON = (
    "Odnośnik można wysłać jeszcze raz {when}. Do tego czasu sprawdź, czy wiadomość nie trafiła do folderu ze spamem."
)


def public_form_view(view: View) -> View:
    """Decorate a view of a public form: no caching, no POST data in error reports, 410 for removed depots."""

    @private
    @require_http_methods(["GET", "HEAD", "POST"])
    @cache_control(no_store=True)
    @sensitive_post_parameters()
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except DepotIsRemoved as error:
            return gone(request, error.args[0])
        except intake.DepotIsHeld:
            raise Http404 from None

    return answer


@public_form_view
def correct(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Correction of an entry."""
    depot = get_published(depot_id)
    form = CorrectForm(posted(request), depot=depot, path=request.path, on=timezone.now())
    return handle(request, Kind.CORRECT, form, depot, lambda: [SubmissionPart(Kind.CORRECT, form.wanted())])


@public_form_view
def claim(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Claim of an entry, with corrections and prices."""
    depot = get_published(depot_id)
    form = ClaimForm(posted(request), depot=depot, path=request.path, on=timezone.now())

    def parts() -> list[SubmissionPart]:
        return [SubmissionPart(Kind.CLAIM), SubmissionPart(Kind.CORRECT, form.wanted()), *price_parts(form)]

    return handle(request, Kind.CLAIM, form, depot, parts)


@public_form_view
def delete(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Deletion of an entry."""
    form = DeleteForm(posted(request), path=request.path, on=timezone.now())
    return handle(request, Kind.DELETE, form, get_published(depot_id), lambda: [SubmissionPart(Kind.DELETE)])


@public_form_view
def price(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Prices of a depot."""
    depot = get_published(depot_id)
    form = PriceForm(posted(request), depot=depot, path=request.path, on=timezone.now())
    return handle(request, Kind.PRICE, form, depot, lambda: price_parts(form))


@public_form_view
def add(request: HttpRequest) -> HttpResponse:
    """Addition of a missing depot. `?teryt=` prefills the municipality."""
    teryt = request.GET.get("teryt", "")
    municipality = Municipality.objects.filter(pk=teryt).first() if teryt.isascii() and teryt.isdigit() else None
    form = AddForm(posted(request), municipality=municipality, path=request.path, on=timezone.now())
    return handle(request, Kind.ADD, form, None, lambda: [SubmissionPart(Kind.ADD, form.wanted())])


@public_form_view
def status(request: HttpRequest) -> HttpResponse:
    """The status of a submission. POST sends the link again, or withdraws a part."""
    number = read_status_reference(request.GET.get("znak", "")[:1000])
    found = Submission.objects.select_related("depot__municipality__voivodeship").filter(pk=number or 0).first()
    now = timezone.now()
    if found is None or is_forgotten(found, now):
        return problem(request, 404, "Nie ma takiego zgłoszenia", "Zgłoszenie wygasło albo adres jest niepełny.")
    parts = parts_of(found)
    if request.method == "POST" and "wycofaj" in request.POST:
        chosen = next((part for part in parts if str(part.pk) == request.POST["wycofaj"]), None)
        if chosen is not None:
            withdraw(chosen, now)
        return HttpResponseRedirect(status_path(found.pk))
    if request.method == "POST":
        try:
            intake.resend_link(submission=found, on=now)
        except TooManyRequests as error:
            text = TOO_SOON.format(when=until(error.retry_at, now))
            back = {"link": status_path(found.pk), "link_label": "Wróć do zgłoszenia"}
            return later(problem(request, 429, "Na następną wiadomość trzeba poczekać", text, **back), error, now)
        except intake.TooManyEmails:
            return problem(
                request,
                429,
                "Odnośnik wysłaliśmy już kilka razy",
                "Sprawdź folder ze spamem. Jeśli w adresie był błąd, wypełnij formularz jeszcze raz.",
            )
        except (intake.LinkAlreadyUsed, intake.SubmissionWithdrawn, intake.TokenSuperseded):
            pass  # the status page shows it
        return HttpResponseRedirect(status_path(found.pk))
    return show_page(request, "pages/forms/status.html", status_page(found, parts, now))


@public_form_view
def confirm(request: HttpRequest) -> HttpResponse:
    """The link of the e-mail. GET shows what it confirms, POST confirms.

    Mail servers open links to scan them, which must not confirm anything.
    """
    posting = request.method == "POST"
    token = (request.POST if posting else request.GET).get("odnosnik", "")[:1000]
    now = timezone.now()
    try:
        if posting:
            return HttpResponseRedirect(status_path(make_count(token, now).pk))
        found = intake.get_confirmable(token=token, on=now)
    except InvalidToken:
        return problem(
            request,
            404,
            "Odnośnik jest niepełny",
            "Skopiuj go z wiadomości w całości: czasem dzieli się na dwa wiersze.",
        )
    except (LinkExpired, intake.SubmissionDeleted) as error:
        hours = LINK_LIFE // timedelta(hours=1)
        text = f"Działał {hours} godzin. Zgłoszenie się nie liczy, ale możesz wysłać je jeszcze raz."
        return problem(request, 410, "Odnośnik wygasł", text, **form_again(error.args[0]))
    except intake.LinkAlreadyUsed as error:
        return problem(
            request,
            409,
            "Zgłoszenie jest już potwierdzone",
            "Ten odnośnik został już użyty.",
            link=status_path(error.args[0]),
            link_label="Zobacz stan zgłoszenia",
        )
    except intake.SubmissionWithdrawn as error:
        return problem(
            request,
            409,
            "Zgłoszenie jest wycofane",
            "Nie można go już potwierdzić. Jeśli chcesz je jednak wysłać, wypełnij formularz jeszcze raz.",
            **form_again(error.args[0]),
        )
    except intake.TokenSuperseded:
        return problem(
            request,
            409,
            "Jest nowszy odnośnik",
            "Ten odnośnik zastąpiło późniejsze zgłoszenie albo nowsza wiadomość. Otwórz ten z ostatniej wiadomości.",
        )
    except InvalidPrice as error:
        return problem(request, 409, "Nie możemy przyjąć tej ceny", f"Powód: {error}. Dziękujemy za zgłoszenie.")
    found = Submission.objects.select_related("depot__municipality__voivodeship").get(pk=found.pk)
    return show_page(request, "pages/forms/confirm.html", confirmation_page(found, parts_of(found), token))


def handle(
    request: HttpRequest,
    kind: Submission.Kind,
    form: PublicForm,
    depot: Depot | None,
    parts: Callable[[], list[SubmissionPart]],
) -> HttpResponse:
    """Show a form, or store a submission and redirect to its status page."""
    if request.method != "POST":
        return show(request, kind, form, depot)
    if not form.is_valid():
        return show(request, kind, form, depot, status=400)
    now = timezone.now()
    try:
        taken = intake.create_submission(
            parts=parts(),
            depot=depot,
            author=form.author(request.META.get("REMOTE_ADDR", "")),
            on=now,
        )
    except intake.NothingChanged:
        return show(request, kind, form, depot, status=400, problem=NOTHING_CHANGED)
    except TooManyRequests as error:
        text = TOO_MANY.format(when=until(error.retry_at, now))
        return later(show(request, kind, form, depot, status=429, problem=text), error, now)
    return HttpResponseRedirect(status_path(taken.pk))


def show(
    request: HttpRequest,
    kind: Submission.Kind,
    form: PublicForm,
    depot: Depot | None,
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    page = form_page(kind, form, request.path, depot, problem=problem)
    return show_page(request, "pages/forms/form.html", page, status=status)


def problem(request: HttpRequest, status: int, title: str, text: str, **onward: str) -> HttpResponse:
    return show_page(request, "pages/forms/problem.html", problem_page(title, text, **onward), status=status)


def later(response: HttpResponse, error: TooManyRequests, now: datetime) -> HttpResponse:
    """Set Retry-After."""
    response["Retry-After"] = str(ceil((error.retry_at - now).total_seconds()))
    return response


def form_again(submission_id: int) -> dict[str, str]:
    """Return the link to the form of a submission, for `problem`; empty once it is deleted. One query."""
    found = Submission.objects.filter(pk=submission_id).first()
    if found is None:
        return {}
    path = reverse(KINDS[Kind(found.kind)].route, args=[found.depot_id] if found.depot_id else [])
    return {"link": path, "link_label": "Wypełnij formularz jeszcze raz"}


def gone(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Answer 410 for a removed depot."""
    depot = Depot.objects.select_related("municipality__voivodeship").get(pk=depot_id)
    return as_html(request, removed_page(depot))


def get_published(depot_id: int) -> Depot:
    """Return the depot of a form. Raises Http404, DepotIsRemoved, DepotIsHeld."""
    depot = get_object_or_404(Depot.objects.select_related("municipality__voivodeship"), pk=depot_id)
    intake.check_published(depot)
    return depot


def posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def is_forgotten(submission: Submission, now: datetime) -> bool:
    """Whether the time to confirm a submission is over, so that it counts as deleted."""
    unconfirmed = submission.state == Submission.State.UNCONFIRMED
    return unconfirmed and (submission.mailed_at or submission.created_at) + LINK_LIFE <= now


def parts_of(submission: Submission) -> list[Submission]:
    """Return a submission and the others of the same visit, in the order of the form, with questions. Two queries."""
    rows = Submission.objects.filter(Q(pk=submission.pk) | Q(visit=submission.pk)).order_by("pk")
    return list(rows.select_related("depot__municipality__voivodeship").prefetch_related("questions"))


@transaction.atomic
def make_count(token: str, on: datetime) -> Submission:
    """Confirm all submissions of a visit, and put their prices into the moderation queue.

    An invalid price does not prevent the others. Raises InvalidPrice, with nothing changed, if nothing else is left.
    """
    confirmed = intake.confirm_submission(token=token, on=on)
    parts = parts_of(confirmed)
    for part in parts:
        if part.kind == Kind.PRICE and part.state == Submission.State.PASSED_ON:
            pass_on(part, on, alone=len(parts) == 1)
    return confirmed


def pass_on(submission: Submission, on: datetime, *, alone: bool) -> None:
    """Put the prices of a submission into the moderation queue. alone: whether the visit has no other part."""
    assert submission.depot is not None  # noqa: S101 - a constraint of the table
    quotes = prices_from_json(submission.proposed)
    refused = []
    for quote in quotes:
        origin = DepotPrice.Origin.SUBMISSION
        try:
            price_actions.submit_price(
                depot=submission.depot, quote=quote, origin=origin, submission=submission, by=None, on=on
            )
        except InvalidPrice as error:
            if alone and len(quotes) == 1:
                raise
            refused.append([*describe_price(quote), f"{error}"])
    if not refused:
        return
    if len(refused) < len(quotes):
        submission.proposed = submission.proposed | {"refused": refused}
        submission.save(update_fields=["proposed"])
        return
    if alone:
        raise InvalidPrice(refused[0][-1])
    record_price_outcomes({submission.pk: [PriceOutcome(*one) for one in refused]}, on=on)


def withdraw(submission: Submission, on: datetime) -> None:
    """Withdraw a submission, as far as it is not decided."""
    with transaction.atomic():
        if submission.state == Submission.State.PASSED_ON and not price_actions.withdraw_prices(
            submission=submission, on=on
        ):
            return
        with suppress(intake.AlreadyClosed):
            intake.withdraw_submission(submission=submission, on=on)


def price_parts(form: PriceFields) -> list[SubmissionPart]:
    """Return the prices of a form as a part of its submission; an empty list without prices."""
    prices = [price_to_json(quote) for quote in form.quotes()]
    return [SubmissionPart(Kind.PRICE, {"prices": prices})] if prices else []
