"""Which database a query of Django's object layer goes to."""

from typing import Any

from django.db.models import Model

from catalog import databases

OURS = frozenset({"catalog", "prices", "regulations", "subsidy"})
"""Apps whose rows may be read from the replica. Sessions, accounts and counts of failed logins never are."""


class Router:
    """Reading follows `catalog.databases`; whatever changes rows goes to the primary."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        """The database that the request reads, for our own models."""
        return databases.alias() if model._meta.app_label in OURS else databases.PRIMARY

    def db_for_write(self, model: type[Model], **hints: Any) -> str:
        """The primary. Rows that are locked are read there, too."""
        databases.note_write()
        return databases.PRIMARY

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool:
        """Both databases hold the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        """Migrations reach the replica by themselves."""
        return None if db == databases.PRIMARY else False
