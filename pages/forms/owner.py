"""Forms and pages of owners with a permanent link: hours and prices without moderation, and renewal of the link."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from catalog.links import depot_path
from catalog.models import Depot, OwnerLink
from catalog.parsing.opening_hours import DAYS
from catalog.submissions.owner_links import is_renewed
from catalog.text import zloty
from pages.forms.depot import HOURS, HoursFields
from pages.forms.hours_fields import written_days
from pages.forms.pages import FilledPage
from pages.forms.price import HOW, PRICES, PriceFields
from pages.forms.public_form import PublicForm
from pages.page import Page
from pages.polish import date_digits
from pages.prices.shared import PER_UNIT
from prices.models import DepotPrice


class OwnerForm(HoursFields, PriceFields):
    """Hours and prices of an entry."""

    email = None  # type: ignore[assignment] # removes the inherited field

    PARTS = ((PRICES, HOW, ()), HOURS)
    COMPACT = (HOURS[0],)

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        self.depot = depot
        super().__init__(posted, initial=written_days(depot.hours, depot.opening_hours), **options)
        self.add_prices(depot)
        newest = DepotPrice.objects.approved().filter(depot=depot).order_by("fuel", "-day", "-decided_at")
        for price in newest.distinct("fuel"):
            said = f"Teraz {zloty(float(price.price))} {PER_UNIT[price.unit]}, z dnia {date_digits(price.day)}."
            self.fields[f"price-{price.fuel}"].help_text = said

    def hours(self) -> dict[str, Any]:
        """Return the hours by name of `Depot.PUBLIC_FIELDS`; an empty dict for unchanged ones."""
        if not any(day in self.changed_data for day in DAYS):
            return {}
        return {name: self.cleaned_data[name] for name in ("hours", "opening_hours")}


class RenewForm(PublicForm):
    """Request for a new link by e-mail."""

    PARTS = (("Twój adres", "", ("email",)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerPage(FilledPage):
    """The form of an owner. token: of the link. saved: whether a change was just saved.

    former_works: whether the link is a new one beside which the former one still works.
    """

    token: str
    correct_path: str
    renew_path: str
    saved: bool
    former_works: bool


def owner_page(form: OwnerForm, link: OwnerLink, token: str, *, saved: bool = False, problem: str = "") -> OwnerPage:
    """Return the page behind an owner's link."""
    depot = link.depot
    title = f"Godziny i ceny: {depot.name}"
    return OwnerPage(
        title=f"Popraw odpowiedzi – {title}" if problem or form.errors else title,
        description="Godziny otwarcia i ceny, które właściciel zmienia sam.",
        path=reverse("owner"),
        demonstration=depot.source == Depot.Source.DEMO,
        indexed=False,
        form=form,
        token=token,
        depot_name=depot.name,
        depot_path=depot_path(depot.pk, depot.name),
        correct_path=reverse("depot-correct", args=[depot.pk]),
        renew_path=reverse("owner-renew", args=[depot.pk]),
        saved=saved,
        former_works=is_renewed(link, token),
        problem=problem,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewPage(Page):
    """The form for a new link."""

    form: RenewForm
    depot_name: str


def renew_page(form: RenewForm, depot: Depot, path: str) -> RenewPage:
    """Return the page of the form for a new link."""
    return RenewPage(
        title=f"Nowy odnośnik właściciela: {depot.name}",
        description="Nowy odnośnik do zmiany godzin i cen.",
        path=path,
        demonstration=depot.source == Depot.Source.DEMO,
        indexed=False,
        form=form,
        depot_name=depot.name,
    )
