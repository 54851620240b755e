"""The page of the medians of all fuels, and that of the official averages, which are never mixed with medians."""

from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any

from django.urls import reverse

from catalog.depots import fuels
from catalog.models import Dataset
from fueldepot.data import snapshot
from pages.fuel_prices import PriceChoices, data_status, fuel_tabs, prices_crumb, titled, variable
from pages.page import Crumb, Page, dataset_if_indexed
from pages.svg.charts import years_chart
from prices.api.price_answers import TOO_FEW, all_fuel_prices
from prices.official_series import SERIES, SeriesKind, describe_source
from prices.snapshot import compare_country, official

TITLE = "Średnie ceny GUS"


def index_page(query_string: str, today: date) -> Page:
    choices = PriceChoices.read(query_string, today)
    answers = all_fuel_prices(choices.day)
    demonstration = any("demonstration" in answer for answer in answers.values())
    has_prices = any(answer["n"] for answer in answers.values())
    measured = [*filter(None, (variable(fuel, answers[fuel.slug]["median"]) for fuel in fuels.FUELS))]
    return Page(
        template="pages/prices",
        query_params=("dzien",),
        title=titled("Ceny opału", choices),
        description="Mediany cen węgla, ekogroszku, pelletu, brykietu i drewna w składach w Polsce.",
        path=reverse("prices"),
        demonstration=demonstration,
        demonstration_notice="Ceny składów na tej stronie są zmyślone i służą tylko do wypróbowania serwisu.",
        indexed=has_prices and not demonstration and choices.is_usual,
        as_of=choices.day,
        data_status=data_status(demonstration=demonstration),
        cited_path=reverse("prices") + choices.query(),
        schema_org=partial(dataset_if_indexed, csv=reverse("extract-medians"), variableMeasured=measured),
        content={
            "tabs": fuel_tabs("", lambda slug: reverse("fuel-prices", args=[slug]), choices.query()),
            "rows": [(fuel, answers[fuel.slug], compare_country(fuel, choices.day)) for fuel in fuels.FUELS],
            "has_prices": has_prices,
            "choices": choices,
            "fewest": TOO_FEW,
        },
    )


def official_page() -> Page:
    rows, newest = tuple(official_rows()), official.get().newest
    measured = [f"{row['kind'].name} ({row['kind'].unit})" for row in rows]
    return Page(
        template="pages/official_prices",
        title=official_title(),
        description="Średnie roczne ceny w Polsce według GUS ze źródłem każdej liczby"
        + (f": {'; '.join(row['kind'].name for row in rows)}." if rows else "."),
        path=reverse("official-prices"),
        breadcrumbs=(Crumb.home(), prices_crumb()),
        indexed=bool(rows),
        data_path=reverse("v1:prices"),
        as_of=snapshot.current().changed_on(Dataset.Slug.SERIES),
        data_status="; ".join(filter(None, ("średnie urzędowe", newest, "źródło przy każdej liczbie"))),
        schema_org=partial(dataset_if_indexed, csv=reverse("official-prices-csv"), variableMeasured=measured),
        content={"official": rows, "newest": newest},
    )


def official_title() -> str:
    """Return the title of the page, which names what there are averages of."""
    words = [kind.word for kind in with_averages()]
    return f"Średnie ceny GUS: {' i '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else TITLE


def with_averages() -> list[SeriesKind]:
    slugs = {row.series_id for row in official.get().observations if not row.teryt}
    return [kind for kind in SERIES if kind.slug in slugs]


def official_rows() -> Iterator[dict[str, Any]]:
    """Yield the series with their averages for Poland (year, price and source), ascending.

    source: name and URL of the published series. origins: sources of its numbers. draw_chart: None below two years.
    """
    data = official.get()
    for kind in with_averages():
        rows = [row for row in data.observations if row.series_id == kind.slug]
        poland = [(row.year, float(row.value), row.source) for row in rows if not row.teryt]
        yield {
            "kind": kind,
            "poland": poland,
            "draw_chart": partial(years_chart, [(year, price) for year, price, _ in poland]),
            "source": describe_source(data.variables[kind.slug]),
            "origins": {row.source for row in rows},
        }
