"""Serializers of the regulation endpoints; drf-spectacular publishes their declared fields.

`catalog.api.serializers` explains why `to_representation` is written out.
"""

from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    IntegerField,
    RegexField,
    Serializer,
    URLField,
)

from catalog.api.serializers import SITE
from catalog.links import municipality_url
from fueldepot.http.links import route_path, site_url
from regulations.api.act_serializers import ACT, ActSerializer, publication
from regulations.api.appliance_serializers import RequestedApplianceSerializer
from regulations.api.binding import only_binding
from regulations.api.provision_serializers import (
    GAZETTE,
    AppliancesField,
    DeadlineSerializer,
    DeadlineStatusField,
    FuelBanSerializer,
    ReadSourceSerializer,
    describe_ban,
    describe_deadline,
    describe_sources,
)
from regulations.descriptions import STATE_UNKNOWN, of_a_later_state, without_deadline
from regulations.freshness import STALE_AFTER
from regulations.models import Deadline
from regulations.queries import Regulation, Unit


class RequestedUnitSerializer(Serializer[Regulation]):
    """The unit asked for.

    Comes with `teryt` or `postcode`; for a postcode it is the municipality with most addresses there.
    """

    name = CharField(help_text="Name of the unit.", style={"example": "Kraków"})
    level = ChoiceField(
        ["voivodeship", "county", "municipality"], help_text="Level of the unit.", style={"example": "municipality"}
    )
    teryt = RegexField(
        "^[0-9]{2}([0-9]{2}([0-9]{3})?)?$", help_text="TERYT code of the unit.", style={"example": "1261011"}
    )
    url = URLField(
        help_text="Page of the unit; of a county, the page of its voivodeship.",
        style={"example": f"{SITE}/sklady/malopolskie/krakow-1261011/"},
    )
    next_deadline = DeadlineSerializer(allow_null=True)
    deadline_status = DeadlineStatusField()
    confirmation_overdue = BooleanField(
        allow_null=True,
        help_text="The same as of the voivodeship, of the deadlines that bind the unit or a part of it.",
        style={"example": False},
    )
    note = CharField(
        allow_null=True,
        help_text="Why `next_deadline` is null, in Polish: the known deadlines have passed, the dates of an act that "
        "binds the unit are not known, or the whole legal state is not. Null with a deadline, and where there is no "
        "resolution.",
        style={"example": "Terminów tej uchwały nie znamy."},
    )

    def to_representation(self, instance: Regulation) -> dict[str, Any]:
        """Return the unit with the nearest deadline that binds it or a part of it, or why there is none."""
        unit, following = instance.unit, instance.next_deadline_of_unit
        assert unit is not None  # noqa: S101 - checked by the caller
        return {
            "name": unit.name,
            "level": unit.level,
            "teryt": unit.teryt,
            "url": unit_url(unit),
            "next_deadline": following and describe_deadline(instance, following),
            "deadline_status": instance.deadline_status_of_unit,
            "confirmation_overdue": bool(instance.overdue_of_unit) if instance.state else None,
            "note": None if following else without_deadline(instance) or None,
        }


class ResolutionSerializer(Serializer[Regulation]):
    """The acts of a voivodeship taken together; null where there is none, or where none is known.

    The text of the acts binds, not this summary. With `binding` it is about what binds the unit asked for, null where
    nothing does; `next_deadline` is then that of `requested_unit`.
    """

    title = CharField(
        help_text="Title of the act, or titles of the acts.",
        style={"example": "Uchwała w sprawie ograniczeń i zakazów"},
    )
    publication = CharField(
        help_text="Gazette references, amendments included. An act whose position is not known comes with its number "
        "and day.",
        style={"example": "Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787"},
    )
    text = URLField(
        allow_null=True,
        help_text="Official text of the act of the whole voivodeship; null when its address is not known.",
        style={"example": GAZETTE},
    )
    as_of = DateField(help_text="Day to which the legal state is current.", style={"example": "2026-10-01"})
    summary = CharField(
        help_text="Plain-language summary in Polish of the newest state. For an earlier day with other acts or rules "
        "it says first that it is of a later one.",
        style={"example": "Co i do kiedy wolno."},
    )
    page = URLField(
        help_text="Page with the regulations of the voivodeship.", style={"example": f"{SITE}/przepisy/malopolskie/"}
    )
    next_deadline = DeadlineSerializer(allow_null=True)
    deadline_status = DeadlineStatusField()
    deadlines = DeadlineSerializer(many=True, help_text="Every deadline of the voivodeship, the earliest first.")
    banned_fuels = FuelBanSerializer(many=True, help_text="Fuels that must not be burnt.")
    acts = ActSerializer(many=True, help_text="The acts one by one.")
    calendar = URLField(
        help_text="The deadlines as a calendar.",
        style={"example": f"{SITE}/api/v1/regulations/malopolskie.ics"},
    )

    def to_representation(self, instance: Regulation) -> dict[str, Any]:
        """Return the combined acts of a voivodeship with at least one."""
        assert instance.state is not None  # noqa: S101 - acts belong to a state
        assert instance.main is not None  # noqa: S101 - there are acts
        following = instance.next_deadline
        return {
            "title": "; ".join(law.resolution.title for law in instance.laws),
            "publication": "; ".join(publication(law) for law in instance.laws),
            "text": instance.main.text_url or None,
            "as_of": instance.state.as_of,
            "summary": of_a_later_state(instance, instance.state.summary),
            "page": page_url(instance.voivodeship.slug),
            "next_deadline": following and describe_deadline(instance, following),
            "deadline_status": instance.deadline_status,
            "deadlines": [describe_deadline(instance, row) for row in instance.deadlines],
            "banned_fuels": [describe_ban(instance, row) for row in instance.bans],
            "acts": [ACT.to_representation((instance, law)) for law in instance.laws],
            "calendar": calendar_url(instance.voivodeship.slug),
        }


class ComingDeadlineSerializer(Serializer[Any]):
    """A deadline in short, with the voivodeship that it belongs to. The text of the act binds."""

    date = DateField(help_text="First day on which it holds.", style={"example": "2027-01-01"})
    voivodeship = CharField(
        help_text="Slug of the voivodeship: its name in lower case without diacritics.",
        style={"example": "malopolskie"},
    )
    scope = CharField(
        help_text="Whom and where it binds, in Polish.", style={"example": "województwo małopolskie bez Krakowa"}
    )
    applies_to = CharField(help_text="What it is about, in Polish.", style={"example": "kotły klasy 3 i 4"})
    description = CharField(help_text="What it means, in Polish.", style={"example": "Nie wolno ich używać."})
    kind = ChoiceField(
        Deadline.Kind.values,
        help_text="Kind of deadline.",
        style={"example": Deadline.Kind.EXISTING_BOILERS.value},
    )
    appliances = AppliancesField(help_text="Appliances that it ends or limits; empty for a deadline about fuels alone.")
    unclear_appliances = AppliancesField(
        help_text="Appliances about which sources contradict each other; `caveat` says how."
    )
    uncertain = BooleanField(
        help_text="Whether sources contradict each other about it binding anywhere in its area; `caveat` says how.",
        style={"example": False},
    )
    caveat = CharField(
        allow_null=True,
        help_text="What is uncertain about it or its scope, in Polish; null when nothing is.",
        style={"example": "Bez strefy uzdrowiskowej."},
    )
    confirmation_overdue = BooleanField(
        help_text="Whether it comes within a year in a legal state that nobody has confirmed for "
        f"{STALE_AFTER.days} days.",
        style={"example": False},
    )
    as_of = DateField(help_text="Day to which the legal state is current.", style={"example": "2026-10-01"})
    page = URLField(
        help_text="Page with the regulations of the voivodeship, to be named in a quotation.",
        style={"example": f"{SITE}/przepisy/malopolskie/"},
    )

    def to_representation(self, instance: tuple[Regulation, Deadline]) -> dict[str, Any]:
        """Return the fields of a deadline and of its voivodeship."""
        regulation, row = instance
        assert regulation.state is not None  # noqa: S101 - deadlines belong to a state
        return {
            "date": row.date,
            "voivodeship": regulation.voivodeship.slug,
            "scope": row.scope,
            "applies_to": row.applies_to,
            "description": row.description,
            "kind": row.kind,
            "appliances": row.appliances,
            "unclear_appliances": row.unclear_appliances,
            "uncertain": row.uncertain,
            "caveat": regulation.caveat_of(row) or None,
            "confirmation_overdue": regulation.is_overdue(row),
            "as_of": regulation.state.as_of,
            "page": page_url(regulation.voivodeship.slug),
        }


class RegulationSerializer(Serializer[Any]):
    """The legal state of a voivodeship."""

    voivodeship = CharField(
        help_text="Slug of the voivodeship: its name in lower case without diacritics.",
        style={"example": "malopolskie"},
    )
    teryt = RegexField("^[0-9]{2}$", help_text="TERYT code of the voivodeship, 2 digits.", style={"example": "12"})
    has_resolution = BooleanField(
        allow_null=True,
        help_text="Whether the voivodeship has an anti-smog resolution; null when not known, because no legal state "
        "of it was ever imported.",
        style={"example": True},
    )
    resolution = ResolutionSerializer(allow_null=True)
    page = URLField(
        help_text="Page with the regulations of the voivodeship.", style={"example": f"{SITE}/przepisy/malopolskie/"}
    )
    as_of = DateField(
        allow_null=True,
        help_text="Day to which the legal state is current; null when nothing is known of the voivodeship.",
        style={"example": "2026-10-01"},
    )
    confirmation_overdue = BooleanField(
        allow_null=True,
        help_text="Whether a deadline comes within a year although nobody has confirmed the legal state for "
        f"{STALE_AFTER.days} days: check it in the gazette. With `binding` of the deadlines that bind the unit. Null "
        "when nothing is known of the voivodeship.",
        style={"example": False},
    )
    confirmed_days_ago = IntegerField(
        allow_null=True,
        help_text="Days from `as_of` to the day of the answer, whether or not a deadline is near: negative for an "
        "earlier day. Null when nothing is known of the voivodeship.",
        style={"example": 52},
    )
    describes_later_state = BooleanField(
        help_text="Whether acts or rules changed after the day of the answer: then `as_of`, `note` and `summary` "
        "describe a later state.",
        style={"example": False},
    )
    note = CharField(
        allow_null=True,
        help_text="What else is known, in Polish; null when nothing is. For an earlier day with other acts or rules it "
        "says first that it is of a later state.",
        style={"example": "Nie ma uchwały antysmogowej."},
    )
    sources = ReadSourceSerializer(many=True, help_text="Where this was read.")
    requested_unit = RequestedUnitSerializer(required=False)
    requested_appliance = RequestedApplianceSerializer(required=False)

    def to_representation(self, instance: Regulation) -> dict[str, Any]:
        """Return the legal state. `resolution` is null without an act; `has_resolution` too without an imported state.

        context: `appliance` to check, `binding` for the short form; both optional.
        """
        state, shown = instance.state, instance.of_unit if self.context.get("binding") else instance
        body: dict[str, Any] = {
            "voivodeship": instance.voivodeship.slug,
            "teryt": instance.voivodeship.teryt,
            "has_resolution": instance.has_resolution,
            "resolution": RESOLUTION.to_representation(shown) if shown.laws else None,
            "page": page_url(instance.voivodeship.slug),
            "as_of": state and state.as_of,
            "confirmation_overdue": bool(shown.overdue) if state else None,
            "confirmed_days_ago": (instance.on - state.as_of).days if state else None,
            "describes_later_state": instance.changed_since,
            "note": of_a_later_state(instance, state.note) or None if state else STATE_UNKNOWN,
            "sources": describe_sources(state.sources) if state else [],
        }
        if instance.unit:
            body["requested_unit"] = REQUESTED_UNIT.to_representation(instance)
            if self.context.get("appliance"):
                checked = RequestedApplianceSerializer(context=self.context)
                body["requested_appliance"] = checked.to_representation(instance)
        return only_binding(body) if self.context.get("binding") else body


RESOLUTION, REQUESTED_UNIT = ResolutionSerializer(), RequestedUnitSerializer()


def page_url(slug: str) -> str:
    """Return the URL of the page of a voivodeship's regulations."""
    return site_url(route_path("regulation", slug))


def calendar_url(slug: str) -> str:
    """Return the URL of the calendar of a voivodeship's deadlines."""
    return site_url(route_path("v1:regulations-calendar", slug))


def unit_url(unit: Unit) -> str:
    """Return the URL of the page of a unit in the catalog; for a county, that of its voivodeship."""
    if unit.level == "municipality":
        return municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt)
    return site_url(route_path("voivodeship", unit.voivodeship.slug))
