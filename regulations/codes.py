"""Codes of appliances, fuels, conditions and exemptions, as in API and files; model fields of codes."""

from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from django import forms
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models


class Appliance(models.TextChoices):
    """Appliances of households for solid fuel, by classes of EN 303-5. A stove is any space heater but a fireplace.

    Class 5 is without ecodesign (EU 2015/1189). Below class 3 are 1, 2 and boilers without a rating plate.
    """

    BOILER_BELOW_CLASS_3 = "boiler_below_class_3", "kocioł bezklasowy (poniżej klasy 3)"
    BOILER_CLASS_3 = "boiler_class_3", "kocioł klasy 3"
    BOILER_CLASS_4 = "boiler_class_4", "kocioł klasy 4"
    BOILER_CLASS_5 = "boiler_class_5", "kocioł klasy 5"
    BOILER_ECODESIGN = "boiler_ecodesign", "kocioł z ekoprojektem"
    FIREPLACE = "fireplace", "kominek"
    STOVE = "stove", "piec lub koza"


SPACE_HEATERS = frozenset({Appliance.FIREPLACE, Appliance.STOVE})
BOILERS = frozenset(Appliance) - SPACE_HEATERS


class FuelCode(models.TextChoices):
    HARD_COAL = "hard_coal", "węgiel kamienny"
    FINE_COAL = "fine_coal", "drobny węgiel (miał)"
    LOW_GRADE_COAL = "low_grade_coal", "węgiel złej jakości"
    LIGNITE = "lignite", "węgiel brunatny"
    FINE_LIGNITE = "fine_lignite", "drobny węgiel brunatny"
    COAL_SLUDGE = "coal_sludge", "muły i flotokoncentraty węglowe"
    PEAT = "peat", "torf"
    BIOMASS = "biomass", "drewno i inna biomasa"
    WET_BIOMASS = "wet_biomass", "mokre drewno i inna mokra biomasa"


WOOD = frozenset({FuelCode.BIOMASS, FuelCode.WET_BIOMASS})
COAL = frozenset(FuelCode) - WOOD - {FuelCode.PEAT}


class Condition(models.TextChoices):
    """Conditions of a deadline about appliance or building; it binds only where all are true."""

    OVER_10_YEARS = "over_10_years", "miał ponad 10 lat, gdy uchwała weszła w życie, albo nie ma tabliczki znamionowej"
    FROM_5_TO_10_YEARS = "from_5_to_10_years", "miał od 5 do 10 lat, gdy uchwała weszła w życie"
    UNDER_5_YEARS = "under_5_years", "miał mniej niż 5 lat, gdy uchwała weszła w życie"
    NEW_BUILDING = "new_building", "budynek jest nowy"
    NETWORK_AVAILABLE = "network_available", "budynek można przyłączyć do sieci ciepłowniczej lub gazowej"
    DISTRICT_HEATING_AVAILABLE = "district_heating_available", "budynek można przyłączyć do sieci ciepłowniczej"
    DISTRICT_HEATING_CONNECTED = "district_heating_connected", "budynek jest przyłączony do sieci ciepłowniczej"


class Exemption(models.TextChoices):
    ECODESIGN = "ecodesign", "spełnia ekoprojekt"
    EFFICIENCY_80 = "efficiency_80", "ma sprawność co najmniej 80%"
    DUST_FILTER = "dust_filter", "ma urządzenie, które ogranicza pył"
    WITHOUT_NETWORK = "without_network", "budynku nie da się przyłączyć do sieci"
    EFFICIENCY_80_WITHOUT_NETWORK = (
        "efficiency_80_without_network",
        "ma sprawność co najmniej 80%, a budynku nie da się przyłączyć do sieci",
    )
    ECODESIGN_WITHOUT_NETWORK = (
        "ecodesign_without_network",
        "spełnia ekoprojekt, a budynku nie da się przyłączyć do sieci",
    )
    BEST_STANDARD_WITHOUT_NETWORK = (
        "best_standard_without_network",
        "ma najwyższy standard, a budynku nie da się przyłączyć do sieci",
    )
    ADDITIONAL_FIREPLACE = "additional_fireplace", "jest kominkiem na drewno, dodatkowym i o małej emisji pyłu"


class CodesField(ArrayField):  # type: ignore[type-arg] # not subscriptable at run time
    """A list of codes out of `choices`, edited by checkboxes. Empty by default, in the database too."""

    def __init__(self, *args: Any, choices: Any = None, **kwargs: Any) -> None:
        if choices is not None:
            kwargs.setdefault("base_field", models.CharField(max_length=40, choices=choices))
        defaults: dict[str, Any] = {"blank": True, "default": list, "db_default": []}
        super().__init__(*args, **(defaults | kwargs))

    def formfield(self, **kwargs: Any) -> Any:
        # ArrayField itself offers a line of text with commas.
        ticked: dict[str, Any] = {"form_class": forms.MultipleChoiceField, "widget": forms.CheckboxSelectMultiple}
        ticked |= {"choices": self.base_field.choices, "show_hidden_initial": False}
        return super(ArrayField, self).formfield(**(ticked | kwargs))


class Spared(NamedTuple):
    """An appliance that may stay. started_before: only if it was put to use before this day; None for any."""

    appliance: Appliance
    started_before: date | None = None


@lru_cache(maxsize=1000)
def read_spared(text: str) -> tuple[Spared, ...]:
    """Parse a text of one appliance per line, a code or "code | 2027-01-01". Raises ValueError."""
    rows = []
    for line in filter(None, map(str.strip, text.splitlines())):
        code, _, day = (part.strip() for part in line.partition("|"))
        rows.append(Spared(Appliance(code), date.fromisoformat(day) if day else None))
    return tuple(rows)


def write_spared(spared: Iterable[Spared]) -> str:
    """Return the inverse of `read_spared`."""
    return "\n".join(
        f"{row.appliance} | {row.started_before}" if row.started_before else str(row.appliance) for row in spared
    )


def validate_spared(text: str) -> None:
    try:
        read_spared(text)
    except ValueError:
        codes = ", ".join(Appliance.values)
        message = f"Wpisz kod urządzenia albo: kod | RRRR-MM-DD. Kody: {codes}"
        raise ValidationError(message, code="form") from None


class SparedField(models.TextField):  # type: ignore[type-arg] # not subscriptable at run time
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        defaults: dict[str, Any] = {"blank": True, "default": "", "db_default": ""}
        super().__init__(*args, **(defaults | {"validators": [validate_spared]} | kwargs))
