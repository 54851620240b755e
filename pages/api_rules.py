"""The page of the rules of use of the API, with working examples."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.conf import settings
from django.urls import reverse

from catalog.api import params
from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.search.suggestions import MAX_SUGGESTIONS
from catalog.territory.point import LAT_RANGE, LON_RANGE
from fueldepot.http.links import site_url
from fueldepot.http.rate_setting import RateLimit
from pages.page import Crumb, Page, publisher
from prices import medians
from prices.api.params import MOST_MONTHS_BACK
from prices.series import BY_SLUG
from prices.snapshot import PRICE_LIST_MONTHS
from regulations.codes import Appliance
from subsidy import rules
from subsidy.api import params as subsidy
from subsidy.application import ENVELOPE, SOURCES, Heating

AS_OF = date(2026, 11, 23)
"""The day on which the rules last changed; renew it with every change of their text."""

NOTICE_MONTHS = 6
"""Months between the announcement and the removal or change of a field."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its accepted values, in Polish."""

    name: str
    accepted: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the table of endpoints. example: a working absolute URL."""

    path: str
    answer: str
    parameters: tuple[Parameter, ...]
    example: str


@dataclass(frozen=True, slots=True)
class RuleOfUse:
    """A rule with its explanation; names of fields in backticks."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage(Page):
    """The page. base_url: of the endpoints. openapi, docs: paths of the description of the API.

    rules: the ten rules of use. limits, versions: sentences. contact: an e-mail address, "" for none.
    """

    template: ClassVar[str] = "pages/api_rules"

    base_url: str
    endpoints: tuple[Endpoint, ...]
    rules: tuple[RuleOfUse, ...]
    limits: tuple[str, ...]
    versions: tuple[str, ...]
    contact: str
    openapi: str
    docs: str

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the API as schema.org's WebAPI."""
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


def rules_of_use() -> tuple[RuleOfUse, ...]:
    """Return the ten rules of use, in the order of the specification."""
    return (
        RuleOfUse(
            "Cytuj ze źródłem.",
            f"Dane wolno cytować, jeśli podasz nazwę serwisu ({settings.SITE_NAME}), adres strony, której dotyczą "
            "(pole `url` lub `page`), i dzień, na który są aktualne.",
        ),
        RuleOfUse(
            "Podawaj status wpisu.",
            "Każdy skład ma status w polu `source.data_status`: `unverified` (z otwartego źródła, niepotwierdzony), "
            "`verified` (sprawdzony przez redakcję) albo `owner` (potwierdzony przez właściciela). Cytując wpis, podaj "
            "także jego status. Paliwa odczytane tylko z nazwy składu mają `fuels_source` równe `name`; cytuj je jako "
            "podane „według nazwy”.",
        ),
        RuleOfUse(
            "Potwierdzaj w składzie.",
            "Godziny, dostępność opału i ceny mogą się zmienić. Przekaż to swoim odbiorcom.",
        ),
        RuleOfUse(
            "Nie łącz median ze średnimi.",
            "Ceny ze składów to mediany zatwierdzonych cen. Średnie urzędowe są osobnymi danymi i nie wolno ich łączyć "
            "z medianami w jedną liczbę. Dopóki mediana obejmuje ceny zmyślone, odpowiedź ma pole "
            "`demonstration: true`.",
        ),
        RuleOfUse(
            "Szanuj dane kontaktowe.",
            "Publikujemy tylko firmy, nie osoby prywatne. Danych kontaktowych nie wolno używać do wysyłania "
            "niezamówionych ofert.",
        ),
        RuleOfUse(
            "Zachowaj licencję ODbL.",
            "Część składów pochodzi z OpenStreetMap. Mają one w polu `source.origin` wskazanie autorów, które trzeba "
            "powtórzyć. Bazę danych zbudowaną z takich wpisów wolno udostępniać tylko na licencji ODbL.",
        ),
        RuleOfUse(
            "Wskazuj GUS.",
            "Średnie ceny węgla, prądu i gazu pochodzą z Banku Danych Lokalnych GUS. Każdy szereg wskazuje numer "
            "zmiennej, gdy jest znany, i adres źródła; pole `origins` mówi, skąd odczytano same liczby.",
        ),
        RuleOfUse(
            "Wskazuj rejestry.",
            "Nazwy i kody gmin pochodzą z rejestru TERYT, a granice z Państwowego Rejestru Granic. Tam, gdzie granica "
            "jest przybliżona, `/locate` odpowiada z `approximate: true`.",
        ),
        RuleOfUse(
            "Sprawdzaj tekst uchwały.",
            "Terminy uchwał antysmogowych podajemy z odesłaniem do wojewódzkich dzienników urzędowych (pola "
            "`publication` i `text`) i z dniem, na który są aktualne (`as_of`). Wiąże tekst uchwały, nie nasz opis.",
        ),
        RuleOfUse(
            "Właściciel decyduje o swoim wpisie.",
            "Właściciel składu może przez formularz na stronie składu poprawić, przejąć lub usunąć swój wpis. O "
            "usunięty skład API odpowiada 404, a jego strona 410: usuń go wtedy także u siebie.",
        ),
    )


WINDOWS = {1: "sekundę", 60: "minutę", 3600: "godzinę"}


def describe_rate_limit(limit: RateLimit | None) -> str:
    """Return what is asked of callers, and the limit of this installation, in Polish."""
    asked = "Prosimy o najwyżej jedno zapytanie na sekundę z jednego adresu."
    if limit is None:
        return asked
    return f"{asked} Limit serwera: {limit.requests} na {WINDOWS[int(limit.window_s)]}, mogą przyjść naraz."


LIMITS = (
    "Jeśli limit jest włączony, nagłówki `RateLimit` i `RateLimit-Policy` mówią, ile zapytań zostało.",
    "Na nadmiar zapytań odpowiadamy 429. Nagłówek `Retry-After` mówi, po ilu sekundach spróbować ponownie.",
    "Odpowiedzi mają nagłówki `Cache-Control` i `ETag`. Przechowuj je u siebie tak długo, jak na to pozwalają, a potem "
    "pytaj z `If-None-Match`: odpowiedź 304 znaczy, że nic się nie zmieniło.",
    "Parametry o nieznanych nazwach pomijamy i wymieniamy w nagłówku `X-Ignored-Parameters`.",
    "Pobranie całej bazy, utworzenie jej kopii i wykorzystanie komercyjne wymagają wcześniejszego uzgodnienia z "
    "operatorem serwisu.",
    "Lista składów obcięta parametrem `limit` podaje w nagłówku `X-Total-Count`, ile jest wszystkich, a w nagłówku "
    "`Link` adresy pozostałych części. Parametr `offset` służy do czytania jednej listy, nie do kopiowania bazy.",
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
    base_url = site_url(reverse("api-index"))
    return RulesPage(
        title="API i zasady korzystania z danych",
        description="Bezpłatne, otwarte API katalogu składów opału: zasady korzystania, limity, adresy i przykłady.",
        path=reverse("api-rules"),
        breadcrumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        base_url=base_url,
        rules=rules_of_use(),
        limits=(describe_rate_limit(settings.RATE_LIMIT), *LIMITS),
        versions=VERSIONS,
        contact=settings.CONTACT_EMAIL,
        openapi=reverse("v1:openapi"),
        docs=reverse("v1:docs"),
        endpoints=endpoints(base_url),
    )


def endpoints(base_url: str) -> tuple[Endpoint, ...]:
    """Return the endpoints of the API. The example of a depot is an existing one."""
    depot_id = min((row.id for row in depots.get().rows), default=1)
    return (
        Endpoint("/", "Spis adresów, wersje zbiorów danych i dni ich ostatnich zmian.", (), base_url),
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
                Parameter("lat", f"szerokość geograficzna WGS84, {_range(LAT_RANGE)}"),
                Parameter("lon", f"długość geograficzna WGS84, {_range(LON_RANGE)}"),
            ),
            f"{base_url}/locate?lat=50.0614&lon=19.9366",
        ),
        Endpoint(
            "/municipalities/{teryt}",
            "Jedna gmina: rodzaj, powiat i województwo, położenie, kody pocztowe i liczba składów.",
            (Parameter("teryt", "w adresie: kod gminy, 7 cyfr"),),
            f"{base_url}/municipalities/1261011",
        ),
        Endpoint(
            "/municipalities/{teryt}.geojson",
            "Ta sama gmina z granicą, jako GeoJSON.",
            (Parameter("teryt", "w adresie: kod gminy, 7 cyfr"),),
            f"{base_url}/municipalities/1261011.geojson",
        ),
        Endpoint(
            "/postcodes/{code}",
            "Jeden kod pocztowy: środek zabudowy, gminy z udziałem adresów i województwa.",
            (Parameter("code", "w adresie: kod pocztowy, na przykład 30-001"),),
            f"{base_url}/postcodes/30-001",
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
                Parameter("limit", f"liczba składów, {_range(params.LIMIT_RANGE)}, domyślnie {params.LIMIT_DEFAULT}"),
                Parameter("offset", f"ile pierwszych składów pominąć, {_range(params.OFFSET_RANGE)}, domyślnie 0"),
                Parameter("fuel", f"jedno z: {', '.join(fuels.BY_SLUG)}"),
            ),
            f"{base_url}/stores?postcode=30-001&fuel=pellet",
        ),
        Endpoint(
            "/stores.geojson",
            "Te same składy jako punkty GeoJSON; parametry jak w /stores.",
            (),
            f"{base_url}/stores.geojson?postcode=30-001&fuel=pellet",
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
                Parameter("voivodeship", "zamiast obu kodów: nazwa (małopolskie, malopolskie) albo 2 cyfry"),
                Parameter("binding", "tak: tylko to, co wiąże lub może wiązać tę jednostkę; każde źródło raz"),
                Parameter("on", "dzień, na który ma być odpowiedź, RRRR-MM-DD, domyślnie dziś"),
                Parameter(
                    "appliance", f"czy wolno go jeszcze używać w tej gminie; jedno z: {', '.join(Appliance.values)}"
                ),
            ),
            f"{base_url}/regulations?voivodeship=malopolskie",
        ),
        Endpoint(
            "/deadlines",
            "Terminy uchwał wszystkich województw, od najwcześniejszego.",
            (
                Parameter("from, to", "pierwszy i ostatni dzień, RRRR-MM-DD; domyślnie od dziś, bez końca"),
                Parameter("limit", f"liczba terminów, {_range(params.LIMIT_RANGE)}, domyślnie {params.LIMIT_DEFAULT}"),
                Parameter("offset", f"ile pierwszych terminów pominąć, {_range(params.OFFSET_RANGE)}, domyślnie 0"),
                Parameter("voivodeship", "nazwa (małopolskie, malopolskie) albo 2 cyfry TERYT (12)"),
                Parameter("appliance", f"tylko terminy, które go wymieniają; jedno z: {', '.join(Appliance.values)}"),
            ),
            f"{base_url}/deadlines?limit=3",
        ),
        Endpoint(
            "/regulations/{voivodeship}.ics",
            "Terminy województwa jako kalendarz.",
            (
                Parameter("teryt", "tylko terminy, które obowiązują w tej gminie lub jej części"),
                Parameter("on", "dzień, na który ma być odpowiedź, RRRR-MM-DD, domyślnie dziś"),
            ),
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
            "/subsidy/limits",
            "Progi dochodu, udziały i limity programu jako liczby, każda z dniem i źródłem.",
            (
                Parameter("about", f"jedno z: {', '.join(subsidy.ABOUT)}; domyślnie wszystko"),
                Parameter("on", f"dzień RRRR-MM-DD, od {rules.current().begins}; domyślnie dzisiaj"),
            ),
            f"{base_url}/subsidy/limits?about=levels",
        ),
        Endpoint(
            "/prices",
            "Średnie roczne ceny węgla kamiennego, prądu (G11) i gazu (W-1.1) według GUS: Polska i województwa.",
            (
                Parameter("series", f"jedno z: {', '.join(BY_SLUG)}"),
                Parameter("year", "rok, cztery cyfry"),
                Parameter("voivodeship", "nazwa albo 2 cyfry TERYT; polska – tylko kraj"),
            ),
            f"{base_url}/prices?series=prad-g11&year=2019&voivodeship=polska",
        ),
        Endpoint(
            "/prices/{fuel}",
            f"Mediana cen paliwa w składach z ostatnich {medians.WINDOW_MONTHS} miesięcy, od "
            f"{medians.FEWEST_FOR_MEDIAN} cen; także według miesięcy, dla kraju i według województw.",
            (
                Parameter("fuel", f"w adresie, jedno z: {', '.join(fuels.BY_SLUG)}"),
                Parameter("voivodeship", "nazwa (małopolskie, malopolskie) albo 2 cyfry TERYT (12)"),
                Parameter("values", "tak lub nie (1, 0, true, false): dodaje ceny, z których jest mediana kraju"),
                Parameter("on", f"dzień RRRR-MM-DD, do {MOST_MONTHS_BACK} miesięcy wstecz; domyślnie dziś"),
            ),
            f"{base_url}/prices/pellet?voivodeship=malopolskie",
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
        Parameter("brief", "tak: tylko poziom, udział, sumy i uwagi, bez list"),
    )


def _range(ends: tuple[float, float]) -> str:
    return f"od {ends[0]} do {ends[1]}"
