"""Municipalities with how many depots they have, for the public list."""

from typing import NamedTuple

from django.db.models import Count, Q

from catalog.models import Depot, Municipality


class CountedMunicipality(NamedTuple):
    """A municipality and its published depots; demonstration: how many of them are invented."""

    teryt: str
    name: str
    slug: str
    kind: int
    county_teryt: str
    county: str
    voivodeship_teryt: str
    voivodeship: str
    voivodeship_slug: str
    depots: int
    demonstration: int


def find_counted_municipalities() -> list[CountedMunicipality]:
    """Every municipality by its code. One query."""
    published = Q(depot__publication=Depot.Publication.PUBLISHED)
    rows = (
        Municipality.objects.order_by("teryt")
        .annotate(
            depots=Count("depot", filter=published),
            demonstration=Count("depot", filter=published & Q(depot__source=Depot.Source.DEMO)),
        )
        .values_list(
            "teryt",
            "name",
            "slug",
            "kind",
            "county_id",
            "county__name",
            "voivodeship_id",
            "voivodeship__name",
            "voivodeship__slug",
            "depots",
            "demonstration",
        )
    )
    return [CountedMunicipality._make(row) for row in rows]
