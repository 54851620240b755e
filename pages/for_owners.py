"""The page for owners of depots: how to find, claim, keep up to date and remove an entry."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from django.urls import reverse

from catalog.submissions.owner_links import UNUSED
from catalog.submissions.tokens import LINK_LIFE
from pages.page import Crumb, Page

AS_OF = date(2026, 11, 24)
"""The day on which the text last changed; renew it with every change."""

TITLE = "Dla właścicieli składów"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForOwnersPage(Page):
    """The page for owners. link_hours: of a letter that confirms. unused_days: after which an owner's link ends."""

    template: ClassVar[str] = "pages/for_owners"
    link_hours: ClassVar[int] = LINK_LIFE // timedelta(hours=1)
    unused_days: ClassVar[int] = UNUSED.days


def for_owners_page() -> ForOwnersPage:
    return ForOwnersPage(
        title=TITLE,
        description="Jak znaleźć swój skład, przejąć wpis, samemu zmieniać godziny i ceny albo usunąć wpis.",
        path=reverse("for-owners"),
        breadcrumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
    )
