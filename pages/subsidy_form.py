"""The calculator's form: its questions in five steps, answers read as parameters of `/subsidy`, and their errors."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fueldepot.http.params import BOOLEANS, AmbiguousNumber, NumberText, ParameterError, read_decimal
from fueldepot.http.query import Pairs
from prices import price_list_cells
from subsidy.household_and_plan import (
    AREA_RANGE,
    DOCUMENTS,
    ENVELOPE,
    MONEY_RANGE,
    PEOPLE_RANGE,
    SOURCES,
    Item,
    ProjectType,
)
from subsidy.rules import RulesAt

SOURCE_COST = "cost_source"
"""Name of the field of the cost of the chosen source."""

PLANNED = "plan_"
"""Prefix of the checkboxes of works with an area."""

ZLOTY, PEOPLE_UNIT, AREA_UNIT = "zł", "osób", "m²"
SPELLINGS = {ZLOTY: price_list_cells.ZLOTY, AREA_UNIT: "m[2²]"}
"""Patterns of how units are typed, also without their own signs, which keyboards hide. No cost is one with VAT."""

MONEY = (
    f"Wpisz kwotę cyframi, od {MONEY_RANGE[0]} do {MONEY_RANGE[1] // 1_000_000} milionów zł, na przykład 2500 albo "
    "2500,50."
)
AREA = f"Wpisz powierzchnię cyframi, od {AREA_RANGE[0]} do {AREA_RANGE[1]} m², na przykład 120 albo 12,5."
AREA_MISSING = "Podaj powierzchnię. Jeśli tych prac nie planujesz, wróć i odznacz je."


class Field(NamedTuple):
    """A field with its question. kind: number, choice or check. choices: values with labels, the first by default.

    unit: shown behind the field. mistake, missing: messages for an invalid and for a missing value.
    """

    name: str
    label: str
    kind: str
    hint: str = ""
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    mistake: str = "Wybierz jedną z odpowiedzi."
    missing: str = ""

    @property
    def decimal(self) -> bool:
        return self.unit != PEOPLE_UNIT


class Part(NamedTuple):
    """Fields under one legend, "" for none. folded: shown behind the legend, open if any field has a value."""

    fields: tuple[Field, ...]
    legend: str = ""
    intro: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    intro: str
    parts: tuple[Part, ...]

    def __iter__(self) -> Iterator[Field]:
        for part in self.parts:
            yield from part.fields


def check(name: str, label: str, hint: str = "") -> Field:
    return Field(name=name, label=label, kind="check", hint=hint)


def money(name: str, label: str, hint: str = "") -> Field:
    return Field(name=name, label=label, kind="number", hint=hint, unit=ZLOTY, mistake=MONEY)


def area(item: Item) -> Field:
    return Field(name=item, label=AREAS[item], kind="number", unit=AREA_UNIT, mistake=AREA, missing=AREA_MISSING)


def demand(kind: ProjectType, on: RulesAt) -> str:
    """Return the index of a project type in Polish: "od 80 do 140"."""
    low = on.number("project_types/heating_demand", "type_2_from")
    high = on.number("project_types/heating_demand", "type_2_to")
    return {
        ProjectType.LOW: f"poniżej {low}",
        ProjectType.MIDDLE: f"od {low} do {high}",
        ProjectType.HIGH: f"powyżej {high}",
    }[kind]


HOUSEHOLD_FIELDS = (
    Field(
        name="people",
        label="Ile osób jest w gospodarstwie domowym?",
        kind="number",
        hint="Gospodarstwo to osoby, które razem mieszkają i utrzymują się.",
        unit=PEOPLE_UNIT,
        mistake=f"Wpisz liczbę osób cyframi, od {PEOPLE_RANGE[0]} do {PEOPLE_RANGE[1]}.",
        missing="Podaj liczbę osób: od niej zależy próg dochodu.",
    ),
    money(
        "income",
        "Przeciętny miesięczny dochód",
        "Taki jak w zaświadczeniu o dochodach z gminy. Decyduje o poziomie podwyższonym i najwyższym.",
    ),
    Field(
        name="income_type",
        label="Podana kwota to dochód",
        kind="choice",
        choices=(("person", "na jedną osobę"), ("household", "całego gospodarstwa – podzielimy przez liczbę osób")),
    ),
    check(
        "benefit",
        "Mam prawo do zasiłku stałego, okresowego, rodzinnego lub specjalnego opiekuńczego",
        "Taki zasiłek zastępuje próg dochodu najwyższego poziomu.",
    ),
    money(
        "annual_income",
        "Roczny dochód wnioskodawcy",
        "Podstawa obliczenia podatku z ostatniego zeznania PIT. Potrzebny tylko do poziomu podstawowego.",
    ),
    check("business", "Ja lub małżonek prowadzimy działalność gospodarczą (także najem)"),
)
NO_INCOME = "Od dochodu zależy poziom dotacji. Bez niego policzymy poziom podstawowy. Dochodu nie zapisujemy."
HOUSEHOLD = Step("Kto mieszka i jaki ma dochód", NO_INCOME, (Part(HOUSEHOLD_FIELDS),))


def house(on: RulesAt) -> Step:
    present = Field(
        name="current_heating",
        label="Czym ogrzewasz dom?",
        kind="choice",
        hint="Klasę kotła podaje tabliczka znamionowa (norma PN-EN 303-5). Program wymienia tylko "
        "źródła poniżej klasy 5.",
        choices=(
            ("solid_fuel", "tylko paliwem stałym, w kotle lub piecu poniżej klasy 5"),
            ("solid_fuel_class5", "kotłem klasy 5 albo urządzeniem z ekoprojektem"),
            ("other", "gazem, olejem, prądem, pompą ciepła, z sieci albo kilkoma źródłami"),
        ),
    )
    index = Field(
        name="eu",
        label="Wskaźnik EU z audytu energetycznego",
        kind="choice",
        hint="EU mówi, ile ciepła traci metr kwadratowy domu w ciągu roku, w kWh/(m²·rok). Bez audytu "
        "pokażemy trzy warianty.",
        choices=(("unknown", "jeszcze nie wiem"), *((str(int(kind)), demand(kind, on)) for kind in ProjectType)),
    )
    return Step("Dom dzisiaj", "", (Part((present, index)),))


def heating(on: RulesAt) -> Step:
    source = Field(
        name="new_source",
        label="Na co wymieniasz ogrzewanie?",
        kind="choice",
        choices=(("none", "nie wymieniam"), *((item.value, on.items[item].name) for item in SOURCES)),
    )
    installation = check(Item.CENTRAL_HEATING_DHW, "Nowa instalacja centralnego ogrzewania i ciepłej wody")
    return Step("Nowe źródło ciepła", "", (Part((source, installation)),))


AREAS = {
    Item.CEILING: "Dach lub strop",
    Item.FLOOR: "Podłoga",
    Item.WALLS: "Ściany",
    Item.WINDOWS: "Okna",
    Item.DOORS: "Drzwi zewnętrzne",
    Item.GATES: "Brama garażowa",
}


def works(on: RulesAt) -> Step:
    """Return the step about other works; the last step asks for areas and costs."""
    ventilation = check(
        Item.VENTILATION,
        "Wentylacja mechaniczna z odzyskiem ciepła (rekuperacja)",
        "Wymienia powietrze w domu i zatrzymuje ciepło z usuwanego.",
    )
    return Step(
        "Inne prace i dokumenty",
        "Zaznacz, co planujesz. O powierzchnie zapytamy na następnej stronie.",
        (
            Part(tuple(check(f"{PLANNED}{item}", AREAS[item]) for item in ENVELOPE), "Ocieplenie i wymiana"),
            Part((ventilation,), "Wentylacja"),
            Part(
                tuple(check(item, on.items[item].name) for item in DOCUMENTS),
                "Dokumenty",
                "Audyt przed pracami i świadectwo po nich są obowiązkowe, dlatego są zaznaczone. Program zwraca ich "
                "koszt.",
            ),
        ),
    )


COSTS = {
    Item.GROUND_SOURCE_LOOP: "Dolne źródło pompy (odwierty albo kolektor)",
    Item.CENTRAL_HEATING_DHW: "Instalacja ogrzewania i ciepłej wody",
    Item.VENTILATION: "Wentylacja",
    Item.AUDIT: "Audyt energetyczny",
    Item.ENERGY_CERTIFICATE: "Świadectwo energetyczne",
    **AREAS,
}
"""Items with a cost, except the new source."""


def amounts(values: Mapping[str, str]) -> Step:
    """Return the step with the areas of chosen works and, folded, the costs of all chosen items."""
    chosen = chosen_items(values)
    areas = tuple(area(item) for item in chosen if item in ENVELOPE)
    costs = tuple(
        money(SOURCE_COST, "Nowe źródło ciepła") if item in SOURCES else money(f"cost_{item}", COSTS[item])
        for item in chosen
    )
    net = "Podaj kwoty netto, bez VAT. Bez kosztu policzymy największą możliwą dotację."
    parts = (Part(areas, "Powierzchnia prac"), Part(costs, "Znam koszty", net, folded=True))
    intro = "" if chosen else "Nie wybrano żadnych prac. Pokażemy sam poziom dotacji."
    return Step("Powierzchnie i koszty", intro, tuple(part for part in parts if part.fields))


def chosen_items(values: Mapping[str, str]) -> list[Item]:
    """Return the planned items, in the order of rows; a ground heat pump adds its ground loop."""
    source = values.get("new_source", "")
    planned = {item for item in Item if item == source or values.get(f"{PLANNED}{item}")}
    planned |= {item for item in Item if item not in SOURCES and item not in ENVELOPE and values.get(item)}
    if source == Item.HEAT_PUMP_GROUND:
        planned.add(Item.GROUND_SOURCE_LOOP)
    return [item for item in Item if item in planned]


def steps(values: Mapping[str, str], on: RulesAt) -> tuple[Step, ...]:
    """Return the steps. values: entered so far; they decide the last step."""
    return HOUSEHOLD, house(on), heating(on), works(on), amounts(values)


def all_fields(on: RulesAt) -> dict[str, Field]:
    everything = {name: "1" for item in Item for name in (item, f"{PLANNED}{item}")}
    everything["new_source"] = Item.HEAT_PUMP_GROUND
    return {field.name: field for step in steps(everything, on) for field in step}


PAGE = "krok"
"""Hidden field: the number of the submitted step. Without it all sent answers count."""

MISSING, AMBIGUOUS = "missing", "ambiguous"
"""Codes of errors with a text of their own: a missing answer, and a number with two readings."""


def read_values(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> dict[str, str]:
    """Return the answers by name of the field, trimmed, without empty ones; the last of repeated ones.

    Without `PAGE`, areas imply planned works, and the cost of the source may have the name of the item.
    """
    sent = {name: typed[-1].strip() for name, typed in posted if typed}
    if PAGE not in sent:
        sent |= {f"{PLANNED}{item}": "1" for item in ENVELOPE if sent.get(item)}
        sent.setdefault(SOURCE_COST, sent.get(f"cost_{sent.get('new_source')}", ""))
    return {
        name: sent[name]
        for name, field in all_fields(on).items()
        if sent.get(name) and not (field.kind == "check" and BOOLEANS.get(sent[name].lower()) is False)
    }


def parameters(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> tuple[Pairs, list[ParameterError]]:
    """Return the answers as parameters of `/subsidy`, and an error for each area with two readings.

    Numbers lose their unit, the cost of the source gets the name of its item. With `PAGE`, areas and costs of works
    that are not chosen are left out.
    """
    sent = dict(posted)
    fields, values = all_fields(on), read_values(sent.items(), on)
    if PAGE in sent:
        names = {field.name for step in steps(values, on) for field in step}
    else:
        names = {*fields, *(f"cost_{item}" for item in SOURCES)}
    source = sent.get("new_source", [""])[-1]
    pairs = []
    for name, typed in sent.items():
        if name not in names or name.startswith(PLANNED):
            continue
        target = f"cost_{source}" if name == SOURCE_COST and source in SOURCES else name
        is_number = name not in fields or fields[name].kind == "number"
        unit = fields[name].unit if name in fields else ZLOTY
        pairs += [(target, number_sent(value, unit) if is_number else value) for value in typed]
    errors = [
        ParameterError(item, AMBIGUOUS, question)
        for item in names.intersection(ENVELOPE)
        if (question := ask_which(values.get(item, "")))
    ]
    return pairs, errors


def ask_which(typed: str) -> str:
    """Ask whether an area is decimals or thousands of m²; "" where it is clear, or the programme rules one out."""
    try:
        read_decimal(without_unit(typed, AREA_UNIT))
    except AmbiguousNumber as readings:
        if int(readings.thousands) <= AREA_RANGE[1]:
            decimal = readings.decimal.replace(".", ",")
            return f"To {decimal} czy {readings.thousands} {AREA_UNIT}? Wpisz {decimal} albo {readings.thousands}."
    except ValueError:
        pass
    return ""


def without_unit(typed: str, unit: str) -> str:
    """Return a number without its unit. A unit alone stays: it is no number, and no empty answer either."""
    return price_list_cells.bare_number(typed, SPELLINGS.get(unit, unit), "") or typed.strip()


def number_sent(typed: str, unit: str) -> str:
    """Return a number without its unit: złoty as `read_decimal` reads what a person types, others as typed.

    What is no number stays as it is, for the reader to refuse.
    """
    text = without_unit(typed, unit)
    if unit == PEOPLE_UNIT:
        return "".join(text.split())
    if unit != ZLOTY:
        return text
    try:
        return NumberText(f"{read_decimal(text, 'thousands'):f}")
    except ValueError:
        return text


def missing_areas(values: Mapping[str, str]) -> list[ParameterError]:
    return [
        ParameterError(item, MISSING, f"{item} is missing")
        for item in chosen_items(values)
        if item in ENVELOPE and item not in values
    ]


def describe_errors(values: Mapping[str, str], errors: Iterable[ParameterError], on: RulesAt) -> dict[str, str]:
    """Return the messages of invalid fields by their names."""
    by_name = {error.parameter: error for error in errors}
    source = f"cost_{values.get('new_source', '')}"
    if source in by_name:
        by_name[SOURCE_COST] = by_name[source]
    return {
        field.name: describe_error(field, by_name[field.name])
        for step in steps(values, on)
        for field in step
        if field.name in by_name
    }


def describe_error(field: Field, error: ParameterError) -> str:
    if error.code == MISSING and field.missing:
        return field.missing
    return error.message if error.code == AMBIGUOUS else field.mistake
