"""Links to set a password: the invitation to a new account, and the reset of a forgotten password.

Uses Django's own views and tokens. A link is valid for three days (`PASSWORD_RESET_TIMEOUT`) and until the password
changes.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import (
    PasswordResetCompleteView,
    PasswordResetConfirmView,
    PasswordResetDoneView,
    PasswordResetView,
)
from django.contrib.contenttypes.models import ContentType
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from fueldepot.http.links import site_url

logger = logging.getLogger(__name__)

MOST_AN_HOUR = 3
"""Letters per account and hour: anybody who knows an address could flood it otherwise."""

SENT = "wysłano odnośnik do hasła"


class LinkForm(PasswordResetForm):
    """Password reset form. Writes to the active accounts with an address, and does not reveal whether there are any."""

    def get_users(self, email: str) -> Iterator[User]:
        """Yield the accounts, including invited ones without a password."""
        return User.objects.filter(email__iexact=email, is_active=True, is_staff=True).iterator()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Send the letters."""
        for user in self.get_users(self.cleaned_data["email"]):
            send_link(user, "forgotten")


def send_link(user: Any, letter: str) -> bool:
    """Send a link to set a password. Returns whether a letter was sent.

    letter: "invitation" or "forgotten". No letter is sent after `MOST_AN_HOUR` to the same account.
    """
    about = {"content_type": ContentType.objects.get_for_model(User), "object_id": str(user.pk), "change_message": SENT}
    since = timezone.now() - timedelta(hours=1)
    if LogEntry.objects.filter(**about, action_time__gt=since).count() >= MOST_AN_HOUR:
        return False
    token = {
        "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
        "token": default_token_generator.make_token(user),
    }
    context = {
        "account": user,
        "link": site_url(reverse("password_reset_confirm", kwargs=token)),
        "site_name": settings.SITE_NAME,
        "contact": settings.CONTACT_EMAIL,
    }
    body = render_to_string(f"mail/{letter}.txt", context).strip() + "\n"
    try:
        send_mail(f"{settings.SITE_NAME}: hasło redakcji", body, None, [user.email])
    except (SMTPException, OSError, ValueError) as error:
        # The error text may contain the address.
        logger.error("letter to account %s not sent: %s", user.pk, type(error).__name__)
        return False
    LogEntry.objects.create(user_id=user.pk, action_flag=CHANGE, object_repr=str(user), **about)
    return True


def urls(context: dict[str, Any]) -> list[URLPattern]:
    """Return the URL patterns. context: template context of every admin page."""
    given = {"extra_context": context}
    return [
        path("", PasswordResetView.as_view(form_class=LinkForm, **given), name="admin_password_reset"),
        path("wyslano/", PasswordResetDoneView.as_view(**given), name="password_reset_done"),
        path("<uidb64>/<token>/", PasswordResetConfirmView.as_view(**given), name="password_reset_confirm"),
        path("gotowe/", PasswordResetCompleteView.as_view(**given), name="password_reset_complete"),
    ]
