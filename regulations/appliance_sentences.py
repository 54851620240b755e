"""Polish sentences about the check of an appliance in a municipality, for the API and the pages."""

from datetime import date, timedelta
from typing import NamedTuple

from django.utils.formats import date_format

from catalog.models import Municipality
from catalog.text import counted, full_sentence
from regulations.appliance_check import BURNS_COAL, IN_PART, ApplianceCheck, ApplianceDeadline, ApplianceStatus
from regulations.codes import Appliance, Condition, Exemption, FuelCode
from regulations.queries import DeadlineStatus, Regulation

NO_BREAK = "\N{NO-BREAK SPACE}"

REMAINDERS = {(Appliance.BOILER_ECODESIGN, Exemption.ECODESIGN_WITHOUT_NETWORK): Exemption.WITHOUT_NETWORK}
"""What remains of an exemption for an appliance that meets a part of it by definition."""

COUNTDOWN_DAYS = 365
"""Longest time to a deadline, in days, that is counted down."""

MOST_FUELS = 2

CONDITIONS_IN_SHORT = {
    Condition.NEW_BUILDING: "nowe budynki",
    Condition.NETWORK_AVAILABLE: "budynki przy sieci ciepłowniczej lub gazowej",
    Condition.DISTRICT_HEATING_AVAILABLE: "budynki przy sieci ciepłowniczej",
    Condition.DISTRICT_HEATING_CONNECTED: "budynki w sieci ciepłowniczej",
}
"""Conditions of the building for a cell of a table; the others are of age."""


class Verdict(NamedTuple):
    """The sentence in three parts: subject, verdict and rest, each in Polish.

    short: the verdict for a cell of a table. until: the last day of use, None without one or once it has passed.
    today: the present consequence for the reader, "" where the sentence suffices.
    """

    subject: str
    verdict: str
    rest: str
    short: str
    until: date | None
    today: str

    @property
    def sentence(self) -> str:
        return f"{self.subject} {self.verdict}{self.rest}"


def describe_check(check: ApplianceCheck, place: str, on: date) -> Verdict:
    """Return the verdict on an appliance. place: name of the municipality. on: the day of the response."""
    verdict, rest, short, today = words(check, on)
    until = last_day(check.deciding) if check.status is ApplianceStatus.ENDS and check.deciding else None
    rest = full_sentence(f"{verdict}{rest}").removeprefix(verdict)
    return Verdict(f"{place}, {check.appliance.label}:", verdict, rest, short, until, today)


def words(check: ApplianceCheck, on: date) -> tuple[str, str, str, str]:
    """Return verdict, rest (without the full stop), short and today of a `Verdict`."""
    deciding = check.deciding
    match check.status:
        case ApplianceStatus.ENDS if deciding:
            left = (deciding.deadline.date - on).days
            count = f" – jeszcze {counted(left, 'dzień', 'dni', 'dni')}" if left <= COUNTDOWN_DAYS else ""
            verdict = f"wolno używać do {day(last_day(deciding))}"
            sooner, sooner_in_short = words_of_earlier(check, on)
            short = f"do{NO_BREAK}{day(last_day(deciding))}{sooner_in_short}{exceptions(deciding)}"
            return verdict, f"{count}{longer(deciding)}{sooner}", short, ""
        case ApplianceStatus.ENDED if deciding:
            since = day(deciding.deadline.date)
            today, rest = "Dziś nie wolno w nim palić. Trzeba go wymienić albo wyłączyć z użytku.", f" od {since}"
            if freed := freeing(deciding):
                rest += unless(deciding) + even_then(check, on)
                conditions = "tego warunku" if len(freed) == 1 else "żadnego z tych warunków"
                today = f"Jeśli nie spełnia {conditions}: {today[0].lower()}{today[1:]}"
            short = f"nie wolno od {since}{exceptions(deciding)}"
            return "nie wolno już używać", rest, short, today
        case ApplianceStatus.STAYS:
            return "wolno używać bez terminu", provided(check), f"bez terminu{provided(check)}", ""
        case ApplianceStatus.LIMITED:
            return words_of_limits(check.limited, on)
        case ApplianceStatus.CONTRADICTED:
            today = "Zanim zdecydujesz, zapytaj w urzędzie gminy."
            return "nie wiadomo", ", bo źródła podają sprzeczne terminy", "nie wiadomo: źródła są sprzeczne", today
        case ApplianceStatus.DATES_UNKNOWN:
            rest = ". Uchwała obowiązuje, ale jej terminów nie znamy"
            return "nie wiadomo", rest, "nie znamy terminów", ASK_OR_READ
        case ApplianceStatus.NO_RESOLUTION:
            today = "Uchwała może się jeszcze pojawić. Sprawdź w urzędzie gminy, czy nie ma innych ograniczeń."
            why = NONE_BINDS if check.elsewhere else "W tym województwie nie ma uchwały antysmogowej"
            return "wolno używać", f". {why}", "nie ma uchwały", today
        case ApplianceStatus.NOT_NAMED:
            today = "Nie znaczy to, że go nie ma. Zanim zdecydujesz, zapytaj w urzędzie gminy."
            return "nie znamy terminu", ", który dotyczyłby tego urządzenia", "nie znamy zakazu", today
    today = "Nie znaczy to, że uchwały nie ma. Zapytaj w urzędzie gminy."
    return "nie wiadomo", ". Stanu prawnego tego województwa jeszcze nie wczytano", "nie wiadomo", today


def words_of_earlier(check: ApplianceCheck, on: date) -> tuple[str, str]:
    """Return where the use ends before the deciding deadline, for a sentence and for a cell; "" and "" for nowhere."""
    rows = [row for row in check.limited if check.deciding and row.deadline.date < check.deciding.deadline.date]
    over = any(row.deadline.holds_on(on) for row in rows)
    where, short = cases_of(rows)
    if not where:
        return "", ""
    return f", {'ale już nie wolno' if over else 'a krócej'}{where}", f" ({'już nie' if over else 'krócej'}: {short})"


def even_then(check: ApplianceCheck, on: date) -> str:
    """Return the end of a sentence that exempts from a ban in force: what is forbidden all the same; "" for nothing."""
    where, _ = cases_of([row for row in check.limited if row.deadline.holds_on(on)])
    return f", ale i wtedy nie wolno{where}" if where else ""


def cases_of(rows: list[ApplianceDeadline]) -> tuple[str, str]:
    """Return in which cases limited deadlines bind, for a sentence and for a cell; "" and "" for none."""
    limited = tuple(row for row in rows if not row.contradicted)
    if limit := only_limit(limited):
        return limits_of(limit) + unless(limit), limits_in_short(limit)
    return (" w niektórych przypadkach", "niektóre przypadki") if limited else ("", "")


def words_of_limits(limited: tuple[ApplianceDeadline, ...], on: date) -> tuple[str, str, str, str]:
    """Return the same as `words` for limited deadlines: the day of a single one, or what several depend on."""
    finding = only_limit(limited)
    if finding:
        since = f"od{NO_BREAK}{day(finding.deadline.date)}"
        verdict = f"{since} nie {'' if finding.deadline.holds_on(on) else 'będzie '}wolno używać"
        short = f"nie wolno {since} (tylko {limits_in_short(finding)}){exceptions(finding)}"
        return verdict, limits_of(finding) + unless(finding), short, "Innych terminów nie znamy."
    reasons = []
    if any(finding.fuels for finding in limited):
        reasons.append("paliwa")
    if any(finding.conditions for finding in limited):
        reasons.append("budynku albo wieku urządzenia")
    if any(finding.binds is None for finding in limited):
        reasons.append("miejsca w gminie")
    today = "Sprawdź, czy dotyczy Cię któryś z poniższych terminów. Innych nie znamy."
    return f"termin zależy od {either(reasons, 'i')}", "", "zależy, zobacz warunki", today


def only_limit(limited: tuple[ApplianceDeadline, ...]) -> ApplianceDeadline | None:
    return limited[0] if len(limited) == 1 and not limited[0].contradicted else None


def ask_fact(code: str) -> str:
    """Return the question about a fact, see `regulations.appliance_check.Facts`."""
    if code == IN_PART:
        return "Czy urządzenie stoi w części gminy, którą przepisy wymieniają osobno?"
    return "Czy palisz w nim węglem?" if code == BURNS_COAL else f"Czy {Condition(code).label}?"


def explain_fact(finding: ApplianceDeadline) -> str:
    """Return what helps to answer the question about the open fact of a deadline, "" for nothing."""
    if finding.open_fact == IN_PART:
        return finding.caveat or full_sentence(finding.deadline.scope)
    return "Drewno, pellet i brykiet z drewna to nie węgiel." if finding.open_fact == BURNS_COAL else ""


def describe_limit(finding: ApplianceDeadline, on: date) -> str:
    row = finding.deadline
    if row.holds_on(on):
        text = f"Nie wolno od {day(row.date)}{limits_of(finding)}{unless(finding)}"
    else:
        text = f"Do {day(last_day(finding))}{limits_of(finding)}{longer(finding)}"
    text = full_sentence(f"{text}, ale źródła nie mówią o tym jednoznacznie" if finding.contradicted else text)
    return f"{text} {finding.caveat}" if finding.caveat and finding.binds is None else text


def caveat_of_main(check: ApplianceCheck, main: ApplianceDeadline) -> str:
    """Return the caveat of the deadline that a verdict is about, with what the rest of the municipality has."""
    return " ".join(filter(None, (main.caveat, SAME_DAY_ELSEWHERE if check.counterpart else "")))


def limits_of(finding: ApplianceDeadline) -> str:
    """Return the middle of a sentence: fuels, conditions and part of the municipality of a deadline."""
    required = [f"paliwo to {either([FuelCode(code).label for code in finding.fuels], 'lub')}"] if finding.fuels else []
    if finding.conditions:
        required.append(" i ".join(Condition(code).label for code in finding.conditions))
    text = f", jeśli {', a '.join(required)}" if required else ""
    if finding.contradicted or finding.binds:
        return text
    comma = "," if text else ""  # ends the clause of what is required
    return f"{text}{comma}{in_part(finding.deadline.scope)}"


def in_part(scope: str) -> str:
    """Return the end of a clause about a rule that binds a part of a municipality."""
    return f" w części gminy (zakres przepisu to {scope})"


def limits_in_short(finding: ApplianceDeadline) -> str:
    """Return fuels, conditions and part of the municipality of a limited deadline for a cell of a table."""
    fuels = [FuelCode(code).label for code in finding.fuels]
    parts = [either(fuels, "i") if len(fuels) <= MOST_FUELS else "niektóre paliwa"] if fuels else []
    parts += dict.fromkeys(
        CONDITIONS_IN_SHORT.get(Condition(code), "urządzenia w pewnym wieku") for code in finding.conditions
    )
    return "; ".join([*parts, "część gminy"] if finding.binds is None else parts)


def unless(finding: ApplianceDeadline) -> str:
    """Return the end of a sentence that forbids, without the full stop: the exemptions; "" for none."""
    freed = exemptions_of(finding)
    return f", chyba że {freed}" if freed else ""


def longer(finding: ApplianceDeadline) -> str:
    """Return the same as `unless`, for a sentence that permits up to a day."""
    freed = exemptions_of(finding)
    return f", a dłużej, jeśli {freed}" if freed else ""


def exemptions_of(finding: ApplianceDeadline) -> str:
    """Return what frees an appliance from a deadline, as a clause; "" for none."""
    freed = freeing(finding)
    return either(freed, "albo") if freed else ""


def freeing(finding: ApplianceDeadline) -> list[str]:
    """Return each condition that frees an appliance from a deadline."""
    freed = [REMAINDERS.get((finding.appliance, code), code).label for code in finding.exemptions]
    if finding.stays_if_started_before:
        freed.append(f"uruchomiono go przed {day(finding.stays_if_started_before)}")
    if finding.deadline.started_before:
        freed.append(f"uruchomiono go {day(finding.deadline.started_before)} lub później")
    return freed


def exceptions(finding: ApplianceDeadline) -> str:
    return ", z wyjątkami" if exemptions_of(finding) else ""


def provided(check: ApplianceCheck) -> str:
    """Return the condition on which an appliance may stay; "" for none."""
    bound = check.stays_if_started_before
    return f", jeśli uruchomiono go przed {day(bound)}" if bound else ""


def either(texts: list[str], word: str) -> str:
    """Join texts: "a, b albo c", with a comma before the word where it ends a clause."""
    *first, last = texts
    comma = "," if first and ", " in first[-1] else ""
    return f"{', '.join(first)}{comma} {word} {last}" if first else last


def last_day(finding: ApplianceDeadline) -> date:
    return finding.deadline.date - timedelta(days=1)


def day(value: date) -> str:
    """ "31 grudnia 2026 r.", with non-breaking spaces."""
    return date_format(value).replace(" ", NO_BREAK)


SAME_DAY_ELSEWHERE = "W pozostałej części gminy ten sam dzień wyznacza inny przepis."

STATE_UNKNOWN = (
    "Stanu prawnego tego województwa jeszcze nie wczytano, więc nie wiemy, czy jest uchwała antysmogowa. "
    "Nie znaczy to, że jej nie ma."
)
ASK_OR_READ = "Zapytaj w urzędzie gminy albo sprawdź tekst uchwały."
NONE_BINDS = "Żadna uchwała tego województwa tu nie obowiązuje."

WITHOUT_FIRE = (
    "Uchwały antysmogowe mówią o spalaniu paliw (art. 96 Prawa ochrony środowiska), więc pompy ciepła, ogrzewania "
    "prądem i ciepła z sieci nie ograniczają."
)


def without_deadline(entry: Regulation) -> str:
    """Return why the requested unit, or else the voivodeship, has no next deadline; "" where it has no act."""
    match entry.deadline_status_of_unit:
        case DeadlineStatus.STATE_UNKNOWN:
            return STATE_UNKNOWN
        case DeadlineStatus.DATES_UNKNOWN:
            what = "tej uchwały" if isinstance(entry.unit, Municipality) else "części uchwał"
            return f"Terminów {what} nie znamy. {ASK_OR_READ}"
        case DeadlineStatus.PASSED:
            return "Wszystkie znane terminy minęły."
        case DeadlineStatus.NO_RESOLUTION if entry.laws:
            return NONE_BINDS
    return ""


def of_a_later_state(entry: Regulation, text: str) -> str:
    """Return a text of the newest state, with a preface if acts or rules changed after the day of the entry."""
    if not text or not entry.changed_since:
        return text
    return f"Opis stanu późniejszego niż na {entry.on:%d.%m.%Y}: {text}"
