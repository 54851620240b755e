"""Sending of letters after a decision at the desk, and the messages about it."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from catalog.submissions import notifications
from catalog.submissions.limits import LINKS_PER_MAILBOX


def numbered(numbers: Collection[int]) -> str:
    """List submissions by their numbers."""
    return ", ".join(f"nr {number}" for number in numbers)


def tell_authors(model_admin: Any, request: HttpRequest, numbers: Collection[int]) -> None:
    """Notify the authors of submissions closed by a removal, and report the result."""
    if not numbers:
        return
    told = notifications.resend_letters(submissions=numbers)
    model_admin.message_user(request, f"Zamknięte zgłoszenia: {len(numbers)}. Wysłane listy: {len(told.sent)}.")
    if told.unsent:
        said = f"List nie wyszedł: {numbered(told.unsent)}. Wyślij go później z kolejki."
        model_admin.message_user(request, said, messages.WARNING)
    report_delayed(model_admin, request, told.delayed)


def report_delayed(model_admin: Any, request: HttpRequest, numbers: Collection[int]) -> None:
    """Report letters that are sent later, when their mailbox may get another one."""
    if numbers:
        said = f"Na tę skrzynkę poszły już {LINKS_PER_MAILBOX} listy w ciągu godziny. Ten list wyjdzie sam, później"
        model_admin.message_user(request, f"{said}: {numbered(numbers)}.", messages.WARNING)
