"""CSV exports: municipalities with their numbers of depots, medians, official averages.

They contain no depots: the rules of use allow access to depots by place, not in bulk.

Format: RFC 4180, UTF-8 without byte order mark, commas, CRLF, a header row of Polish words without diacritics, decimal
points, empty fields for unknown values. An apostrophe precedes text that a spreadsheet would take for a formula.
`?excel=1` gives the same table for a Polish Excel, see `fueldepot.http.csv_table.write_table`.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils import timezone

from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.links import municipality_url
from catalog.models import Dataset, Municipality
from catalog.territory.snapshot import territory
from catalog.text import counted, round_half_up
from fueldepot.http.cache_control import CATALOG, NO_STORE, conditional
from fueldepot.http.csv_table import Code, DecimalText, write_table
from fueldepot.http.links import route_url
from fueldepot.http.views import read_only
from pages.fuel_prices import PriceChoices, get_fuel
from pages.heating_comparison import HeatingRow
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import get_voivodeship
from pages.polish import area_name
from prices.api.price_answers import FuelPricesJson, all_fuel_prices, fuel_prices, page_url
from prices.heating_costs import rounded_year
from prices.medians import rounded
from prices.models import Observation
from prices.official_series import BY_SLUG, PERIOD
from prices.snapshot import COUNTRY_KEY, PRICE_DATA, compare, official, prices

REGISTER = "GUS, rejestr TERYT; liczby składów: własne zestawienie, w tym dane © autorów OpenStreetMap (ODbL 1.0)"
INVENTED = "GUS, rejestr TERYT; liczby składów: dane demonstracyjne, zmyślone"
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"
GUS_TERMS = "https://stat.gov.pl/copyright"

MEDIAN_HEADER = ("paliwo", "nazwa", "obszar", "teryt", "okres", "od", "do", "mediana_zl", "jednostka", "liczba_cen")
CHANGES_HEADER = ("roznica_do_polski_zl", "zmiana_przez_miesiac_proc", "zmiana_przez_rok_proc")
DEMONSTRATION, SOURCE, PAGE = ORIGIN_HEADER = ("dane_demonstracyjne", "zrodlo", "strona")

Value = str | int | float | Decimal | None | date


def csv_answer(
    request: HttpRequest,
    name: str,
    header: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    licence: str = "",
    demonstration: bool = False,
) -> HttpResponse:
    """Return a table as a download, with its licence and description in the Link header.

    name: of the file, without suffix. licence: URL, by default of the rules of use. demonstration: the table has
    invented figures and is not indexed by search engines.
    """
    excel = request.GET.get("excel") == "1"
    text = write_table(header, rows, excel=excel)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8; header=present")
    response["Content-Disposition"] = f'attachment; filename="{name}{"-excel" if excel else ""}.csv"'
    licence = licence or route_url("api-rules")
    response["Link"] = f'<{licence}>; rel="license", <{route_url("datasets")}>; rel="describedby"'
    if demonstration:
        response["X-Robots-Tag"] = "noindex"
    return response


def yes(value: object) -> str:
    return "tak" if value else "nie"


@read_only
@conditional(Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, cache_control=CATALOG)
def municipalities(request: HttpRequest) -> HttpResponse:
    """Answer with every municipality by TERYT, with its number of published depots."""
    published = depots.get()
    invented = published.demonstration  # a snapshot has either real depots or invented ones
    columns: dict[str, Callable[[Municipality], Value]] = {
        "teryt": lambda unit: Code(unit.teryt),
        "nazwa": lambda unit: unit.name,
        "rodzaj": lambda unit: unit.kind_name,
        "powiat_teryt": lambda unit: Code(unit.county_id),
        "powiat": lambda unit: unit.county.name,
        "wojewodztwo_teryt": lambda unit: Code(unit.voivodeship_id),
        "wojewodztwo": lambda unit: unit.voivodeship.name,
        "sklady": lambda unit: published.count_in(unit.teryt),
        "w_tym_demonstracyjne": lambda unit: sum(row.demonstration for row in published.in_unit(unit.teryt).rows),
        PAGE: lambda unit: municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt),
        SOURCE: lambda unit: INVENTED if invented else REGISTER,
    }
    rows = ([read(unit) for read in columns.values()] for unit in territory.get().municipalities.values())
    return csv_answer(request, "gminy", [*columns], rows, licence="" if invented else ODBL, demonstration=invented)


@read_only
@conditional(*PRICE_DATA, cache_control=CATALOG, changes_daily=True)
def medians(request: HttpRequest) -> HttpResponse:
    """Answer with the medians of every fuel: current ones of Poland and voivodeships, then monthly ones of Poland.

    A median of too few prices is an empty field.
    """
    header = (*MEDIAN_HEADER, *ORIGIN_HEADER)
    rows: list[Sequence[Value]] = []
    invented = False
    for answer in all_fuel_prices(timezone.localdate()).values():
        demonstration = bool(answer.get("demonstration"))
        invented = invented or demonstration
        begin = (answer["fuel"], answer["name"])
        ends = (answer["from"], answer["to"])
        for area, teryt, period, days, figure in [
            ("Polska", "", window_name(answer), ends, answer),
            *(
                (f"województwo {row['name']}", Code(row["teryt"]), window_name(answer), ends, row)
                for row in answer["voivodeships"]
            ),
            *(("Polska", "", Code(row["month"]), (None, None), row) for row in answer["months"]),
        ]:
            median = None if figure["median"] is None else DecimalText(f"{figure['median']:.2f}")
            end = (median, fuels.UNIT_NAMES[answer["unit"]], figure["n"], yes(demonstration))
            rows.append((*begin, area, teryt, period, *days, *end, answer["source"], answer["page"]))
    return csv_answer(request, "ceny-mediany", header, rows, demonstration=invented)


def refuse(reason: str) -> HttpResponse:
    """Answer 400 with a reason. A page names invalid parameters and ignores them; a file has no place for that."""
    headers = {"Cache-Control": NO_STORE}
    return HttpResponseBadRequest(f"{reason}\n", content_type="text/plain; charset=utf-8", headers=headers)


@read_only
@conditional(*PRICE_DATA, cache_control=CATALOG, changes_daily=True)
def fuel_medians(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the medians of a fuel: current ones with their changes, then monthly ones.

    Of Poland and every voivodeship, or of one voivodeship. `?dzien=` as on the pages. Raises Http404.
    """
    kind = get_fuel(fuel)
    query = PriceChoices.read(request.META["QUERY_STRING"], timezone.localdate())
    if query.refused:
        return refuse(query.refusal)
    areas = [get_voivodeship(voivodeship)] if voivodeship else [None, *territory.get().voivodeships.values()]
    country = fuel_prices(kind, on=query.day, window_months=query.window)
    demonstration = bool(country.get("demonstration"))
    figures = prices.get().figures(kind.slug, query.day, query.window)
    compared, series = compare(kind, query.day, query.window), prices.get().months_of_areas(kind.slug, query.day)
    poland = compared[COUNTRY_KEY].median
    rows: list[Sequence[Value]] = []
    for unit in areas:
        teryt = unit.teryt if unit else COUNTRY_KEY
        own = compared[teryt]
        months = series.get(teryt, ()) if unit else figures.months
        begin = (kind.slug, kind.name, area_name(unit), Code(teryt))
        end = (yes(demonstration), country["source"], page_url(kind, figures, unit))
        window = (window_name(country), country["from"], country["to"], decimals(own.median))
        changes = (decimals(own.difference(poland)), percent(own.month), percent(own.year))
        unit_name = fuels.UNIT_NAMES[kind.unit]
        rows.append((*begin, *window, unit_name, own.n, *changes, *end))
        rows += [
            (*begin, Code(row.month), None, None, decimals(row.median), unit_name, row.n, None, None, None, *end)
            for row in months
        ]
    name = "-".join(filter(None, ("ceny", fuel, areas[0].slug if areas[0] else "")))
    header = (*MEDIAN_HEADER, *CHANGES_HEADER, *ORIGIN_HEADER)
    return csv_answer(request, name, header, rows, demonstration=demonstration)


def window_name(answer: FuelPricesJson) -> str:
    return counted(answer["window_months"], "miesiąc", "miesiące", "miesięcy")


def decimals(amount: Decimal | None) -> DecimalText | None:
    """Format złoty with two decimals, half up; None for None."""
    return None if amount is None else DecimalText(f"{rounded(amount):.2f}")


def percent(part: Decimal | None) -> DecimalText | None:
    return None if part is None else DecimalText(f"{round_half_up(part * 100, 1):z.1f}")


@read_only
@conditional(Dataset.Slug.UNITS, Dataset.Slug.SERIES, cache_control=CATALOG)
def averages(request: HttpRequest) -> HttpResponse:
    columns: dict[str, Callable[[Observation], Value]] = {
        "szereg": lambda row: row.series_id,
        "nazwa": lambda row: BY_SLUG[row.series_id].name,
        "jednostka": lambda row: BY_SLUG[row.series_id].unit,
        "okres": lambda row: PERIOD,
        "obszar": lambda row: area_name(row.voivodeship),
        "teryt": lambda row: Code(row.teryt),
        "rok": lambda row: row.year,
        "cena_zl": lambda row: DecimalText(f"{row.value.normalize():f}"),
        SOURCE: lambda row: row.source,
    }
    rows = ([read(row) for read in columns.values()] for row in official.get().observations)
    return csv_answer(request, "srednie-gus", [*columns], rows, licence=GUS_TERMS)


@read_only
@conditional(*Dataset.Slug, cache_control=CATALOG, changes_daily=True)
def heating_costs(request: HttpRequest) -> HttpResponse:
    """Answer with the comparison of heating costs for the query of its page, a row for each source."""
    page = heating_costs_page(request.META["QUERY_STRING"], timezone.localdate())
    if page.content["notice"] or page.content["options"]:
        return refuse(page.content["notice"] or "Jest kilka miejsc o tej nazwie.")
    columns: dict[str, Callable[[HeatingRow], Value]] = {
        "zrodlo_ciepla": lambda row: row.source.slug,
        "nazwa": lambda row: row.source.name,
        "cena_zl": lambda row: row.price and DecimalText(f"{row.price.amount.normalize():f}"),
        "jednostka": lambda row: row.source.unit,
        "rodzaj_ceny": lambda row: row.price and row.price.kind,
        "obszar": lambda row: row.price and row.price.area,
        "od": lambda row: row.price and row.price.first,
        "do": lambda row: row.price and row.price.last,
        "rok": lambda row: row.price and row.price.year,
        "liczba_cen": lambda row: row.price and row.price.n,
        "kwh_od_zl": lambda row: row.cost.per_kwh and decimals(row.cost.per_kwh.low),
        "kwh_zwykle_zl": lambda row: row.cost.per_kwh and decimals(row.cost.per_kwh.middle),
        "kwh_do_zl": lambda row: row.cost.per_kwh and decimals(row.cost.per_kwh.high),
        "rocznie_od_zl": lambda row: row.cost.per_year and rounded_year(row.cost.per_year.low),
        "rocznie_zwykle_zl": lambda row: row.cost.per_year and rounded_year(row.cost.per_year.middle),
        "rocznie_do_zl": lambda row: row.cost.per_year and rounded_year(row.cost.per_year.high),
        "ilosc_na_rok": lambda row: decimals(row.cost.amount),
        "co2_kg_na_kwh": lambda row: decimals(row.cost.co2),
        "grupa": lambda row: row.group,
        "dozwolone": lambda row: "" if row.rule.allowed is None else yes(row.rule.allowed),
        "przepis": lambda row: row.rule.sentence,
        DEMONSTRATION: lambda row: yes(row.price and row.price.demonstration),
        SOURCE: lambda row: row.price and row.price.origin,
        PAGE: lambda row: page.canonical,
    }
    rows = ([read(source["row"]) for read in columns.values()] for source in page.content["rows"])
    return csv_answer(request, "porownanie", [*columns], rows, demonstration=page.demonstration)
