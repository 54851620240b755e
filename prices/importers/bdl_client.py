"""Client of the statistical office's BDL API v1, with paging, retries and the published rate limits."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx2

from catalog.importers.records import BadInput
from prices.importers import bdl_parser
from prices.importers.bdl_parser import Data
from prices.importers.records import VariableRecord

CATEGORY = "K15"
"""The category of the averages: prices ("Ceny")."""

PAGE_SIZE = 100
MOST_PAGES = 200
ATTEMPTS = 5
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 120.0
TIMEOUT_S = 30.0

PATIENCE_S = 15 * 60
"""Longest wait for a rate limit."""

# (requests, seconds), as published for callers without and with a registered X-ClientId.
ANONYMOUS_LIMITS = ((5, 1), (100, 15 * 60), (1_000, 12 * 3600))
REGISTERED_LIMITS = ((10, 1), (500, 15 * 60), (5_000, 12 * 3600))

COUNTRY_LEVEL, VOIVODESHIP_LEVEL = 0, 2


class BdlUnavailable(Exception):
    """The API does not respond or refuses, after all retries. The message names the URL."""


class Pace:
    """Keeps requests within the published limits by waiting, at most PATIENCE_S."""

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
        """Block until one more request is within every limit. Raises BdlUnavailable."""
        for most, seconds in self.limits:
            if len(self.asked) >= most:
                left = self.asked[-most] + seconds - self.clock()
                if left > PATIENCE_S:
                    raise BdlUnavailable(f"the limit of {most} requests in {seconds // 3600} hours is used up")
                if left > 0:
                    self.sleep(left)
        self.asked.append(self.clock())


class BdlClient:
    """Client of the API. client_id: a registered one has higher limits, "" for none. agent: User-Agent, "" for httpx2.

    answers: URL and body of every successful response so far.
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
        """Return one response, after at most ATTEMPTS attempts on 429, 5xx, time-outs and broken connections.

        Raises BdlUnavailable, and BadInput for a malformed response.
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
                answer = bdl_parser.read_json(response.content, url)
                self.answers.append((str(url), response.content))
                return answer
            trouble = f"status {response.status_code}"
            if response.status_code != httpx2.codes.TOO_MANY_REQUESTS and response.status_code < 500:
                break
            retry_after = response.headers.get("Retry-After", "")
        raise BdlUnavailable(f"{url} does not answer after {attempt + 1} attempts: {trouble}")

    def pages(self, path: str, **query: str | int) -> Iterator[dict[str, Any]]:
        """Yield every page, until all announced records have arrived. Raises like `get`."""
        seen = 0
        for page in range(MOST_PAGES):
            answer = self.get(path, **query, page=page, **{"page-size": PAGE_SIZE})
            where = f"{self.base_url}/{path}, page {page}"
            results = bdl_parser.results_of(answer, where)
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
        """Yield the variables of a subject and its descendants. Raises like `get`."""
        for page in self.pages("subjects", **{"parent-id": subject}):
            for row in bdl_parser.results_of(page, "subjects"):
                if not isinstance(row.get("id"), str):
                    raise BadInput(f"subjects below {subject}", f"hold one without id: {str(row)[:60]!r}")
                if row.get("hasVariables"):
                    for found in self.pages("variables", **{"subject-id": row["id"]}):
                        for variable in bdl_parser.results_of(found, "variables"):
                            yield bdl_parser.variable_of(variable, f"variables of {row['id']}")
                elif row.get("children"):
                    yield from self.variables_of(row["id"])

    def variable(self, variable_id: int) -> VariableRecord:
        """Return one variable by its number. Raises like `get`."""
        return bdl_parser.variable_of(self.get(f"variables/{variable_id}"), f"variable {variable_id}")

    def search_variables(self, name: str) -> Iterator[VariableRecord]:
        """Yield the variables whose names contain a text. Raises like `get`."""
        for page in self.pages("variables/search", name=name):
            for row in bdl_parser.results_of(page, "variables/search"):
                yield bdl_parser.variable_of(row, f"search for {name!r}")

    def data(self, variable_id: int, levels: Sequence[int] = (COUNTRY_LEVEL, VOIVODESHIP_LEVEL)) -> Iterator[Data]:
        """Yield the values of a variable for Poland and the voivodeships, page by page. Raises like `get`."""
        for level in levels:
            for page in self.pages(f"data/by-variable/{variable_id}", **{"unit-level": level}):
                found = bdl_parser.data_of(page, f"values of variable {variable_id}")
                if found.variable_id != variable_id:
                    raise BadInput(f"values of variable {variable_id}", f"are of variable {found.variable_id}")
                yield found

    def _pause(self, attempt: int, retry_after: str) -> float:
        """Return the seconds before the next attempt: Retry-After or exponential backoff, at most LONGEST_WAIT_S."""
        own: float = FIRST_WAIT_S * 2 ** (attempt - 1)
        asked = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else own
        return min(max(own, asked), LONGEST_WAIT_S)
