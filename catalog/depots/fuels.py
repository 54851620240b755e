"""The fuels of the catalog, one line each; `docs/how-to.md` lists the steps to add one.

name: display name in the API. unit: unit of its price: "t" a tonne, "mp" a stacked cubic metre.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fuel:
    """coal: whether `wegiel` includes it. bag_kg: of its usual bag, None for none. short: name beside other fuels."""

    slug: str
    name: str
    unit: str = "t"
    coal: bool = False
    bag_kg: int | None = None
    short: str = ""
    english: str = ""

    @property
    def label(self) -> str:
        return self.short or self.name

    @property
    def per_unit(self) -> str:
        return {"t": "za tonę", "mp": "za metr przestrzenny"}[self.unit]


FUELS = (
    Fuel("wegiel", "Węgiel", english="coal"),
    Fuel("ekogroszek", "Ekogroszek", coal=True, bag_kg=20, english="pea coal for automatic boilers"),
    Fuel("wegiel-kostka", "Węgiel kostka", coal=True, short="Kostka", english="lump coal"),
    Fuel("wegiel-orzech", "Węgiel orzech", coal=True, short="Orzech", english="nut coal"),
    Fuel("wegiel-groszek", "Węgiel groszek", coal=True, short="Groszek", english="pea coal"),
    Fuel("mial-weglowy", "Miał węglowy", coal=True, short="Miał", english="fine coal"),
    Fuel("pellet", "Pellet", bag_kg=15, english="wood pellets"),
    Fuel("brykiet", "Brykiet", english="briquettes"),
    Fuel("drewno-kominkowe", "Drewno kominkowe", unit="mp", short="Drewno", english="firewood"),
)

UNIT_NAMES = {"t": "tona", "mp": "metr przestrzenny"}

BY_SLUG = {fuel.slug: fuel for fuel in FUELS}

COALS = frozenset({"wegiel", *(fuel.slug for fuel in FUELS if fuel.coal)})


def choices() -> list[tuple[str, str]]:
    """Return slugs with display names. Models name this function: a new fuel needs no migration."""
    return [(fuel.slug, fuel.name) for fuel in FUELS]


def labels(slugs: Iterable[str], by_name: Collection[str] = ()) -> tuple[str, ...]:
    """Return the display names of fuels, marking those that only a name states. An unknown slug stays as it is."""
    names = {slug: BY_SLUG[slug].name if slug in BY_SLUG else slug for slug in slugs}
    return tuple(f"{name} (według nazwy)" if slug in by_name else name for slug, name in names.items())


def by_name_alone(stated: Sequence[str], in_name: Collection[str], *, confirmed: bool) -> list[str]:
    """Return the fuels that only the name states, in order; none once a person confirmed the fuels."""
    return [] if confirmed else [slug for slug in stated if slug in in_name]


def assortments(slug: str) -> tuple[str, ...]:
    """Slugs that a filter by fuel matches: the fuel itself; for `wegiel` also every assortment of coal."""
    return in_order(COALS) if slug == "wegiel" else (slug,)


def in_order(slugs: Collection[str]) -> tuple[str, ...]:
    return tuple(fuel.slug for fuel in FUELS if fuel.slug in slugs)
