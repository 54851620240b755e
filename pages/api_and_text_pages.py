"""Pages of text: the rules of the API, English, for owners, privacy. Each is data for its two templates."""

import shlex
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.template import engines
from django.urls import reverse

from catalog.api import params
from catalog.depots import fuels
from catalog.depots.attribution import tiles_host
from catalog.depots.snapshot import depots
from catalog.submissions import retention
from catalog.submissions.limits import LINK_HOURS
from catalog.submissions.owner_links import UNUSED
from catalog.text import counted, whole
from fueldepot.http.api_description import document
from fueldepot.http.cache_control import CATALOG, OUTAGE, seconds
from fueldepot.http.links import route_url
from fueldepot.http.params import text_pattern
from fueldepot.http.rate_limit import RateLimit
from pages.heating_api import HOUSE
from pages.page import Crumb, Page, publisher
from subsidy.household_and_plan import ENVELOPE

FOR_OWNERS_AS_OF = date(2026, 11, 26)
ENGLISH_AS_OF = PRIVACY_AS_OF = RULES_AS_OF = date(2026, 12, 1)
"""The days on which the texts last changed; renew them with every change."""

NOTICE_MONTHS = 6
"""How long before a field of the API is removed or changes its meaning that is announced."""

NUMBER_OF_RULES = 11
"""As many as the description of the API has."""

GROUPS = {
    "cost_": "koszt netto pozycji o tej nazwie w zł: liczba od 0",
    "price_": "własna cena źródła o tej nazwie w zł za tonę, metr przestrzenny albo kilowatogodzinę",
    "bag_": "własna cena worka w zł, gdy nie ma ceny tony",
    "efficiency_": "własna sprawność źródła o tej nazwie, na przykład 0,85; pompy: ciepło z kilowatogodziny prądu",
}
"""Beginnings of the names of parameters that share a row, and what they are."""

AREAS = ", ".join(ENVELOPE)

MEANINGS = {
    AREAS: "Powierzchnia prac w m²; bez niej albo z 0 nie ma ich w zakresie.",
    "about": "Tylko progi i udziały poziomów, limity rodzajów przedsięwzięcia albo limity pozycji.",
    "annual_income": "Roczny dochód wnioskodawcy w zł; od niego zależy poziom podstawowy.",
    "appliance": "Urządzenie, którego mają dotyczyć terminy.",
    "area": f"Ogrzewana powierzchnia w m²; bez niej {HOUSE.area}.",
    "audit": "Zwrot kosztu audytu energetycznego.",
    "benefit": "Prawo do zasiłku stałego, okresowego, rodzinnego lub specjalnego opiekuńczego; daje poziom najwyższy.",
    "binding": "Tylko to, co obowiązuje lub może obowiązywać w jednostce z `teryt` albo `postcode`.",
    "brief": "Skraca odpowiedź: gminy o kody pocztowe, dotacji o pozycje, warunki i źródła.",
    "business": "Wnioskodawca lub małżonek prowadzi działalność, także najem.",
    "central_heating_dhw": "Nowa instalacja centralnego ogrzewania i ciepłej wody.",
    "county": "Ma pierwszeństwo przed `voivodeship`.",
    "current_heating": "`solid_fuel`: tylko paliwo stałe poniżej klasy 5; `solid_fuel_class5`: klasa 5, ekoprojekt; "
    "`other`: gaz, olej, prąd, pompa ciepła, sieć albo kilka źródeł.",
    "energy_certificate": "Zwrot kosztu świadectwa energetycznego.",
    "eu": "Wskaźnik EU z audytu: `1` poniżej 80, `2` od 80 do 140, `3` powyżej 140 kWh/(m²·rok).",
    "from": "Bez niego od dziś.",
    "fuel": "`wegiel` obejmuje swoje sortymenty.",
    "html": "Dodaje gotowe fragmenty HTML wyniku.",
    "income": "Przeciętny miesięczny dochód w zł; wymaga `people`.",
    "income_type": "Dochód na jedną osobę albo całego gospodarstwa.",
    "kwh": "Ciepło użytkowe w kWh rocznie; zastępuje `area` i `need`.",
    "lat": "Szerokość geograficzna WGS84, razem z `lon`.",
    "limit": "Liczba wierszy; wszystkich jest tyle, ile podaje `X-Total-Count`.",
    "lon": "Długość geograficzna WGS84, razem z `lat`.",
    "need": f"Zapotrzebowanie na ciepło w kWh/m² rocznie; bez niego {HOUSE.need}, po ociepleniu "
    f"{HOUSE.need_after_works}.",
    "new_source": "Nowe źródło ciepła.",
    "offset": "Liczba pominiętych wierszy.",
    "on": "Stan na ten dzień; bez niego na dziś.",
    "people": "Liczba osób; wymagana razem z `income`.",
    "radius": "Promień w kilometrach, w linii prostej.",
    "series": "Tylko liczby tego szeregu.",
    "to": "Bez niego bez końca.",
    "values": "Dodaje ceny `values` z całego kraju, od najniższej; pomijany z `voivodeship`.",
    "ventilation": "Wentylacja mechaniczna z odzyskiem ciepła.",
    "window": "Z tylu miesięcy jest mediana.",
    "year": "Tylko liczby z tego roku.",
}
"""What parameters mean, with backticks; of the others, what they accept says all."""

PATTERNS = {
    text_pattern(params.QUERY_MIN_LENGTH): f"tekst, co najmniej {params.QUERY_MIN_LENGTH} znaki",
    params.POSTCODE_PATTERN.pattern: "kod pocztowy, na przykład 30-001",
    params.TERYT_PATTERN.pattern: "kod TERYT województwa, powiatu lub gminy (2, 4 lub 7 cyfr)",
    params.COUNTY_PATTERN.pattern: "kod TERYT powiatu (4 cyfry)",
    params.MUNICIPALITY_PATTERN.pattern: "kod TERYT gminy (7 cyfr)",
    params.VOIVODESHIP_PATTERN.pattern: "nazwa województwa albo 2 cyfry TERYT",
}


def describe_rate_limit(limit: RateLimit | None) -> str:
    """Return what is asked of callers, and the limit of this installation, in Polish."""
    request = "Prosimy o najwyżej jedno zapytanie na sekundę z jednego adresu."
    if limit is None:
        return request
    window = {1: "sekundę", 60: "minutę", 3600: "godzinę"}[int(limit.window_s)]
    requests = counted(limit.requests, "zapytanie", "zapytania", "zapytań")
    return f"{request} Limit serwera: {requests} na {window}; można je wysłać naraz."


def rules_of_use() -> list[tuple[str, str]]:
    """Return title and text of each rule of use, NUMBER_OF_RULES of them, names of fields in backticks."""
    texts = engines["jinja2"].env.get_template("pages/_api_rules.md")  # type: ignore[attr-defined] # Jinja2's backend
    rules: list[tuple[str, str]] = texts.make_module(rules_page().content).rules
    return rules


def web_api(page: Page) -> list[dict[str, Any]]:
    return [
        {
            "@type": "WebAPI",
            "name": f"{settings.SITE_NAME}: API",
            "description": page.description,
            "url": page.canonical,
            "documentation": route_url("v1:docs"),
            "termsOfService": f"{page.canonical}#zasady",
            "provider": publisher(),
        }
    ]


def rules_page() -> Page:
    """Return the page of the rules, whose texts stand in `pages/_api_rules.md`."""
    return Page(
        template="pages/api_rules",
        title="API i zasady korzystania z danych",
        description="Bezpłatne, otwarte API katalogu składów opału: zasady korzystania, limity, adresy i przykłady.",
        path=reverse("api-rules"),
        as_of=RULES_AS_OF,
        data_status="obowiązuje",
        schema_org=web_api,
        content={
            "base_url": route_url("api-index"),
            "notice_months": NOTICE_MONTHS,
            "rate_limit": describe_rate_limit(settings.RATE_LIMIT),
            "openapi": reverse("v1:openapi"),
            "docs": reverse("v1:docs"),
            "endpoints": tuple(endpoints()),
        },
    )


def endpoints() -> Iterator[dict[str, Any]]:
    """Yield the operations of the description, in its order. The example of a depot is an existing one.

    like: the path of an earlier one with the same many parameters, "" for none. example: a working absolute URL, "" for
    POST. command: an example to run.
    """
    first_with: dict[tuple[tuple[str, str, str], ...], str] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            parameters = describe_parameters(operation.get("parameters", []))
            command = shlex.split(operation["x-codeSamples"][0]["source"])
            example = command[-1] if method == "get" else ""
            if operation["operationId"] == "getStore":
                number = min((row.id for row in depots.get().rows), default=1)
                example = f"{example.rpartition('/')[0]}/{number}"
            earlier = first_with.setdefault(parameters, path)
            yield {
                "method": method.upper(),
                "path": path,
                "answer": operation["x-summary-pl"],
                "parameters": parameters,
                "like": earlier if earlier != path and len(parameters) > 2 else "",
                "example": example,
                "command": shlex.join(command),
            }


def describe_parameters(parameters: list[dict[str, Any]]) -> tuple[tuple[str, str, str], ...]:
    """Return name, accepted values and meaning of the parameters without deprecated ones, each group as one."""
    rows: dict[str, tuple[str, str, str]] = {}
    for parameter in parameters:
        name = parameter["name"]
        group = next((start for start in GROUPS if name.startswith(start)), "")
        label = AREAS if name in ENVELOPE else f"{group}…" if group else name
        where = "w adresie: " if parameter["in"] == "path" else ""
        needed = ", wymagane" if parameter.get("required") and not where else ""
        if not parameter.get("deprecated"):
            accepted = f"{where}{GROUPS.get(group) or describe_values(parameter['schema'])}{needed}"
            rows.setdefault(label, (label, accepted, MEANINGS.get(label, "")))
    return tuple(rows.values())


def describe_values(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        accepted = f"jedno z: {', '.join(map(str, schema['enum']))}"
    elif "pattern" in schema:
        accepted = PATTERNS[schema["pattern"]]
    elif schema["type"] in {"integer", "number"}:
        ends = [f"{word} {write(schema[key])}" for word, key in (("od", "minimum"), ("do", "maximum")) if key in schema]
        accepted = " ".join(["liczba całkowita" if schema["type"] == "integer" else "liczba", *ends])
    else:
        accepted = {"boolean": "tak albo nie", "date": "dzień RRRR-MM-DD"}[schema.get("format", schema["type"])]
    if "default" not in schema:
        return accepted
    return f"{accepted}{';' if 'enum' in schema else ','} domyślnie {write(schema['default'])}"


def write(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return "tak" if value else "nie"
    return whole(value) if isinstance(value, int) else str(value).replace(".", ",")


RULES = (
    ("uchwała antysmogowa", "anti-smog resolution: what a voivodeship (region) forbids to burn, and from which day"),
    ("termin", "deadline: the day from which a class of boiler or stove may no longer be used"),
    ("kocioł bezklasowy", "boiler without a class, or below class 3 of EN 303-5"),
    ("ekoprojekt", "ecodesign, Regulation (EU) 2015/1189 for boilers and 2015/1185 for stoves and fireplaces"),
    ("piec, koza, kominek", "stove, small iron stove, fireplace"),
    ("dotacja Czyste Powietrze", "the clean-air subsidy for a new source of heat and insulation, by income"),
    ("gmina, powiat, województwo", "municipality, county, voivodeship (region)"),
    ("skład opału", "fuel depot: a yard that sells coal, pellets or firewood"),
    ("cennik, mediana", "price list, median"),
    ("otwarte, zamknięte, dojazd", "open, closed, directions"),
)


def english_page() -> Page:
    return Page(
        template="pages/english",
        language="en",
        title="Fuel depots in Poland",
        description="Where to buy coal, pellets and firewood in Poland, what they cost, and what the anti-smog rules "
        "allow. A guide in English to a Polish site and its API.",
        path=reverse("english"),
        breadcrumbs=(Crumb("Home (Polish)", reverse("home")),),
        as_of=ENGLISH_AS_OF,
        data_status="in force",
        licence="may be quoted with attribution",
        content={
            "depots": len(depots.get().rows),
            "invented": depots.get().demonstration,
            "fuels": fuels.FUELS,
            "rules": RULES,
        },
    )


def for_owners_page() -> Page:
    return Page(
        template="pages/for_owners",
        title="Dla właścicieli składów",
        description="Jak znaleźć swój skład, przejąć wpis, samemu zmieniać godziny i ceny albo usunąć wpis.",
        path=reverse("for-owners"),
        as_of=FOR_OWNERS_AS_OF,
        data_status="obowiązuje",
        content={"link_hours": LINK_HOURS, "unused_days": UNUSED.days},
    )


def privacy_page() -> Page:
    return Page(
        template="pages/privacy",
        title="Prywatność",
        description="Jakie dane osób przechowujemy, po co i jak długo. Kalkulator dotacji niczego nie zapisuje.",
        path=reverse("privacy"),
        as_of=PRIVACY_AS_OF,
        data_status="obowiązuje",
        content={
            "link_hours": LINK_HOURS,
            "limit_hours": retention.KEPT_FOR_LIMITS // timedelta(hours=1),
            "owner_link_days": UNUSED.days,
            "browser_minutes": seconds(CATALOG, "max-age") // 60,
            "outage_minutes": seconds(OUTAGE, "stale-if-error") // 60,
            "tiles_host": tiles_host(settings.MAP_TILES_URL),
        },
    )
