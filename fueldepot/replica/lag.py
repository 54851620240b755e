"""How far a replica is behind: positions in the primary's log that it has replayed, and when they were new.

The primary is asked for its position now and then. A replica that has replayed a position has every change that was
committed before the moment of asking, whatever the clocks of the machines say. A primary at rest does not move on, so
a replica of it is not behind, although nothing comes; one that is cut off falls behind with the first change that it
misses.
"""

import math
from collections import deque

UNKNOWN = math.inf


class Positions:
    """Positions of the primary by the moment at which they were asked for, the newest last.

    window_s: older ones are dropped. Whoever has replayed none of the rest is further behind than that.
    """

    def __init__(self, window_s: float) -> None:
        self.window_s = window_s
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, moment: float, position: int) -> None:
        """Remember where the primary was. moment: seconds of a clock that only goes forward, read before asking.

        A crash takes back what was not safely stored, so a primary may go on from an earlier position.
        """
        seen = self._seen
        while seen and seen[-1][1] > position:
            seen.pop()
        seen.append((moment, position))
        while seen[0][0] < moment - self.window_s:
            seen.popleft()

    def behind_s(self, replayed: int) -> float | None:
        """By how many seconds at most a replica that has replayed this is behind.

        0 when it has all that is known of; UNKNOWN when it has nothing of that; None when nothing is known of the
        primary. While the primary is away nothing is added to it, so its replica falls behind no further.
        """
        if not self._seen:
            return None
        had = [moment for moment, position in self._seen if position <= replayed]
        return self._seen[-1][0] - had[-1] if had else UNKNOWN
