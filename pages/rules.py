"""The rules of use of the API, with examples that work."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.conf import settings
from django.urls import reverse

from catalog import fuels, params
from catalog.depots.snapshot import depots
from catalog.links import site_url
from catalog.suggestions import MAX_SUGGESTIONS
from pages.page import Crumb, Page, publisher
from prices import medians
from prices.snapshot import PRICE_LIST_MONTHS
from subsidy import params as subsidy
from subsidy import rules
from subsidy.application import ENVELOPE, SOURCES, Heating

AS_OF = date(2026, 11, 21)
"""The day on which the rules last changed; renew it with every change of their text."""

NOTICE_MONTHS = 6
"""How long before a field goes or changes its meaning that is announced."""


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


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in a few words, and what it means. Names of fields stand between backticks."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage(Page):
    """base_url: what the paths of the endpoints are added to. openapi, docs: paths of the description of the API.

    rules: the ten rules of use. limits, versions: sentences. contact: an e-mail address, "" when none is given.
    """

    template: ClassVar[str] = "pages/api_rules"

    base_url: str
    endpoints: tuple[Endpoint, ...]
    rules: tuple[Rule, ...]
    limits: tuple[str, ...]
    versions: tuple[str, ...]
    contact: str
    openapi: str
    docs: str

    def things(self) -> list[dict[str, Any]]:
        """The API."""
        return [
            {
                "@type": "WebAPI",
                "name": f"{settings.SITE_NAME}: API",
                "description": self.description,
                "url": self.canonical,
                "documentation": site_url(self.docs),
                "termsOfService": f"{self.canonical}#zasady",
                "provider": publisher(),
            }
        ]


def rules_of_use() -> tuple[Rule, ...]:
    """The ten rules that bind callers, in the order of the specification."""
    return (
        Rule(
            "Cytuj ze źródłem.",
            f"Dane wolno cytować, jeśli podasz nazwę serwisu ({settings.SITE_NAME}), adres strony, której dotyczą "
            "(pole `url` lub `page`), i dzień, na który są aktualne.",
        ),
        Rule(
            "Podawaj status wpisu.",
            "Każdy skład ma status w polu `source.data_status`: `unverified` (z otwartego źródła, niepotwierdzony), "
            "`verified` (sprawdzony przez redakcję) albo `owner` (potwierdzony przez właściciela). Cytując wpis, podaj "
            "także jego status.",
        ),
        Rule(
            "Potwierdzaj w składzie.",
            "Godziny, dostępność opału i ceny mogą się zmienić. Przekaż to swoim odbiorcom.",
        ),
        Rule(
            "Nie łącz median ze średnimi.",
            "Ceny ze składów to mediany zatwierdzonych cen. Średnie urzędowe są osobnymi danymi i nie wolno ich łączyć "
            "z medianami w jedną liczbę. Póki liczą się ceny zmyślone, odpowiedź ma pole `demonstration: true`.",
        ),
        Rule(
            "Szanuj dane kontaktowe.",
            "Publikujemy tylko firmy, nie osoby prywatne. Danych kontaktowych nie wolno używać do wysyłania "
            "niezamówionych ofert.",
        ),
        Rule(
            "Zachowaj licencję ODbL.",
            "Część składów pochodzi z OpenStreetMap. Mają one w polu `source.origin` wskazanie autorów, które trzeba "
            "powtórzyć. Bazę danych zbudowaną z takich wpisów wolno udostępniać tylko na licencji ODbL.",
        ),
        Rule(
            "Wskazuj GUS.",
            "Średnie ceny węgla, prądu i gazu pochodzą z Banku Danych Lokalnych GUS. Każdy szereg wskazuje numer "
            "zmiennej, gdy jest znany, i adres źródła; pole `origins` mówi, skąd odczytano same liczby.",
        ),
        Rule(
            "Wskazuj rejestry.",
            "Nazwy i kody gmin pochodzą z rejestru TERYT, a granice z Państwowego Rejestru Granic. Tam, gdzie granica "
            "jest przybliżona, `/locate` odpowiada z `approximate: true`.",
        ),
        Rule(
            "Sprawdzaj tekst uchwały.",
            "Terminy uchwał antysmogowych podajemy z odesłaniem do wojewódzkich dzienników urzędowych (pola "
            "`publication` i `text`) i z dniem, na który są aktualne (`as_of`). Wiąże tekst uchwały, nie nasz opis.",
        ),
        Rule(
            "Właściciel decyduje o swoim wpisie.",
            "Właściciel składu może przez formularz na stronie składu poprawić, przejąć lub usunąć swój wpis. Usunięty "
            "skład odpowiada 404 w API i 410 na stronie: usuń go wtedy także u siebie.",
        ),
    )


LIMITS = (
    "Prosimy o najwyżej jedno zapytanie na sekundę z jednego adresu; krótkie serie do 60 zapytań są w porządku. Ile "
    "zostało, mówią nagłówki `RateLimit` i `RateLimit-Policy`.",
    "Nadmierny ruch dostaje odpowiedź 429 z nagłówkiem `Retry-After`, który mówi, po ilu sekundach pytać znowu.",
    "Odpowiedzi mają nagłówki `Cache-Control` i `ETag`. Przechowuj je u siebie tak długo, jak na to pozwalają, a potem "
    "pytaj z `If-None-Match`: odpowiedź 304 znaczy, że nic się nie zmieniło.",
    "Pobranie całej bazy, utworzenie jej kopii i wykorzystanie komercyjne wymagają wcześniejszego uzgodnienia z "
    "operatorem serwisu.",
    "Lista obcięta parametrem `limit` podaje w nagłówku `X-Total-Count`, ile jest wszystkich składów.",
)

VERSIONS = (
    "To jest wersja 1. Numer wersji jest częścią adresu podstawowego.",
    "Nowe pola mogą się pojawić w odpowiedziach w każdej chwili. Pomijaj te, których nie znasz.",
    f"Usunięcie pola lub zmianę jego znaczenia zapowiadamy na tej stronie i w opisie OpenAPI co najmniej "
    f"{NOTICE_MONTHS} miesięcy wcześniej. Przez ten czas odpowiedzi, których to dotyczy, mają nagłówki `Deprecation` "
    "(od kiedy) i `Sunset` (do kiedy).",
    "Na razie żadna taka zmiana nie jest zapowiedziana.",
)


def rules_page() -> RulesPage:
    """The rules of use. An example needs the id of a depot that exists."""
    base_url = settings.SITE_URL + reverse("v1:stores").removesuffix("/stores")
    depot_id = min((row.id for row in depots.get().rows), default=1)
    return RulesPage(
        title="API i zasady korzystania z danych",
        description="Bezpłatne, otwarte API katalogu składów opału: zasady korzystania, limity, adresy i przykłady.",
        path=reverse("api-rules"),
        crumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        base_url=base_url,
        rules=rules_of_use(),
        limits=LIMITS,
        versions=VERSIONS,
        contact=settings.CONTACT_EMAIL,
        openapi=reverse("v1:stores").removesuffix("stores") + "openapi.json",
        docs=reverse("v1:stores").removesuffix("stores") + "docs",
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
