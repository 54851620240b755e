"""The page of the official yearly averages, which are never mixed with the medians of depots."""

from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import reverse

from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http.links import site_url
from pages.page import Crumb, Page, dataset
from pages.prices.shared import prices_crumb
from pages.svg.charts import YearsChart, years_chart
from prices.series import SERIES, describe_source
from prices.snapshot import official

STATUS = "średnie urzędowe; źródło przy każdej liczbie"


@dataclass(frozen=True, slots=True)
class OfficialYear:
    """An average for Poland. origin: source of the number."""

    year: int
    price: float
    origin: str


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """A series. source: name and URL of the published series. poland: ascending.

    origins: sources of its numbers. chart: None with fewer than two years.
    """

    slug: str
    name: str
    unit: str
    poland: tuple[OfficialYear, ...]
    chart: YearsChart | None
    source: dict[str, str]
    origins: tuple[str, ...]

    @property
    def newest(self) -> OfficialYear | None:
        return self.poland[-1] if self.poland else None


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
        title="Średnie ceny GUS: węgiel, prąd i gaz",
        description="Średnie roczne ceny węgla kamiennego, prądu (G11) i gazu (W-1.1) w Polsce według GUS, ze źródłem "
        "każdej liczby.",
        path=reverse("official-prices"),
        breadcrumbs=(Crumb.home(), prices_crumb()),
        indexed=any(row.poland for row in rows),
        data_path=reverse("v1:prices"),
        as_of=snapshot.changed_on(Dataset.Slug.SERIES),
        data_status=STATUS,
        official=rows,
    )


def official_rows() -> tuple[OfficialRow, ...]:
    """Return each series with its averages for Poland."""
    known = official.get()
    rows = []
    for kind in SERIES:
        years = tuple(
            OfficialYear(row.year, float(row.price), row.source)
            for row in known.observations
            if row.series == kind.slug and not row.teryt
        )
        rows.append(
            OfficialRow(
                slug=kind.slug,
                name=kind.name,
                unit=kind.unit,
                poland=years,
                chart=years_chart([(row.year, row.price) for row in years]),
                source=describe_source(known.series[kind.slug].variable_id),
                origins=known.series[kind.slug].sources,
            )
        )
    return tuple(rows)
