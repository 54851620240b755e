"""Serializers of deadlines and bans with their scopes."""

from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    ListField,
    RegexField,
    Serializer,
    URLField,
)

from regulations.codes import Appliance, Condition, Exemption, FuelCode
from regulations.fields import read_spared
from regulations.freshness import STALE_AFTER
from regulations.models import Deadline, FuelBan, Provision, Scope, read_sources
from regulations.queries import DeadlineStatus, Regulation

GAZETTE = "https://edziennik.malopolska.uw.gov.pl/WDU_K/2017/787/akt.pdf"


class UnitCodesField(ListField):
    """TERYT codes of counties (4 digits) and municipalities (7)."""

    child = RegexField(
        "^[0-9]{4}([0-9]{3})?$",
        help_text="TERYT code of a county (4 digits) or municipality (7).",
        style={"example": "1261011"},
    )


class ReadSourceSerializer(Serializer[Any]):
    """Where something was read."""

    name = CharField(help_text="Name of the source.", style={"example": "Dziennik Urzędowy Województwa Małopolskiego"})
    url = URLField(help_text="Address of the source.", style={"example": GAZETTE})


class ScopeSerializer(Serializer[Any]):
    """Where a rule binds."""

    scope = CharField(
        required=False,
        help_text="Whom and where it binds, in Polish.",
        style={"example": "województwo małopolskie bez Krakowa"},
    )
    area = ChoiceField(
        Scope.Area.values,
        required=False,
        help_text="The same as a code: the whole voivodeship, the units in `teryt`, its towns, or what lies outside "
        "them.",
        style={"example": Scope.Area.VOIVODESHIP.value},
    )
    uncertain = BooleanField(
        required=False,
        help_text="Whether sources contradict each other about it binding anywhere in its area; `caveat` says how.",
        style={"example": False},
    )
    teryt = UnitCodesField(
        required=False, help_text="Units that a local rule binds, in whole or in part; empty for a wide one."
    )
    teryt_partly = UnitCodesField(required=False, help_text="Those of `teryt` of which only a part is bound.")
    teryt_excluded = UnitCodesField(required=False, help_text="Units where a wide rule does not bind.")
    caveat = CharField(
        required=False,
        allow_null=True,
        help_text="What is uncertain about the rule or its scope; null when nothing is. For a unit without what "
        "concerns other places. With `binding` it stands with the first rule of its scope.",
        style={"example": "Bez strefy uzdrowiskowej."},
    )


class ProvisionSerializer(ScopeSerializer):
    """A rule: what deadlines and bans have in common. Fields that may be absent are so only with `binding`."""

    sources = ReadSourceSerializer(required=False, many=True, help_text="Where this was read.")
    binds_requested_unit = BooleanField(
        required=False,
        allow_null=True,
        help_text="Whether it binds the unit asked for; null where it binds a part only, or where that is not known: "
        "`caveat` says which. Absent without `teryt` or `postcode`.",
        style={"example": True},
    )


class AppliancesField(ListField):
    """Codes of appliances.

    Class 5 is without ecodesign, which has a code of its own; below class 3 includes boilers without a class.
    """

    child = ChoiceField(Appliance.values, style={"example": Appliance.BOILER_CLASS_3.value})


class FuelCodesField(ListField):
    """Codes of fuels."""

    child = ChoiceField(FuelCode.values, style={"example": FuelCode.HARD_COAL.value})


class DeadlineStatusField(ChoiceField):
    """Why `next_deadline` is what it is."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            [status.value for status in DeadlineStatus],
            help_text="Why `next_deadline` is what it is: there is one; all are known and past; an act binds whose "
            "deadlines are not known; there is no act; nothing is known of the voivodeship.",
            style={"example": DeadlineStatus.UPCOMING.value},
            **kwargs,
        )


class SparedApplianceSerializer(Serializer[Any]):
    """An appliance that may stay in use."""

    appliance = ChoiceField(
        Appliance.values, help_text="Code of the appliance.", style={"example": Appliance.FIREPLACE.value}
    )
    started_before = DateField(
        allow_null=True,
        help_text="Only if it was put to use before this day; null without such a bound.",
        style={"example": "2017-07-01"},
    )


class DeadlineSerializer(ProvisionSerializer):
    """A day from which something must not be used or must be done.

    As `next_deadline` the nearest that is left: of the voivodeship in `resolution`, of the unit asked for in
    `requested_unit`; null when none is left or when the dates of an act are not known.
    """

    date = DateField(help_text="First day on which it holds.", style={"example": "2027-01-01"})
    applies_to = CharField(help_text="What it is about, in Polish.", style={"example": "kotły klasy 3 i 4"})
    description = CharField(help_text="What it means, in Polish.", style={"example": "Nie wolno ich używać."})
    kind = ChoiceField(
        Deadline.Kind.values,
        help_text="Kind of deadline.",
        style={"example": Deadline.Kind.EXISTING_BOILERS.value},
    )
    appliances = AppliancesField(
        required=False,
        help_text="Appliances that it ends or limits; empty for a deadline about fuels alone. Class 5 is without "
        "ecodesign, which has a code of its own; below class 3 includes boilers without a class.",
    )
    unclear_appliances = AppliancesField(
        required=False, help_text="Appliances about which sources contradict each other; `caveat` says how."
    )
    fuels = FuelCodesField(required=False, help_text="It binds with these fuels only; empty for any solid fuel.")
    conditions = ListField(
        required=False,
        child=ChoiceField(Condition.values, style={"example": Condition.NETWORK_AVAILABLE.value}),
        help_text="It binds only where all of these are true.",
    )
    exemptions = ListField(
        required=False,
        child=ChoiceField(Exemption.values, style={"example": Exemption.ECODESIGN.value}),
        help_text="What frees a single appliance; one of them is enough.",
    )
    started_before = DateField(
        required=False,
        allow_null=True,
        help_text="It binds only appliances put to use before this day; null for all.",
        style={"example": "2018-05-01"},
    )
    spared = SparedApplianceSerializer(
        required=False,
        many=True,
        help_text="Appliances of which the sources say that they may stay in use without an end.",
    )
    confirmation_overdue = BooleanField(
        required=False,
        help_text="Whether it comes within a year in a legal state that nobody has confirmed for "
        f"{STALE_AFTER.days} days.",
        style={"example": False},
    )


class FuelBanSerializer(ProvisionSerializer):
    """A fuel that must not be burnt."""

    fuel = CharField(help_text="The fuel, in Polish.", style={"example": "muły węglowe"})
    fuels = FuelCodesField(required=False, help_text="The same as codes.")
    detail = CharField(
        required=False,
        allow_null=True,
        help_text="What exactly is meant, in Polish; null when the name says it.",
        style={"example": "wilgotność ponad 20%"},
    )
    from_date = DateField(
        allow_null=True, help_text="First day of the ban; null when not known.", style={"example": "2019-09-01"}
    )


def describe_deadline(regulation: Regulation, row: Deadline) -> dict[str, Any]:
    """Return the fields of `DeadlineSerializer`; `date` is the first day on which it holds."""
    return {
        "date": row.date,
        "applies_to": row.applies_to,
        "description": row.description,
        "kind": row.kind,
        "appliances": row.appliances,
        "unclear_appliances": row.unclear_appliances,
        "fuels": row.fuels,
        "conditions": row.conditions,
        "exemptions": row.exemptions,
        "started_before": row.started_before,
        "spared": [
            {"appliance": one.appliance, "started_before": one.started_before} for one in read_spared(row.spared)
        ],
        "confirmation_overdue": regulation.is_overdue(row),
        **describe_provision(regulation, row),
    }


def describe_ban(regulation: Regulation, row: FuelBan) -> dict[str, Any]:
    """Return the fields of `FuelBanSerializer`."""
    return {
        "fuel": row.fuel,
        "fuels": row.fuels,
        "detail": row.detail or None,
        "from_date": row.from_date,
        **describe_provision(regulation, row),
    }


def describe_provision(regulation: Regulation, row: Provision) -> dict[str, Any]:
    """Return the fields of `ProvisionSerializer`; `binds_requested_unit` only with a requested unit."""
    body = {**describe_scope(regulation, row), "sources": describe_sources(row.sources)}
    if regulation.unit:
        body["binds_requested_unit"] = regulation.binds(row)
    return body


def describe_scope(regulation: Regulation, row: Scope) -> dict[str, Any]:
    """Return the fields of `ScopeSerializer`."""
    return {
        "scope": row.scope,
        "area": row.area,
        "uncertain": row.uncertain,
        "teryt": sorted({*row.units, *row.partly}) if row.area == Scope.Area.LISTED else [],
        "teryt_partly": sorted(row.partly),
        "teryt_excluded": sorted(row.excluded),
        "caveat": regulation.caveat_of(row) or None,
    }


def describe_sources(text: str) -> list[dict[str, str]]:
    """Return the sources of a text, see `read_sources`."""
    return [{"name": source.name, "url": source.url} for source in read_sources(text)]
