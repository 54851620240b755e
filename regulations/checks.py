"""System checks of the stored legal state; run by `manage.py check --database default`."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from catalog.models import County, Municipality
from regulations.models import STALE_AFTER, Deadline, FuelBan, LegalState, Resolution, Scope, is_stale


def is_migrated(alias: str) -> bool:
    """Whether all migrations are applied; `migrate` runs these checks first, on an older database."""
    executor = MigrationExecutor(connections[alias])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


@register(Tags.database)
def check_states_are_fresh(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """regulations.W001: a legal state was confirmed more than STALE_AFTER ago."""
    messages: list[CheckMessage] = []
    today = timezone.localdate()
    for alias in filter(is_migrated, databases or []):
        states = LegalState.objects.using(alias).select_related("voivodeship").order_by("pk")
        stale = [f"{s.voivodeship.name} ({s.as_of})" for s in states if is_stale(s.as_of, today)]
        if stale:
            count, days = len(stale), STALE_AFTER.days
            messages.append(
                Warning(
                    f"the legal state of {count} voivodeships was confirmed more than {days} days ago: "
                    + ", ".join(stale),
                    hint="read the gazettes, then set “stan na” in the admin under “Stany prawne województw”",
                    id="regulations.W001",
                )
            )
    return messages


@register(Tags.database)
def check_codes_are_known(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """regulations.W002: a scope names a municipality or county that the register lacks."""
    messages: list[CheckMessage] = []
    for alias in filter(is_migrated, databases or []):
        # Six digits: the seventh changes with the kind of the municipality.
        known = {code[:6] for code in Municipality.objects.using(alias).values_list("pk", flat=True)}
        known |= set(County.objects.using(alias).values_list("pk", flat=True))
        scopes: list[Scope] = [
            *Resolution.objects.using(alias).all(),
            *Deadline.objects.using(alias).all(),
            *FuelBan.objects.using(alias).all(),
        ]
        named = {code for scope in scopes for code in (*scope.units, *scope.partly, *scope.excluded)}
        lost = sorted(code for code in named if code[:6] not in known)
        if known and lost:
            messages.append(
                Warning(
                    f"regulations name units that are not in the register: {', '.join(lost)}",
                    hint="find their successors, and correct the codes in the admin",
                    id="regulations.W002",
                )
            )
    return messages
