"""The series of official averages: one line each, in the order of the answer.

`name_words` and `price_of` are how the statistical office's variable is recognised by its name: it holds every one of
the words and says what the price is of. Both are folded, see `catalog.text.fold`.
"""

from dataclasses import dataclass

FIRST_YEAR = 1999
PERIOD = "średnia roczna"
PUBLISHER = "GUS, Bank Danych Lokalnych"
HOME = "https://bdl.stat.gov.pl/bdl/start"
"""Where a series is looked for while its number is not known."""


@dataclass(frozen=True, slots=True)
class SeriesKind:
    """slug: the wire value. unit: złoty per something. name_words: alternatives of each word in the variable's name.

    price_of: what the price in the variable's name is of, in every spelling that means `unit`.
    """

    slug: str
    name: str
    unit: str
    name_words: tuple[tuple[str, ...], ...]
    price_of: tuple[str, ...]


SERIES = (
    SeriesKind(
        "wegiel-kamienny",
        "Węgiel kamienny, średnia cena detaliczna",
        "zł/t",
        (("wegiel kamienny",),),
        ("1 t", "1t", "1 tone", "1 tona", "1000 kg", "1 000 kg"),
    ),
    SeriesKind(
        "prad-g11",
        "Energia elektryczna dla gospodarstw domowych, taryfa G11",
        "zł/kWh",
        (("energia elektryczna",), ("g 11", "g11")),
        ("1 kwh", "1kwh"),
    ),
    SeriesKind(
        "gaz-w11",
        "Gaz ziemny dla gospodarstw domowych, taryfa W-1.1",
        "zł/kWh",
        (("gaz",), ("w 1 1", "w11", "w 11", "w1 1")),
        ("1 kwh", "1kwh"),
    ),
)

BY_SLUG = {series.slug: series for series in SERIES}

COAL = "wegiel-kamienny"


def describe_source(variable_id: int | None) -> dict[str, str]:
    """Name, with the number of the variable, and address of a series' source."""
    if variable_id is None:
        return {"name": f"{PUBLISHER}, numer zmiennej jeszcze nieustalony", "url": HOME}
    return {
        "name": f"{PUBLISHER}, zmienna {variable_id}",
        "url": f"https://bdl.stat.gov.pl/api/v1/data/by-variable/{variable_id}?unit-level=2&format=json",
    }
