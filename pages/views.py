"""One view per page: build the page object. `pages.rendering` writes it out. Nothing here changes data."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.depots.snapshot import depots
from catalog.links import depot_path, municipality_path
from catalog.models import Dataset
from fueldepot.data import versions
from pages.datasets import DatasetsPage, datasets_page
from pages.depots import DepotPage, RemovedPage, depot_page, find_gone_depot, removed_page
from pages.home import HomePage, home_page
from pages.origin import read_origin
from pages.prices import (
    FuelPricesPage,
    PricesPage,
    VoivodeshipPricesPage,
    fuel_prices_page,
    index_page,
    voivodeship_prices_page,
)
from pages.privacy import PrivacyPage, privacy_page
from pages.regulations import RegulationPage, RegulationsPage, regulation_page, regulations_page
from pages.rendering import Moved, Views, as_html, page_address, page_view
from pages.rules import RulesPage, rules_page
from pages.subsidy import SubsidyPage, subsidy_page
from pages.territory import MunicipalityPage, VoivodeshipPage, find_municipality, municipality_page, voivodeship_page
from prices.queries import RESTS_ON as PRICE_DATA

UNITS, PLACES, POSTCODES = Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES
BOUNDARIES, DEPOTS, PRICES = Dataset.Slug.BOUNDARIES, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES
REGULATIONS = Dataset.Slug.REGULATIONS


@page_view(UNITS, PLACES, POSTCODES, BOUNDARIES, DEPOTS)
def home(request: HttpRequest) -> HomePage:
    """Search, and the list of voivodeships."""
    return home_page(request.META["QUERY_STRING"])


@page_view(DEPOTS)
def api_rules(request: HttpRequest) -> RulesPage:
    """The rules of use of the API."""
    return rules_page()


@page_view(*Dataset.Slug, versions.RUNS, changes_daily=True)
def datasets(request: HttpRequest) -> DatasetsPage:
    """Every data set: what it is, how current, on what terms."""
    return datasets_page(timezone.localdate())


@page_view()
def privacy(request: HttpRequest) -> PrivacyPage:
    """What is kept of visitors, and for how long."""
    return privacy_page()


@page_view(UNITS, BOUNDARIES, DEPOTS)
def voivodeship(request: HttpRequest, voivodeship: str) -> VoivodeshipPage:
    """The municipalities of a voivodeship."""
    return voivodeship_page(voivodeship)


@page_view(UNITS, BOUNDARIES, POSTCODES, DEPOTS)
def municipality(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> MunicipalityPage:
    """A municipality; leads on from a wrong voivodeship or slug and from a former code."""
    asked = read_origin(request.META["QUERY_STRING"])
    unit = find_municipality(teryt)
    if (voivodeship, slug, teryt) != (unit.voivodeship.slug, unit.slug, unit.teryt):
        raise Moved(municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt))
    return municipality_page(unit, asked)


@page_view(UNITS, BOUNDARIES, REGULATIONS, changes_daily=True)
def regulations(request: HttpRequest) -> RegulationsPage:
    """The anti-smog resolutions of all voivodeships."""
    return regulations_page(timezone.localdate())


@page_view(UNITS, REGULATIONS, changes_daily=True)
def regulation(request: HttpRequest, voivodeship: str) -> RegulationPage:
    """The deadlines of a voivodeship, or of a unit in it."""
    return regulation_page(voivodeship, request.META["QUERY_STRING"], timezone.localdate())


@page_view(UNITS, DEPOTS, PRICES, changes_daily=True)
def depot(request: HttpRequest, depot_id: int, slug: str) -> DepotPage | RemovedPage:
    """A depot; leads on from a wrong slug, and is gone once it was removed, whatever the slug."""
    row = depots.get().find(depot_id)
    if row is None:
        gone = find_gone_depot(depot_id)
        if gone.merged_into is not None:
            raise Moved(depot_path(gone.merged_into.pk, gone.merged_into.name))
        return removed_page(gone)
    path = depot_path(row.id, row.name)
    if page_address(request.path) != path:
        raise Moved(path)
    return depot_page(row, timezone.localdate())


@page_view(changes_daily=True)
def subsidy(request: HttpRequest) -> SubsidyPage:
    """The calculator before anything was sent: its form, the levels and the limits."""
    return subsidy_page(None, timezone.localdate())


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def calculator(request: HttpRequest) -> HttpResponse:
    """The calculator; what is posted stays in this answer. 400 with the form again when it cannot be read.

    Posting changes nothing, so there is nothing that a foreign site could make a visitor do, and no cookie is needed.
    """
    if request.method != "POST":
        return subsidy.page(request)
    page = subsidy_page(request.POST, timezone.localdate())
    response = as_html(request, page, status=400 if page.mistakes else 200)
    response["Cache-Control"] = "no-store"
    return response


calculating = Views(page=calculator, twin=subsidy.twin)


@page_view(*PRICE_DATA, changes_daily=True)
def prices(request: HttpRequest) -> PricesPage:
    """What every fuel costs now, and the official averages."""
    return index_page(timezone.localdate())


@page_view(*PRICE_DATA, BOUNDARIES, changes_daily=True)
def fuel_prices(request: HttpRequest, fuel: str) -> FuelPricesPage:
    """What a fuel costs in Poland, and how that was computed."""
    return fuel_prices_page(fuel, timezone.localdate())


@page_view(*PRICE_DATA, changes_daily=True)
def voivodeship_prices(request: HttpRequest, fuel: str, voivodeship: str) -> VoivodeshipPricesPage:
    """What a fuel costs in a voivodeship; leads on from the two digits of its code."""
    page = voivodeship_prices_page(fuel, voivodeship, timezone.localdate())
    if page_address(request.path) != page.path:
        raise Moved(page.path)
    return page
