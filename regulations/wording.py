"""What answers and pages say in Polish sentences where there is no date to give."""

from regulations.queries import Regulation

STATE_UNKNOWN = (
    "Stanu prawnego tego województwa jeszcze nie wczytano, więc nie wiemy, czy jest uchwała antysmogowa. "
    "Nie znaczy to, że jej nie ma."
)
DATES_UNKNOWN = "Terminów tej uchwały nie znamy. Zapytaj w urzędzie gminy albo sprawdź tekst uchwały."
SOME_DATES_UNKNOWN = "Terminów części uchwał nie znamy. Zapytaj w urzędzie gminy albo sprawdź tekst uchwały."
ALL_PASSED = "Wszystkie znane terminy minęły."


def without_deadline(entry: Regulation) -> str:
    """Why no deadline comes next, for the unit asked for or else for the voivodeship; "" where there is no act."""
    if not entry.laws:
        return "" if entry.state else STATE_UNKNOWN
    if not entry.has_undated_acts:
        return ALL_PASSED
    return DATES_UNKNOWN if entry.unit and entry.unit.level == "municipality" else SOME_DATES_UNKNOWN
