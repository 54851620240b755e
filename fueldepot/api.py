"""Routes of API version 1 with the data sets behind responses and their cache lifetime; its index and its description.

Validators wrap all of DRF: a 304 is answered before any of it runs.
"""

from datetime import date
from functools import partial, wraps
from typing import Annotated, Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import path, re_path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from typing_extensions import TypedDict

from catalog.api.views import LocateViewSet, LocationViewSet, MunicipalityViewSet, PostcodeViewSet, StoreViewSet
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.errors import unknown_path
from fueldepot.http import api_description, cache_control
from fueldepot.http.cache_control import View, conditional, release
from fueldepot.http.error_body import method_not_allowed
from fueldepot.http.links import route_url
from fueldepot.http.params import Switch
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Query, Url, example, list_ignored
from fueldepot.http.views import JSON, JsonViewSet, answers, json_response, read_only, samples
from pages.heating_api import HeatingCostsViewSet
from pages.page import Crumb, Page
from pages.rendering import render_page
from prices.api.views import FuelPriceViewSet, FullStoreViewSet, SeriesViewSet
from prices.snapshot import prices
from regulations.api.views import DeadlineViewSet, RegulationViewSet
from subsidy.api.views import SubsidyViewSet

SERVICE = "service"


class OperationLinkJson(TypedDict):
    """An operation of the API."""

    operation: Annotated[str, example("findStores")]
    """Its `operationId` in the description."""
    method: Annotated[str, OneOf("GET", "POST"), example("GET")]
    """Method of the request."""
    url: Annotated[
        str, example(f"{EXAMPLE_SITE}/api/v1/stores{{?lat,lon,postcode,teryt,radius,fuel,limit,offset,format}}")
    ]
    """Its address as a URI template (RFC 6570)."""
    summary: Annotated[str, example("List depots of a unit, or the nearest ones")]
    """What it does."""


class DataSetJson(TypedDict):
    """A data set behind the answers."""

    slug: Annotated[str, OneOf(*Dataset.Slug.values), example("depots")]
    """Identifier of the data set."""
    name: Annotated[str, example("składy opału")]
    """Its name, in Polish."""
    version: Annotated[int, example(12, ge=1)]
    """Grows with every change of the data set."""
    changed_on: Annotated[Day, example("2026-11-20")]
    """Day of the last change in this service."""


class IndexJson(TypedDict):
    """The service, its addresses and its data sets."""

    name: Annotated[str, example("Składy opału")]
    """Name of the service."""
    version: Annotated[str, example("1.2.0")]
    """Release of the service."""
    openapi: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/openapi.json")]
    """The description (OpenAPI 3.1)."""
    docs: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/docs")]
    """The documentation to read and try."""
    rules: Annotated[Url, example(f"{EXAMPLE_SITE}/api/")]
    """The rules of use, in Polish."""
    operations: list[OperationLinkJson]
    """Everything that can be asked."""
    data_sets: list[DataSetJson]
    """The data sets that the service has, one row each."""
    demonstration: Annotated[bool, example(False)]
    """True while invented depots or prices are among the data."""


def describe_service(state: snapshot.State) -> IndexJson:
    document = api_description.document()
    return {
        "name": settings.SITE_NAME,
        "version": document["info"]["x-release"],
        "openapi": route_url("v1:openapi"),
        "docs": route_url("v1:docs"),
        "rules": route_url("api-rules"),
        "operations": [
            {
                "operation": operation["operationId"],
                "method": method.upper(),
                "url": document["servers"][0]["url"] + path + query_template(operation),
                "summary": operation["summary"],
            }
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ],
        "data_sets": [
            {
                "slug": slug.value,
                "name": slug.label,
                "version": int(state.versions[slug].partition(".")[0]),
                "changed_on": cast(date, state.changed_on(slug)),
            }
            for slug in Dataset.Slug
            if slug in state.versions
        ],
        "demonstration": depots.get().demonstration or prices.get().columns.demonstration.any().item(),
    }


def query_template(operation: dict[str, Any]) -> str:
    """Return the query of an operation as an RFC 6570 template, "" without parameters."""
    names = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
    return f"{{?{','.join(names)}}}" if names else ""


class IndexViewSet(JsonViewSet):
    @extend_schema(
        operation_id="getIndex",
        tags=[SERVICE],
        summary="Addresses of the API, and how current its data are",
        description=(
            "Every operation as a URI template; every data set with its version and the day of its last change. The "
            "address answers with and without a slash at its end."
        ),
        responses=answers(IndexJson, "The addresses and data sets."),
        extensions=samples(
            ("The entry", '"/api/v1"'), polish="Spis adresów, wersje zbiorów danych i dni ich ostatnich zmian."
        ),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        self.read(Query, request)
        return json_response(describe_service(snapshot.current()))


ALLOWED = "GET, HEAD, OPTIONS"


class DescriptionQuery(Query):
    compact: Switch = False


def etag(request: HttpRequest, *args: Any) -> str:
    """Return a validator that changes with the code and the site's name."""
    is_compact = DescriptionQuery.read(request.META["QUERY_STRING"])[0].compact
    return f'"{release()}{"-compact" if is_compact else ""}"'


def with_validator(view: View) -> View:
    """Answer GET, HEAD and OPTIONS with a validator, other methods like the API."""
    validated = condition(etag)(view)

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        if request.method == "OPTIONS":
            response = HttpResponse(headers={"Allow": ALLOWED})
            del response["Content-Type"]
            return response
        if request.method not in {"GET", "HEAD"}:
            return method_not_allowed(request, headers={"Allow": ALLOWED})
        cache_control.ignore_dates(request)
        response = validated(request)
        response["Cache-Control"] = cache_control.behind_cache(cache_control.DESCRIPTION, request)
        return response

    return answer


@with_validator
def description(request: HttpRequest) -> HttpResponse:
    query, errors = DescriptionQuery.read(request.META["QUERY_STRING"])
    ignored = [*errors, *query.ignored]
    headers = {"X-Ignored-Parameters": list_ignored(ignored)} if ignored else {}
    return HttpResponse(
        api_description.compact_body() if query.compact else api_description.body(), JSON, headers=headers
    )


@with_validator
def docs(request: HttpRequest) -> HttpResponse:
    document = api_description.document()
    page = Page(
        title="Dokumentacja API",
        description="API katalogu składów opału do wypróbowania: zapytania z przykładami i odpowiedzi serwisu.",
        path=reverse("v1:docs"),
        breadcrumbs=(Crumb.home(), Crumb("API i zasady korzystania z danych", reverse("api-rules"))),
    )
    facts = {"base_url": document["servers"][0]["url"], "version": document["info"]["x-release"]}
    return render_page(request, "api/docs.html", page, **facts)


Data = Dataset.Slug


def get(viewset: Any, action: str) -> Any:
    return viewset.as_view({"get": action})


register = partial(conditional, Data.UNITS, cache_control=cache_control.REGISTER)
catalog = partial(conditional, Data.UNITS, cache_control=cache_control.CATALOG)
daily = partial(catalog, changes_daily=True)

municipalities = partial(catalog, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.DEPOTS)
depot_lists = partial(catalog, Data.POSTCODES, Data.DEPOTS)
price_list = daily(Data.DEPOTS, Data.PRICES, in_outage=False)
medians = daily(Data.DEPOTS, Data.PRICES, Data.SERIES)
laws = daily(Data.POSTCODES, Data.BOUNDARIES, Data.REGULATIONS)
heat = conditional(*Data, cache_control=cache_control.CATALOG, changes_daily=True)
names = register(Data.PLACES, Data.POSTCODES, Data.BOUNDARIES)
# The rules of the subsidy are part of the release.
programme = conditional(cache_control=cache_control.CATALOG, changes_daily=True)

v1 = [
    path("locations", names(get(LocationViewSet, "list")), name="locations"),
    path("locate", register(Data.BOUNDARIES)(get(LocateViewSet, "retrieve")), name="locate"),
    path(
        "municipalities/<str:teryt>.geojson",
        municipalities()(get(MunicipalityViewSet, "area")),
        name="municipality-geojson",
    ),
    # `Accept` chooses between JSON and GeoJSON where an address has no ending.
    path(
        "municipalities/<str:teryt>",
        municipalities(vary="Accept")(get(MunicipalityViewSet, "retrieve")),
        name="municipality",
    ),
    path("municipalities", municipalities()(get(MunicipalityViewSet, "list")), name="municipalities"),
    path(
        "postcodes/<str:code>",
        register(Data.POSTCODES, Data.BOUNDARIES)(get(PostcodeViewSet, "retrieve")),
        name="postcode",
    ),
    path("stores", depot_lists(vary="Accept")(get(StoreViewSet, "list")), name="stores"),
    path("stores.geojson", depot_lists()(get(StoreViewSet, "points")), name="stores-geojson"),
    path("stores/<str:pk>", price_list(get(FullStoreViewSet, "retrieve")), name="store"),
    path("regulations", laws(get(RegulationViewSet, "list")), name="regulations"),
    path("deadlines", laws(get(DeadlineViewSet, "list")), name="deadlines"),
    path("regulations/<str:voivodeship>.ics", laws(get(RegulationViewSet, "calendar")), name="regulations-calendar"),
    # Depends on no data set, and is never cached.
    path("subsidy", SubsidyViewSet.as_view({"get": "retrieve", "post": "create"}), name="subsidy"),
    path("subsidy/limits", programme(get(SubsidyViewSet, "limits")), name="subsidy-limits"),
    path("prices", register(Data.SERIES)(get(SeriesViewSet, "retrieve")), name="prices"),
    path("prices/<str:fuel>", medians(get(FuelPriceViewSet, "retrieve")), name="fuel-prices"),
    path("openapi.json", description, name="openapi"),
    path("docs", docs, name="docs"),
    # The table of the page of the API took the place of this page in version 1.2.
    path("reference", read_only(lambda request: HttpResponsePermanentRedirect(reverse("api-rules")))),
    path("heating-costs", heat(get(HeatingCostsViewSet, "retrieve")), name="heating-costs"),
    re_path("", unknown_path),
]

index = conditional(*Data, cache_control=cache_control.CATALOG)(get(IndexViewSet, "retrieve"))
