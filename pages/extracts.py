"""Extracts for others, as CSV: the municipalities with their numbers of depots, the medians, the official averages.

Depots themselves are in none of them: the rules of use give those by place, not by the thousand.

The form is RFC 4180: UTF-8 without a byte order mark, commas, CRLF, a header row of Polish words without diacritics,
decimal points, an empty field for what is unknown. A text that a spreadsheet would take for a formula begins with an
apostrophe.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog import fuels
from catalog.depots.snapshot import depots
from catalog.links import municipality_url, site_url
from catalog.models import Dataset, Depot, Municipality
from catalog.territory.snapshot import territory
from fueldepot.http import cache_control
from fueldepot.http.conditional import conditional
from prices.queries import RESTS_ON, all_fuel_prices
from prices.series import BY_SLUG, PERIOD
from prices.snapshot import official

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")

REGISTER = "GUS, rejestr TERYT; liczby składów: własne zestawienie, w tym dane © autorów OpenStreetMap (ODbL 1.0)"
INVENTED = "GUS, rejestr TERYT; liczby składów: dane demonstracyjne, zmyślone"
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"
GUS_TERMS = "https://stat.gov.pl/copyright"

Value = str | int | float | Decimal | None


def harmless(value: Value) -> Value:
    """A value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def csv_answer(
    name: str, header: Sequence[str], rows: Iterable[Sequence[Value]], *, licence: str, demonstration: bool = False
) -> HttpResponse:
    """A table under a name, with its licence and its description in the Link header.

    demonstration: invented figures are in it, so search engines are to leave it alone.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([harmless(value) for value in row] for row in rows)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8; header=present")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Link"] = f'<{licence}>; rel="license", <{site_url(reverse("datasets"))}>; rel="describedby"'
    if demonstration:
        response["X-Robots-Tag"] = "noindex"
    return response


def yes(value: object) -> str:
    """A switch in the words of the tables."""
    return "tak" if value else "nie"


@require_safe
@conditional(Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, cache_control=cache_control.CATALOG)
def municipalities(request: HttpRequest) -> HttpResponse:
    """Every municipality by its code, with its number of published depots."""
    known = depots.get()
    # Real depots and invented ones never stand side by side.
    invented = known.demonstration
    header = (
        "teryt",
        "nazwa",
        "rodzaj",
        "powiat_teryt",
        "powiat",
        "wojewodztwo_teryt",
        "wojewodztwo",
        "sklady",
        "w_tym_demonstracyjne",
        "strona",
        "zrodlo",
    )
    rows = (
        (
            one.teryt,
            one.name,
            Municipality.Kind(one.kind).label,
            one.county_id,
            one.county.name,
            one.voivodeship_id,
            one.voivodeship.name,
            known.count_in(one.teryt),
            sum(row.source == Depot.Source.DEMO for row in known.in_unit(one.teryt).rows),
            municipality_url(one.voivodeship.slug, one.slug, one.teryt),
            INVENTED if invented else REGISTER,
        )
        for one in territory.get().municipalities.values()
    )
    licence = site_url(reverse("api-rules")) if invented else ODBL
    return csv_answer("gminy.csv", header, rows, licence=licence, demonstration=invented)


@require_safe
@conditional(*RESTS_ON, cache_control=cache_control.CATALOG, changes_daily=True)
def medians(request: HttpRequest) -> HttpResponse:
    """Medians of every fuel: of the last six months in Poland and the voivodeships, then of each month in Poland.

    Where there are too few prices for a median its field is empty.
    """
    header = (
        "paliwo",
        "nazwa",
        "obszar",
        "teryt",
        "okres",
        "od",
        "do",
        "mediana_zl",
        "jednostka",
        "liczba_cen",
        "dane_demonstracyjne",
        "zrodlo",
        "strona",
    )
    rows: list[Sequence[Value]] = []
    invented = False
    for answer in all_fuel_prices(timezone.localdate()).values():
        demonstration = bool(answer.get("demonstration"))
        invented = invented or demonstration
        begin = (answer["fuel"], answer["name"])
        ends = (answer["from"], answer["to"])
        for area, teryt, period, days, figure in [
            ("Polska", "", f"{answer['window_months']} miesięcy", ends, answer),
            *(
                (f"województwo {one['name']}", one["teryt"], f"{answer['window_months']} miesięcy", ends, one)
                for one in answer["voivodeships"]
            ),
            *(("Polska", "", one["month"], (None, None), one) for one in answer["months"]),
        ]:
            median = None if figure["median"] is None else f"{figure['median']:.2f}"
            end = (median, fuels.UNIT_NAMES[answer["unit"]], figure["n"], yes(demonstration))
            rows.append((*begin, area, teryt, period, *days, *end, answer["source"], answer["page"]))
    rules = site_url(reverse("api-rules"))
    return csv_answer("ceny-mediany.csv", header, rows, licence=rules, demonstration=invented)


@require_safe
@conditional(Dataset.Slug.UNITS, Dataset.Slug.SERIES, cache_control=cache_control.CATALOG)
def averages(request: HttpRequest) -> HttpResponse:
    """The official yearly averages, each with where it was read."""
    header = ("szereg", "nazwa", "jednostka", "okres", "obszar", "teryt", "rok", "cena_zl", "zrodlo")
    rows = (
        (
            one.series,
            BY_SLUG[one.series].name,
            BY_SLUG[one.series].unit,
            PERIOD,
            f"województwo {one.voivodeship}" if one.voivodeship else "Polska",
            one.teryt,
            one.year,
            f"{one.price.normalize():f}",
            one.source,
        )
        for one in official.get().observations
    )
    return csv_answer("srednie-gus.csv", header, rows, licence=GUS_TERMS)
