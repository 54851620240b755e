"""Questions to authors in the admin: asked on the page of a submission, shown and filtered in the queue."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils import timezone

from catalog.admin.desk import current_editor, read_text
from catalog.models import Submission
from catalog.submissions import questions
from catalog.submissions.decisions import SubmissionAlreadyDecided

AWAITS_AUTHOR = "czeka na odpowiedź autora"
AUTHOR_ANSWERED = "autor odpowiedział"


class QuestionFilter(admin.SimpleListFilter):
    """Filter by whether the author was asked and has answered."""

    title = "pytanie do autora"
    parameter_name = "question"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", AWAITS_AUTHOR), ("answered", AUTHOR_ANSWERED), ("none", "bez otwartego pytania")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case "open":
                return queryset.filter(awaits_author=True)
            case "answered":
                return queryset.filter(author_answered=True)
            case "none":
                return queryset.filter(awaits_author=False)
        return queryset


def shown_state(row: Any) -> str:
    """Return the state of a submission of `with_questions`, with its open or answered question."""
    if row.awaits_author:
        return AWAITS_AUTHOR
    state: str = row.get_state_display()
    return f"{state}; {AUTHOR_ANSWERED}" if row.author_answered else state


def ask(model_admin: Any, request: HttpRequest, submission: Submission) -> None:
    """Send the submitted question to the author, and report the result as a message."""
    try:
        questions.ask_author(
            submission=submission, text=read_text(request, "question"), by=current_editor(request), on=timezone.now()
        )
    except questions.QuestionMissing:
        model_admin.message_user(request, "Nie wysłano: wpisz pytanie.", messages.ERROR)
    except questions.QuestionStillOpen:
        model_admin.message_user(request, "Nie wysłano: autor nie odpowiedział jeszcze na poprzednie.", messages.ERROR)
    except SubmissionAlreadyDecided:
        model_admin.message_user(request, "Nie wysłano: zgłoszenie już nie czeka.", messages.WARNING)
    else:
        model_admin.message_user(
            request, f"Pytanie wychodzi listem. Zgłoszenie nr {submission.pk} czeka na odpowiedź autora."
        )
