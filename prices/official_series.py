"""The series of official averages, in the order of the answer, and the words for their sources. Plain Python."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

FIRST_YEAR = 1999
PERIOD = "średnia roczna"
PUBLISHER = "GUS, Bank Danych Lokalnych"
HOME = "https://bdl.stat.gov.pl/bdl/start"
"""URL of the data bank, for a series whose number is unknown."""


@dataclass(frozen=True, slots=True)
class SeriesKind:
    """A series. slug: as in the API. word: what its prices are of. name_words: alternative spellings by word.

    Name and `price_of`, spellings of the quantity, identify the variable of the office; both folded, see `fold`.
    """

    slug: str
    word: str
    name: str
    unit: str
    name_words: tuple[tuple[str, ...], ...]
    price_of: tuple[str, ...]
    search_terms: tuple[str, ...]


SERIES = (
    SeriesKind(
        "wegiel-kamienny",
        "węgiel",
        "Węgiel kamienny, średnia cena detaliczna",
        "zł/t",
        (("wegiel kamienny",),),
        ("1 t", "1t", "1 tone", "1 tona", "1000 kg", "1 000 kg"),
        ("węgiel kamienny",),
    ),
    SeriesKind(
        "prad-g11",
        "prąd",
        "Energia elektryczna dla gospodarstw domowych, taryfa G11",
        "zł/kWh",
        (("energia elektryczna",), ("g 11", "g11")),
        ("1 kwh", "1kwh"),
        ("energia elektryczna", "G-11", "G11"),
    ),
    SeriesKind(
        "gaz-w11",
        "gaz",
        "Gaz ziemny dla gospodarstw domowych, taryfa W-1.1",
        "zł/kWh",
        (("gaz",), ("w 1 1", "w11", "w 11", "w1 1")),
        ("1 kwh", "1kwh"),
        ("gaz ziemny", "gaz z sieci", "W-1.1"),
    ),
)

BY_SLUG = {series.slug: series for series in SERIES}

COAL = "wegiel-kamienny"

ADDRESS = re.compile(r"https?://\S+\Z")


def describe_origin(origin: str, variable_id: int | None) -> dict[str, str]:
    """Return name and URL of the source of one figure. origin: as stored, with a URL at its end or of the data bank."""
    match = ADDRESS.search(origin)
    if match is None:
        return {"name": origin, "url": describe_source(variable_id)["url"]}
    name = origin[: match.start()].rstrip(" ,:")
    if name.endswith(" za"):
        name = f"{name}: {urlsplit(match[0]).hostname}"
    return {"name": name, "url": match[0]}


def describe_source(variable_id: int | None) -> dict[str, str]:
    """Return name, with the number of the variable if it is known, and URL of the source of a series."""
    if variable_id is None:
        return {"name": PUBLISHER, "url": HOME}
    return {
        "name": f"{PUBLISHER}, zmienna {variable_id}",
        "url": f"https://bdl.stat.gov.pl/api/v1/data/by-variable/{variable_id}?unit-level=2&format=json",
    }
