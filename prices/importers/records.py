"""Records of the parsers of official averages."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """A variable of the local data bank. name: n1 to n5, joined. unit: of measure, e.g. "zł"."""

    id: int
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    """Average price of a year. area: 2 digits of the voivodeship, "" for Poland. source: of this number."""

    series: str
    area: str
    year: int
    value: Decimal
    source: str

    @property
    def key(self) -> str:
        """Unique key: series, area and year."""
        return f"{self.series}/{self.area or 'PL'}/{self.year}"
