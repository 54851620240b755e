"""Views of owners with a permanent link. GET never writes."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from catalog.models import Depot, OwnerLink
from catalog.submissions import owner_links
from pages.forms.owner import OwnerForm, RenewForm, owner_page, renew_page
from pages.forms.views import get_published, posted, problem, public_form_view
from pages.rendering import render_page
from prices import services as price_services
from prices.validation import InvalidPrice

NOTHING_CHANGED = "Niczego nie zmieniono: godziny są takie same i nie ma nowej ceny."

DEAD_LINK = (
    "Odnośnik jest niepełny, wygasł, został odwołany albo zastąpił go nowszy. Na stronie swojego składu poproś o nowy. "
    "Jeśli odnośnik odwołano, przejmij wpis jeszcze raz."
)

REVOKED = (
    "Nikt już nie zmieni nim godzin ani cen. Twój adres usunęliśmy. Nowy odnośnik dostaniesz, gdy przejmiesz wpis "
    "jeszcze raz, a redakcja to przyjmie."
)

SENT = (
    "Jeśli pod tym adresem przejęto ten wpis, wysyłamy na niego nowy odnośnik. Dotychczasowy działa, dopóki czegoś pod "
    "nowym nie zapiszesz. Jeśli wiadomości nie ma, sprawdź folder ze spamem; po kilku wiadomościach w ciągu godziny "
    "następną wyślemy sami, później. Jeśli odnośnik odwołano, przejmij wpis jeszcze raz."
)


def claim_again(depot: Depot | None) -> dict[str, str]:
    """Return the link to the form that claims a depot, for `problem`; empty without a depot."""
    return {"link": reverse("depot-claim", args=[depot.pk]), "link_label": "Przejmij wpis"} if depot else {}


@public_form_view
def owner(request: HttpRequest) -> HttpResponse:
    """Hours and prices of the entry whose owner has the link; they are public as soon as they are saved."""
    posting = request.method == "POST"
    token = (request.POST if posting else request.GET).get("odnosnik", "")[:500]
    now = timezone.now()
    try:
        link = owner_links.read_link(token, on=now)
    except owner_links.OwnerLinkInvalid:
        onward = claim_again(owner_links.find_depot(token))
        return problem(request, 404, "Ten odnośnik nie działa", DEAD_LINK, **onward)
    if posting and "odwolaj" in request.POST:
        owner_links.revoke_links([link], on=now)
        return problem(request, 200, "Odnośnik odwołany", REVOKED, **claim_again(link.depot))
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
            if save(link, token, form):
                return HttpResponseRedirect(f"{reverse('owner')}?odnosnik={token}&zapisano=1")
            mistake = NOTHING_CHANGED
        except InvalidPrice as error:
            mistake = f"Nie możemy przyjąć ceny: {error}."
    return render_page(request, "pages/forms/owner.html", owner_page(form, link, token, problem=mistake), status=400)


@transaction.atomic
def save(link: OwnerLink, token: str, form: OwnerForm) -> bool:
    """Publish the changed hours and prices of an owner, all or none. Returns whether anything changed.

    If the token is of a new link, the former one ends.
    """
    hours, quotes = form.hours(), form.quotes()
    lines = [*owner_links.change_hours(link=link, values=hours, on=form.on)] if hours else []
    lines += price_services.publish_owner_prices(depot=link.depot, quotes=quotes, on=form.on)
    if lines:
        owner_links.end_former(link, token)
        owner_links.note_change(link=link, lines=lines, on=form.on)
    return bool(lines)


@public_form_view
def renew(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Have an owner sent a new link. Answer and work are the same whether or not the address is an owner's."""
    depot = get_published(depot_id)
    form = RenewForm(posted(request), path=request.path, on=timezone.now())
    if request.method == "POST" and form.is_valid():
        owner_links.request_link(depot=depot, email=form.cleaned_data["email"], on=form.on)
        return problem(request, 200, "Sprawdź pocztę", SENT, **claim_again(depot))
    status = 400 if form.is_bound else 200
    return render_page(request, "pages/forms/renew.html", renew_page(form, depot, request.path), status=status)
