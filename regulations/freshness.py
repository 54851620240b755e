"""Age of confirmations: stale legal states, and overdue ones with a deadline ahead."""

from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Q

from regulations.models import Deadline

STALE_AFTER = timedelta(days=180)
"""Age of a confirmation from which a legal state is stale."""


def is_stale(as_of: date, today: date) -> bool:
    """Whether a state confirmed on `as_of` is older than STALE_AFTER."""
    return today - as_of > STALE_AFTER


def year_after(day: date) -> date:
    """Return the same day a year later; 28 February for 29 February."""
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return day.replace(year=day.year + 1, day=28)


def is_overdue(as_of: date, deadline: date, today: date) -> bool:
    """Whether a deadline of a stale state comes within a year, both days included."""
    return is_stale(as_of, today) and today <= deadline <= year_after(today)


def overdue_condition(today: date) -> Q:
    """Return the condition that a legal state has an overdue deadline, see `is_overdue`."""
    ahead = Deadline.objects.filter(
        Q(valid_from=None) | Q(valid_from__lte=today),
        Q(valid_to=None) | Q(valid_to__gt=today),
        state=OuterRef("pk"),
        date__range=(today, year_after(today)),
    )
    return Q(Exists(ahead), as_of__lt=today - STALE_AFTER)
