"""Where an entry comes from and how sure it is, in the words that every answer and page repeats."""

from catalog.models import Depot

# Members of TextChoices are text: a stored value finds its line.
ORIGINS: dict[str, str] = {
    Depot.Source.OSM: "© autorzy OpenStreetMap, licencja ODbL 1.0 (https://www.openstreetmap.org/copyright)",
    Depot.Source.EDITOR: "Redakcja serwisu",
    Depot.Source.DEMO: "Dane demonstracyjne serwisu: wpis zmyślony, nie opisuje istniejącego składu",
}

LICENCES: dict[str, str] = {
    Depot.Source.OSM: "ODbL-1.0",
    Depot.Source.EDITOR: "cytowanie z podaniem źródła",
    Depot.Source.DEMO: "bez ograniczeń",
}

STATUS_DESCRIPTIONS: dict[str, str] = {
    Depot.DataStatus.UNVERIFIED: "Dane z otwartego źródła, niepotwierdzone przez redakcję ani właściciela.",
    Depot.DataStatus.VERIFIED: "Dane sprawdzone przez redakcję serwisu.",
    Depot.DataStatus.OWNER: "Dane potwierdzone przez właściciela składu.",
}

DEMONSTRATION_DESCRIPTION = "Wpis demonstracyjny: skład zmyślony, służy tylko do wypróbowania serwisu."


def describe_status(status: str, source: str) -> str:
    """The sentence that explains a data status to a reader."""
    if source == Depot.Source.DEMO:
        return DEMONSTRATION_DESCRIPTION
    return STATUS_DESCRIPTIONS[status]
