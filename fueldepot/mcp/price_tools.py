"""Tools about prices."""

from django.utils import timezone

from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.mcp.answers import Arguments, Citation, Findings, read_arguments, route_url
from pages.prices.official import official_title
from prices.api.params import COUNTRY, FuelPricesQuery, SeriesQuery
from prices.api.responses import fuel_prices
from prices.queries import find_observations
from prices.series import BY_SLUG

MOST_NUMBERS = 6


def get_price(arguments: Arguments) -> Findings:
    """Return the median of a fuel in Poland or a voivodeship, with its window."""
    rest = {name: value for name, value in arguments.items() if name != "fuel"}
    query = FuelPricesQuery.parse(str(arguments.get("fuel", "")), read_arguments(rest), today=timezone.localdate())
    found = fuel_prices(query.fuel, on=query.on, voivodeship=query.voivodeship)
    kept = ("fuel", "name", "median", "unit_name", "n", "window_from", "window_to", "quartile_1", "quartile_3")
    citation = Citation(
        f"{query.fuel.name}: ceny, {found['area']['name']}",
        found["page"],
        query.on,
        [found["source"] or found["method"].partition(".")[0]],
        found.get("demonstration", False),
    )
    content = {name: found[name] for name in kept}
    return Findings({"area": found["area"]["name"], **content, "bag_price": found.get("bag_price")}, lambda _: citation)


def official_average(arguments: Arguments) -> Findings:
    """Return official yearly averages, newest first, each with its source; of Poland without a voivodeship."""
    query = SeriesQuery.parse(read_arguments({"voivodeship": COUNTRY, **arguments}))
    rows = sorted(find_observations(query), key=lambda row: (-row.year, row.series))
    values = [
        {
            "series": row.series,
            "area": row.voivodeship or "Polska",
            "year": row.year,
            "price": float(row.price),
            "unit": BY_SLUG[row.series].unit,
            "origin": row.source,
        }
        for row in rows
    ]
    citation = Citation(
        official_title(),
        route_url("official-prices"),
        snapshot.changed_on(Dataset.Slug.SERIES),
        ["GUS; przy każdej liczbie `origin` mówi, skąd ją odczytano"],
    )
    return Findings(
        {"values": values} if values else {"values": [], "why_empty": "Tej liczby nie znamy."},
        lambda _: citation,
        most={"values": MOST_NUMBERS},
    )
