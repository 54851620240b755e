"""Questions to the authors of undecided submissions, asked by letter and answered on a page linked to in it."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from catalog.models import Submission, SubmissionQuestion, max_length
from catalog.services import Refusal
from catalog.submissions import letters, tokens
from catalog.text import one_line

MAX_QUESTION = max_length(SubmissionQuestion, "text")
MAX_ANSWER = max_length(SubmissionQuestion, "answer")


class QuestionNotFound(Refusal):
    """The token is invalid, or the question was deleted with the personal data of its submission."""

    status, title = 404, "Nie ma takiego pytania"
    reason = "Odnośnik jest niepełny albo zgłoszenia już nie ma. Skopiuj odnośnik z wiadomości w całości."


class AlreadyAnswered(Refusal):
    status, title = 200, "Dziękujemy za odpowiedź"
    reason = "Odpowiedź jest w redakcji. O decyzji napiszemy w wiadomości."
    onward, onward_label = "status", "Stan zgłoszenia"


class AnswerNotNeeded(Refusal):
    title = "Nie trzeba już odpowiadać"
    reason = "To zgłoszenie jest już zamknięte, więc odpowiedź nie jest potrzebna."
    onward, onward_label = "status", "Stan zgłoszenia"


def with_questions(rows: QuerySet[Any], submission: str = "pk") -> QuerySet[Any]:
    """Annotate undecided submissions: `awaits_author` (a question is open), `author_answered` (none is, but was).

    submission: column of rows that come from submissions.
    """
    questions = SubmissionQuestion.objects.filter(submission=OuterRef(submission))
    described: QuerySet[Any] = rows.annotate(
        awaits_author=Exists(questions.open()), author_answered=Exists(questions.answered())
    )
    return described


@transaction.atomic
def ask_author(*, submission: Submission, text: str, by: AbstractBaseUser, on: datetime) -> None:
    """Ask the author of an undecided submission, which stays so. The letter leaves after the commit. Raises Refusal."""
    words = one_line(text, MAX_QUESTION)
    if not words:
        raise Refusal(reason="wpisz pytanie")
    if not _lock_undecided(submission.pk):
        raise Refusal(reason="zgłoszenie już nie czeka")
    if SubmissionQuestion.objects.open().filter(submission=submission).exists():
        raise Refusal(reason="autor nie odpowiedział jeszcze na poprzednie")
    SubmissionQuestion.objects.create(submission=submission, text=words, asked_at=on, asked_by_id=by.pk)
    letters.send_soon()


def get_question(token: str) -> SubmissionQuestion:
    """Return the question of a token, with its submission. Raises QuestionNotFound."""
    rows = SubmissionQuestion.objects.select_related("submission__depot__municipality__voivodeship")
    try:
        return rows.get(pk=tokens.QUESTION.read(token))
    except (tokens.InvalidToken, SubmissionQuestion.DoesNotExist):
        raise QuestionNotFound from None


def check_answerable(question: SubmissionQuestion) -> None:
    """Raise AlreadyAnswered or AnswerNotNeeded where an answer is not awaited any more."""
    if question.answered_at is not None:
        raise AlreadyAnswered(question.submission.visit_number)
    if not question.submission.is_undecided:
        raise AnswerNotNeeded(question.submission.visit_number)


@transaction.atomic
def answer_question(*, question: SubmissionQuestion, text: str, on: datetime) -> None:
    """Store the answer of an author. Raises AlreadyAnswered, QuestionNotFound and AnswerNotNeeded."""
    _lock_undecided(question.submission_id)
    rows = SubmissionQuestion.objects.select_for_update(of=("self",)).select_related("submission")
    stored = rows.filter(pk=question.pk).first()
    if stored is None:
        raise QuestionNotFound
    check_answerable(stored)
    stored.answer, stored.answered_at = text[:MAX_ANSWER], on
    stored.save(update_fields=["answer", "answered_at"])


def _lock_undecided(number: int) -> bool:
    """Lock an undecided submission whose author's address is not erased. Returns whether there is one."""
    rows = Submission.objects.undecided().filter(pk=number, erased_at=None)
    return rows.select_for_update(of=("self",)).first() is not None
