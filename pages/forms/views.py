"""Views of the forms, of the status and the confirmation of a submission, and of the answer to an editor's question.

GET never writes. What a service refuses, `public_form_view` shows in the words of the refusal.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from math import ceil
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.links import depot_path
from catalog.models import Depot, GoneReport, Municipality, Submission
from catalog.services import Refusal
from catalog.services.moderation import DepotIsErased, DepotIsRemoved
from catalog.submissions import intake, questions
from catalog.submissions.gone_reports_and_subscriptions import report_gone
from catalog.submissions.limits import TooManyRequests
from catalog.submissions.retention import link_ends
from catalog.submissions.tokens import OWNER, QUESTION, STATUS, InvalidToken
from catalog.text import full_sentence
from fueldepot.http.views import private
from pages.depots import removed_page
from pages.forms import fields
from pages.forms.base_and_prices import EmailForm, FormPart, PublicForm
from pages.forms.depot import AddForm, GoneForm
from pages.forms.form_and_status_pages import crumbs_to, show_confirmation, show_form, show_problem, show_status
from pages.polish import until
from pages.rendering import as_html
from prices import submissions as price_submissions

THANKS = "Redakcja sprawdzi, czy skład jeszcze działa. Do tego czasu wpis się nie zmieni."

View = Callable[..., HttpResponse]


class AnswerForm(PublicForm):
    title = "Pytanie redakcji"
    description = "Odpowiedź na pytanie redakcji o zgłoszenie."
    answer = fields.Message(
        label="Twoja odpowiedź",
        max_length=questions.MAX_ANSWER,
        required=True,
        help_text="Przeczyta ją tylko redakcja.",
        error_messages=fields.required("Napisz odpowiedź."),
    )

    PARTS = (FormPart("Odpowiedź", ("answer",)),)


class AddressForm(EmailForm):
    PARTS = (FormPart("Popraw adres", ("email",)),)


def public_form_view(view: View) -> View:
    """Decorate a view of a public form: no caching, no POST data in error reports, a page for what is refused."""

    @private
    @require_http_methods(["GET", "HEAD", "POST"])
    @cache_control(no_store=True)
    @sensitive_post_parameters()
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except DepotIsRemoved as error:
            depot = Depot.objects.select_related("municipality__voivodeship").get(pk=error.args[0])
            return as_html(request, removed_page(depot))
        except DepotIsErased:
            raise Http404 from None
        except Refusal as refusal:
            return refused(request, refusal)

    return answer


@public_form_view
def submit(request: HttpRequest, form_class: type[EmailForm], depot_id: int) -> HttpResponse:
    return handle(request, form_class, depot=get_published(depot_id))


@public_form_view
def gone(request: HttpRequest, depot_id: int) -> HttpResponse:
    depot = get_published(depot_id)
    form = GoneForm(posted(request), depot=depot, path=request.path, on=timezone.now())
    if form.is_valid():
        reason = GoneReport.Reason(form.cleaned_data["reason"])
        report_gone(depot=depot, reason=reason, email=form.cleaned_data["email"], client=client_of(request), on=form.on)
        onward = {"link": depot_path(depot.pk, depot.name), "link_label": "Wróć do wpisu"}
        return show_problem(request, 200, "Dziękujemy za zgłoszenie", THANKS, **onward)
    return show_depot_form(request, form)


@public_form_view
def add(request: HttpRequest) -> HttpResponse:
    """Addition of a missing depot. `?teryt=` prefills the municipality."""
    teryt = request.GET.get("teryt", "")
    municipality = Municipality.objects.filter(pk=teryt).first() if teryt.isascii() and teryt.isdigit() else None
    return handle(request, AddForm, initial={"place": municipality.name} if municipality else {})


@public_form_view
def status(request: HttpRequest) -> HttpResponse:
    """The status of a submission. POST sends the link again, to a corrected address, or withdraws a part."""
    number = 0
    with suppress(InvalidToken):
        number = STATUS.read(request.GET.get("znak", "")[:1000])
    rows = Submission.objects.select_related("depot__municipality__voivodeship")
    submission, now = rows.filter(pk=number).first(), timezone.now()
    # When the time to confirm it is over, a submission counts as deleted.
    unconfirmed = submission is not None and submission.state == Submission.State.UNCONFIRMED
    if submission is None or (unconfirmed and link_ends(submission) <= now):
        return show_problem(request, 404, "Nie ma takiego zgłoszenia", "Zgłoszenie wygasło albo adres jest niepełny.")
    parts = parts_of(submission)
    typed = posted(request) if "popraw_adres" in request.POST else None
    form = AddressForm(typed, path=request.path, on=now)
    if request.method != "POST" or (typed is not None and not form.is_valid()):
        return show_status(request, submission, parts, form, status=400 if form.is_bound else 200)
    if typed is None and "wycofaj" in request.POST:
        for part in parts:
            if str(part.pk) == request.POST["wycofaj"]:
                price_submissions.withdraw(submission=part, on=now)
        return HttpResponseRedirect(STATUS.path(submission.pk))
    # The status page shows these.
    with suppress(intake.LinkAlreadyUsed, intake.SubmissionWithdrawn, intake.TokenSuperseded):
        if typed is None:
            intake.resend_link(submission=submission, on=now)
        else:
            email, client = form.cleaned_data["email"], client_of(request)
            submission = intake.correct_address(submission=submission, email=email, client=client, on=now)
    return HttpResponseRedirect(STATUS.path(submission.pk))


@public_form_view
def confirm(request: HttpRequest) -> HttpResponse:
    """The link of the e-mail. GET shows what it confirms, POST confirms.

    Mail servers open links to scan them, which must not confirm anything.
    """
    token, now = token_of(request, "odnosnik", 1000), timezone.now()
    if request.method == "POST":
        return HttpResponseRedirect(STATUS.path(price_submissions.confirm_visit(token=token, on=now).pk))
    submission = intake.get_confirmable(token=token, on=now)
    parts = parts_of(submission)
    return show_confirmation(request, parts[0], parts, token)


@public_form_view
def answer(request: HttpRequest) -> HttpResponse:
    token, now = token_of(request, "znak"), timezone.now()
    question = questions.get_question(token)
    form = AnswerForm(posted(request), path=request.path, on=now)
    if form.is_valid():
        with suppress(questions.AlreadyAnswered):  # the page says so
            questions.answer_question(question=question, text=form.cleaned_data["answer"], on=now)
        return HttpResponseRedirect(QUESTION.path_of(token))
    questions.check_answerable(question)
    submission, depot = question.submission, question.submission.depot
    if depot is None:
        name = str(submission.proposed.get("name", ""))
    else:  # a name that is not public may be a person's
        name = depot.name if depot.publication == Depot.Publication.PUBLISHED else ""
    return show_form(
        request,
        "answer",
        form,
        token=token,
        question=question,
        about=f"{submission.get_kind_display().capitalize()}, zgłoszenie nr {submission.pk}",
        depot_name=name,
        status_path=STATUS.path(submission.visit_number),
    )


def handle(request: HttpRequest, form_class: type[EmailForm], **options: Any) -> HttpResponse:
    """Show a form, or store a submission and redirect to its status page. options: of the form."""
    form = form_class(posted(request), path=request.path, on=timezone.now(), **options)
    refusal = None
    if form.is_valid():
        try:
            author = form.author(client_of(request))
            parts, now = form.submission_parts(), timezone.now()
            submission = intake.create_submission(parts=parts, depot=form.depot, author=author, on=now)
            return HttpResponseRedirect(STATUS.path(submission.pk))
        except (intake.NothingChanged, TooManyRequests) as error:
            refusal = error
    return show_depot_form(request, form, refusal)


def show_depot_form(request: HttpRequest, form: PublicForm, refusal: Refusal | None = None) -> HttpResponse:
    """Show a form about a depot, or about a missing one. Select its municipality and voivodeship with it."""
    unit = form.depot and form.depot.municipality
    answer = show_form(
        request,
        "form",
        form,
        breadcrumbs=crumbs_to(form.depot),
        problem=words(refusal) if refusal else "",
        # The GeoJSON around the depot, for the map of its position.
        outlines=reverse("surroundings", args=[unit.voivodeship.slug, unit.slug, unit.teryt]) if unit else "",
        status=refusal.status if refusal else None,
    )
    return later(answer, refusal)


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Answer with the page of a refusal. At most one query."""
    link = ONWARD[refusal.onward](refusal.args[0]) if refusal.onward else ""
    onward = {"link": link, "link_label": refusal.onward_label}
    return later(show_problem(request, refusal.status, refusal.title, words(refusal), **onward), refusal)


def words(refusal: Refusal) -> str:
    """Return the reason of a refusal in sentences, with the time of the next attempt where there is one."""
    if isinstance(refusal, TooManyRequests):
        return refusal.reason.format(when=until(refusal.retry_at, timezone.now()))
    return full_sentence(capfirst(refusal.reason))


def later(response: HttpResponse, refusal: Refusal | None) -> HttpResponse:
    if isinstance(refusal, TooManyRequests):
        response["Retry-After"] = str(ceil((refusal.retry_at - timezone.now()).total_seconds()))
    return response


def form_path(submission_id: int) -> str:
    """Return the path of the form of a submission, "" once it is deleted. One query."""
    submission = Submission.objects.filter(pk=submission_id).first()
    if submission is None:
        return ""
    return reverse(f"depot-{submission.kind}", args=[submission.depot_id] if submission.depot_id else [])


def claim_path(depot_id: int | None) -> str:
    return reverse("depot-claim", args=[depot_id]) if depot_id else ""


ONWARD: dict[str, Callable[[Any], str]] = {
    "form": form_path,
    "status": STATUS.path,
    "claim": claim_path,
    "alerts": lambda _: reverse("alerts"),
    "owner": OWNER.path_of,
    "renew": lambda depot_id: reverse("owner-renew", args=[depot_id]),
}
"""Where the page of a refusal leads, by `Refusal.onward`."""


def get_published(depot_id: int) -> Depot:
    """Return the depot of a form. Raises Http404, DepotIsRemoved, DepotIsErased."""
    depot = get_object_or_404(Depot.objects.select_related("municipality__voivodeship"), pk=depot_id)
    intake.check_published(depot)
    return depot


def posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def client_of(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


def token_of(request: HttpRequest, name: str, longest: int = 500) -> str:
    """Return the token of a letter, or another value, from the query of a link, or from the form that it showed."""
    return (request.POST if request.method == "POST" else request.GET).get(name, "")[:longest]


def ids_of(texts: Iterable[str]) -> list[int]:
    return [int(text) for text in texts if re.fullmatch("[0-9]{1,18}", text)]


def parts_of(submission: Submission) -> list[Submission]:
    """Return a submission and the others of the same visit, in the order of the form, with questions. Two queries."""
    rows = Submission.objects.of_visits([submission.pk]).order_by("pk")
    return list(rows.select_related("depot__municipality__voivodeship").prefetch_related("questions"))
