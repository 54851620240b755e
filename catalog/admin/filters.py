"""Filter sets of admin lists."""

import django_filters

from catalog.depots import fuels
from catalog.models import Depot, DepotQuerySet


class DepotFilter(django_filters.FilterSet):  # type: ignore[misc] # the library has no types
    """Depots of a unit that offer a fuel. unit: 2, 4 or 7 digits of TERYT."""

    unit = django_filters.CharFilter(method="filter_unit")
    fuel = django_filters.ChoiceFilter(choices=fuels.CHOICES, method="filter_fuel")

    class Meta:
        model = Depot
        fields = ("data_status", "publication", "source")

    def filter_unit(self, depots: DepotQuerySet, name: str, value: str) -> DepotQuerySet:
        return depots.in_unit(value)

    def filter_fuel(self, depots: DepotQuerySet, name: str, value: str) -> DepotQuerySet:
        return depots.offering(value)
