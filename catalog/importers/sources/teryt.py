"""The register TERYT of GUS: units (TERC) and localities (SIMC), as semicolon CSV or XML, zipped or not.

TERC: WOJ, POW, GMI (two digits each, empty above their level), RODZ (kind), NAZWA, NAZWA_DOD, STAN_NA (day). Kinds
1, 2 and 3 are municipalities; 4 and 5 are the town and the rural area of one of kind 3, 8 and 9 districts of cities.

SIMC: WOJ, POW, GMI, RODZ_GMI (code and kind of the municipality, its part or district), RM (kind of locality), MZ,
NAZWA, SYM (identifier), SYMPOD (identifier of the locality it belongs to; its own for one in its own right), STAN_NA.

Source of the kinds: GUS, TERYT, https://eteryt.stat.gov.pl.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path

from catalog.importers.parsers.files import FileStart, csv_rows, open_source
from catalog.importers.parsers.xml_registers import read_rows
from catalog.importers.records import MAX_PLACE_NAME, BadInput, Extract, PlaceRecord, UnitRecord, parse_day
from catalog.importers.sources import DataSource, FileFormat
from catalog.importers.sync_places import sync_places
from catalog.importers.sync_units import sync_units
from catalog.models import Dataset, Place

UNIT_COLUMNS = ("WOJ", "POW", "GMI", "RODZ", "NAZWA", "NAZWA_DOD", "STAN_NA")
PLACE_COLUMNS = ("WOJ", "POW", "GMI", "RODZ_GMI", "RM", "NAZWA", "SYM", "SYMPOD", "STAN_NA")

PART_KINDS = frozenset("4589")

VOIVODESHIP = "województwo"
"""NAZWA_DOD of a voivodeship. With swapped columns every unit would have it as a name."""

MAX_UNIT_NAME = {2: 40, 4: 60, 7: 80}
"""Maximum length of a name by length of the code, in characters. The longest in the register has 38."""

_CODE = re.compile(r"[0-9]{2}; (?:; ; |[0-9]{2}; (?:; |[0-9]{2}; [1234589]))")
"""Values of WOJ, POW, GMI and RODZ of a voivodeship, a county, and a municipality or its part."""

PLACE_KINDS = {
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

_PLACE_UNIT = re.compile(r"[0-9]{6}[1234589]")
_IDENTIFIER = re.compile(r"[0-9]{7}")


def recognises_units(start: FileStart) -> bool:
    if start.text.startswith(b"<"):
        return b"<RODZ" in start.text and b"<NAZWA_DOD" in start.text
    return start.has_columns(UNIT_COLUMNS[:5], delimiter=";")


def recognises_places(start: FileStart) -> bool:
    if start.text.startswith(b"<"):
        return b"<RODZ_GMI" in start.text and b"<SYMPOD" in start.text
    return start.has_columns(("WOJ", "POW", "GMI", "RODZ_GMI", "SYM", "SYMPOD"), delimiter=";")


def parse_units(path: Path) -> Extract[UnitRecord]:
    """Parse units from the official TERC file: CSV, XML, or a zip of them.

    Voivodeships first, then counties, then municipalities, each by code. Names of voivodeships, upper case in the
    source, are returned in lower case. as_of is the newest STAN_NA.

    Raises BadInput for wrong columns, codes, names and days, values in the wrong column, duplicates, a unit without its
    parent, a file without municipalities, and a truncated one.
    """
    units: dict[str, tuple[UnitRecord, int]] = {}
    as_of = date.min
    last = ""
    for row, values in teryt_rows(path, UNIT_COLUMNS):
        code = _code(path, row, values)
        as_of = max(as_of, day_of(path, values, row))
        last = code
        kind = values["RODZ"]
        if len(code) == 2 and values["NAZWA_DOD"].lower() != VOIVODESHIP:
            stated = f"{values['NAZWA_DOD'][:40]!r}, expected '{VOIVODESHIP}'; are the columns in their places?"
            raise BadInput(path, f"NAZWA_DOD of the voivodeship {code} is {stated}", row=row)
        name = checked_name(path, values["NAZWA"], MAX_UNIT_NAME[len(code)], row)
        if kind in PART_KINDS:
            continue
        if code in units:
            raise BadInput(path, f"unit {code} is there twice, first in row {units[code][1]}", row=row)
        if len(code) == 2:
            name = name.lower()
        units[code] = UnitRecord(code, name, int(kind or 0)), row
    _check_register(path, units, last)
    records = sorted((unit for unit, _ in units.values()), key=lambda unit: (len(unit.teryt), unit.teryt))
    return Extract(rows=tuple(records), as_of=as_of)


def _code(path: Path, row: int, values: dict[str, str]) -> str:
    """Return the code of 2, 4 or 7 digits. Raises BadInput if the columns do not form one."""
    parts = "; ".join(values[column] for column in ("WOJ", "POW", "GMI", "RODZ"))
    # A gap or a lost leading zero would turn a code into another.
    if _CODE.fullmatch(parts) is None:
        reason = "not a code of two digits each and one of kind (1, 2, 3, 4, 5, 8 or 9)"
        raise BadInput(path, f"WOJ, POW, GMI, RODZ are {parts[:40]}: {reason}", row=row)
    return parts.replace("; ", "")


def _check_register(path: Path, units: dict[str, tuple[UnitRecord, int]], last: str) -> None:
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


def parse_places(path: Path) -> Extract[PlaceRecord]:
    """Parse the official SIMC file: CSV, XML, or a zip of them. as_of: the newest STAN_NA. Raises BadInput."""
    places: dict[str, PlaceRecord] = {}
    as_of = date.min
    for row, values in teryt_rows(path, PLACE_COLUMNS):
        unit = values["WOJ"] + values["POW"] + values["GMI"] + values["RODZ_GMI"]
        if _PLACE_UNIT.fullmatch(unit) is None:
            raise BadInput(path, f"WOJ, POW, GMI, RODZ_GMI give {unit[:20]!r}, not a code of seven digits", row=row)
        identifier, parent = values["SYM"], values["SYMPOD"]
        for column, value in (("SYM", identifier), ("SYMPOD", parent)):
            if _IDENTIFIER.fullmatch(value) is None:
                raise BadInput(path, f"{column} is {value[:20]!r}, not seven digits", row=row)
        if identifier in places:
            raise BadInput(path, f"the identifier (SYM) {identifier} is there twice", row=row)
        kind = PLACE_KINDS.get(values["RM"])
        if kind is None:
            reason = f"the kind of locality (RM) is {values['RM'][:20]!r}; expected {', '.join(PLACE_KINDS)}"
            raise BadInput(path, reason, row=row)
        as_of = max(as_of, day_of(path, values, row))
        name = checked_name(path, values["NAZWA"], MAX_PLACE_NAME, row)
        places[identifier] = PlaceRecord(f"simc:{identifier}", name, kind, unit, main=identifier == parent)
    if not places:
        raise BadInput(path, "has no locality")
    return Extract(rows=tuple(places.values()), as_of=as_of)


def teryt_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a register with their numbers, of a zip with both from the smaller CSV. Raises BadInput."""
    with open_source(path, (".csv", ".xml")) as source:
        start = source.stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
        source.stream.seek(0)
        if start.startswith(b"<"):
            yield from read_rows(source, columns)
        else:
            yield from csv_rows(source, columns, delimiter=";")


def day_of(path: Path, values: dict[str, str], row: int) -> date:
    """Return the day of a row, STAN_NA. Raises BadInput."""
    try:
        return parse_day(values["STAN_NA"])
    except ValueError as error:
        raise BadInput(path, f"STAN_NA: {error}; is the file cut off?", row=row) from error


def checked_name(path: Path, name: str, limit: int, row: int) -> str:
    """Return a valid name. Raises BadInput if it is empty, longer than `limit`, or not printable."""
    if not name:
        raise BadInput(path, "has no name", row=row)
    if len(name) > limit:
        raise BadInput(path, f"the name {name[:40]!r}… is longer than {limit} characters", row=row)
    if not name.isprintable():
        raise BadInput(path, f"the name {name!r} contains control characters", row=row)
    return name


# The page is the publisher's and is named by many. That it is an ASP.NET form and the names of the buttons stand in
# public programs (of November 2025 and of 2026; that of SIMC in one only); the publisher does not document them.
PAGE = (
    "https://eteryt.stat.gov.pl/eTeryt/rejestr_teryt/udostepnianie_danych/baza_teryt/uzytkownicy_indywidualni/"
    "pobieranie/pliki_pelne.aspx?contrast=default"
)

gus_source = partial(
    DataSource,
    publisher="Główny Urząd Statystyczny",
    licence="do dowolnego wykorzystania z podaniem źródła i daty",
)

# An ASP.NET page with a button for each file.
register_source = partial(
    gus_source,
    terms="https://stat.gov.pl/copyright",
    dated=True,
    url=PAGE,
    rhythm_days=30,
)

UNITS = register_source(
    id="teryt-terc",
    order=10,
    dataset=Dataset.Slug.UNITS,
    title="Rejestr TERYT, system TERC (plik pełny, urzędowy)",
    credit="GUS, rejestr TERYT (TERC)",
    formats=(FileFormat("terc", recognises_units, parse_units, r"terc([_. -].*)?\.(csv|xml|zip)"),),
    write=sync_units,
    button="ctl00$body$BTERCUrzedowyPobierz",
    file="TERC_Urzedowy.zip",
    min_rows=2800,
    max_megabytes=20,
)

PLACES = register_source(
    id="teryt-simc",
    order=20,
    dataset=Dataset.Slug.PLACES,
    title="Rejestr TERYT, system SIMC (plik pełny, urzędowy)",
    credit="GUS, rejestr TERYT (SIMC)",
    formats=(FileFormat("simc", recognises_places, parse_places, r"simc([_. -].*)?\.(csv|xml|zip)"),),
    write=sync_places,
    needs=Dataset.Slug.UNITS,
    rows=Place.objects.filter(id__startswith="simc:"),
    button="ctl00$body$BSIMCUrzedowyPobierz",
    file="SIMC_Urzedowy.zip",
    min_rows=90000,
    max_megabytes=50,
)

SOURCES = (UNITS, PLACES)
