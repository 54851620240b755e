"""The privacy page: personal data and their retention. The periods are the constants of the code that erases them."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from django.conf import settings
from django.urls import reverse

from catalog.submissions.owner_links import REPLACED_KEPT, UNUSED
from catalog.submissions.readers import KEPT as SUBSCRIBED
from catalog.submissions.readers import KEPT_ASKED
from catalog.submissions.retention import KEPT, KEPT_FOR_LIMITS, KEPT_UNDECIDED, WARNED_BEFORE
from catalog.submissions.tokens import LINK_LIFE
from fueldepot.http.cache_control import CATALOG, OUTAGE, seconds
from pages.page import Crumb, Page

AS_OF = date(2026, 11, 24)
"""The day on which the text last changed; renew it with every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyPage(Page):
    """The privacy page. contact: an e-mail address, "" for none.

    link_hours: validity of a confirmation link. request_days: retention of the author's data after the decision.
    undecided_days: longest wait for a decision; warning_days before its end the author is notified. limit_hours:
    retention of the counters that limit abuse. owner_link_days: validity of an unused owner's link;
    replaced_days: retention of one that another owner's claim ended. subscribed_days: how long letters are sent that a
    reader asked for; asked_days: retention after the question whether to go on.
    browser_minutes, outage_minutes: how long copies may show a removed entry.
    """

    template: ClassVar[str] = "pages/privacy"
    link_hours: ClassVar[int] = LINK_LIFE // timedelta(hours=1)
    request_days: ClassVar[int] = KEPT.days
    undecided_days: ClassVar[int] = KEPT_UNDECIDED.days
    warning_days: ClassVar[int] = WARNED_BEFORE.days
    limit_hours: ClassVar[int] = KEPT_FOR_LIMITS // timedelta(hours=1)
    owner_link_days: ClassVar[int] = UNUSED.days
    replaced_days: ClassVar[int] = REPLACED_KEPT.days
    subscribed_days: ClassVar[int] = SUBSCRIBED.days
    asked_days: ClassVar[int] = KEPT_ASKED.days
    browser_minutes: ClassVar[int] = seconds(CATALOG, "max-age") // 60
    outage_minutes: ClassVar[int] = seconds(OUTAGE, "stale-if-error") // 60

    operator: str
    contact: str


def privacy_page() -> PrivacyPage:
    return PrivacyPage(
        title="Prywatność",
        description="Jakie dane osób przechowujemy, po co i jak długo. Kalkulator dotacji niczego nie zapisuje.",
        path=reverse("privacy"),
        breadcrumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        operator=settings.OPERATOR_NAME,
        contact=settings.CONTACT_EMAIL,
    )
