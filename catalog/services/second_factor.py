"""Second factor of the desk: codes of an app (TOTP, RFC 6238) and backup codes, kept by django-otp."""

import re
from typing import Any

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import transaction
from django.views.decorators.debug import sensitive_variables
from django_otp import verify_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalog.services.editors import is_chief

BACKUP_CODES = 10

KEY_VALID_S = 15 * 60
"""How long the page with a new key may stay open."""

KEY_SALT = "fueldepot.desk.logins.key"

SEPARATORS = re.compile(r"[\s-]")
"""What people type between the digits of a code."""


def is_required(user: Any) -> bool:
    """Whether the settings demand a second factor of an account. At most one query."""
    return settings.SECOND_FACTOR == "everyone" or (settings.SECOND_FACTOR == "chiefs" and is_chief(user))


def find_app(user: Any) -> Any:
    """Return the app of an account, None for an account without a second factor. One query."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).first()


@sensitive_variables()
def match_code(user: Any, text: str) -> Any:
    """Return the device of an account that gave a code, None for a wrong one.

    Six digits are a code of the app, everything else is a backup code. Each is good once. After wrong ones django-otp
    refuses all for a while, twice as long each time.
    """
    code = SEPARATORS.sub("", text).lower()
    model = TOTPDevice if re.fullmatch("[0-9]{6}", code) else StaticDevice
    device = model.objects.filter(user=user, confirmed=True).first()
    return verify_token(user, device.persistent_id, code) if device else None


@sensitive_variables()
def sign_key(key: str) -> str:
    """Return the key of a new app as the form sends it back."""
    return signing.dumps(key, salt=KEY_SALT)


@sensitive_variables()
def read_key(text: str) -> str | None:
    """Return the key that this service has put into the form, None for a late or foreign one."""
    try:
        key: str = signing.loads(text, salt=KEY_SALT, max_age=KEY_VALID_S)
    except signing.BadSignature:
        return None
    return key


@sensitive_variables()
def turn_on(*, user: Any, key: str, code: str) -> list[str] | None:
    """Give an account an app, and return its backup codes; None for a wrong code. Replaces no app that it has."""
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=user.pk)
        device = TOTPDevice(user=user, key=key, name="app")
        if find_app(user) or not device.verify_token(SEPARATORS.sub("", code)):
            transaction.set_rollback(True)
            return None
        note(user, by=user, message="włączono drugi składnik logowania")
        return renew_backup_codes(user)


@sensitive_variables()
@transaction.atomic
def renew_backup_codes(user: Any) -> list[str]:
    """Replace the backup codes of an account, and return them: eight letters and digits each."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="backup codes")
    codes = [StaticToken.random_token() for _ in range(BACKUP_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def count_backup_codes(user: Any) -> int:
    return int(StaticToken.objects.filter(device__user=user).count())


@transaction.atomic
def turn_off(*, user: Any, by: Any) -> bool:
    """Take the second factor from an account. Returns whether it had one."""
    deleted = sum(model.objects.filter(user=user).delete()[0] for model in (TOTPDevice, StaticDevice))
    if deleted:
        note(user, by=by, message="wyłączono drugi składnik logowania")
    return bool(deleted)


def note(user: Any, *, by: Any, message: str) -> None:
    LogEntry.objects.log_actions(by.pk, [user], CHANGE, message, single_object=True)
