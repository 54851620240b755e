"""SIMC: the register of localities of GUS.

Columns: WOJ, POW, GMI, RODZ_GMI (code and kind of the municipality, its part or district), RM (kind of locality), MZ,
NAZWA, SYM (identifier), SYMPOD (identifier of the locality it belongs to; its own for one in its own right), STAN_NA.
"""

import re
from datetime import date
from pathlib import Path

from catalog.importers.parsers.files import FileStart
from catalog.importers.parsers.teryt import checked_name, day_of, teryt_rows
from catalog.importers.records import BadInput, Extract, PlaceRecord

COLUMNS = ("WOJ", "POW", "GMI", "RODZ_GMI", "RM", "NAZWA", "SYM", "SYMPOD", "STAN_NA")

KINDS = {
    "00": "część",
    "01": "wieś",
    "02": "kolonia",
    "03": "przysiółek",
    "04": "osada",
    "05": "osada leśna",
    "06": "osiedle",
    "07": "schronisko turystyczne",
    "95": "dzielnica",
    "96": "miasto",
    "98": "delegatura",
    "99": "część miasta",
}
"""Kinds of locality by the code in RM. Source: GUS, TERYT, catalogue WMRODZ, state of 28 February 2013."""

MAX_NAME = 120
"""Maximum length of a name, in characters."""

_UNIT = re.compile(r"[0-9]{6}[1234589]")
_IDENTIFIER = re.compile(r"[0-9]{7}")


def recognises(start: FileStart) -> bool:
    """Whether a CSV has the columns of localities, or an XML the elements."""
    if start.text.startswith(b"<"):
        return b"<RODZ_GMI" in start.text and b"<SYMPOD" in start.text
    return start.has_columns(("WOJ", "POW", "GMI", "RODZ_GMI", "SYM", "SYMPOD"), delimiter=";")


def parse(path: Path) -> Extract[PlaceRecord]:
    """Parse localities from the official SIMC file: CSV, XML, or a zip of them, in the order of the file.

    as_of is the newest STAN_NA. Raises BadInput for wrong columns, codes, kinds, names and days, a repeated id, and a
    file without rows.
    """
    places: dict[str, PlaceRecord] = {}
    as_of = date.min
    for row, values in teryt_rows(path, COLUMNS):
        unit = values["WOJ"] + values["POW"] + values["GMI"] + values["RODZ_GMI"]
        if _UNIT.fullmatch(unit) is None:
            raise BadInput(path, f"WOJ, POW, GMI, RODZ_GMI give {unit[:20]!r}, not a code of seven digits", row=row)
        identifier, parent = values["SYM"], values["SYMPOD"]
        for column, value in (("SYM", identifier), ("SYMPOD", parent)):
            if _IDENTIFIER.fullmatch(value) is None:
                raise BadInput(path, f"{column} is {value[:20]!r}, not seven digits", row=row)
        if identifier in places:
            raise BadInput(path, f"the identifier (SYM) {identifier} is there twice", row=row)
        kind = KINDS.get(values["RM"])
        if kind is None:
            raise BadInput(
                path, f"the kind of locality (RM) is {values['RM'][:20]!r}; expected {', '.join(KINDS)}", row=row
            )
        as_of = max(as_of, day_of(path, values, row))
        name = checked_name(path, values["NAZWA"], MAX_NAME, row)
        places[identifier] = PlaceRecord(f"simc:{identifier}", name, kind, unit, main=identifier == parent)
    if not places:
        raise BadInput(path, "has no locality")
    return Extract(rows=tuple(places.values()), as_of=as_of)
