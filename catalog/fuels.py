"""The fuels of the catalog: one line each.

Adding a fuel begins with a line here. Choices of models (a migration), its plausible range, the demonstration and the
description of the API follow, in the order that CONTRIBUTING tells.

A name is what the API shows, a unit what its price is per: "t" a tonne, "mp" a stacked cubic metre.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fuel:
    """slug: the wire value. coal: the slug `wegiel` takes it in as an assortment.

    bag_kg: weight of the bag that it is usually sold in, None where no bag is usual.
    """

    slug: str
    name: str
    unit: str = "t"
    coal: bool = False
    bag_kg: int | None = None


FUELS = (
    Fuel("wegiel", "Węgiel"),
    Fuel("ekogroszek", "Ekogroszek", coal=True, bag_kg=20),
    Fuel("wegiel-kostka", "Węgiel kostka", coal=True),
    Fuel("wegiel-orzech", "Węgiel orzech", coal=True),
    Fuel("wegiel-groszek", "Węgiel groszek", coal=True),
    Fuel("mial-weglowy", "Miał węglowy", coal=True),
    Fuel("pellet", "Pellet", bag_kg=15),
    Fuel("brykiet", "Brykiet"),
    Fuel("drewno-kominkowe", "Drewno kominkowe", unit="mp"),
)

UNIT_NAMES = {"t": "tona", "mp": "metr przestrzenny"}

BY_SLUG = {fuel.slug: fuel for fuel in FUELS}

CHOICES = [(fuel.slug, fuel.name) for fuel in FUELS]
"""What models and forms let people choose from."""

COALS = frozenset({"wegiel", *(fuel.slug for fuel in FUELS if fuel.coal)})
"""Coal and its assortments."""


def assortments(slug: str) -> tuple[str, ...]:
    """Slugs that a question about a fuel covers: the fuel itself, and for `wegiel` every assortment of coal."""
    if slug == "wegiel":
        return (slug, *(fuel.slug for fuel in FUELS if fuel.coal))
    return (slug,)


def in_order(slugs: set[str] | frozenset[str]) -> tuple[str, ...]:
    """The given slugs in the order of the catalog."""
    return tuple(fuel.slug for fuel in FUELS if fuel.slug in slugs)
