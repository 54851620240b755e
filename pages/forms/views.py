"""One view per form, and the way of a request until it counts. A GET never writes: links are confirmed by a button."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import wraps
from math import ceil
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog import requests
from catalog.actions import DepotIsRemoved
from catalog.models import Depot, DepotRequest, Municipality
from catalog.requests.limits import TooManyRequests
from catalog.requests.secrecy import LINK_LIFE, LinkExpired, LinkUnreadable
from pages.depots import removed_page
from pages.forms.claim import ClaimForm, DeleteForm
from pages.forms.depot import AddForm, CorrectForm
from pages.forms.pages import (
    confirmation_page,
    form_page,
    problem_page,
    read_reference,
    status_page,
    status_reference,
)
from pages.forms.price import PriceForm
from pages.forms.stranger import StrangerForm
from pages.polish import until
from pages.rendering import as_html
from pages.rendering import show as show_page
from prices import actions as price_actions
from prices.models import DepotPrice

Kind = DepotRequest.Kind
FORMS = {
    Kind.CORRECT: "depot-correct",
    Kind.CLAIM: "depot-claim",
    Kind.DELETE: "depot-delete",
    Kind.PRICE: "depot-price",
    Kind.ADD: "depot-add",
}
"""The route of each form."""

View = Callable[..., HttpResponse]

NOTHING_CHANGED = (
    "Niczego nie zmieniono: wpis mówi już dokładnie to, co w formularzu. Nie wysłaliśmy żadnego zgłoszenia."
)
TOO_MANY = (
    "Przyszło już zbyt wiele zgłoszeń: z Twojej sieci, na ten adres e-mail albo w sprawie tego wpisu. Spróbuj {when}. "
    "Niczego nie zapisaliśmy."
)
TOO_SOON = "Odnośnik można wysłać jeszcze raz {when}. Do tego czasu sprawdź, czy list nie trafił do folderu ze spamem."


def stranger(view: View) -> View:
    """What every view of this module has: nothing kept by caches, nothing of the answers in a report of a failure."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @cache_control(no_store=True)
    @sensitive_post_parameters()
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except DepotIsRemoved as error:
            return gone(request, error.args[0])
        except requests.DepotIsHeld:
            raise Http404 from None

    return answer


@stranger
def correct(request: HttpRequest, depot_id: int) -> HttpResponse:
    """What an entry should say."""
    depot = get_published(depot_id)
    form = CorrectForm(posted(request), depot=depot, path=request.path, on=timezone.now())
    return handle(request, Kind.CORRECT, form, depot, lambda: form.wanted())


@stranger
def claim(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Who vouches for an entry."""
    form = ClaimForm(posted(request), path=request.path, on=timezone.now())
    return handle(request, Kind.CLAIM, form, get_published(depot_id), dict)


@stranger
def delete(request: HttpRequest, depot_id: int) -> HttpResponse:
    """Who wants an entry gone."""
    form = DeleteForm(posted(request), path=request.path, on=timezone.now())
    return handle(request, Kind.DELETE, form, get_published(depot_id), dict)


@stranger
def price(request: HttpRequest, depot_id: int) -> HttpResponse:
    """What a depot asks for a fuel."""
    now = timezone.now()
    form = PriceForm(posted(request), today=timezone.localdate(now), path=request.path, on=now)
    return handle(request, Kind.PRICE, form, get_published(depot_id), lambda: price_as_json(form.quote()))


@stranger
def add(request: HttpRequest) -> HttpResponse:
    """A depot that the catalog lacks. `?teryt=` names the municipality that the reader came from."""
    teryt = request.GET.get("teryt", "")
    municipality = Municipality.objects.filter(pk=teryt).first() if teryt.isascii() and teryt.isdigit() else None
    form = AddForm(posted(request), municipality=municipality, path=request.path, on=timezone.now())
    return handle(request, Kind.ADD, form, None, lambda: form.wanted())


@stranger
def status(request: HttpRequest, reference: str) -> HttpResponse:
    """What has become of a request; POST sends the link once more."""
    number = read_reference(reference)
    found = DepotRequest.objects.select_related("depot__municipality__voivodeship").filter(pk=number or 0).first()
    if found is None:
        return problem(request, 404, "Nie ma takiego zgłoszenia", "Zgłoszenie wygasło albo adres jest niepełny.")
    now = timezone.now()
    if request.method == "POST":
        try:
            requests.resend_link(request=found, on=now)
        except TooManyRequests as error:
            text = TOO_SOON.format(when=until(error.retry_at, now))
            back = {"link": request.path, "link_label": "Wróć do zgłoszenia"}
            return later(problem(request, 429, "Na następny list trzeba poczekać", text, **back), error, now)
        except requests.LinksSpent:
            return problem(
                request,
                429,
                "Odnośnik wysłaliśmy już kilka razy",
                "Sprawdź folder ze spamem. Jeśli w adresie był błąd, wypełnij formularz jeszcze raz.",
            )
        except (requests.LinkAlreadyUsed, requests.LinkSuperseded):
            pass  # the page tells
        return HttpResponseRedirect(request.path)
    return show_page(request, "pages/forms/status.html", status_page(found, now))


@stranger
def confirm(request: HttpRequest) -> HttpResponse:
    """Where the link in the letter leads. GET shows what it confirms, POST confirms.

    Mail servers open links to look for harm, which must not confirm anything.
    """
    posting = request.method == "POST"
    token = (request.POST if posting else request.GET).get("odnosnik", "")[:1000]
    now = timezone.now()
    try:
        if posting:
            return HttpResponseRedirect(reverse("request-status", args=[status_reference(make_count(token, now))]))
        found = requests.get_confirmable(token=token, on=now)
    except LinkUnreadable:
        return problem(
            request, 404, "Odnośnik jest niepełny", "Skopiuj go z listu w całości: czasem dzieli się na dwa wiersze."
        )
    except (LinkExpired, requests.LinkForgotten) as error:
        return problem(
            request,
            410,
            "Odnośnik wygasł",
            f"Działał {LINK_LIFE // timedelta(hours=1)} godzin. Zgłoszenie się nie liczy, ale możesz wysłać je "
            "jeszcze raz.",
            link=form_again(error.args[0]),
            link_label="Wypełnij formularz jeszcze raz",
        )
    except requests.LinkAlreadyUsed:
        return problem(
            request,
            409,
            "Zgłoszenie jest już potwierdzone",
            "Ten odnośnik został już użyty. Nie musisz nic więcej robić: zgłoszenie jest w redakcji.",
        )
    except requests.LinkSuperseded:
        return problem(
            request,
            409,
            "Jest nowszy odnośnik",
            "Ten odnośnik zastąpiło późniejsze zgłoszenie albo nowszy list. Otwórz odnośnik z ostatniego listu.",
        )
    except price_actions.PriceRefused as error:
        return problem(request, 409, "Nie możemy przyjąć tej ceny", f"Powód: {error}. Dziękujemy za zgłoszenie.")
    found = DepotRequest.objects.select_related("depot__municipality__voivodeship").get(pk=found.pk)
    return show_page(request, "pages/forms/confirm.html", confirmation_page(found, token))


def handle(
    request: HttpRequest,
    kind: DepotRequest.Kind,
    form: StrangerForm,
    depot: Depot | None,
    proposed: Callable[[], dict[str, Any]],
) -> HttpResponse:
    """Show a form, or take in what was sent: then on to the page that says what to do next."""
    if request.method != "POST":
        return show(request, kind, form, depot)
    if not form.is_valid():
        return show(request, kind, form, depot, status=400)
    wanted = proposed()
    now = timezone.now()
    try:
        taken = requests.submit_request(
            kind=kind,
            depot=depot,
            proposed=wanted,
            subject=wanted["fuel"] if kind == Kind.PRICE else "",
            author=form.author(request.META.get("REMOTE_ADDR", "")),
            on=now,
        )
    except requests.NothingChanged:
        return show(request, kind, form, depot, status=400, problem=NOTHING_CHANGED)
    except TooManyRequests as error:
        text = TOO_MANY.format(when=until(error.retry_at, now))
        return later(show(request, kind, form, depot, status=429, problem=text), error, now)
    return HttpResponseRedirect(reverse("request-status", args=[status_reference(taken)]))


def show(
    request: HttpRequest,
    kind: DepotRequest.Kind,
    form: StrangerForm,
    depot: Depot | None,
    *,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    page = form_page(kind, form, request.path, depot, problem=problem)
    return show_page(request, "pages/forms/form.html", page, status=status)


def problem(request: HttpRequest, status: int, title: str, text: str, **onward: str) -> HttpResponse:
    return show_page(request, "pages/forms/problem.html", problem_page(title, text, **onward), status=status)


def later(response: HttpResponse, error: TooManyRequests, now: datetime) -> HttpResponse:
    """An answer that also tells machines when to try again."""
    response["Retry-After"] = str(ceil((error.retry_at - now).total_seconds()))
    return response


def form_again(request_id: int) -> str:
    """The form that a request came from, or "" when nobody knows any more. One query."""
    found = DepotRequest.objects.filter(pk=request_id).first()
    if found is None:
        return ""
    route = FORMS[Kind(found.kind)]
    return reverse(route, args=[found.depot_id]) if found.depot_id else reverse(route)


def gone(request: HttpRequest, depot_id: int) -> HttpResponse:
    """410 for whatever is about a removed depot."""
    depot = Depot.objects.select_related("municipality__voivodeship").get(pk=depot_id)
    return as_html(request, removed_page(depot))


def get_published(depot_id: int) -> Depot:
    """The depot that a form is about. Raises Http404, DepotIsRemoved, DepotIsHeld."""
    depot = Depot.objects.select_related("municipality__voivodeship").filter(pk=depot_id).first()
    if depot is None:
        raise Http404
    requests.check_published(depot)
    return depot


def posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


@transaction.atomic
def make_count(token: str, on: datetime) -> DepotRequest:
    """Confirm a request; a price goes to the queue of prices, or nothing happens. Raises PriceRefused besides."""
    confirmed = requests.confirm_request(token=token, on=on)
    if confirmed.kind == Kind.PRICE and confirmed.depot is not None:
        quote = price_from_json(confirmed.proposed)
        origin = DepotPrice.Origin.SUBMISSION
        price_actions.submit_price(depot=confirmed.depot, quote=quote, origin=origin, by=None, on=on)
    return confirmed


def price_as_json(quote: price_actions.Quote) -> dict[str, Any]:
    """A quote as a request keeps it; amounts as text, which loses nothing."""
    amounts = {name: getattr(quote, name) for name in ("price", "bag_price", "bag_kg")}
    said = {name: None if amount is None else str(amount) for name, amount in amounts.items()}
    return {"fuel": quote.fuel, "day": quote.day.isoformat(), "unit": quote.unit, **said}


def price_from_json(said: dict[str, Any]) -> price_actions.Quote:
    amounts = {name: None if said[name] is None else Decimal(said[name]) for name in ("price", "bag_price", "bag_kg")}
    return price_actions.Quote(said["fuel"], date.fromisoformat(said["day"]), said["unit"], **amounts)
