"""Tools about prices."""

from typing import Any

from django.utils import timezone

from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.mcp.answers import Arguments, answer, read_arguments, route_url
from prices.api.params import COUNTRY, FuelPricesQuery, SeriesQuery
from prices.api.responses import fuel_prices
from prices.queries import find_observations
from prices.series import BY_SLUG

MOST_NUMBERS = 6


def get_price(arguments: Arguments) -> dict[str, Any]:
    """Return the median of a fuel in Poland or a voivodeship, with its window."""
    rest = {name: value for name, value in arguments.items() if name != "fuel"}
    query = FuelPricesQuery.parse(str(arguments.get("fuel", "")), read_arguments(rest), today=timezone.localdate())
    found = fuel_prices(query.fuel, on=query.on, voivodeship=query.voivodeship)
    kept = ("fuel", "name", "median", "unit_name", "n", "window_from", "window_to", "quartile_1", "quartile_3")
    return answer(
        {"area": found["area"]["name"], **{name: found[name] for name in kept}, "bag_price": found.get("bag_price")},
        title=f"{query.fuel.name}: ceny, {found['area']['name']}",
        url=found["page"],
        as_of=query.on,
        source=found["source"] or found["method"].partition(".")[0],
        demonstration=found.get("demonstration", False),
    )


def official_average(arguments: Arguments) -> dict[str, Any]:
    """Return official yearly averages, newest first, each with its source; of Poland without a voivodeship."""
    query = SeriesQuery.parse(read_arguments({"voivodeship": COUNTRY, **arguments}))
    rows = sorted(find_observations(query), key=lambda row: (-row.year, row.series))[:MOST_NUMBERS]
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
    return answer(
        {"values": values} if values else {"values": [], "why_empty": "Tej liczby nie znamy."},
        title="Średnie ceny GUS: węgiel, prąd i gaz",
        url=route_url("official-prices"),
        as_of=snapshot.changed_on(Dataset.Slug.SERIES),
        source="GUS; przy każdej liczbie `origin` mówi, skąd ją odczytano",
    )
