"""The daily letter to editors who want it: what waits, since when, in their voivodeships."""

import logging
from datetime import date
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.formats import date_format

from catalog.models import DailyLetter, Voivodeship
from catalog.services.editors import claimed_codes
from catalog.submissions.letters import Told
from fueldepot.desk.overview import find_waiting_in
from fueldepot.http.links import route_url, site_url

logger = logging.getLogger(__name__)


def send_daily_letters(*, today: date, commit: bool) -> Told:
    """Write to each editor once a day that something waits, or only say to whom. Labels are user names.

    An editor is one transaction, whose last step hands the letter over: killed before, nothing is stored and the next
    call of the day sends it, as it does one that could not be sent. Who must not enter the desk any more gets none.
    """
    due = DailyLetter.objects.exclude(sent_on__gte=today).filter(editor__is_active=True, editor__is_staff=True)
    result = Told()
    for key, name in list(due.exclude(editor__email="").order_by("pk").values_list("pk", "editor__username")):
        try:
            result += Told(sent=(name,)) if _send_to(key, today, commit=commit) else Told()
        except (SMTPException, OSError, ValueError) as error:
            logger.error("daily letter of %s not sent: %s", name, type(error).__name__)  # the text may have the address
            result += Told(unsent=(name,))
    return result


@transaction.atomic
def _send_to(key: int, today: date, *, commit: bool) -> bool:
    """Send the letter of a day, if something waits and it was not sent before. Locked, so that two calls send one."""
    rows = DailyLetter.objects.select_related("editor").select_for_update(of=("self",), skip_locked=True)
    row = rows.filter(pk=key).exclude(sent_on__gte=today).first()
    message = write(row.editor) if row else None
    if row is None or message is None or not commit:
        return message is not None
    row.sent_on = today
    row.save(update_fields=["sent_on"])
    message.send()
    return True


def write(editor: Any) -> EmailMessage | None:
    """Return the letter to an editor, None if nothing waits. At most ten queries."""
    codes = claimed_codes(editor)
    waiting = [row for row in find_waiting_in(editor, codes) if row.count]
    if not waiting:
        return None
    names = Voivodeship.objects.filter(pk__in=codes).order_by("teryt").values_list("name", flat=True)
    context = {
        "rows": [(row, row.since and date_format(row.since, "d.m.Y"), site_url(row.url)) for row in waiting],
        "voivodeships": ", ".join(names),
        "desk": route_url("admin:index"),
        "site_name": settings.SITE_NAME,
    }
    total = sum(row.count for row in waiting)
    body = render_to_string("mail/daily.txt", context).strip() + "\n"
    return EmailMessage(f"{settings.SITE_NAME}: czeka na redakcję: {total}", body, None, [editor.email])
