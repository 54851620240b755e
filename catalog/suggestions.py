"""Suggestions for what somebody types: units, places, postcodes."""

from typing import NamedTuple

from catalog.names import Names
from catalog.territory.snapshot import territory
from catalog.typed import postcode_pattern, search_key

MAX_SUGGESTIONS = 8


class Suggestion(NamedTuple):
    """One suggestion of `/locations`. fold: for a postcode its five digits."""

    kind: str
    label: str
    fold: str
    description: str
    teryt: str
    slug: str
    voivodeship_slug: str


def suggest_locations(text: str) -> list[Suggestion]:
    """At most eight municipalities, localities and postcodes for a text, the best first.

    Exact names before prefixes, before beginnings of a later word, before fragments inside a word; within each the
    order of importance of `catalog.search`. No query.
    """
    known = territory.get().names
    return [suggestion(known, number) for number in numbers_for(known, text)]


def numbers_for(known: Names, text: str) -> list[int]:
    """Numbers of the names for a text."""
    pattern = postcode_pattern(text)
    if pattern:
        return known.find_postcodes(pattern, MAX_SUGGESTIONS)
    key = search_key(text)
    return known.find(key, MAX_SUGGESTIONS) if key else []


def suggestion(known: Names, number: int) -> Suggestion:
    """What is told of a name."""
    teryt = known.teryt(number)
    slug, voivodeship_slug = known.slugs[teryt]
    return Suggestion(
        kind=known.kind(number),
        label=known.labels[number],
        fold=known.folds[number],
        description=known.description(number),
        teryt=teryt,
        slug=slug,
        voivodeship_slug=voivodeship_slug,
    )
