"""System checks of the stored legal state; run by `manage.py check --database default`."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from catalog.models import County, Municipality
from regulations.models import STALE_AFTER, Deadline, FuelBan, LegalState, Resolution
from regulations.snapshot import named_codes


def is_migrated(alias: str) -> bool:
    """Whether all migrations are applied; `migrate` runs these checks first, on an older database."""
    executor = MigrationExecutor(connections[alias])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


@register(Tags.database)
def check_states_are_fresh(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """regulations.W001: a legal state was confirmed more than STALE_AFTER ago."""
    messages: list[CheckMessage] = []
    today = timezone.localdate()
    hint = "read the gazettes, then set “stan na” in the admin under “Stany prawne województw”"
    for alias in filter(is_migrated, databases or []):
        states = LegalState.objects.using(alias).stale(today).select_related("voivodeship").order_by("pk")
        if stale := [f"{state.voivodeship.name} ({state.as_of})" for state in states]:
            age = f"confirmed more than {STALE_AFTER.days} days ago"
            problem = f"the legal state of {len(stale)} voivodeships was {age}: {', '.join(stale)}"
            messages.append(Warning(problem, hint=hint, id="regulations.W001"))
    return messages


@register(Tags.database)
def check_codes_are_known(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """regulations.W002: a scope names a municipality or county that the register lacks."""
    messages: list[CheckMessage] = []
    hint = "find their successors, and correct the codes in the admin"
    for alias in filter(is_migrated, databases or []):
        # Six digits: the seventh changes with the kind of the municipality.
        known = {code[:6] for code in Municipality.objects.using(alias).values_list("pk", flat=True)}
        known |= set(County.objects.using(alias).values_list("pk", flat=True))
        scopes = (row for model in (Resolution, Deadline, FuelBan) for row in model.objects.using(alias).all())
        lost = sorted(code for code in named_codes(scopes) if code[:6] not in known)
        if known and lost:
            problem = f"regulations name units that are not in the register: {', '.join(lost)}"
            messages.append(Warning(problem, hint=hint, id="regulations.W002"))
    return messages
