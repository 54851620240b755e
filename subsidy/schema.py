"""The published description of the calculator. Read by `make openapi` only; nothing here runs in a request."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema

from catalog.query_string import DAY
from catalog.request_body import READERS
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
    in_query,
    integer,
    nullable,
    number,
    record,
    ref,
    samples,
    switch,
    text,
    whole,
)
from catalog.schema.operations import within
from catalog.schema.shapes import SITE
from subsidy import params, rules
from subsidy.application import DOCUMENTS, ENVELOPE, Heating, Household, IncomeType, Item, Level
from subsidy.calculator.result import Binding
from subsidy.rules.reading import UNITS

SUBSIDY = "subsidy"

WORKS = {
    Item.CEILING: "roof or ceiling insulation",
    Item.FLOOR: "floor insulation",
    Item.WALLS: "wall insulation",
    Item.WINDOWS: "windows",
    Item.DOORS: "external doors",
    Item.GATES: "garage doors",
}
AREA_EXAMPLES = {Item.WALLS: 150, Item.CEILING: 90}


NOT_NEGATIVE = re.compile(r"[0-9]{1,20}([.,][0-9]{1,20})?", re.ASCII)
"""What `catalog.query_string.NUMBER_WITH_COMMA` reads, without what is below every range."""


class Given(NamedTuple):
    """A parameter of the calculator, in the query and in a body. synonym: only kept for the Polish usage text."""

    name: str
    form: Schema
    description: str
    example: Any
    synonym: bool = False


def decimal(ends: tuple[int, int]) -> Schema:
    """A number without exponent; as text also with a decimal comma."""
    return within(ends)


def amount(name: str, description: str, example: float) -> Given:
    """An amount of money."""
    return Given(name, decimal(params.MONEY_RANGE), f"{description} In zł, with a decimal point or comma.", example)


def word(name: str, words: Iterable[str], default: str, description: str, example: str) -> Given:
    """One of a list of words, Polish synonyms included."""
    return Given(name, {"type": "string", "enum": list(words), "default": default}, description, example)


def flag(name: str, description: str) -> Given:
    """A switch."""
    return Given(name, switch(""), description, True)


INCOME_TYPE = (
    "`person` (synonym `osoba`): of one person on average; `household` (`gospodarstwo`): of the household, and it is "
    "divided by `people`."
)

PARAMETERS: tuple[Given, ...] = (
    Given(
        "people",
        within(params.PEOPLE_RANGE, "integer"),
        "Household size. Required together with `income`.",
        4,
    ),
    amount("income", "Average monthly income; decides the elevated and highest levels. Never stored or logged.", 2000),
    word("income_type", params.INCOME_TYPES, IncomeType.PERSON, f"What `income` is. {INCOME_TYPE}", "person"),
    *(
        Given(
            synonym,
            {"type": "string", "enum": list(params.INCOME_TYPES)},
            f"Synonym of `{name}`; give only one of them.",
            "osoba",
            synonym=True,
        )
        for synonym, name in params.SYNONYMS.items()
    ),
    flag(
        "benefit",
        "Established right to a permanent, periodic, family or special care benefit; qualifies for the highest level.",
    ),
    amount("annual_income", "Applicant's annual income (tax base); threshold of the basic level.", 60000),
    flag("business", "Applicant or spouse runs a business (including rental); the result adds a revenue limit."),
    word(
        "current_heating",
        params.HEATINGS,
        Heating.SOLID_FUEL,
        "`solid_fuel` (synonym `stale`): only solid fuel below class 5; `solid_fuel_class5` (`stale5`): class 5 "
        "boiler or eco-design; `other` (`inne`): gas, oil, electricity, heat pump, network or several sources.",
        "solid_fuel",
    ),
    word(
        "eu",
        params.PROJECT_TYPES,
        params.UNKNOWN,
        "Index of useful-energy demand for heating from the audit, which equals the project type: `1` below 80, `2` "
        "from 80 to 140, `3` above 140 kWh/(m²·year). With `unknown` (synonym `niewiem`) the result has three "
        "variants.",
        "3",
    ),
    word(
        "new_source",
        params.NEW_SOURCES,
        params.NO_SOURCE,
        "New heat source. With `heat_pump_ground` its ground source loop is added.",
        "pellet_boiler",
    ),
    flag(Item.CENTRAL_HEATING_DHW, "New central heating and hot water installation."),
    *(
        Given(
            item,
            decimal(params.AREA_RANGE),
            f"Area of {WORKS[item]} in m², with a decimal point or comma. Empty or 0 means out of scope.",
            AREA_EXAMPLES.get(item, 20),
        )
        for item in ENVELOPE
    ),
    flag(Item.VENTILATION, "Mechanical ventilation with heat recovery."),
    flag(DOCUMENTS[0], "Refund of the energy audit cost."),
    flag(DOCUMENTS[1], "Refund of the energy certificate cost after works."),
    *(
        amount(
            f"cost_{item}",
            f"Net cost of the item `{item}`. Without it the maximum subsidy is calculated; without the item it is "
            "ignored with a note.",
            15000,
        )
        for item in Item
    ),
    flag("html", "Adds ready HTML fragments of the result."),
    Given(
        "on",
        {"type": "string", "format": "date", "pattern": whole(DAY)},
        f"Day whose rules count, YYYY-MM-DD, from {rules.current().begins}. Without it today in Poland.",
        "2026-10-01",
    ),
)


AS_TEXT: dict[str, Schema] = {
    "number": {"type": "string", "pattern": whole(NOT_NEGATIVE)},
    "integer": {"type": "string", "pattern": "^[0-9]{1,18}$"},
}
"""Numbers as JSON may also have them: in a string, which is how a decimal comma is given."""


def in_body(one: Given, *, json: bool) -> Schema:
    """A parameter as a field of a body. A form has text only; JSON also takes numbers as text, and null for none."""
    form = {**one.form, "description": one.description, "examples": [one.example]}
    if one.synonym:
        form["deprecated"] = True
    if not json:
        return form
    if one.form["type"] in ("number", "integer"):
        bounds = {key: form.pop(key) for key in ("minimum", "maximum")}
        return {"anyOf": [{"type": form["type"], **bounds}, AS_TEXT[form.pop("type")], {"type": "null"}], **form}
    form = nullable(form)
    if one.name == "eu":
        form["type"] = ["string", "integer", "null"]
        form["enum"] = [*form["enum"], *(int(word) for word in params.PROJECT_TYPES if word.isdecimal())]
    return form


def body(*, json: bool) -> Schema:
    """The parameters as one object."""
    return {
        "type": "object",
        "description": "The parameters of GET; those of the address are not read.",
        "properties": {one.name: in_body(one, json=json) for one in PARAMETERS},
        "dependentRequired": {"income": ["people"]},
        "not": {"anyOf": [{"required": [synonym, name]} for synonym, name in params.SYNONYMS.items()]},
    }


def pln(description: str, example: float) -> Schema:
    """An amount of the result."""
    return number(f"{description} In zł, at most two decimals.", example, minimum=0)


VARIANT: dict[str, Schema] = {
    "level": choice("Level of funding.", list(Level), Level.ELEVATED),
    "level_name": text("Polish name of the level.", "podwyższony"),
    "level_reason": text("Why this level, in Polish.", "Dochód na osobę nie przekracza progu 2 250 zł miesięcznie."),
    "condition": nullable(
        text("What must hold besides what was stated, in Polish; null when nothing.", "Dochód roczny…")
    ),
    "intensity": number("Funding share as a fraction.", 0.7, minimum=0, maximum=1),
    "household": choice("`unknown` when `people` was not given.", list(Household), Household.MULTI),
    "project_type": {**integer("Project type; matches the classes of `eu`.", 3), "enum": [1, 2, 3]},
    "items": array(ref("SubsidyItem"), "What was asked for, item by item."),
    "table_3_sum_pln": pln("Sum of the subsidy for items of the envelope.", 28875.0),
    "table_3_limit_pln": pln("Limit of that sum.", 58100.0),
    "max_subsidy_pln": pln("Most the programme would pay in all.", 43225.0),
    "own_contribution_net_pln": nullable(
        pln("Own contribution over the items with a cost; null without any cost.", 12375.0)
    ),
}

COMPONENTS: dict[str, Schema] = {
    "Subsidy": record(
        "An indicative result; the regional environmental-protection fund decides.",
        {
            **VARIANT,
            "audit_variants": array(
                ref("SubsidyVariant"), "Results of project types 1, 2 and 3 when `eu` is unknown; else empty."
            ),
            "notes": array(
                text("A remark in Polish.", "Limity obcinamy do pełnego grosza."),
                "Remarks on the result; the first of them name parameters that are not known and were ignored.",
            ),
            "conditions": array(ref("SubsidyCondition"), "Conditions of the programme that concern this plan."),
            "disclaimer": text("How far the result can be relied on, in Polish.", "Wynik jest orientacyjny."),
            "program": record(
                "The edition of the programme.",
                {
                    "version_from": day("First day of the edition in force.", "2026-07-20"),
                    "as_of": day("Day to which the edition is described.", "2026-10-01"),
                },
            ),
            "sources": array(ref("SubsidySource"), "Sources of the rules."),
            "page": address("Page of the calculator.", f"{SITE}/dotacja/"),
            "business_revenue_limit_pln": nullable(
                pln("Revenue limit of a business; null without `business`.", 192240.0)
            ),
            "html": record(
                "HTML fragments of the result, in Polish. Only with `html` true.",
                {
                    part: text(f"The {part} as HTML.", "<p>…</p>", contentMediaType="text/html")
                    for part in ("summary", "items", "conditions")
                },
            ),
        },
        optional=["html"],
    ),
    "SubsidyVariant": record("The result for one project type.", VARIANT),
    "SubsidyItem": record(
        "One item of the plan.",
        {
            "item": choice("Identifier of the item.", list(Item), Item.WALLS),
            "name": text("Polish name of the item.", "Ocieplenie ścian"),
            "clause": text("Where the programme says so.", "załącznik nr 2 do programu, tabela 3"),
            "quantity": number("Quantity in the unit of the item.", 150.0, minimum=0),
            "unit": choice("Pieces or square metres.", sorted(UNITS), "m2"),
            "limit_pln": pln("Limit of the item.", 28875.0),
            "net_cost_pln": nullable(pln("Net cost as given; null without one.", 40000.0)),
            "subsidy_pln": pln("Subsidy of the item, before the limit of table 3.", 28000.0),
            "eligible": boolean("Whether the programme pays for it.", example=True),
            "binding": nullable(choice("Which bound decided; null where nothing is paid.", list(Binding))),
            "reason": nullable(text("Why it is not eligible, in Polish; null when it is.", "Dochód jest zbyt wysoki.")),
            "limit_source": nullable(ref("LimitSource")),
        },
    ),
    "LimitSource": record(
        "Where the limit of an item stands; null where there is no limit.",
        {
            "unit_limit_pln": pln("Limit of one piece or square metre.", 192.5),
            "valid_from": day("First day of this limit.", "2026-07-20"),
            "verified": boolean("Whether an official source confirms it.", example=True),
            "name": text("Name of the source.", "Czyste Powietrze: dokumenty obowiązujące"),
            "url": address("Address of the source.", "https://czystepowietrze.gov.pl/"),
        },
    ),
    "SubsidyCondition": record(
        "A condition of the programme.",
        {
            "text": text("The condition, in Polish.", "Dom jest jednorodzinny."),
            "clause": text("Where the programme says so.", "program Czyste Powietrze"),
            "verified": boolean("Whether an official source confirms it.", example=True),
            "source_url": address("Address of the source.", "https://czystepowietrze.gov.pl/"),
        },
    ),
    "SubsidySource": record(
        "A source of the rules.",
        {
            "name": text("Name of the source.", "Czyste Powietrze: dokumenty obowiązujące"),
            "url": address("Address of the source.", "https://czystepowietrze.gov.pl/"),
        },
    ),
    "SubsidyForm": body(json=False),
    "SubsidyJson": body(json=True),
}

DESCRIPTION = (
    "Level, share and most that the clean-air programme would pay, with the clause and date of each limit. The result "
    "is indicative. Every parameter is optional; an empty one counts as not given. Numbers may have a decimal comma, "
    "but no exponent. Unknown parameters are ignored, and named in `notes`. Nothing that was sent is stored, logged or "
    "cached."
)


RESPONSES = {(200, JSON): answer(ref("Subsidy"), "The result.")}

describe(
    "subsidy.viewsets.SubsidyViewSet",
    retrieve=extend_schema(
        operation_id="calculateSubsidy",
        extensions=samples(
            (
                "A pellet boiler and insulated walls",
                '"/api/v1/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler"',
            ),
        ),
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy",
        description=f"{DESCRIPTION} Prefer POST: then the income stands in no address.",
        parameters=[
            in_query(one.name, one.form, one.description, one.example, deprecated=one.synonym) for one in PARAMETERS
        ],
        responses=RESPONSES,
    ),
    create=extend_schema(
        operation_id="calculateSubsidyByPost",
        extensions=samples(
            (
                "As a form, with a decimal comma",
                '-d people=4 -d "income=2000,50" -d eu=3 -d walls=150 "/api/v1/subsidy"',
            ),
            ("As JSON", '--json \'{"people": 4, "income": 2000, "eu": 3, "walls": 150}\' "/api/v1/subsidy"'),
        ),
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy, with the parameters in the body",
        description=f"{DESCRIPTION} The body is a form, a multipart form without files, or a JSON object.",
        request={media_type: ref("SubsidyJson" if media_type == JSON else "SubsidyForm") for media_type in READERS},
        responses=RESPONSES,
    ),
)
