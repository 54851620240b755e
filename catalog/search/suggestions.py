"""Suggestions of units, places and postcodes."""

from typing import NamedTuple

from catalog.models import SearchEntry
from catalog.search.engine import Search
from catalog.territory.snapshot import territory

MAX_SUGGESTIONS = 8


class Suggestion(NamedTuple):
    """A suggestion of `/locations`. fold: the five digits of a postcode. fuel: slug of a fuel typed beside.

    point: WGS84 (lat, lon); position: its source, a `SearchEntry.Position`; both None if unknown.
    """

    kind: str
    label: str
    fold: str
    description: str
    teryt: str
    slug: str
    voivodeship_slug: str
    point: tuple[float, float] | None
    position: str | None
    fuel: str | None

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of the municipality's page: a postcode, or the point of a locality, and the fuel.

        A point that is not the locality's own is shared with others, so its name goes along.
        """
        parameters = {}
        if self.kind == SearchEntry.Kind.POSTCODE:
            parameters["kod"] = f"{self.fold[:2]}-{self.fold[2:]}"
        elif self.kind == SearchEntry.Kind.LOCALITY and self.point:
            lat, lon = self.point
            parameters["p"] = f"{lat},{lon}"
            if self.position != SearchEntry.Position.PLACE:
                parameters["miejsce"] = self.label
        if self.fuel:
            parameters["paliwo"] = self.fuel
        return parameters


class Suggestions(NamedTuple):
    """Suggestions for a text, best first; for the other fields see `engine.Found` and `Search.is_clear`."""

    found: list[Suggestion]
    fuel: str | None
    forgiven: bool
    clear: bool


def suggest_locations(text: str) -> Suggestions:
    """Return at most eight municipalities, localities and postcodes for a text. No query."""
    search = territory.get().search
    matches = search.find(text, MAX_SUGGESTIONS)
    suggestions = [describe_entry(search, number, matches.fuel) for number in matches.numbers]
    return Suggestions(suggestions, matches.fuel, matches.forgiven, search.is_clear(matches))


def guess_locations(text: str) -> list[Suggestion]:
    """Return municipalities with names similar to a text without matches, likeliest first. No query."""
    search = territory.get().search
    fuel, numbers = search.guesses(text)
    return [describe_entry(search, number, fuel) for number in numbers]


def describe_entry(search: Search, number: int, fuel: str | None = None) -> Suggestion:
    index = search.index
    unit = index.units[index.teryt(number)]
    return Suggestion(
        kind=index.kind(number),
        label=index.labels[number],
        fold=index.fold(number),
        description=index.description(number),
        teryt=unit.teryt,
        slug=unit.slug,
        voivodeship_slug=unit.voivodeship.slug,
        point=index.point(number),
        position=index.position(number),
        fuel=fuel,
    )
