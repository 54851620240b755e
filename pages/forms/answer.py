"""The page on which an author answers a question of an editor. GET never writes."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from catalog.models import Depot, Submission, SubmissionQuestion
from catalog.submissions import questions
from catalog.submissions.decisions import SubmissionAlreadyDecided
from catalog.submissions.tokens import InvalidToken
from pages.forms import fields
from pages.forms.pages import status_path
from pages.forms.public_form import PublicForm
from pages.forms.views import posted, problem, public_form_view
from pages.page import Page
from pages.rendering import render_page

TITLE = "Pytanie redakcji"


class AnswerForm(PublicForm):
    """Form for the answer to a question."""

    email = None  # type: ignore[assignment] # how Django leaves a field of a class above out

    answer = fields.Message(
        label="Twoja odpowiedź",
        max_length=questions.MAX_ANSWER,
        help_text="Przeczyta ją tylko redakcja.",
        error_messages=fields.required("Napisz odpowiedź."),
    )

    PARTS = (("Odpowiedź", "", ("answer",)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage(Page):
    """A question with its form. token: of the link. about: kind and number of the submission, in words."""

    form: AnswerForm
    token: str
    question: SubmissionQuestion
    about: str
    depot_name: str
    status_path: str


@public_form_view
def answer(request: HttpRequest) -> HttpResponse:
    """Show a question, or store its answer."""
    posting = request.method == "POST"
    token = (request.POST if posting else request.GET).get("znak", "")[:500]
    now = timezone.now()
    try:
        question = questions.get_question(token)
    except (InvalidToken, questions.QuestionNotFound):
        text = "Odnośnik jest niepełny albo zgłoszenia już nie ma. Skopiuj odnośnik z wiadomości w całości."
        return problem(request, 404, "Nie ma takiego pytania", text)
    submission = question.submission
    back = {"link": status_path((submission.visit or submission).pk), "link_label": "Stan zgłoszenia"}
    if question.answered_at is not None and not posting:
        text = "Odpowiedź jest w redakcji. O decyzji napiszemy w wiadomości."
        return problem(request, 200, "Dziękujemy za odpowiedź", text, **back)
    form = AnswerForm(posted(request), path=request.path, on=now)
    if posting and form.is_valid():
        try:
            questions.answer_question(question=question, text=form.cleaned_data["answer"], on=now)
        except questions.AlreadyAnswered:
            pass  # the page says so
        except SubmissionAlreadyDecided:
            return decided(request, back)
        return HttpResponseRedirect(f"{reverse('request-answer')}?znak={token}")
    if not submission.is_undecided:
        return decided(request, back)
    page = answer_page(form, question, token)
    return render_page(request, "pages/forms/answer.html", page, status=400 if posting else 200)


def decided(request: HttpRequest, back: dict[str, str]) -> HttpResponse:
    """Return the page of a question whose submission is closed."""
    text = "To zgłoszenie jest już zamknięte, więc odpowiedź nie jest potrzebna."
    return problem(request, 409, "Nie trzeba już odpowiadać", text, **back)


def answer_page(form: AnswerForm, question: SubmissionQuestion, token: str) -> AnswerPage:
    """Return the page of an open question."""
    submission = question.submission
    return AnswerPage(
        title=f"Popraw odpowiedzi – {TITLE}" if form.errors else TITLE,
        description="Odpowiedź na pytanie redakcji o zgłoszenie.",
        path=reverse("request-answer"),
        indexed=False,
        form=form,
        token=token,
        question=question,
        about=f"{submission.get_kind_display().capitalize()}, zgłoszenie nr {submission.pk}",
        depot_name=_name_of(submission),
        status_path=status_path((submission.visit or submission).pk),
    )


def _name_of(submission: Submission) -> str:
    """Return the name of the depot, the proposed one of a new depot, "" if it is not public: it may be a person's."""
    depot = submission.depot
    if depot is None:
        return str(submission.proposed.get("name", ""))
    return depot.name if depot.publication == Depot.Publication.PUBLISHED else ""
