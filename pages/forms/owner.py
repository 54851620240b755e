"""Owners of entries: hours and prices by their permanent link, its renewal, and the objection to another's claim.

GET never writes.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from catalog.depots.fuels import PER_UNIT
from catalog.links import depot_path
from catalog.models import Depot, OwnerLink
from catalog.parsing.opening_hours import DAYS
from catalog.services.refusal import Refusal
from catalog.submissions import objections, owner_links
from catalog.text import zloty
from pages.forms import fields
from pages.forms.depot import HOURS, HoursFields
from pages.forms.pages import FilledPage, form_title
from pages.forms.public_form import HOW, PRICES, PriceFields, PublicForm
from pages.forms.views import claim_path, get_published, posted, problem, public_form_view, refused, token_of
from pages.page import INVENTED_DEPOT, Page
from pages.polish import date_digits
from pages.rendering import render_page
from prices.models import DepotPrice
from prices.submissions import publish_owner_changes

REVOKED = (
    "Nikt już nie zmieni nim godzin ani cen. Twój adres usunęliśmy. Nowy odnośnik dostaniesz, gdy przejmiesz wpis "
    "jeszcze raz, a redakcja to przyjmie."
)

SENT = (
    "Jeśli pod tym adresem przejęto ten wpis, wysyłamy na niego nowy odnośnik. Dotychczasowy działa, dopóki czegoś pod "
    "nowym nie zapiszesz. Jeśli wiadomości nie ma, sprawdź folder ze spamem; po kilku wiadomościach w ciągu godziny "
    "następną wyślemy sami, później. Jeśli odnośnik odwołano, przejmij wpis jeszcze raz."
)

CLAIM = owner_links.OwnerLinkInvalid.onward_label

OBJECTION = "Sprzeciw wobec przejęcia wpisu"


class OwnerForm(HoursFields, PriceFields):
    """Hours and prices of an entry."""

    email = None  # type: ignore[assignment] # removes the inherited field

    PARTS = ((PRICES, HOW, ()), HOURS)
    COMPACT = (HOURS[0],)

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        self.depot = depot
        super().__init__(posted, initial=fields.written_days(depot.hours, depot.opening_hours), **options)
        self.add_prices(depot)
        newest = DepotPrice.objects.approved().filter(depot=depot).order_by("fuel", "-day", "-decided_at")
        for price in newest.distinct("fuel"):
            present = f"Teraz {zloty(float(price.price))} {PER_UNIT[price.unit]}, z dnia {date_digits(price.day)}."
            self.fields[f"price-{price.fuel}"].help_text = present

    def hours(self) -> dict[str, Any]:
        """Return the hours by name of `Depot.PUBLIC_FIELDS`; an empty dict for unchanged ones."""
        if not any(day in self.changed_data for day in DAYS):
            return {}
        return {name: self.cleaned_data[name] for name in ("hours", "opening_hours")}


class RenewForm(PublicForm):
    """Request for a new link by e-mail."""

    PARTS = (("Twój adres", "", ("email",)),)


class ObjectionForm(PublicForm):
    """An objection; its text is optional."""

    email = None  # type: ignore[assignment] # removes the inherited field

    objection = fields.Message(
        label="Dlaczego (niekonieczne)",
        max_length=objections.MAX_OBJECTION,
        required=False,
        help_text="Przeczyta to tylko redakcja.",
    )

    PARTS = (("Twój sprzeciw", "", ("objection",)),)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPage(Page):
    """A form of an owner about one depot. token: of the letter that leads here, "" for none."""

    demonstration_notice = INVENTED_DEPOT

    form: PublicForm
    depot_name: str
    token: str = ""


def owner_page(form: OwnerForm, link: OwnerLink, token: str, *, saved: bool = False, problem: str = "") -> OwnerPage:
    """Return the page behind an owner's link."""
    depot = link.depot
    return OwnerPage(
        title=form_title(f"Godziny i ceny: {depot.name}", form, problem),
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
        former_works=owner_links.is_renewed(link, token),
        problem=problem,
    )


@public_form_view
def owner(request: HttpRequest) -> HttpResponse:
    """Hours and prices of the entry whose owner has the link; they are public as soon as they are saved."""
    posting, token, now = request.method == "POST", token_of(request, "odnosnik"), timezone.now()
    link = owner_links.read_link(token, on=now)
    if posting and "odwolaj" in request.POST:
        owner_links.revoke_links([link], on=now)
        return problem(request, 200, "Odnośnik odwołany", REVOKED, link=claim_path(link.depot_id), link_label=CLAIM)
    if posting and "poprzedni" in request.POST:
        owner_links.end_former(link, token)
        return HttpResponseRedirect(f"{reverse('owner')}?odnosnik={token}")
    form = OwnerForm(posted(request), depot=link.depot, path=request.path, on=now)
    if not posting:
        page = owner_page(form, link, token, saved="zapisano" in request.GET)
        return render_page(request, "pages/forms/owner.html", page)
    mistake = ""
    if form.is_valid():
        try:
            publish_owner_changes(link=link, token=token, hours=form.hours(), quotes=form.quotes(), on=now)
        except Refusal as refusal:
            mistake = refusal.reason
        else:
            return HttpResponseRedirect(f"{reverse('owner')}?odnosnik={token}&zapisano=1")
    return render_page(request, "pages/forms/owner.html", owner_page(form, link, token, problem=mistake), status=400)


@public_form_view
def renew(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Have an owner sent a new link. Answer and work are the same whether or not the address is an owner's."""
    depot = get_published(depot_id)
    form = RenewForm(posted(request), path=request.path, on=timezone.now())
    if request.method == "POST" and form.is_valid():
        owner_links.request_link(depot=depot, email=form.cleaned_data["email"], on=form.on)
        return problem(request, 200, "Sprawdź pocztę", SENT, link=claim_path(depot.pk), link_label=CLAIM)
    page = TokenPage(
        title=f"Nowy odnośnik właściciela: {depot.name}",
        description="Nowy odnośnik do zmiany godzin i cen.",
        path=request.path,
        demonstration=depot.source == Depot.Source.DEMO,
        indexed=False,
        form=form,
        depot_name=depot.name,
    )
    return render_page(request, "pages/forms/renew.html", page, status=400 if form.is_bound else 200)


@public_form_view
def object_to_claim(request: HttpRequest) -> HttpResponse:
    """Show the form of an objection, or store one."""
    posting, token, now = request.method == "POST", token_of(request, "znak"), timezone.now()
    claim = objections.get_claim(token)
    form = ObjectionForm(posted(request), path=request.path, on=now)
    if posting and form.is_valid():
        objections.object_to_claim(claim=claim, text=form.cleaned_data["objection"], on=now)
        return refused(request, objections.AlreadyObjected(claim.pk))
    page = TokenPage(
        title=form_title(OBJECTION, form),
        description="Sprzeciw właściciela wobec przejęcia wpisu przez kogoś innego.",
        path=reverse("owner-object"),
        indexed=False,
        form=form,
        token=token,
        depot_name=claim.depot.name if claim.depot is not None else "",
    )
    return render_page(request, "pages/forms/objection.html", page, status=400 if posting else 200)
