"""What is kept of people, and for how long. The periods are those of the code that keeps or erases the data."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from django.conf import settings
from django.urls import reverse

from catalog.requests import KEPT, KEPT_FOR_LIMITS
from catalog.requests.secrecy import LINK_LIFE
from pages.page import Crumb, Page

AS_OF = date(2026, 11, 22)
"""The day on which the text last changed; renew it with every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyPage(Page):
    """operator: who runs the service. contact: an e-mail address, "" when none is given.

    link_hours: how long a link that confirms a request can be opened. request_days: how long after the decision a
    request keeps the data of its author. limit_hours: how long what limits abuse is kept.
    """

    template: ClassVar[str] = "pages/privacy"

    operator: str
    contact: str
    link_hours: int
    request_days: int
    limit_hours: int


def privacy_page() -> PrivacyPage:
    """The page."""
    return PrivacyPage(
        title="Prywatność",
        description="Jakie dane osób przechowujemy, po co i jak długo. Kalkulator dotacji niczego nie zapisuje.",
        path=reverse("privacy"),
        crumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        operator=settings.OPERATOR_NAME,
        contact=settings.CONTACT_EMAIL,
        link_hours=LINK_LIFE // timedelta(hours=1),
        request_days=KEPT.days,
        limit_hours=KEPT_FOR_LIMITS // timedelta(hours=1),
    )
