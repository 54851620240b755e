"""Keys of the login throttle."""

from typing import Any

from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def name_key(request: HttpRequest | None, credentials: dict[str, Any] | None) -> str:
    """Return a keyed hash of the user name of a login attempt, 64 characters.

    The field may contain a password, or thousands of characters: neither is stored.
    """
    name = (credentials or {}).get("username")
    if name is None and request is not None:
        name = request.POST.get("username", "")
    return salted_hmac("fueldepot.desk.logins", str(name), algorithm="sha256").hexdigest()
