"""How the setting RATE_LIMIT reads. Apart from the limiter, because the settings read it."""

import re
from dataclasses import dataclass

WINDOWS_S = {"sec": 1, "min": 60, "hour": 3600}
OFF = "off"
FORM = re.compile(r"([1-9][0-9]{0,6})/(sec|min|hour)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Limit:
    """So many requests in so many seconds; all of them may come at once."""

    requests: int
    window_s: float

    @property
    def step_s(self) -> float:
        """The time in which one token comes back."""
        return self.window_s / self.requests

    def share(self, workers: int) -> "Limit":
        """The limit of each of several workers that count apart: together they reach the rate, and never pass it.

        All at once the workers let pass the whole burst, rounded down to equal parts, but one request each at least.
        """
        each = max(self.requests // workers, 1)
        return Limit(each, each * self.step_s * workers)


def read_limit(text: str) -> Limit | None:
    """The limit that `off` (None), or such as `60/min`, says. Raises ValueError."""
    if text == OFF:
        return None
    found = FORM.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return Limit(int(found[1]), WINDOWS_S[found[2]])
