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
from subsidy import params as subsidy
from subsidy import rules
from subsidy.application import ENVELOPE, SOURCES, Heating


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
                "/regulations",
                "Uchwały antysmogowe województw: terminy, zakazane paliwa, uchwały i ich zmiany. Z kodem TERYT lub "
                "kodem pocztowym także to, czy termin obowiązuje w tej gminie.",
                (
                    Parameter("teryt", "kod województwa, powiatu lub gminy: 2, 4 lub 7 cyfr"),
                    Parameter("postcode", "zamiast kodu TERYT: kod pocztowy, na przykład 30-001"),
                    Parameter("voivodeship", "zamiast obu kodów: nazwa jak malopolskie albo 2 cyfry"),
                    Parameter("on", "dzień, na który ma być odpowiedź, RRRR-MM-DD, domyślnie dziś"),
                ),
                f"{base_url}/regulations?voivodeship=malopolskie",
            ),
            Endpoint(
                "/regulations/{voivodeship}.ics",
                "Terminy województwa jako kalendarz.",
                (Parameter("teryt", "tylko terminy, które obowiązują w tej gminie lub jej części"),),
                f"{base_url}/regulations/malopolskie.ics",
            ),
            Endpoint(
                "/subsidy",
                "Orientacyjna dotacja z programu Czyste Powietrze: poziom, limity, kwoty, warunki i źródła. Także "
                "POST: formularz, multipart albo JSON, by dochód nie trafił do adresu. Dochodu nie zapisujemy.",
                _subsidy_parameters(),
                f"{base_url}/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler",
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


def _subsidy_parameters() -> tuple[Parameter, ...]:
    money = f"zł, {_range(subsidy.MONEY_RANGE)}, z kropką albo przecinkiem"
    return (
        Parameter("people", f"liczba osób, {_range(subsidy.PEOPLE_RANGE)}; potrzebna razem z income"),
        Parameter("income", f"przeciętny miesięczny dochód w {money}"),
        Parameter("income_type", "person (domyślnie) – na osobę, household – całego gospodarstwa"),
        Parameter("annual_income", f"roczny dochód wnioskodawcy w {money}; tylko do poziomu podstawowego"),
        Parameter("benefit, business", "prawo do zasiłku; działalność gospodarcza: tak albo nie"),
        Parameter("current_heating", f"jedno z: {', '.join(Heating)}"),
        Parameter("eu", "wskaźnik EU z audytu: 1, 2, 3 albo unknown (domyślnie, trzy warianty)"),
        Parameter("new_source", f"none (domyślnie) albo jedno z: {', '.join(SOURCES)}"),
        Parameter(", ".join(ENVELOPE), f"powierzchnia prac w m², {_range(subsidy.AREA_RANGE)}"),
        Parameter("central_heating_dhw, ventilation, audit, energy_certificate", "tak albo nie"),
        Parameter("cost_…", f"koszt netto pozycji o tej nazwie w {money}; bez niego dotacja równa się limitowi"),
        Parameter("on", f"dzień RRRR-MM-DD, od {rules.current().begins}; domyślnie dzisiaj"),
        Parameter("html", "tak: dodatkowo gotowe fragmenty HTML"),
    )


def _range(ends: tuple[float, float]) -> str:
    return f"od {ends[0]} do {ends[1]}"
