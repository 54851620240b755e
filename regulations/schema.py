"""The published description of the regulation endpoints. Read by `make openapi` only; nothing runs in a request."""

from drf_spectacular.utils import OpenApiParameter, extend_schema

from catalog.query_string import DAY
from catalog.schema.forms import (
    JSON,
    Schema,
    address,
    answer,
    array,
    boolean,
    choice,
    day,
    describe,
    in_path,
    in_query,
    nullable,
    record,
    ref,
    samples,
    text,
    whole,
)
from catalog.schema.operations import FORM_OF_VOIVODESHIP, postcode, teryt
from catalog.schema.shapes import SITE, SLUG, TERYT_2
from regulations.models import Deadline

REGULATIONS = "regulations"
CALENDAR = "text/calendar"

GAZETTE = "https://edziennik.malopolska.uw.gov.pl/WDU_K/2017/787/akt.pdf"

UNIT_CODE = text("TERYT code of a county (4 digits) or municipality (7).", "1261011", pattern="^[0-9]{4}([0-9]{3})?$")

SOURCES = array(ref("ReadSource"), "Where this was read.")

SCOPE: dict[str, Schema] = {
    "scope": text("Whom and where it binds, in Polish.", "województwo małopolskie bez Krakowa"),
    "teryt": array(UNIT_CODE, "Units that a local rule binds, in whole or in part; empty for a wide one."),
    "teryt_partly": array(UNIT_CODE, "Those of `teryt` of which only a part is bound."),
    "teryt_excluded": array(UNIT_CODE, "Units where a wide rule does not bind."),
    "caveat": nullable(
        text("What is uncertain about the rule or its scope; null when nothing is.", "Bez strefy uzdrowiskowej.")
    ),
}

BINDS: Schema = nullable(
    boolean(
        "Whether it binds the unit asked for; null where it binds a part only, or where that is not known: `caveat` "
        "says which. Absent without `teryt` or `postcode`.",
        example=True,
    )
)

ACT: dict[str, Schema] = {
    "number": nullable(text("Number of the act; null when not known.", "XXXII/452/17")),
    "adopted": nullable(day("Day of adoption; null when not known.", "2017-01-23")),
    "publication": nullable(
        text("Position in the gazette; null when not known.", "Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787")
    ),
    "text": nullable(address("Official text; null when its address is not known.", GAZETTE)),
    "in_force_from": nullable(day("First day in force; null when not known.", "2017-07-01")),
}

COMPONENTS: dict[str, Schema] = {
    "Regulation": record(
        "The legal state of a voivodeship.",
        {
            "voivodeship": SLUG,
            "teryt": TERYT_2,
            "has_resolution": nullable(
                boolean(
                    "Whether the voivodeship has an anti-smog resolution; null when not known, because no legal state "
                    "of it was ever imported.",
                    example=True,
                )
            ),
            "resolution": nullable(ref("Resolution")),
            "page": address("Page with the regulations of the voivodeship.", f"{SITE}/przepisy/malopolskie/"),
            "as_of": nullable(
                day(
                    "Day to which the legal state is current; null when nothing is known of the voivodeship.",
                    "2026-10-01",
                )
            ),
            "note": nullable(
                text("What else is known, in Polish; null when nothing is.", "Nie ma uchwały antysmogowej.")
            ),
            "sources": SOURCES,
            "requested_unit": ref("RequestedUnit"),
        },
        optional=["requested_unit"],
    ),
    "Resolution": record(
        "The acts of a voivodeship taken together; null where there is none, or where none is known. The text of the "
        "acts binds, not this summary.",
        {
            "title": text("Title of the act, or titles of the acts.", "Uchwała w sprawie ograniczeń i zakazów"),
            "publication": text(
                "Gazette references, amendments included.", "Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787"
            ),
            "text": nullable(
                address(
                    "Official text of the act of the whole voivodeship; null when its address is not known.", GAZETTE
                )
            ),
            "as_of": day("Day to which the legal state is current.", "2026-10-01"),
            "summary": text(
                "Plain-language summary in Polish of the newest state. For an earlier day with other acts or rules it "
                "says first that it is of a later one.",
                "Co i do kiedy wolno.",
            ),
            "page": address("Page with the regulations of the voivodeship.", f"{SITE}/przepisy/malopolskie/"),
            "next_deadline": nullable(ref("Deadline")),
            "deadlines": array(ref("Deadline"), "Every deadline of the voivodeship, the earliest first."),
            "banned_fuels": array(ref("FuelBan"), "Fuels that must not be burnt."),
            "acts": array(ref("Act"), "The acts one by one."),
            "calendar": address("The deadlines as a calendar.", f"{SITE}/api/v1/regulations/malopolskie.ics"),
        },
    ),
    "Deadline": record(
        "A day from which something must not be used or must be done. As `next_deadline` the nearest that is left: of "
        "the voivodeship in `resolution`, of the unit asked for in `requested_unit`; null when none is left or when "
        "the dates of an act are not known.",
        {
            "date": day("First day on which it holds.", "2027-01-01"),
            "applies_to": text("What it is about, in Polish.", "kotły klasy 3 i 4"),
            "description": text("What it means, in Polish.", "Nie wolno ich używać."),
            "kind": choice("Kind of deadline.", Deadline.Kind.values, Deadline.Kind.EXISTING_BOILERS.value),
            **SCOPE,
            "sources": SOURCES,
            "binds_requested_unit": BINDS,
        },
        optional=["binds_requested_unit"],
    ),
    "FuelBan": record(
        "A fuel that must not be burnt.",
        {
            "fuel": text("The fuel, in Polish.", "muły węglowe"),
            "detail": nullable(
                text("What exactly is meant, in Polish; null when the name says it.", "wilgotność ponad 20 %")
            ),
            "from_date": nullable(day("First day of the ban; null when not known.", "2019-09-01")),
            **SCOPE,
            "sources": SOURCES,
            "binds_requested_unit": BINDS,
        },
        optional=["binds_requested_unit"],
    ),
    "Act": record(
        "One act.",
        {
            "title": text("Title of the act.", "Uchwała w sprawie ograniczeń i zakazów"),
            **ACT,
            **SCOPE,
            "note": nullable(text("Remark in Polish; null without one.", "Tekst jednolity z 2022 r.")),
            "amendments": array(ref("Amendment"), "Amendments of the act."),
            "sources": SOURCES,
        },
    ),
    "Amendment": record(
        "An amendment of an act.",
        {
            **ACT,
            "changes": text("What it changed, in Polish.", "Przesunięto termin wymiany kotłów."),
            "note": nullable(text("Remark in Polish; null without one.", "Pozycja nieustalona.")),
            "sources": SOURCES,
        },
    ),
    "RequestedUnit": record(
        "The unit asked for. Comes with `teryt` or `postcode`; for a postcode it is the municipality with most "
        "addresses there.",
        {
            "name": text("Name of the unit.", "Kraków"),
            "level": choice("Level of the unit.", ["voivodeship", "county", "municipality"], "municipality"),
            "teryt": text("TERYT code of the unit.", "1261011", pattern="^[0-9]{2}([0-9]{2}([0-9]{3})?)?$"),
            "url": address(
                "Page of the unit; of a county, the page of its voivodeship.",
                f"{SITE}/sklady/malopolskie/krakow-1261011/",
            ),
            "next_deadline": nullable(ref("Deadline")),
            "note": nullable(
                text(
                    "Why `next_deadline` is null, in Polish: the known deadlines have passed, the dates of an act that "
                    "binds the unit are not known, or the whole legal state is not. Null with a deadline, and where "
                    "there is no resolution.",
                    "Terminów tej uchwały nie znamy.",
                )
            ),
        },
    ),
    "ReadSource": record(
        "Where something was read.",
        {
            "name": text("Name of the source.", "Dziennik Urzędowy Województwa Małopolskiego"),
            "url": address("Address of the source.", GAZETTE),
        },
    ),
}


def on() -> OpenApiParameter:
    """The day of the answer."""
    return in_query(
        "on",
        {"type": "string", "format": "date", "pattern": whole(DAY)},
        "Day of the answer, YYYY-MM-DD. Without it today in Poland.",
        "2027-01-01",
    )


describe(
    "regulations.viewsets.RegulationViewSet",
    list=extend_schema(
        operation_id="findRegulations",
        extensions=samples(
            ("What binds at a postcode", '"/api/v1/regulations?postcode=30-001"'),
            (
                "A voivodeship as of a day to come",
                '"/api/v1/regulations?voivodeship=malopolskie&on=2027-01-01"',
            ),
        ),
        tags=[REGULATIONS],
        summary="Anti-smog resolutions and their deadlines",
        description=(
            "The legal state of the voivodeship of a unit, or of all sixteen without a parameter. With several "
            "`teryt` comes first, then `postcode`, then `voivodeship`. A postcode that straddles a border answers "
            "with each of its voivodeships. Entries come by TERYT code."
        ),
        parameters=[
            teryt("Any unit: the answer is the state of its voivodeship."),
            postcode("The voivodeship that contains it."),
            in_query(
                "voivodeship",
                FORM_OF_VOIVODESHIP,
                "Slug of a voivodeship, or its 2-digit TERYT code.",
                "malopolskie",
            ),
            on(),
        ],
        responses={
            (200, JSON): answer(array(ref("Regulation"), "One entry for each voivodeship."), "The legal state.")
        },
    ),
    calendar=extend_schema(
        operation_id="getDeadlineCalendar",
        extensions=samples(
            ("Deadlines of a voivodeship", '"/api/v1/regulations/malopolskie.ics"'),
        ),
        tags=[REGULATIONS],
        summary="Deadlines of a voivodeship as a calendar",
        description="All-day events in iCalendar (RFC 5545). An event keeps its UID when its day moves.",
        parameters=[
            in_path(
                "voivodeship",
                FORM_OF_VOIVODESHIP,
                "Slug of a voivodeship, or its 2-digit TERYT code.",
                "malopolskie",
            ),
            teryt("Only deadlines that bind this unit or a part of it; it must lie in the voivodeship."),
            on(),
        ],
        responses={
            (200, CALENDAR): answer(
                text("A calendar.", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"), "The calendar."
            )
        },
    ),
)
