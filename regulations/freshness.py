"""When a legal state was confirmed too long ago."""

from datetime import date, timedelta

STALE_AFTER = timedelta(days=180)


def is_stale(as_of: date, today: date) -> bool:
    """Whether a state confirmed on `as_of` is older than 180 days."""
    return today - as_of > STALE_AFTER
