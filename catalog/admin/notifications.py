"""Sending of letters after a decision at the desk, and the messages about it."""

from collections.abc import Collection
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from catalog.submissions import notifications
from catalog.submissions.limits import LINKS_PER_MAILBOX
from catalog.submissions.notifications import Told


def tell_authors(model_admin: Any, request: HttpRequest, numbers: Collection[int]) -> None:
    """Notify the authors of submissions closed by a removal, and report the result."""
    if not numbers:
        return
    told = notifications.resend_letters(submissions=numbers)
    model_admin.message_user(request, f"Zamknięte zgłoszenia: {len(numbers)}. Wysłane listy: {len(told.sent)}.")
    report_unsent(model_admin, request, told)


def report_unsent(model_admin: Any, request: HttpRequest, told: Told) -> None:
    """Report letters that could not be sent."""
    if told.unsent:
        named = ", ".join(f"nr {number}" for number in told.unsent)
        model_admin.message_user(request, f"List nie wyszedł: {named}. Wyślij go później z kolejki.", messages.WARNING)
    report_delayed(model_admin, request, told.delayed)


def report_delayed(model_admin: Any, request: HttpRequest, numbers: Collection[int]) -> None:
    """Report letters that are sent later, when their mailbox may get another one."""
    if numbers:
        named = ", ".join(f"nr {number}" for number in numbers)
        said = f"Na tę skrzynkę poszły już {LINKS_PER_MAILBOX} listy w ciągu godziny. Ten list wyjdzie sam, później"
        model_admin.message_user(request, f"{said}: {named}.", messages.WARNING)
