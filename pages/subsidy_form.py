"""The calculator's form: its steps and questions in words, and how what was typed becomes parameters of `/subsidy`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from catalog.query_string import ParameterError, QueryString
from subsidy.application import DOCUMENTS, ENVELOPE, SOURCES, Item, ProjectType
from subsidy.params import AREA_RANGE, PEOPLE_RANGE
from subsidy.rules import RulesOn

SOURCE_COST = "cost_source"
"""One question for the cost of whichever source is chosen."""

PEOPLE = f"Wpisz liczbę osób cyframi, od {PEOPLE_RANGE[0]} do {PEOPLE_RANGE[1]}."
MONEY = "Wpisz kwotę cyframi, od 0 do 10 milionów zł, na przykład 2500 albo 2500,50."
AREA = f"Wpisz powierzchnię cyframi, od {AREA_RANGE[0]} do {AREA_RANGE[1]} m², na przykład 120 albo 12,5."
CHOICE = "Wybierz jedną z odpowiedzi."
PEOPLE_MISSING = "Podaj liczbę osób: od niej zależy próg dochodu."


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be chosen."""

    value: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A question. kind: number, choice, list or check. unit: shown behind the field. error: "" when all is well.

    topic: what it is about, where the label alone does not say. value: as it was typed.
    mistake: what to say when the answer cannot be read.
    """

    name: str
    label: str
    kind: str
    topic: str = ""
    hint: str = ""
    unit: str = ""
    choices: tuple[Choice, ...] = ()
    mistake: str = CHOICE
    value: str = ""
    error: str = ""

    @property
    def described_by(self) -> str:
        """Ids of what a screen reader reads with the question."""
        ids = [f"{self.name}-hint"] * bool(self.hint) + [f"{self.name}-error"] * bool(self.error)
        return " ".join(ids)

    @property
    def decimal(self) -> bool:
        """A decimal comma may be typed."""
        return self.unit != "osób"


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the form. pairs: questions shown side by side, area and cost."""

    legend: str
    intro: str
    fields: tuple[Field, ...]
    pairs: tuple[tuple[str, Field, Field], ...] = ()

    def __iter__(self) -> Iterator[Field]:
        yield from self.fields
        for _, first, second in self.pairs:
            yield from (first, second)


def money(name: str, label: str, hint: str = "") -> Field:
    return Field(name=name, label=label, kind="number", hint=hint, unit="zł", mistake=MONEY)


def demand(kind: ProjectType, on: RulesOn) -> str:
    """The index of a project type in words: "od 80 do 140"."""
    low = on.number("project_types/heating_demand", "type_2_from")
    high = on.number("project_types/heating_demand", "type_2_to")
    return {
        ProjectType.LOW: f"poniżej {low}",
        ProjectType.MIDDLE: f"od {low} do {high}",
        ProjectType.HIGH: f"powyżej {high}",
    }[kind]


HOUSEHOLD = Step(
    "Kto mieszka i jaki ma dochód",
    "Od dochodu zależy poziom dotacji. Bez niego policzymy poziom podstawowy. Dochodu nie zapisujemy.",
    (
        Field(
            name="people",
            label="Ile osób jest w gospodarstwie domowym?",
            kind="number",
            hint="Gospodarstwo to osoby, które razem mieszkają i utrzymują się.",
            unit="osób",
            mistake=PEOPLE,
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
            choices=(
                Choice("person", "na jedną osobę"),
                Choice("household", "całego gospodarstwa – podzielimy przez liczbę osób"),
            ),
        ),
        Field(
            name="benefit",
            label="Mam ustalone prawo do zasiłku stałego, okresowego, rodzinnego lub specjalnego opiekuńczego",
            kind="check",
            hint="Taki zasiłek zastępuje próg dochodu najwyższego poziomu.",
        ),
        money(
            "annual_income",
            "Roczny dochód wnioskodawcy",
            "Podstawa obliczenia podatku z ostatniego zeznania PIT. Potrzebny tylko do poziomu podstawowego.",
        ),
        Field(
            name="business",
            label="Ja lub małżonek prowadzimy działalność gospodarczą (także najem)",
            kind="check",
        ),
    ),
)


def house(on: RulesOn) -> Step:
    """What the house is like now; the index of each project type is that of the rules."""
    return Step(
        "Dom dzisiaj",
        "",
        (
            Field(
                name="current_heating",
                label="Czym ogrzewasz dom?",
                kind="choice",
                hint="Klasę kotła podaje tabliczka znamionowa (norma PN-EN 303-5). Program wymienia tylko źródła "
                "poniżej klasy 5.",
                choices=(
                    Choice("solid_fuel", "tylko paliwem stałym, w kotle lub piecu poniżej klasy 5"),
                    Choice("solid_fuel_class5", "kotłem klasy 5 albo urządzeniem z ekoprojektem"),
                    Choice("other", "gazem, olejem, prądem, pompą ciepła, z sieci albo kilkoma źródłami"),
                ),
            ),
            Field(
                name="eu",
                label="Wskaźnik EU z audytu energetycznego",
                kind="choice",
                hint="EU to energia użytkowa do ogrzewania: ile ciepła traci metr kwadratowy domu w ciągu roku, w "
                "kWh/(m²·rok). Jeśli audytu jeszcze nie ma, pokażemy trzy warianty.",
                choices=(
                    Choice("unknown", "jeszcze nie wiem"),
                    *(Choice(str(int(kind)), demand(kind, on)) for kind in ProjectType),
                ),
            ),
        ),
    )


def heating(on: RulesOn) -> Step:
    """What replaces the old heating, and what that costs."""
    return Step(
        "Nowe źródło ciepła",
        "Koszty podawaj netto, bez VAT. Bez kosztu policzymy największą możliwą dotację.",
        (
            Field(
                name="new_source",
                label="Na co wymieniasz ogrzewanie?",
                kind="list",
                choices=(
                    Choice("none", "nie wymieniam"),
                    *(Choice(item.value, on.items[item].name) for item in SOURCES),
                ),
            ),
            money(SOURCE_COST, "Koszt netto nowego źródła"),
            money(
                f"cost_{Item.GROUND_SOURCE_LOOP}",
                "Koszt netto dolnego źródła",
                "Tylko przy gruntowej pompie ciepła: odwierty albo kolektor, z których pompa bierze ciepło.",
            ),
            Field(
                name=Item.CENTRAL_HEATING_DHW,
                label="Nowa instalacja centralnego ogrzewania i ciepłej wody",
                kind="check",
            ),
            money(f"cost_{Item.CENTRAL_HEATING_DHW}", "Koszt netto instalacji"),
        ),
    )


AREAS = {
    Item.CEILING: "Dach lub strop",
    Item.FLOOR: "Podłoga",
    Item.WALLS: "Ściany",
    Item.WINDOWS: "Okna",
    Item.DOORS: "Drzwi zewnętrzne",
    Item.GATES: "Brama garażowa",
}
"""What is measured in square metres, in the words of the form."""

ENVELOPE_AND_VENTILATION = Step(
    "Ocieplenie, okna, wentylacja",
    "Wpisz powierzchnię prac. Puste pole znaczy, że tych prac nie planujesz.",
    (
        Field(
            name=Item.VENTILATION,
            label="Wentylacja mechaniczna z odzyskiem ciepła (rekuperacja)",
            kind="check",
            hint="Wymienia powietrze w domu i zatrzymuje ciepło z usuwanego.",
        ),
        money(f"cost_{Item.VENTILATION}", "Koszt netto wentylacji"),
    ),
    tuple(
        (
            AREAS[item],
            Field(name=item, label="powierzchnia", kind="number", topic=AREAS[item], unit="m²", mistake=AREA),
            replace(money(f"cost_{item}", "koszt netto"), topic=AREAS[item]),
        )
        for item in ENVELOPE
    ),
)


def documents(on: RulesOn) -> Step:
    """What must be drawn up before and after."""
    return Step(
        "Dokumenty",
        "Audyt przed pracami i świadectwo po nich są obowiązkowe. Program zwraca ich koszt.",
        tuple(
            field
            for item in DOCUMENTS
            for field in (
                Field(name=item, label=on.items[item].name, kind="check"),
                money(f"cost_{item}", "Koszt netto audytu" if item is Item.AUDIT else "Koszt netto świadectwa"),
            )
        ),
    )


def steps(on: RulesOn) -> tuple[Step, ...]:
    """The whole form, empty."""
    return HOUSEHOLD, house(on), heating(on), ENVELOPE_AND_VENTILATION, documents(on)


def read_form(posted: Iterable[tuple[str, list[str]]], on: RulesOn) -> QueryString:
    """What was typed, as parameters: blanks inside of numbers go, the cost of the source gets its name."""
    known = {field.name: field for step in steps(on) for field in step}
    typed = {name: values for name, values in posted if name in known}
    source = typed.get("new_source", [""])[0]
    pairs = []
    for name, values in typed.items():
        target = f"cost_{source}" if name == SOURCE_COST and source in SOURCES else name
        for value in values:
            text = "".join(value.split()) if known[name].kind == "number" else value
            pairs.append((target.encode(), text.encode("utf-8", "replace")))
    return QueryString.of_pairs(pairs)


def filled(values: Mapping[str, str], errors: Iterable[ParameterError], on: RulesOn) -> tuple[Step, ...]:
    """The form with what was typed and what is wrong with it; without anything typed, with the defaults chosen."""
    codes = {error.parameter: error.code for error in errors}
    source = f"cost_{values.get('new_source', '')}"
    if source in codes:
        codes[SOURCE_COST] = codes[source]
    return tuple(
        Step(
            step.legend,
            step.intro,
            tuple(fill(field, values, codes) for field in step.fields),
            tuple((label, fill(area, values, codes), fill(cost, values, codes)) for label, area, cost in step.pairs),
        )
        for step in steps(on)
    )


def fill(field: Field, values: Mapping[str, str], codes: Mapping[str, str]) -> Field:
    """One question with its answer."""
    value = values.get(field.name, "")
    chosen = value if any(choice.value == value for choice in field.choices) else ""
    choices = tuple(
        replace(choice, chosen=choice.value == chosen if chosen else number == 0)
        for number, choice in enumerate(field.choices)
    )
    error = ""
    if field.name in codes:
        error = PEOPLE_MISSING if codes[field.name] == "missing" else field.mistake
    return replace(field, value=value, choices=choices, error=error)
