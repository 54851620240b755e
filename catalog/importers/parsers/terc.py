"""TERC: the register of voivodeships, counties and municipalities of GUS.

Columns: WOJ, POW, GMI (two digits each, empty above their level), RODZ (kind), NAZWA, NAZWA_DOD, STAN_NA (day). Kinds
1, 2 and 3 are municipalities; 4 and 5 are the town and the rural area of one of kind 3, 8 and 9 districts of cities.
Source of the kinds: GUS, TERYT, https://eteryt.stat.gov.pl.
"""

import re
from datetime import date
from pathlib import Path

from catalog.importers.parsers.files import FileStart
from catalog.importers.parsers.teryt import checked_name, day_of, teryt_rows
from catalog.importers.records import BadInput, Extract, UnitRecord

COLUMNS = ("WOJ", "POW", "GMI", "RODZ", "NAZWA", "NAZWA_DOD", "STAN_NA")

MUNICIPALITY_KINDS = frozenset("123")
PART_KINDS = frozenset("4589")

VOIVODESHIP = "województwo"
"""NAZWA_DOD of a voivodeship. With swapped columns every unit would have it as a name."""

MAX_NAME = {2: 40, 4: 60, 7: 80}
"""Maximum length of a name by length of the code, in characters. The longest in the register has 38."""

_CODE = re.compile(r"(?=[0-9]+$)([0-9]{2})([0-9]{2})?([0-9]{2}[1-9])?")


def recognises(start: FileStart) -> bool:
    """Whether a CSV has the columns of units, or an XML the elements."""
    if start.text.startswith(b"<"):
        return b"<RODZ" in start.text and b"<NAZWA_DOD" in start.text
    return start.has_columns(("WOJ", "POW", "GMI", "RODZ", "NAZWA"), delimiter=";")


def parse(path: Path) -> Extract[UnitRecord]:
    """Parse units from the official TERC file: CSV, XML, or a zip of them.

    Voivodeships first, then counties, then municipalities, each by code. Names of voivodeships, upper case in the
    source, are returned in lower case. as_of is the newest STAN_NA.

    Raises BadInput for wrong columns, codes, names and days, values in the wrong column, duplicates, a unit without its
    parent, a file without municipalities, and a truncated one.
    """
    units: dict[str, tuple[UnitRecord, int]] = {}
    as_of = date.min
    last = ""
    for row, values in teryt_rows(path, COLUMNS):
        code = _code(path, row, values)
        as_of = max(as_of, day_of(path, values, row))
        last = code
        kind = values["RODZ"]
        if len(code) == 2 and values["NAZWA_DOD"].lower() != VOIVODESHIP:
            raise BadInput(
                path,
                f"NAZWA_DOD of the voivodeship {code} is {values['NAZWA_DOD'][:40]!r}, expected '{VOIVODESHIP}'; "
                "are the columns in their places?",
                row=row,
            )
        name = checked_name(path, values["NAZWA"], MAX_NAME[len(code)], row)
        if kind in PART_KINDS:
            continue
        if code in units:
            raise BadInput(path, f"unit {code} is there twice, first in row {units[code][1]}", row=row)
        if len(code) == 2:
            name = name.lower()
        units[code] = UnitRecord(code, name, int(kind or 0)), row
    _check(path, units, last)
    records = sorted((unit for unit, _ in units.values()), key=lambda unit: (len(unit.teryt), unit.teryt))
    return Extract(rows=tuple(records), as_of=as_of)


def _code(path: Path, row: int, values: dict[str, str]) -> str:
    """Return the code of 2, 4 or 7 digits. Raises BadInput if the columns do not form one."""
    parts = [values[column] for column in ("WOJ", "POW", "GMI", "RODZ")]
    code = "".join(parts)
    # A gap or a lost leading zero would turn a code into another.
    whole = [len(part) for part in parts] in ([2, 0, 0, 0], [2, 2, 0, 0], [2, 2, 2, 1])
    if not whole or _CODE.fullmatch(code) is None:
        raise BadInput(
            path,
            f"WOJ, POW, GMI, RODZ are {'; '.join(parts)[:40]}: not a code of two digits each and one of kind",
            row=row,
        )
    kind = parts[3]
    if kind and kind not in MUNICIPALITY_KINDS | PART_KINDS:
        raise BadInput(path, f"the kind (RODZ) of {code} is {kind}; expected 1, 2, 3, 4, 5, 8 or 9", row=row)
    return code


def _check(path: Path, units: dict[str, tuple[UnitRecord, int]], last: str) -> None:
    """Raise BadInput unless the units form a complete register."""
    seats: dict[str, str] = {}
    for code, (_, row) in units.items():
        above = code[: {2: 0, 4: 2, 7: 4}[len(code)]]
        if above and above not in units:
            raise BadInput(path, f"unit {code} has no unit {above} above it", row=row)
        if len(code) == 7:
            if code[:6] in seats:
                raise BadInput(path, f"units {seats[code[:6]]} and {code} differ in kind only", row=row)
            seats[code[:6]] = code
    if not seats:
        raise BadInput(path, "has no municipality (kinds 1, 2 and 3)")
    if len(last) < 7 and not any(code != last and code.startswith(last) for code in units):
        raise BadInput(path, f"ends abruptly: no unit follows {last}", row=units[last][1])
