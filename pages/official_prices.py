"""The page of the official yearly averages, which are never mixed with the medians of depots."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django.urls import reverse

from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http.links import site_url
from pages.page import Crumb, Page, dataset
from pages.prices import prices_crumb
from pages.svg.charts import YearsChart, years_chart
from prices.models import SERIES, SeriesKind, describe_source
from prices.snapshot import official

TITLE = "Średnie ceny GUS"
STATUS = "średnie urzędowe; źródło przy każdej liczbie"


@dataclass(frozen=True, slots=True)
class OfficialYear:
    """An average for Poland. origin: source of the number."""

    year: int
    price: float
    origin: str


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """A series with an average for Poland. source: name and URL of the published series. poland: ascending.

    origins: sources of its numbers. draw_chart: None with fewer than two years.
    """

    slug: str
    name: str
    unit: str
    poland: tuple[OfficialYear, ...]
    draw_chart: Callable[[], YearsChart | None]
    source: dict[str, str]
    origins: tuple[str, ...]

    @property
    def newest(self) -> OfficialYear:
        return self.poland[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficialPricesPage(Page):
    """The series with their averages for Poland."""

    template: ClassVar[str] = "pages/official_prices"

    official: tuple[OfficialRow, ...]

    @property
    def official_path(self) -> str:
        """The path of the CSV of all averages, voivodeships included."""
        return reverse("official-prices-csv")

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the averages as a data set; nothing without averages."""
        if not self.indexed:
            return []
        return [
            dataset(
                self,
                files=(("application/json", site_url(self.data_path)), ("text/csv", site_url(self.official_path))),
                variableMeasured=[f"{row.name} ({row.unit})" for row in self.official],
            )
        ]


def official_page() -> OfficialPricesPage:
    """Return the page of all series."""
    rows = official_rows()
    return OfficialPricesPage(
        title=official_title(),
        description="Średnie roczne ceny w Polsce według GUS ze źródłem każdej liczby"
        + (f": {'; '.join(row.name for row in rows)}." if rows else "."),
        path=reverse("official-prices"),
        breadcrumbs=(Crumb.home(), prices_crumb()),
        indexed=bool(rows),
        data_path=reverse("v1:prices"),
        as_of=snapshot.changed_on(Dataset.Slug.SERIES),
        data_status=STATUS,
        official=rows,
    )


def official_title() -> str:
    """Return the title of the page, which names what there are averages of."""
    words = [kind.word for kind in with_averages()]
    return f"Średnie ceny GUS: {' i '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else TITLE


def with_averages() -> list[SeriesKind]:
    """Return the series that have averages for Poland."""
    slugs = {row.series for row in official.get().observations if not row.teryt}
    return [kind for kind in SERIES if kind.slug in slugs]


def official_rows() -> tuple[OfficialRow, ...]:
    """Return the series that have averages for Poland."""
    data = official.get()
    rows = []
    for kind in with_averages():
        years = tuple(
            OfficialYear(row.year, float(row.price), row.source)
            for row in data.observations
            if row.series == kind.slug and not row.teryt
        )
        rows.append(
            OfficialRow(
                slug=kind.slug,
                name=kind.name,
                unit=kind.unit,
                poland=years,
                draw_chart=partial(years_chart, [(row.year, row.price) for row in years]),
                source=describe_source(data.series[kind.slug].variable_id),
                origins=data.series[kind.slug].sources,
            )
        )
    return tuple(rows)
