"""What follows an import of depots or prices."""

from datetime import date

from django.core.management.base import CommandError
from django.db import Error as DatabaseError

from catalog.importers.run import complaint
from prices import figures


def refresh_figures(today: date) -> None:
    """Compute the figures anew that rest on what was imported. Raises CommandError, which says that the data are in."""
    try:
        figures.refresh(today=today)
    except DatabaseError as error:
        raise CommandError(
            f"the data are in, but the figures of prices were not computed anew: {complaint(error)}; "
            "run `manage.py refresh_figures`"
        ) from error
