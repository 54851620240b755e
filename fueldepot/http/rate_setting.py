"""The setting RATE_LIMIT. Apart from the limiter, because the settings import it."""

import re
from dataclasses import dataclass

WINDOWS_S = {"sec": 1, "min": 60, "hour": 3600}
OFF = "off"
PATTERN = re.compile(r"([1-9][0-9]{0,6})/(sec|min|hour)", re.ASCII)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Number of requests per window; all of them may come at once."""

    requests: int
    window_s: float

    @property
    def step_s(self) -> float:
        """Seconds until one token returns."""
        return self.window_s / self.requests

    def share(self, workers: int) -> "RateLimit":
        """Return the limit of each of several workers that count separately: together they never exceed the rate.

        A burst is split into equal parts, rounded down, but at least one request each.
        """
        each = max(self.requests // workers, 1)
        return RateLimit(each, each * self.step_s * workers)


def read_limit(text: str) -> RateLimit | None:
    """Parse a limit such as `60/min`, None for `off`. Raises ValueError."""
    if text == OFF:
        return None
    found = PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return RateLimit(int(found[1]), WINDOWS_S[found[2]])
