"""The rules of use of the API, with examples that work."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from catalog import fuels, params
from catalog.models import Depot
from catalog.queries import MAX_SUGGESTIONS
from pages.page import Crumb, Page
from prices import medians
from prices.queries import PRICE_LIST_MONTHS


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a parameter takes, as one phrase."""

    name: str
    accepted: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the table of endpoints. example: an absolute address that answers."""

    path: str
    answer: str
    parameters: tuple[Parameter, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage(Page):
    """base_url: what the paths of the endpoints are added to."""

    base_url: str
    endpoints: tuple[Endpoint, ...]


def rules_page() -> RulesPage:
    """The rules of use. One query: an example needs the id of a depot that exists."""
    base_url = settings.SITE_URL + reverse("v1:stores").removesuffix("/stores")
    depot_id = Depot.objects.published().order_by("pk").values_list("pk", flat=True).first() or 1
    return RulesPage(
        title="API i zasady korzystania z danych",
        description="Bezpłatne, otwarte API katalogu składów opału: zasady korzystania, limity, adresy i przykłady.",
        path=reverse("api-rules"),
        crumbs=(Crumb.home(),),
        base_url=base_url,
        endpoints=(
            Endpoint(
                "/locations",
                f"Gminy, miejscowości i kody pocztowe pasujące do wpisanego tekstu, najwyżej {MAX_SUGGESTIONS}.",
                (Parameter("q", f"co najmniej {params.QUERY_MIN_LENGTH} znaki; polskie litery nie są konieczne"),),
                f"{base_url}/locations?q=krakow",
            ),
            Endpoint(
                "/locate",
                "Gmina, w której leży punkt.",
                (
                    Parameter("lat", f"szerokość geograficzna WGS84, {_range(params.LAT_RANGE)}"),
                    Parameter("lon", f"długość geograficzna WGS84, {_range(params.LON_RANGE)}"),
                ),
                f"{base_url}/locate?lat=50.0614&lon=19.9366",
            ),
            Endpoint(
                "/stores",
                "Składy w jednostce podziału terytorialnego albo najbliższe od punktu, z odległością w linii prostej.",
                (
                    Parameter("teryt", "kod województwa, powiatu lub gminy: 2, 4 lub 7 cyfr"),
                    Parameter("postcode", "zamiast kodu TERYT: kod pocztowy, na przykład 30-001"),
                    Parameter("lat, lon", "zamiast obu kodów: punkt, jak w /locate"),
                    Parameter(
                        "radius",
                        f"promień w km, {_range(params.RADIUS_KM_RANGE)}, domyślnie {params.RADIUS_KM_DEFAULT}",
                    ),
                    Parameter(
                        "limit", f"liczba składów, {_range(params.LIMIT_RANGE)}, domyślnie {params.LIMIT_DEFAULT}"
                    ),
                    Parameter("fuel", f"jedno z: {', '.join(fuels.BY_SLUG)}"),
                    Parameter("format", "json (domyślnie) albo geojson"),
                ),
                f"{base_url}/stores?postcode=30-001&fuel=pellet",
            ),
            Endpoint(
                "/stores/{id}",
                "Jeden skład ze wszystkimi polami i cennikiem: najnowszą ceną każdego paliwa z ostatnich "
                f"{PRICE_LIST_MONTHS} miesięcy.",
                (Parameter("id", "liczba z pola id na liście składów"),),
                f"{base_url}/stores/{depot_id}",
            ),
            Endpoint(
                "/prices",
                "Średnie roczne ceny węgla kamiennego, prądu (G11) i gazu (W-1.1) według GUS: Polska i województwa.",
                (),
                f"{base_url}/prices",
            ),
            Endpoint(
                "/prices/{fuel}",
                f"Mediana cen paliwa w składach z ostatnich {medians.WINDOW_MONTHS} miesięcy, od "
                f"{medians.FEWEST_FOR_MEDIAN} cen; dla kraju także według województw i miesięcy.",
                (
                    Parameter("fuel", f"w adresie, jedno z: {', '.join(fuels.BY_SLUG)}"),
                    Parameter("voivodeship", "nazwa w zapisie z adresu (malopolskie) albo 2 cyfry TERYT (12)"),
                    Parameter("values", "tak lub nie (1, 0, true, false): dodaje ceny, z których jest mediana kraju"),
                ),
                f"{base_url}/prices/pellet?voivodeship=malopolskie",
            ),
        ),
    )


def _range(ends: tuple[float, float]) -> str:
    return f"od {ends[0]} do {ends[1]}"
