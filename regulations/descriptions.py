"""Polish sentences for the API and the pages where no deadline is known, and about what no act limits."""

from regulations.queries import DeadlineStatus, Regulation

STATE_UNKNOWN = (
    "Stanu prawnego tego województwa jeszcze nie wczytano, więc nie wiemy, czy jest uchwała antysmogowa. "
    "Nie znaczy to, że jej nie ma."
)
DATES_UNKNOWN = "Terminów tej uchwały nie znamy. Zapytaj w urzędzie gminy albo sprawdź tekst uchwały."
SOME_DATES_UNKNOWN = "Terminów części uchwał nie znamy. Zapytaj w urzędzie gminy albo sprawdź tekst uchwały."
ALL_PASSED = "Wszystkie znane terminy minęły."

WITHOUT_FIRE = (
    "Uchwały antysmogowe mówią o spalaniu paliw (art. 96 Prawa ochrony środowiska), więc pompy ciepła, ogrzewania "
    "prądem i ciepła z sieci nie ograniczają."
)
"""About sources of heat that burn nothing."""


def without_deadline(entry: Regulation) -> str:
    """Return why the requested unit, or else the voivodeship, has no next deadline; "" without an act."""
    match entry.deadline_status_of_unit:
        case DeadlineStatus.STATE_UNKNOWN:
            return STATE_UNKNOWN
        case DeadlineStatus.DATES_UNKNOWN:
            return DATES_UNKNOWN if entry.unit and entry.unit.level == "municipality" else SOME_DATES_UNKNOWN
        case DeadlineStatus.PASSED:
            return ALL_PASSED
    return ""


def of_a_later_state(entry: Regulation, text: str) -> str:
    """Return a text of the newest state, with a preface if acts or rules changed after the day of the entry."""
    if not text or not entry.changed_since:
        return text
    return f"Opis stanu późniejszego niż na {entry.on:%d.%m.%Y}: {text}"
