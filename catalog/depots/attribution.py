"""Attribution: origins and licences of depots, of map tiles, and sentences on the status of the data."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from catalog.depots import fuels
from catalog.models import Depot

OSM_COPYRIGHT = "https://www.openstreetmap.org/copyright"


def tiles_host(url: str) -> str:
    """Return the host of map tiles, without the variable part of a subdomain; "" for none."""
    return (urlsplit(url).hostname or "").removeprefix("{s}.")


def tiles_credit(url: str) -> str:
    """Return the credit of map tiles as HTML: the national service, or OpenStreetMap, from which most are drawn."""
    host = tiles_host(url)
    national = host == "geoportal.gov.pl" or host.endswith(".geoportal.gov.pl")
    return f"GUGiK, {host}" if national else f'© autorzy <a href="{OSM_COPYRIGHT}">OpenStreetMap</a>, {host}'


QUOTING = "cytowanie z podaniem źródła"

# TextChoices members are strings, so stored values are valid keys.
ORIGINS: dict[str, str] = {
    Depot.Source.OSM: f"© autorzy OpenStreetMap, licencja ODbL 1.0 ({OSM_COPYRIGHT})",
    Depot.Source.EDITOR: "Redakcja serwisu",
    Depot.Source.DEMO: "Dane demonstracyjne serwisu: wpis zmyślony, nie opisuje istniejącego składu",
}

LICENCES: dict[str, str] = {
    Depot.Source.OSM: "ODbL-1.0",
    Depot.Source.EDITOR: QUOTING,
    Depot.Source.DEMO: "bez ograniczeń",
}

STATUS_DESCRIPTIONS: dict[str, str] = {
    Depot.DataStatus.UNVERIFIED: "Dane z otwartego źródła, niepotwierdzone przez redakcję ani właściciela.",
    Depot.DataStatus.VERIFIED: "Dane sprawdzone przez redakcję serwisu.",
    Depot.DataStatus.OWNER: "Dane potwierdzone przez właściciela składu.",
}

FUELS_SOURCES = {
    "source": "the source of the entry lists them",
    "name": "at least one is read from the name of the depot and confirmed by nobody; `source.description` says which",
    "person": "an editor or the owner set or checked them, or published prices state them",
}


def describe_status(status: str, source: str, fuels_by_name: Sequence[str]) -> str:
    """Return sentences that explain a data status. fuels_by_name: slugs of fuels that only the name states."""
    if source == Depot.Source.DEMO:
        return "Wpis demonstracyjny: skład zmyślony, służy tylko do wypróbowania serwisu."
    named = ", ".join(fuels.BY_SLUG[slug].name.lower() for slug in fuels_by_name)
    return STATUS_DESCRIPTIONS[status] + (f" Paliwa według nazwy: {named}." if named else "")
