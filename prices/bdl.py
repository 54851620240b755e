"""The BDL API v1 of the statistical office. A value is a price only if its attribute marks it as a plain value."""

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx2
import orjson

from catalog.importers.download import user_agent
from catalog.importers.records import BadInput, DownloadFailed, Note
from catalog.text import fold
from prices.official_series import FIRST_YEAR, SeriesKind, describe_source

COUNTRY_UNIT = "0" * 12
VOIVODESHIP_UNIT = re.compile(r"[0-9]{2}([0-9]{2})0{8}", re.ASCII)
"""Id of a voivodeship: macroregion, two digits of TERYT, zeros."""

COUNTRY_LEVEL, VOIVODESHIP_LEVEL = 0, 2

CATEGORY = "K15"

VALUE_LIMIT = 1_000_000

PLAIN_VALUE = 1
ATTRIBUTES = {
    "0": "zero",
    "4": "missing or confidential",
    "7": "smaller than can be shown",
    "14": "missing or confidential",
    "15": "missing",
    "50": "missing or zero",
    "91": "missing or confidential",
}

PAGE_SIZE = 100
MOST_PAGES = 200

ATTEMPTS = 5
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 120.0
TIMEOUT_S = 30.0
PATIENCE_S = 15 * 60

# (requests, seconds), as published for callers without and with a registered X-ClientId.
ANONYMOUS_LIMITS = ((5, 1), (100, 15 * 60), (1_000, 12 * 3600))
REGISTERED_LIMITS = ((10, 1), (500, 15 * 60), (5_000, 12 * 3600))

Page = Mapping[str, Any]
"""A response of the API: an object, for a list with its rows in "results"."""


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """A variable of the local data bank. name: n1 to n5, joined. unit: of measure, e.g. "zł"."""

    id: int
    name: str
    unit: str

    def mentions(self, words: Iterable[str]) -> bool:
        name = f" {fold(self.name)} "
        return any(f" {word} " in name for word in words)

    def is_named_like(self, series: SeriesKind) -> bool:
        return all(self.mentions(words) for words in series.name_words)

    def trouble_with_unit(self, series: SeriesKind) -> str:
        """Return why the unit, stated as "zł" and in the name as "… - za 1 t", is not that of a series; "" if it is."""
        if self.unit == series.unit or (self.unit == "zł" and self.mentions(series.price_of)):
            return ""
        return f"the unit of variable {self.id} is not {series.unit}: {self.name!r}, in {self.unit!r}"


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    """Average price of a year. area: 2 digits of the voivodeship, "" for Poland. source: of this number."""

    series: str
    area: str
    year: int
    value: Decimal
    source: str

    @property
    def key(self) -> str:
        return f"{self.series}/{self.area or 'PL'}/{self.year}"


def read_json(content: bytes, where: object) -> Page:
    try:
        answer = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise BadInput(where, f"is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise BadInput(where, "is not an answer of the BDL API: no object")
    return answer


def rows_of(page: Page, where: object) -> list[dict[str, Any]]:
    rows = page.get("results")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(where, "is not a page of the BDL API: no list of results")
    return rows


def variable_of(row: Page, where: object) -> VariableRecord:
    """Return a variable, from a row of a list or a response of its own. Raises BadInput."""
    names = [row[name] for name in ("n1", "n2", "n3", "n4", "n5") if isinstance(row.get(name), str)]
    if not isinstance(row.get("id"), int) or not names or not isinstance(row.get("measureUnitName"), str):
        raise BadInput(where, "holds a variable without id, name or unit")
    return VariableRecord(row["id"], " – ".join(names), row["measureUnitName"])


def variable_id_of(page: Page, where: object) -> int:
    """Return the number of the variable that a page has values of. Raises BadInput for anything but such a page."""
    variable_id = page.get("variableId")
    if not isinstance(variable_id, int):
        raise BadInput(where, "holds values without the number of their variable (variableId)")
    rows_of(page, where)
    return variable_id


def observations(slug: str, page: Page, where: object, notes: list[Note]) -> Iterator[ObservationRecord]:
    """Yield prices for Poland and voivodeships. notes: receives what is no price. Raises BadInput."""
    source = describe_source(page["variableId"])["name"]
    for unit in rows_of(page, where):
        area, values = area_of(unit.get("id")), unit.get("values")
        if not isinstance(unit.get("id"), str) or not isinstance(values, list):
            raise BadInput(where, f"holds a unit without id or values: {str(unit)[:60]!r}")
        for row in values if area is not None else ():
            if not isinstance(row, dict) or not {"year", "attrId"} <= row.keys():
                raise BadInput(where, f"holds a value without year or attribute: {str(row)[:60]!r}")
            key = f"{slug}/{area or 'PL'}/{row['year']}"
            if row["attrId"] != PLAIN_VALUE:
                meaning = ATTRIBUTES.get(str(row["attrId"]), "not a plain value")
                notes.append(Note(key, f"no price, its attribute {row['attrId']} says: {meaning!r}"))
                continue
            year, value = read_year(row["year"]), read_value(row.get("val"))
            if year is None or value is None:
                raise BadInput(where, f"holds a year or value that is no number: {str(row)[:60]!r}")
            if value <= 0 or year < FIRST_YEAR:
                notes.append(Note(key, f"no price of a year from {FIRST_YEAR}: '{value}'"))
                continue
            yield ObservationRecord(slug, area or "", year, value, source)


def area_of(unit_id: Any) -> str | None:
    """Return 2 digits of a voivodeship, "" for Poland, None for any other unit."""
    if unit_id == COUNTRY_UNIT:
        return ""
    match = VOIVODESHIP_UNIT.fullmatch(str(unit_id))
    return match[1] if match and match[1] != "00" else None


def read_year(value: Any) -> int | None:
    """Return a year, which the API sends as text; None for anything else."""
    return int(value) if re.fullmatch(r"[12][0-9]{3}", str(value), re.ASCII) else None


def read_value(value: Any) -> Decimal | None:
    """Return a number rounded to the four decimals of the column; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = Decimal(str(value))
    return number.quantize(Decimal("0.0001")) if number.is_finite() and abs(number) < VALUE_LIMIT else None


class Pace:
    """Keeps requests within the published limits by waiting, at most PATIENCE_S."""

    def __init__(self, limits: tuple[tuple[int, int], ...]) -> None:
        self.limits = limits
        self.moments: deque[float] = deque(maxlen=max(most for most, _ in limits))

    def wait(self) -> None:
        """Block until one more request is within every limit. Raises DownloadFailed."""
        for most, seconds in self.limits:
            left = self.moments[-most] + seconds - time.monotonic() if len(self.moments) >= most else 0
            if left > PATIENCE_S:
                reason = f"the limit of {most} requests in {seconds // 3600} hours is used up; try again later"
                raise DownloadFailed("BDL API", reason)
            if left > 0:
                time.sleep(left)
        self.moments.append(time.monotonic())


class BdlClient(AbstractContextManager["BdlClient"]):
    """Client of the API. client_id: "" for none. answers: URL and body of each response. Methods raise like `get`."""

    def __init__(self, base_url: str, client_id: str) -> None:
        headers = {"Accept": "application/json", "User-Agent": user_agent()}
        headers |= {"X-ClientId": client_id} if client_id else {}
        self.answers: list[tuple[str, bytes]] = []
        self.http = httpx2.Client(headers=headers, timeout=TIMEOUT_S)
        self.base_url = base_url.rstrip("/")
        self.pace = Pace(REGISTERED_LIMITS if client_id else ANONYMOUS_LIMITS)

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def get(self, path: str, **query: str | int) -> Page:
        """Return a response, after at most ATTEMPTS attempts with ascending waits. Raises DownloadFailed, BadInput."""
        url = httpx2.URL(f"{self.base_url}/{path}", params={**query, "format": "json", "lang": "pl"})
        trouble = retry_after = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                own = FIRST_WAIT_S * 2 ** (attempt - 1)
                stated = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else own
                time.sleep(min(max(own, stated), LONGEST_WAIT_S))
            self.pace.wait()
            retry_after = ""
            try:
                response = self.http.get(url)
            except httpx2.TransportError as error:
                trouble = f"{type(error).__name__}: {error}"
                continue
            if response.status_code == httpx2.codes.OK:
                answer = read_json(response.content, url)
                self.answers.append((str(url), response.content))
                return answer
            trouble = f"status {response.status_code}"
            if response.status_code != httpx2.codes.TOO_MANY_REQUESTS and response.status_code < 500:
                break
            retry_after = response.headers.get("Retry-After", "")
        raise DownloadFailed(url, f"does not answer after {attempt + 1} attempts: {trouble}; try again later")

    def pages(self, path: str, **query: str | int) -> Iterator[Page]:
        seen = 0
        for number in range(MOST_PAGES):
            page = self.get(path, **query, page=number, **{"page-size": PAGE_SIZE})
            where = f"{self.base_url}/{path}, page {number}"
            rows, total = rows_of(page, where), page.get("totalRecords")
            if not isinstance(total, int):
                raise BadInput(where, "does not say how many records there are (totalRecords)")
            yield page
            seen += len(rows)
            if seen >= total:
                return
            if not rows:
                raise BadInput(where, f"is empty although {total} records are announced and {seen} came")
        raise BadInput(f"{self.base_url}/{path}", f"has more than {MOST_PAGES} pages")

    def rows(self, path: str, **query: str | int) -> Iterator[dict[str, Any]]:
        for page in self.pages(path, **query):
            yield from page["results"]

    def variables_of(self, subject: str) -> Iterator[VariableRecord]:
        """Yield the variables of a subject and its descendants."""
        for row in self.rows("subjects", **{"parent-id": subject}):
            if not isinstance(row.get("id"), str):
                raise BadInput(f"subjects below {subject}", f"hold one without id: {str(row)[:60]!r}")
            if row.get("hasVariables"):
                for variable in self.rows("variables", **{"subject-id": row["id"]}):
                    yield variable_of(variable, f"variables of {row['id']}")
            elif row.get("children"):
                yield from self.variables_of(row["id"])

    def variable(self, variable_id: int) -> VariableRecord:
        return variable_of(self.get(f"variables/{variable_id}"), f"variable {variable_id}")

    def search_variables(self, name: str) -> Iterator[VariableRecord]:
        """Yield the variables whose names contain a text; none if the search answers 404."""
        try:
            for row in self.rows("variables/search", name=name):
                yield variable_of(row, f"search for {name!r}")
        except DownloadFailed as error:
            if "status 404" not in error.reason:
                raise

    def data(self, variable_id: int, levels: Sequence[int] = (COUNTRY_LEVEL, VOIVODESHIP_LEVEL)) -> Iterator[Page]:
        """Yield the values of a variable for Poland and the voivodeships, page by page."""
        where = f"values of variable {variable_id}"
        for level in levels:
            for page in self.pages(f"data/by-variable/{variable_id}", **{"unit-level": level}):
                if (stated := variable_id_of(page, where)) != variable_id:
                    raise BadInput(where, f"are of variable {stated}")
                yield page
