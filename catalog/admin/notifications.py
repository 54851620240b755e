"""Letters to the authors of submissions that a removal has closed."""

from typing import Any

from django.http import HttpRequest

from catalog.submissions import letters


def send_closing_letters(model_admin: Any, request: HttpRequest, count: int) -> None:
    """Have the authors of submissions closed by a removal told, and report how many there are."""
    if count:
        letters.send_soon()
        model_admin.message_user(request, f"Zamknięte zgłoszenia: {count}. Ich autorzy dostaną listy.")
