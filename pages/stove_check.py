"""The page of the check of a stove: how long an appliance may be used in a place, with limits and sources.

A GET form without personal data; the API's counterpart is `/regulations?teryt=…&appliance=…`. Where the verdict depends
on more than place and appliance, the page asks the one question that decides, and its answers are links (`tak`, `nie`).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from types import MappingProxyType
from typing import Annotated, Any, Literal

from django.urls import reverse

from catalog.models import Municipality
from catalog.search.engine import Suggestion
from catalog.territory.snapshot import territory
from catalog.text import fold
from fueldepot.http.params import MAX_VALUE_LENGTH, line, word_for
from fueldepot.http.query import Query, field
from pages.home_and_voivodeship import SearchResult
from pages.municipality import present_municipality
from pages.page import Crumb, Page
from pages.regulations import (
    CALENDAR,
    CHECKED,
    STATUS,
    UNKNOWN_CLASS,
    ban_rows,
    days_of,
    path_of,
    provision_rows,
    stale_notice,
    state_of,
)
from regulations.api.params import MUNICIPALITY_DIGITS
from regulations.appliance_check import (
    BURNS_COAL,
    IN_PART,
    ApplianceCheck,
    ApplianceStatus,
    Facts,
    binding,
    check_appliance,
    is_about_part,
    is_of_other_fuel,
)
from regulations.appliance_sentences import (
    WITHOUT_FIRE,
    ask_fact,
    caveat_of_main,
    describe_check,
    describe_limit,
    explain_fact,
    only_limit,
)
from regulations.codes import BOILERS, Appliance, Condition
from regulations.models import Deadline, read_sources
from regulations.queries import DeadlineStatus, Regulation
from regulations.snapshot import states
from subsidy import rules
from subsidy.household_and_plan import SOLID_FUEL_SOURCES, SOURCES, Heating, Level
from subsidy.items_and_eligibility import describe_refusal

NOT_FOUND = "Nie znaleźliśmy takiego miejsca. Wpisz nazwę miejscowości, gminy albo kod pocztowy."
UNREADABLE = "Nie umiemy odczytać tego miejsca. Wpisz nazwę miejscowości, gminy albo kod pocztowy."
NO_APPLIANCE = "Wybierz urządzenie z listy. Poniżej jest skrót dla wszystkich."

FACTS = frozenset({BURNS_COAL, IN_PART, *Condition.values})

PERMITTED = frozenset({ApplianceStatus.ENDS, ApplianceStatus.STAYS, ApplianceStatus.NO_RESOLUTION})
"""Statuses with which an appliance may be used today; missing data are never a permission."""

NEW_APPLIANCES = frozenset(
    {Deadline.Kind.NEW_INSTALLATIONS, Deadline.Kind.SOLID_FUEL_BAN, Deadline.Kind.COAL_BAN, Deadline.Kind.FUEL_BAN}
)
"""Kinds of deadlines that say what a new appliance may be or burn."""

NOT_FUNDED = frozenset({Appliance.BOILER_CLASS_5, Appliance.BOILER_ECODESIGN})
"""Appliances whose replacement the programme does not pay: it wants a source below class 5."""

HEATING = dict.fromkeys(frozenset(Appliance) - {Appliance.FIREPLACE}, Heating.SOLID_FUEL)
HEATING |= dict.fromkeys(NOT_FUNDED, Heating.SOLID_FUEL_CLASS_5)
"""The answer of the calculator that an appliance implies; a fireplace may stand beside another source."""


class StoveQuery(Query):
    empty_is_absent = True

    miejsce: Annotated[str, line(1), field("A place.")] = ""
    piec: Annotated[
        Appliance | Literal["boiler"] | None,
        word_for({**{code.value: code for code in Appliance}, UNKNOWN_CLASS: UNKNOWN_CLASS}),
    ] = None
    teryt: Annotated[str, line(1), field("A TERYT code.")] = ""
    tak: Annotated[str, line(1), field("Codes of facts that are true, with commas.")] = ""
    nie: Annotated[str, line(1), field("Codes of facts that are false, with commas.")] = ""

    @property
    def facts(self) -> dict[str, bool]:
        """What the user answered; unknown codes are left out."""
        return {
            code: value
            for codes, value in ((self.tak, True), (self.nie, False))
            for code in codes.split(",")
            if code in FACTS
        }


def stove_check_page(query_string: str, today: date) -> Page:
    """Return the page for `?miejsce=` (a TERYT code or a name) and `?piec=` (the code of an appliance).

    `?teryt=` comes from the form: the municipality of that name, or in which the locality of that name lies.

    In the content, place: the typed text or the found name. entry: the legal state there, None without a place.
    options: candidates while the place is ambiguous. others: places of a similar name. bans, laws: those that bind
    the municipality or a part of it. answer: see `answer_of`, None without an appliance. outlook: see `outlook_of`,
    None without a place. boilers: of every class, for who does not know theirs.
    """
    query, wrong = StoveQuery.read(query_string)
    place, choice, facts = query.miejsce, query.piec, query.facts
    appliance = choice if isinstance(choice, Appliance) else None
    unit, suggestions, village = find_place(place, query.teryt)
    notices = ["Nie znamy urządzenia o kodzie, który jest w adresie strony."] if "piec" in wrong else []
    notices += place_notices(place, wrong, unit, suggestions) or ([NO_APPLIANCE] if unit and choice is None else [])
    entry = state_of(unit, today) if unit else None
    first, last = days_of([entry] if entry else states.get().values())
    options = tuple(
        SearchResult(suggestion.label, suggestion.description, check_path(suggestion.teryt, choice or ""))
        for suggestion in suggestions
    )
    verdicts = [describe_appliance(code, entry) for code in Appliance] if entry else []
    parameters = {"teryt": unit.teryt, "binding": 1} | ({"appliance": appliance} if appliance else {}) if unit else {}
    return Page(
        template="pages/stove_check",
        query_params=StoveQuery.names(),
        title=title_of(unit, appliance),
        description="Wpisz miejscowość i wybierz kocioł, piec albo kominek. Powiemy jednym zdaniem, do kiedy wolno go "
        "używać.",
        path=reverse("stove-check"),
        breadcrumbs=(Crumb.home(), Crumb("Uchwały antysmogowe", reverse("regulations"))),
        indexed=not query_string,
        data_path=reverse("v1:regulations", query=parameters),
        as_of=first,
        as_of_last=last,
        data_status=STATUS,
        cited_path=check_path(unit.teryt, choice or "", facts) if unit else "",
        content={
            "place": village or (unit.name if unit else place),
            "notice": " ".join(notices),
            "options": options if unit is None else (),
            "others": options if unit else (),
            "appliances": CHECKED,
            "chosen": choice or "",
            "verdicts": verdicts,
            "boilers": [row for row in verdicts if choice == UNKNOWN_CLASS and row["code"] in BOILERS],
            "unit": unit,
            "entry": entry,
            "answer": answer_of(entry, appliance, village, facts) if entry and appliance else None,
            "answered": answered(unit.teryt, appliance, facts) if unit and appliance else (),
            "outlook": outlook_of(entry, appliance, facts) if entry else None,
            "bans": ban_rows(entry) if entry else [],
            "laws": tuple(law for law in entry.laws if entry.binds(law.resolution) is not False) if entry else (),
            "stale_notice": stale_notice(entry) if entry else "",
            "calendar_path": path_of(entry, CALENDAR) if entry and entry.of_unit.next_deadline else "",
            "regulation_path": path_of(entry) if entry else "",
        },
    )


def place_notices(
    place: str, wrong: Collection[str], unit: Municipality | None, suggestions: Sequence[Suggestion]
) -> list[str]:
    """Return why a typed place is not shown. wrong: names of parameters that were not read."""
    if "miejsce" in wrong:
        return [UNREADABLE]
    return [NOT_FOUND] if place and unit is None and not suggestions else []


def find_place(text: str, meant: str = "") -> tuple[Municipality | None, list[Suggestion], str]:
    """Return the municipality, other places of the name, and the name of the found locality ("" for none).

    A code yields its unit or its successor. A name yields the municipality of exactly that name, else its only place,
    unless a better known municipality begins with it ("Gorzów"); None with all candidates where it is ambiguous. meant:
    the code of a municipality, which counts if it or a place in it has the name. A text longer than any parameter is no
    place: the search takes minutes over it.
    """
    if not text or len(text) > MAX_VALUE_LENGTH:
        return None, [], ""
    if text.isdigit() and len(text) == MUNICIPALITY_DIGITS:
        return present_municipality(text), [], ""
    units = territory.get()
    suggested = units.search.suggest(text)
    suggestions, key = suggested.found, fold(text)
    if own := units.municipalities.get(meant):
        label = text if own.name == text else locality_in(own, suggestions, text)
        if label:
            others = [suggestion for suggestion in suggestions if suggestion.teryt != meant]
            return own, others, "" if label == own.name else label
    exact = [suggestion for suggestion in suggestions if suggestion.fold == key]
    likely = [suggestion for suggestion in exact if suggestion.kind == "municipality"]
    if suggested.clear:
        likely = suggestions[:1]
    elif not likely and suggestions[:1] == exact[:1]:
        likely = exact
    elif not exact:
        likely = suggestions
    if len({suggestion.teryt for suggestion in likely}) != 1:
        return None, suggestions, ""
    best = likely[0]
    others = [suggestion for suggestion in suggestions if suggestion.teryt != best.teryt]
    return units.municipalities[best.teryt], others, best.label if best.kind == "locality" else ""


def locality_in(unit: Municipality, suggestions: list[Suggestion], name: str) -> str:
    """Return the locality of a municipality that a name stands for, as it is written, "" for none.

    suggestions: for the name alone. Where it has too many namesakes to be among them, the municipality is named beside
    it.
    """
    key = fold(name)
    for suggestion in (*suggestions, *territory.get().search.suggest(f"{name}, {unit.name}").found):
        if suggestion.teryt == unit.teryt and suggestion.kind == "locality" and suggestion.fold == key:
            return suggestion.label
    return ""


def check_path(place: str, appliance: str, facts: Facts = MappingProxyType({})) -> str:
    """Return the path of a check. place: a code or a name. appliance: "" for none."""
    parameters = {"miejsce": place} | ({"piec": appliance} if appliance else {})
    for name, value in (("tak", True), ("nie", False)):
        if codes := [code for code, fact in facts.items() if fact is value]:
            parameters[name] = ",".join(codes)
    return reverse("stove-check", query=parameters)


def describe_appliance(appliance: Appliance, entry: Regulation) -> dict[str, Any]:
    """Return the verdict on an appliance in short, with the path of its check."""
    check = check_appliance(entry, appliance)
    verdict = describe_check(check, "", entry.on)
    return {
        "code": appliance.value,
        "label": appliance.label,
        "short": verdict.short,
        "verdict": verdict,
        "is_permitted": check.status in PERMITTED,
        "path": check_path(entry.teryt, appliance),
    }


def answered(teryt: str, appliance: Appliance, facts: Facts) -> list[dict[str, str]]:
    """Return the questions with an answer. undo: path of the check without it."""
    return [
        {
            "text": ask_fact(code),
            "answer": "tak" if value else "nie",
            "undo": check_path(teryt, appliance, {other: facts[other] for other in facts if other != code}),
        }
        for code, value in facts.items()
    ]


def question_of(check: ApplianceCheck, teryt: str, facts: Facts) -> dict[str, str] | None:
    """Return the question that decides. hint: what helps to answer, "" for nothing. yes, no: paths of both answers."""
    row = check.undecided
    if row is None or row.open_fact is None:
        return None
    yes, no = (check_path(teryt, check.appliance, {**facts, row.open_fact: value}) for value in (True, False))
    return {"text": ask_fact(row.open_fact), "hint": explain_fact(row), "yes": yes, "no": no}


def answer_of(entry: Regulation, appliance: Appliance, village: str, facts: Facts) -> dict[str, Any]:
    """Return the result for an appliance in the unit of a legal state. village: a locality to name, "" for none.

    deadline, caveat: the main deadline and its caveat, without one those of other fuels; one that helps to answer the
    question stands there. limits: further deadlines as sentences. sources: of all these deadlines. is_partial: the
    appliance is limited, so that the verdict needs the description.
    """
    check = check_appliance(entry, appliance, facts)
    # The sentence covers a single limited deadline, so its description is shown like that of a deciding one.
    main = check.deciding or only_limit(check.limited)
    cited = [main.deadline] if main else []
    cited += [finding.deadline for finding in check.limited] + [finding.deadline for finding in check.spared_by]
    # A deadline about coal may say in its caveat what is uncertain about wood.
    others = [row for row in binding(entry) if appliance in row.appliances and is_of_other_fuel(row, facts)]
    doubtful = [row for row in others if row.caveat and main is None]
    cited += doubtful
    place = f"{village} (gmina {entry.place})" if village else entry.place
    question = question_of(check, entry.teryt, facts)
    caveat = caveat_of_main(check, main) if main else " ".join(row.caveat for row in doubtful)
    return {
        "verdict": describe_check(check, place, entry.on),
        "is_permitted": check.status in PERMITTED,
        "deadline": main.deadline if main else None,
        "caveat": "" if question and question["hint"] == caveat else caveat,
        "is_partial": main is not None and check.deciding is None,
        "limits": tuple(
            describe_limit(finding, entry.on) for finding in check.limited if finding not in (main, check.counterpart)
        ),
        "sources": tuple(dict.fromkeys(source for row in cited for source in read_sources(row.sources))),
        "question": question,
    }


def title_of(unit: Municipality | None, appliance: Appliance | None) -> str:
    if unit and appliance:
        return f"Do kiedy wolno używać: {appliance.label}, {unit.name}"
    return f"Sprawdź swój piec: {unit.name}" if unit else "Sprawdź swój piec"


def outlook_of(entry: Regulation, appliance: Appliance | None, facts: Facts) -> dict[str, Any]:
    """Return what follows in the municipality of a legal state. appliance: None for an unknown one.

    rules: of new appliances, that bind the municipality or a part of it, the latest first. has_known_rules: whether
    those of the place are known. solid_fuel_banned: everywhere in it, today. funded: None without an appliance, or once
    no agreements are signed. limits: of new sources that no such ban forbids, while agreements are signed. condition:
    of all limits, or that none are. calculator: its path, with what is known.
    """
    on = rules.current().on(entry.on)
    ended = on.contracts_ended
    rows = [
        row
        for row in reversed(entry.deadlines_of_unit)
        if row.kind in NEW_APPLIANCES
        and (entry.binds(row) or IN_PART not in facts or is_about_part(row) is facts[IN_PART])
    ]
    bans = [row for row in rows if row.kind == Deadline.Kind.SOLID_FUEL_BAN]
    banned = any(row.holds_on(entry.on) and entry.binds(row) for row in bans)
    answers = {"teryt": entry.teryt} | ({"current_heating": HEATING[appliance]} if appliance in HEATING else {})
    return {
        "fireless": WITHOUT_FIRE,
        "rules": provision_rows(entry, rows),
        "has_known_rules": entry.deadline_status_of_unit
        not in {DeadlineStatus.STATE_UNKNOWN, DeadlineStatus.DATES_UNKNOWN},
        "solid_fuel_banned": banned,
        "funded": None if appliance is None or ended else appliance not in NOT_FUNDED,
        "limits": [limit for limit in source_limits(on) if not (ended or (banned and limit["burns"]))],
        "condition": describe_refusal("row_contracts_ended" if ended else "row_source_alone", on),
        "calculator": reverse("subsidy", query=answers),
    }


def source_limits(on: rules.RulesAt) -> Iterator[dict[str, Any]]:
    """Yield the sources that the programme pays: the highest subsidy in zł, from the basic to the highest level.

    verified: whether a document of the programme confirms both. burns: whether the source burns solid fuel.
    """
    for item in SOURCES:
        limits = [on.values.get((f"items/{item}", level)) for level in (Level.BASIC, Level.HIGHEST)]
        if paid := [limit for limit in limits if limit is not None]:
            verified = all(limit.verified for limit in paid)
            yield {
                "name": on.items[item].name,
                "low": paid[0].value,
                "high": paid[-1].value,
                "verified": verified,
                "burns": item in SOLID_FUEL_SOURCES,
            }
