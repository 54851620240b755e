"""Links to set a password: the invitation to a new account, and the reset of a forgotten password.

Uses Django's own views and tokens. A link is valid for three days (`PASSWORD_RESET_TIMEOUT`) and until the password
changes.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.views import (
    PasswordResetCompleteView,
    PasswordResetConfirmView,
    PasswordResetDoneView,
    PasswordResetView,
)
from django.contrib.contenttypes.models import ContentType
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from catalog.models import PendingLetter
from catalog.submissions import letters
from catalog.submissions.letter_kinds import Letter, PendingLetters
from fueldepot.http.links import site_url
from fueldepot.http.private import private

MOST_AN_HOUR = 3
"""Letters per account and hour: anybody who knows an address could flood it otherwise."""

SENT = "wysłano odnośnik do hasła"


TEMPLATES = {PendingLetter.Kind.PASSWORD: "forgotten", PendingLetter.Kind.INVITATION: "invitation"}


class LinkForm(PasswordResetForm):
    """Password reset form. Does not reveal, by its answer or its time, whether an account has the address."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Have the letters sent."""
        request_link(self.cleaned_data["email"], PendingLetter.Kind.PASSWORD)


def request_link(email: str, kind: PendingLetter.Kind) -> None:
    """Have a link to set a password sent to the accounts with an address, if there are any."""
    PendingLetter.objects.create(kind=kind, email=email, requested_at=timezone.now())
    letters.send_soon()


def password_letters(row: PendingLetter, on: datetime) -> Iterator[Letter]:
    """Yield the letters to active accounts with an address, including invited ones without a password.

    No letter after `MOST_AN_HOUR` to the same account: the request then ends without one.
    """
    users = User.objects.filter(email__iexact=row.email, is_active=True, is_staff=True)
    if row.kind == PendingLetter.Kind.INVITATION:
        users = users.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    for user in users:
        sent = {
            "content_type": ContentType.objects.get_for_model(User),
            "object_id": str(user.pk),
            "change_message": SENT,
        }
        if LogEntry.objects.filter(**sent, action_time__gt=on - timedelta(hours=1)).count() < MOST_AN_HOUR:
            note = partial(
                LogEntry.objects.create,
                user_id=user.pk,
                action_flag=CHANGE,
                object_repr=str(user),
                action_time=on,
                **sent,
            )
            yield Letter(row, None, partial(link_letter, user, TEMPLATES[PendingLetter.Kind(row.kind)]), note)


def link_letter(user: User, template: str) -> EmailMessage:
    """Return the letter with a link to set a password."""
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
    body = render_to_string(f"mail/{template}.txt", context).strip() + "\n"
    return EmailMessage(f"{settings.SITE_NAME}: hasło redakcji", body, None, [user.email])


PendingLetters.writers |= dict.fromkeys(TEMPLATES, password_letters)


def urls(context: dict[str, Any]) -> list[URLPattern]:
    """Return the URL patterns. context: template context of every admin page."""
    given = {"extra_context": context}
    return [
        path("", private(PasswordResetView.as_view(form_class=LinkForm, **given)), name="admin_password_reset"),
        path("wyslano/", private(PasswordResetDoneView.as_view(**given)), name="password_reset_done"),
        path("<uidb64>/<token>/", private(PasswordResetConfirmView.as_view(**given)), name="password_reset_confirm"),
        path("gotowe/", private(PasswordResetCompleteView.as_view(**given)), name="password_reset_complete"),
    ]
