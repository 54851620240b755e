"""What every page of the editors' desk needs to know of a request."""

from typing import cast

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest


def editor_of(request: HttpRequest) -> AbstractBaseUser:
    """Who is at the desk; the admin lets nobody in without a login."""
    return cast("AbstractBaseUser", request.user)


def read_number(given: str | None) -> int:
    """A number from a form, 0 for anything else."""
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else 0
