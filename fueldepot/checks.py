"""System checks: what must hold before the service may start, each with an id and a hint."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections

OLDEST_POSTGRESQL = 150000


@register(Tags.database)
def check_postgresql(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """fueldepot.E001: the server is PostgreSQL 15 or newer. fueldepot.E002: the database is UTF-8.

    In SQL_ASCII every letter but those of English would be several: `lower`, `length` and searches would be wrong.
    """
    messages: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        connection.ensure_connection()
        info = connection.connection.info
        version, encoding = info.server_version, info.parameter_status("server_encoding")
        if version < OLDEST_POSTGRESQL:
            messages.append(
                Error(
                    f"database {alias!r} is PostgreSQL {version // 10000}",
                    hint="use PostgreSQL 15 or newer, or the embedded server of `make run`",
                    id="fueldepot.E001",
                )
            )
        if encoding != "UTF8":
            messages.append(
                Error(
                    f"database {alias!r} is {encoding}, not UTF-8",
                    hint="make another: createdb --template=template0 --encoding=UTF8 …",
                    id="fueldepot.E002",
                )
            )
    return messages


def refuse_unfit_database() -> None:
    """End the start of the service with one line where the database cannot be used, or cannot hold the catalog."""
    try:
        messages = check_postgresql(databases=[DEFAULT_DB_ALIAS])
    except OperationalError as error:
        raise SystemExit(f"fueldepot: the database cannot be used: {' '.join(str(error).split())}") from None
    for message in messages:
        raise SystemExit(f"fueldepot: {message.msg}; {message.hint} ({message.id})")


@register(Tags.security, deploy=True)
def check_proxies(**kwargs: Any) -> list[CheckMessage]:
    """fueldepot.W002: behind https there is a proxy, and it has to be known to be believed."""
    if not settings.SITE_URL.startswith("https://") or settings.TRUSTED_PROXIES:
        return []
    return [
        Warning(
            "SITE_URL is https, but TRUSTED_PROXIES is empty",
            hint="name the proxy that ends TLS, for example 127.0.0.1; "
            "without it every caller has the proxy's address, and plain http is not redirected",
            id="fueldepot.W002",
        )
    ]


@register(Tags.security, deploy=True)
def check_mail(**kwargs: Any) -> list[CheckMessage]:
    """fueldepot.W003: letters of a public site leave it."""
    is_printing = settings.EMAIL_BACKEND.endswith(".console.EmailBackend")
    if not settings.SITE_URL.startswith("https://") or not is_printing:
        return []
    return [
        Warning(
            "EMAIL_URL prints letters to the log, with addresses and links that confirm requests",
            hint="name the mail server, for example smtp+tls://user:password@host:587",
            id="fueldepot.W003",
        )
    ]


@register(Tags.security, deploy=True)
def check_site_url(**kwargs: Any) -> list[CheckMessage]:
    """fueldepot.W001: a public site is reached by https."""
    if settings.SITE_URL.startswith("https://"):
        return []
    return [
        Warning(
            f"SITE_URL is {settings.SITE_URL}",
            hint="set it to the public address, for example https://sklady.example.pl",
            id="fueldepot.W001",
        )
    ]
