"""What the parsers of official averages yield: plain frozen records, without database."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """A variable of the local data bank. name: all its names, from n1 down. unit: of its measure, e.g. "zł"."""

    id: int
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    """The average price of a year. area: 2 digits of the voivodeship, "" for Poland. source: where it was read."""

    series: str
    area: str
    year: int
    value: Decimal
    source: str

    @property
    def key(self) -> str:
        """Series, area and year: what there is one of."""
        return f"{self.series}/{self.area or 'PL'}/{self.year}"
