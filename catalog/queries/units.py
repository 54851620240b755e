"""Units and postcodes by their codes."""

from collections import Counter

from catalog.held import Held
from catalog.models import County, Dataset, FormerMunicipality, Municipality, Postcode, Voivodeship
from catalog.params import Point


class UnknownUnit(Exception):
    """No voivodeship, county or municipality has this code.

    successor: who follows a code that has left the register; others: who else got a part of it.
    """

    def __init__(self, teryt: str, successor: str | None = None, others: tuple[str, ...] = ()) -> None:
        self.teryt, self.successor, self.others = teryt, successor, others
        super().__init__(teryt)


class UnknownVoivodeship(Exception):
    """No voivodeship has this slug or code."""


class UnknownPostcode(Exception):
    """No municipality has addresses with this postcode."""


def get_postcode_centre(code: str) -> Point:
    """Centre of the built-up area of a postcode. Raises UnknownPostcode."""
    centre = Postcode.objects.filter(code=code).values_list("lat", "lon").first()
    if centre is None:
        raise UnknownPostcode(code)
    return Point(*centre)


def check_unit(teryt: str) -> None:
    """Raise UnknownUnit unless a voivodeship, county or municipality has this code."""
    model = {2: Voivodeship, 4: County, 7: Municipality}[len(teryt)]
    if model._default_manager.filter(pk=teryt).exists():
        return
    raise unknown_unit(teryt)


def unknown_unit(teryt: str) -> UnknownUnit:
    """The error for a code that no unit has, with those that follow it. One query.

    A county or voivodeship is followed by those that its municipalities went to, the one with most of them first.
    """
    formers = FormerMunicipality.objects.filter(pk__startswith=teryt).values_list("successor_id", "others")
    counts = Counter(successor[: len(teryt)] for successor, _ in formers)
    found = sorted(counts, key=lambda code: (-counts[code], code))
    found += sorted({code[: len(teryt)] for _, others in formers for code in others} - {*found})
    return UnknownUnit(teryt, successor=found[0] if found else None, others=tuple(found[1:]))


def get_voivodeship(asked: str) -> Voivodeship:
    """A voivodeship by its slug or its two digits. Raises UnknownVoivodeship. No query while `voivodeships` is held."""
    for unit in voivodeships.current():
        if asked in (unit.slug, unit.teryt):
            return unit
    raise UnknownVoivodeship(asked)


voivodeships = Held(lambda: tuple(Voivodeship.objects.order_by("teryt")), Dataset.Slug.UNITS)
"""All of them, by TERYT."""
