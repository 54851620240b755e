"""What the throttle of logins remembers of a name."""

from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def name_key(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """A keyed hash of the name that somebody tries to log in with, 64 characters long.

    People type passwords into the field for the name, and strangers five thousand characters: neither is stored.
    """
    given = (credentials or {}).get("username")
    if given is None and request is not None:
        given = request.POST.get("username", "")
    return salted_hmac("fueldepot.logins", str(given), algorithm="sha256").hexdigest()
