"""Questions to the authors of undecided submissions, asked by letter and answered on a page linked to in it."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from catalog.models import Submission, SubmissionQuestion
from catalog.submissions import letters, tokens
from catalog.submissions.decisions import SubmissionAlreadyDecided

MAX_QUESTION = 1000
MAX_ANSWER = 2000


class QuestionMissing(Exception):
    """The text of the question is empty."""


class QuestionStillOpen(Exception):
    """The author has not answered the previous question."""


class QuestionNotFound(Exception):
    """The question was deleted with the personal data of its submission."""


class AlreadyAnswered(Exception):
    """The question has an answer already."""


def with_questions(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Annotate undecided submissions: `awaits_author` (a question is open), `author_answered` (none is, but was)."""
    asked = SubmissionQuestion.objects.filter(submission=OuterRef("pk"))
    is_open = Submission.UNDECIDED & Q(Exists(asked.filter(answered_at__isnull=True)))
    is_answered = Submission.UNDECIDED & Q(Exists(asked)) & ~Q(Exists(asked.filter(answered_at__isnull=True)))
    return submissions.annotate(awaits_author=is_open, author_answered=is_answered)


def ask_author(*, submission: Submission, text: str, by: AbstractBaseUser, on: datetime) -> SubmissionQuestion:
    """Ask the author of an undecided submission, which stays so. The letter is sent after the commit.

    Raises QuestionMissing, SubmissionAlreadyDecided and QuestionStillOpen.
    """
    words = " ".join(text.split())[:MAX_QUESTION]
    if not words:
        raise QuestionMissing
    with transaction.atomic():
        _lock_undecided(submission.pk)
        if SubmissionQuestion.objects.open().filter(submission=submission).exists():
            raise QuestionStillOpen(submission.pk)
        question = SubmissionQuestion.objects.create(submission=submission, text=words, asked_at=on, asked_by_id=by.pk)
        letters.send_soon()
    return question


def get_question(token: str) -> SubmissionQuestion:
    """Return the question of a token, with its submission. Raises InvalidToken and QuestionNotFound."""
    rows = SubmissionQuestion.objects.select_related("submission__depot__municipality__voivodeship")
    question = rows.filter(pk=tokens.read_question_token(token)).first()
    if question is None:
        raise QuestionNotFound
    return question


@transaction.atomic
def answer_question(*, question: SubmissionQuestion, text: str, on: datetime) -> None:
    """Store the answer of an author. Raises AlreadyAnswered, QuestionNotFound and SubmissionAlreadyDecided."""
    _lock_undecided(question.submission_id)
    stored = SubmissionQuestion.objects.select_for_update(of=("self",)).filter(pk=question.pk).first()
    if stored is None:
        raise QuestionNotFound
    if stored.answered_at is not None:
        raise AlreadyAnswered(stored.pk)
    stored.answer, stored.answered_at = text[:MAX_ANSWER], on
    stored.save(update_fields=["answer", "answered_at"])


def _lock_undecided(number: int) -> None:
    """Lock an undecided submission. Raises SubmissionAlreadyDecided."""
    if Submission.objects.undecided().select_for_update(of=("self",)).filter(pk=number).first() is None:
        raise SubmissionAlreadyDecided(number)
