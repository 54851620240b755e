"""System checks of the project and its apps, each with an id and a hint."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DEFAULT_DB_ALIAS, OperationalError, ProgrammingError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from catalog.importers.freshness import last_end, last_runs
from catalog.importers.sources import read_sources
from catalog.models import County, Dataset, Municipality
from catalog.submissions.retention import PURGE, is_purge_overdue
from catalog.text import one_line
from fueldepot import monitoring
from fueldepot.data.yaml_reader import InvalidYaml
from regulations.models import STALE_AFTER, Deadline, FuelBan, LegalState, Resolution
from regulations.snapshot import named_codes

OLDEST_POSTGRESQL = 150000

SETTINGS_FILE = Path("/etc/fueldepot.env")


@register(Tags.database)
def check_postgresql(databases: Sequence[str] | None = None, **kwargs: Any) -> Iterator[CheckMessage]:
    """fueldepot.E001: PostgreSQL 15 or newer. E002: UTF-8. E003: a locale that knows Polish letters.

    In SQL_ASCII each letter but those of English counts as several: `lower`, `length` and searches would be wrong. In
    the locale C they have no upper case.
    """
    another = "make another: createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 …"
    for alias in databases or []:
        connection = connections[alias]
        connection.ensure_connection()
        info = connection.connection.info
        version, encoding = info.server_version, info.parameter_status("server_encoding")
        if version < OLDEST_POSTGRESQL:
            use = "use PostgreSQL 15 or newer, or the embedded server of `make run`"
            yield Error(f"database {alias!r} is PostgreSQL {version // 10000}", hint=use, id="fueldepot.E001")
        elif encoding != "UTF8":
            yield Error(f"database {alias!r} is {encoding}, not UTF-8", hint=another, id="fueldepot.E002")
        elif not _knows_polish(connection):
            problem = f"database {alias!r} has a locale that knows no Polish letters"
            yield Error(problem, hint=another, id="fueldepot.E003")


def _knows_polish(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT lower('ŁÓDŹ')")
        return bool(cursor.fetchone() == ("łódź",))


def refuse_unfit_database() -> None:
    """Exit with one line if the database is unavailable or unsuitable."""
    try:
        messages = [*check_postgresql(databases=[DEFAULT_DB_ALIAS])]
    except OperationalError as error:
        raise SystemExit(f"fueldepot: the database cannot be used: {one_line(str(error))}") from None
    for message in messages:
        raise SystemExit(f"fueldepot: {message.msg}; {message.hint} ({message.id})")


def _warning(number: int, problem: str, hint: str) -> Warning:
    return Warning(problem, hint=hint, id=f"fueldepot.W{number:03}")


@register(Tags.security, deploy=True)
def check_public_site(**kwargs: Any) -> Iterator[CheckMessage]:
    """fueldepot.W001: a public site uses https. W002: its proxy is in TRUSTED_PROXIES. W003: it has a mail server."""
    if not settings.SITE_URL.startswith("https://"):
        hint = "set it to the public address, for example https://sklady.example.pl"
        yield _warning(1, f"SITE_URL is {settings.SITE_URL}", hint)
        return
    if not settings.TRUSTED_PROXIES:
        hint = (
            "name the proxy that ends TLS, for example 127.0.0.1; "
            "without it every caller has the proxy's address, and plain http is not redirected"
        )
        yield _warning(2, "SITE_URL is https, but TRUSTED_PROXIES is empty", hint)
    if settings.EMAIL_BACKEND.endswith(".console.EmailBackend"):
        problem = "EMAIL_URL prints letters to the log, with addresses and links that confirm submissions"
        hint = "name the mail server, for example smtp+tls://user:password@host:587"
        yield _warning(3, problem, hint)


@register(Tags.security, deploy=True)
def check_secret_files(**kwargs: Any) -> Iterator[CheckMessage]:
    """fueldepot.W004: the service can read files with secrets. fueldepot.W005: nobody else can."""
    for path in (SETTINGS_FILE, settings.BASE_DIR / "var" / "secret_key"):
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            continue
        if not os.access(path, os.R_OK):
            hint = f"make it readable for the group of the service: chgrp fueldepot {path}; chmod 640 {path}"
            yield _warning(4, f"{path} cannot be read by this user", hint)
        if mode & stat.S_IRWXO:
            problem = f"{path} is open to every user of this machine, and has secrets"
            yield _warning(5, problem, f"chmod 640 {path}")


@register(Tags.security, deploy=True)
def check_jobs(**kwargs: Any) -> Iterator[CheckMessage]:
    """Check nightly jobs and the legal state; queries the database.

    fueldepot.W006: purge of personal data. W007: refresh of the sources. W008: dump. W009: legal state. W010: the
    database is unavailable.
    """
    now = timezone.now()
    try:
        purged, dumped, sources = last_end(PURGE), last_end(monitoring.BACK_UP), last_runs()
        has_laws = Dataset.objects.filter(slug=Dataset.Slug.REGULATIONS, row_count__gt=0).exists()
    except (OperationalError, ProgrammingError) as error:
        problem = f"the database cannot be asked: {one_line(str(error))}"
        yield _warning(10, problem, "start it, and run manage.py migrate")
        return
    if purged is None or is_purge_overdue(purged, now=now):
        when = f"ran last on {timezone.localtime(purged):%Y-%m-%d}" if purged else "never ran"
        yield _warning(6, f"the purge of personal data {when}", "systemctl enable --now fueldepot-purge.timer")
    today = timezone.localdate(now)
    if not any(state.last for state in sources if state.source.fetched):
        yield _warning(7, "the sources were never refreshed", "systemctl enable --now fueldepot-refresh.timer")
    elif late := [state.source.id for state in sources if state.is_overdue(today)]:
        yield _warning(7, f"sources are overdue: {', '.join(late)}", "systemctl status fueldepot-refresh.timer")
    if dumped is None or dumped < now - monitoring.DUMP_LATE:
        when = f"was made last on {timezone.localtime(dumped):%Y-%m-%d}" if dumped else "was never made"
        yield _warning(8, f"a dump of the database {when}", "systemctl enable --now fueldepot-backup.timer")
    if not has_laws:
        yield _warning(9, "no legal state was imported", "manage.py import_regulations regulations/data --commit")


def is_migrated(alias: str) -> bool:
    """Whether all migrations are applied; `migrate` runs these checks first, on an older database."""
    executor = MigrationExecutor(connections[alias])
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


@register(Tags.database)
def check_states_are_fresh(databases: Sequence[str] | None = None, **kwargs: Any) -> Iterator[CheckMessage]:
    """regulations.W001: a legal state was confirmed more than STALE_AFTER ago."""
    today = timezone.localdate()
    hint = "read the gazettes, then set “stan na” in the admin under “Stany prawne województw”"
    for alias in filter(is_migrated, databases or []):
        states = LegalState.objects.using(alias).stale(today).select_related("voivodeship").order_by("pk")
        if stale := [f"{state.voivodeship.name} ({state.as_of})" for state in states]:
            age = f"confirmed more than {STALE_AFTER.days} days ago"
            problem = f"the legal state of {len(stale)} voivodeships was {age}: {', '.join(stale)}"
            yield Warning(problem, hint=hint, id="regulations.W001")


@register(Tags.database)
def check_codes_are_known(databases: Sequence[str] | None = None, **kwargs: Any) -> Iterator[CheckMessage]:
    """regulations.W002: a scope names a municipality or county that the register lacks."""
    hint = "find their successors, and correct the codes in the admin"
    for alias in filter(is_migrated, databases or []):
        # Six digits: the seventh changes with the kind of the municipality.
        codes = {code[:6] for code in Municipality.objects.using(alias).values_list("pk", flat=True)}
        codes |= set(County.objects.using(alias).values_list("pk", flat=True))
        scopes = (row for model in (Resolution, Deadline, FuelBan) for row in model.objects.using(alias).all())
        lost = sorted(code for code in named_codes(scopes) if code[:6] not in codes)
        if codes and lost:
            problem = f"regulations name units that are not in the register: {', '.join(lost)}"
            yield Warning(problem, hint=hint, id="regulations.W002")


@register()
def check_sources_file(**kwargs: Any) -> Iterator[CheckMessage]:
    """catalog.E001: `catalog/sources.yaml` is valid. Rule files of the subsidy are read earlier, with the addresses."""
    try:
        read_sources()
    except InvalidYaml as error:
        yield Error(str(error), hint="mend the file; its head says what each key means", id="catalog.E001")
