"""One view per address: build the page object, write it out. Nothing here changes data."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models import Depot
from pages.depots import depot_page, depot_path, removed_page
from pages.home import home_page
from pages.page import municipality_path
from pages.prices import fuel_prices_page, index_page, voivodeship_prices_page
from pages.regulations import regulation_page, regulations_page
from pages.rules import rules_page
from pages.subsidy import subsidy_page
from pages.territory import get_municipality, municipality_page, voivodeship_page

MAX_AGE_S = 300
"""Entries change whenever an editor decides; nobody should see an old one for longer."""


def moved(request: HttpRequest, path: str) -> HttpResponse:
    """Lead to the right address, keeping the query."""
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def home(request: HttpRequest) -> HttpResponse:
    """Search, and the list of voivodeships."""
    return render(request, "pages/home.html", {"page": home_page(request.META["QUERY_STRING"])})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def api_rules(request: HttpRequest) -> HttpResponse:
    """The rules of use of the API."""
    return render(request, "pages/api_rules.html", {"page": rules_page()})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def voivodeship(request: HttpRequest, voivodeship: str) -> HttpResponse:
    """The municipalities of a voivodeship."""
    return render(request, "pages/voivodeship.html", {"page": voivodeship_page(voivodeship)})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def municipality(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """A municipality; 301 from a wrong voivodeship or slug and from a former code."""
    unit = get_municipality(teryt)
    if (voivodeship, slug, teryt) != (unit.voivodeship.slug, unit.slug, unit.teryt):
        return moved(request, municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt))
    page = municipality_page(unit, request.META["QUERY_STRING"])
    return render(request, "pages/municipality.html", {"page": page})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def regulations(request: HttpRequest) -> HttpResponse:
    """The anti-smog resolutions of all voivodeships."""
    return render(request, "pages/regulations.html", {"page": regulations_page(timezone.localdate())})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def regulation(request: HttpRequest, voivodeship: str) -> HttpResponse:
    """The deadlines of a voivodeship, or of a unit in it."""
    page = regulation_page(voivodeship, request.META["QUERY_STRING"], timezone.localdate())
    return render(request, "pages/regulation.html", {"page": page})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def depot(request: HttpRequest, depot_id: int, slug: str) -> HttpResponse:
    """A depot; 301 from a wrong slug and from an entry merged into another, 410 once it was removed."""
    found = Depot.objects.select_related("municipality__voivodeship", "merged_into").filter(pk=depot_id).first()
    if found is None or found.publication == Depot.Publication.HELD:
        raise Http404
    if found.merged_into is not None:
        return moved(request, depot_path(found.merged_into.pk, found.merged_into.name))
    if found.publication == Depot.Publication.REMOVED:
        return render(request, "410.html", {"page": removed_page(found)}, status=410)
    path = depot_path(found.pk, found.name)
    if request.path != path:
        return moved(request, path)
    return render(request, "pages/depot.html", {"page": depot_page(found)})


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(no_store=True)
@sensitive_post_parameters()
def subsidy(request: HttpRequest) -> HttpResponse:
    """The calculator; what is posted stays in this answer. 400 with the form again when it cannot be read."""
    page = subsidy_page(request.POST if request.method == "POST" else None, timezone.localdate())
    return render(request, "pages/subsidy.html", {"page": page}, status=400 if page.mistakes else 200)


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def prices(request: HttpRequest) -> HttpResponse:
    """What every fuel costs now, and the official averages."""
    return render(request, "pages/prices.html", {"page": index_page(timezone.localdate())})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def fuel_prices(request: HttpRequest, fuel: str) -> HttpResponse:
    """What a fuel costs in Poland, and how that was computed."""
    return render(request, "pages/fuel_prices.html", {"page": fuel_prices_page(fuel, timezone.localdate())})


@require_safe
@cache_control(public=True, max_age=MAX_AGE_S)
def voivodeship_prices(request: HttpRequest, fuel: str, voivodeship: str) -> HttpResponse:
    """What a fuel costs in a voivodeship; 301 from the two digits of its code."""
    page = voivodeship_prices_page(fuel, voivodeship, timezone.localdate())
    if request.path != page.path:
        return moved(request, page.path)
    return render(request, "pages/voivodeship_prices.html", {"page": page})
