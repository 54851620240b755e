"""A client of the statistical office's BDL API v1: pages, the published limits, and patience with a limit."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import httpx2

from catalog.importers.records import BadInput
from prices.importers import bdl_answers
from prices.importers.bdl_answers import Data
from prices.importers.records import VariableRecord

CATEGORY = "K15"
"""Prices ("Ceny"), the category under which the averages are."""

PAGE_SIZE = 100
MOST_PAGES = 200
ATTEMPTS = 5
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 120.0
TIMEOUT_S = 30.0

# Requests per seconds, as published for callers without and with a registered X-ClientId.
ANONYMOUS_LIMITS = ((5, 1), (100, 15 * 60), (1_000, 12 * 3600))
REGISTERED_LIMITS = ((10, 1), (500, 15 * 60), (5_000, 12 * 3600))

COUNTRY_LEVEL, VOIVODESHIP_LEVEL = 0, 2


class BdlUnavailable(Exception):
    """The office does not answer, refuses, or went on refusing; the message names the address."""


class Pace:
    """Keeps requests within the published limits by waiting; refuses to wait for hours."""

    def __init__(
        self,
        limits: tuple[tuple[int, int], ...],
        *,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        self.limits, self.sleep, self.clock = limits, sleep, clock
        self.asked: deque[float] = deque(maxlen=max(most for most, _ in limits))

    def wait(self) -> None:
        """Return when one more request is within every limit. Raises BdlUnavailable."""
        for most, seconds in self.limits:
            if len(self.asked) >= most:
                left = self.asked[-most] + seconds - self.clock()
                if left > 15 * 60:
                    raise BdlUnavailable(f"the limit of {most} requests in {seconds // 3600} hours is used up")
                if left > 0:
                    self.sleep(left)
        self.asked.append(self.clock())


class BdlClient:
    """Asks the API. client_id: a registered one allows more requests, "" for none. agent: who asks, "" for httpx2.

    answers: every good answer so far, with the address that was asked.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str = "",
        *,
        agent: str = "",
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        headers = {"Accept": "application/json", **({"X-ClientId": client_id} if client_id else {})}
        headers |= {"User-Agent": agent} if agent else {}
        self.answers: list[tuple[str, bytes]] = []
        self.http = httpx2.Client(headers=headers, timeout=timeout_s)
        self.base_url = base_url.rstrip("/")
        self.sleep = sleep
        self.pace = Pace(REGISTERED_LIMITS if client_id else ANONYMOUS_LIMITS, sleep=sleep, clock=clock)

    def __enter__(self) -> "BdlClient":
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def get(self, path: str, **query: str | int) -> dict[str, Any]:
        """One answer. Tried again after 429, 5xx, time-outs and broken connections, five times in all.

        Raises BdlUnavailable, and BadInput for an answer that is not of the API's form.
        """
        url = httpx2.URL(f"{self.base_url}/{path}", params={**query, "format": "json", "lang": "pl"})
        trouble = retry_after = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                self.sleep(self._pause(attempt, retry_after))
            self.pace.wait()
            retry_after = ""
            try:
                response = self.http.get(url)
            except httpx2.TransportError as error:
                trouble = f"{type(error).__name__}: {error}"
                continue
            if response.status_code == httpx2.codes.OK:
                answer = bdl_answers.read_json(response.content, url)
                self.answers.append((str(url), response.content))
                return answer
            trouble = f"status {response.status_code}"
            if response.status_code != httpx2.codes.TOO_MANY_REQUESTS and response.status_code < 500:
                break
            retry_after = response.headers.get("Retry-After", "")
        raise BdlUnavailable(f"{url} does not answer after {attempt + 1} attempts: {trouble}")

    def pages(self, path: str, **query: str | int) -> Iterator[dict[str, Any]]:
        """Every page of an answer, until all the records that it announces have come. Raises like `get`."""
        seen = 0
        for page in range(MOST_PAGES):
            answer = self.get(path, **query, page=page, **{"page-size": PAGE_SIZE})
            where = f"{self.base_url}/{path}, page {page}"
            results = bdl_answers.results_of(answer, where)
            total = answer.get("totalRecords")
            if not isinstance(total, int):
                raise BadInput(where, "does not say how many records there are (totalRecords)")
            yield answer
            seen += len(results)
            if seen >= total:
                return
            if not results:
                raise BadInput(where, f"is empty although {total} records are announced and {seen} came")
        raise BadInput(f"{self.base_url}/{path}", f"has more than {MOST_PAGES} pages")

    def variables_of(self, subject: str) -> Iterator[VariableRecord]:
        """The variables of a subject and all below it. Raises like `get`."""
        for page in self.pages("subjects", **{"parent-id": subject}):
            for row in bdl_answers.results_of(page, "subjects"):
                if not isinstance(row.get("id"), str):
                    raise BadInput(f"subjects below {subject}", f"hold one without id: {str(row)[:60]!r}")
                if row.get("hasVariables"):
                    for found in self.pages("variables", **{"subject-id": row["id"]}):
                        for variable in bdl_answers.results_of(found, "variables"):
                            yield bdl_answers.variable_of(variable, f"variables of {row['id']}")
                elif row.get("children"):
                    yield from self.variables_of(row["id"])

    def variable(self, variable_id: int) -> VariableRecord:
        """One variable by its number. Raises like `get`."""
        return bdl_answers.variable_of(self.get(f"variables/{variable_id}"), f"variable {variable_id}")

    def data(self, variable_id: int) -> Iterator[Data]:
        """The values of a variable for Poland and the voivodeships, page by page. Raises like `get`."""
        for level in (COUNTRY_LEVEL, VOIVODESHIP_LEVEL):
            for page in self.pages(f"data/by-variable/{variable_id}", **{"unit-level": level}):
                found = bdl_answers.data_of(page, f"values of variable {variable_id}")
                if found.variable_id != variable_id:
                    raise BadInput(f"values of variable {variable_id}", f"are of variable {found.variable_id}")
                yield found

    def _pause(self, attempt: int, retry_after: str) -> float:
        """Seconds before the next attempt: what the server asks for, or twice as long every time."""
        own: float = FIRST_WAIT_S * 2 ** (attempt - 1)
        asked = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else own
        return min(max(own, asked), LONGEST_WAIT_S)
