"""Strict parsing of environment variables: an invalid one stops the start with one line and a remedy."""

import importlib.util
import os
import re
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from django.http.request import split_domain_port, validate_host
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from fueldepot.http.links import is_loopback
from fueldepot.http.rate_limit import RateLimit, read_limit

env: environ.Env = environ.Env()

CONNECTION: dict[str, Any] = {
    "connect_timeout": 2,
    # Over a network, a vanished machine is given up as fast as one that refuses.
    "tcp_user_timeout": 2000,
    "keepalives_idle": 10,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "server_side_binding": True,
}


def stop(name: str, problem: str) -> NoReturn:
    raise SystemExit(f"fueldepot: the environment variable {name} {problem}")


SECRETS = frozenset({"DATABASE_URL", "SECRET_KEY", "EMAIL_URL", "CACHE_URL", "SENTRY_DSN", "BDL_CLIENT_ID"})
"""Variables that a file may hold instead, named by the variable with `_FILE` at its end."""


def read_text(name: str) -> str:
    """Return a variable, or the file of a secret, without surrounding blanks; "" if not set."""
    text: str = env.str(name, default="").strip()
    path = os.environ.get(f"{name}_FILE", "").strip() if name in SECRETS else ""
    if not path:
        return text
    if text:
        stop(f"{name}_FILE", f"is set, and so is {name}; use one of them")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        stop(f"{name}_FILE", f"names {path}, which cannot be read: {reason}")


def split_url(name: str, url: str) -> SplitResult:
    """Return the parts of the URL in a variable, whose value may be secret and is not repeated."""
    try:
        return urlsplit(url)
    except ValueError:
        stop(name, "cannot be read as a URL; write characters such as [ in a password as %5B")


def has_valid_port(url: SplitResult) -> bool:
    """Whether the port of a URL is a number from 1 to 65535, or not given."""
    try:
        return url.port is None or url.port > 0
    except ValueError:
        return False


def read_required(name: str, hint: str) -> str:
    return read_text(name) or stop(name, f"is not set; {hint}")


def read_bool(name: str) -> bool:
    words = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}
    return words[read_choice(name, *words, default="off")]


def read_choice(name: str, *words: str, default: str) -> str:
    word = read_text(name).lower() or default
    if word not in words:
        stop(name, f"is {word!r}; use one of {', '.join(words)}")
    return word


def read_site_url() -> str:
    """Return scheme, host and port in lower case, without a slash at the end."""
    url: str = env.str("SITE_URL", default="http://127.0.0.1:8000").strip().rstrip("/").lower()
    parts = split_url("SITE_URL", url)
    is_bare = url == f"{parts.scheme}://{parts.netloc}" and split_domain_port(parts.netloc)[0]
    if parts.scheme not in {"http", "https"} or not is_bare or not has_valid_port(parts):
        stop("SITE_URL", f"is {url!r}; use scheme and host only, for example https://sklady.example.pl")
    return url


def read_email(name: str) -> str:
    """Return an e-mail address, "" if not set."""
    address = read_text(name)
    try:
        if address:
            validate_email(address)
    except ValidationError:
        stop(name, f"is {address!r}; use one address, for example redakcja@example.pl")
    return address


def read_hosts(site_host: str) -> list[str]:
    """Return ALLOWED_HOSTS with the host of SITE_URL, or every link would answer 400."""
    own = f"[{site_host}]" if ":" in site_host else site_host
    hosts = [host.strip() for host in env.list("ALLOWED_HOSTS", default=[own]) if host.strip()]
    if not hosts:
        stop("ALLOWED_HOSTS", "is empty; name the hosts, separated by commas, or leave it out")
    if not validate_host(own, hosts):
        stop("ALLOWED_HOSTS", f"refuses {own}, the host of SITE_URL; add it, or set SITE_URL to the public address")
    return hosts


def read_database() -> dict[str, Any]:
    name = "DATABASE_URL"
    url = read_required(name, "set it to postgresql://user:password@host/database")
    if not url.startswith(("postgresql://", "postgres://")):
        stop(name, "must name a PostgreSQL database: postgresql://user:password@host/database")
    try:
        config: dict[str, Any] = dict(env.db_url_config(url)) | read_servers(url)
    except (ImproperlyConfigured, ProgrammingError, ValueError) as error:
        stop(name, f"cannot be read: {str(error).strip()}")
    options = CONNECTION | config.get("OPTIONS", {})
    return config | {"OPTIONS": options, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}


def read_servers(url: str) -> dict[str, str]:
    """Return hosts and ports of a database URL for libpq, comma-separated; {} without a host.

    django-environ loses the assignment of ports to several servers, and keeps the brackets of IPv6 addresses. Raises
    ProgrammingError, and ValueError for a port that is no number.
    """
    authority = re.split("[/?]", url.partition("://")[2], maxsplit=1)[0]
    parts = conninfo_to_dict(f"postgresql://{authority.rpartition('@')[2]}")
    ports = str(parts.get("port", ""))
    if not re.fullmatch("[0-9,]*", ports):
        raise ValueError(f"a port is no number in {ports!r}")
    return {"HOST": str(parts["host"]), "PORT": ports} if "host" in parts else {}


def read_mail(site_url: str, *, debug: bool) -> dict[str, Any]:
    """Return the settings of mail. Without a mail server letters are printed, which a public site refuses."""
    url = read_text("EMAIL_URL")
    hint = "use smtp://user:password@host:587, smtp+tls://… or consolemail://"
    if not url and not debug and not is_loopback(site_url):
        # Printed letters put addresses and confirmation links into the log, and reach nobody.
        advice = "name the mail server: smtp+tls://user:password@host:587"
        stop("EMAIL_URL", f"is not set, and {site_url} is public; {advice}")
    url = url or "consolemail://"
    parts = split_url("EMAIL_URL", url)
    if parts.scheme not in env.EMAIL_SCHEMES:
        stop("EMAIL_URL", f"has no known scheme; {hint}")
    if not has_valid_port(parts) or (parts.scheme.startswith("smtp") and not parts.hostname):
        stop("EMAIL_URL", f"names no mail server; {hint}")
    config: dict[str, Any] = {name: value for name, value in env.email_url_config(url).items() if value is not None}
    config.setdefault("EMAIL_PORT", 465 if "EMAIL_USE_SSL" in config else 587 if "EMAIL_USE_TLS" in config else 25)
    if parts.scheme == "filemail":
        # The URL parser drops the first slash, which would make the path relative.
        config["EMAIL_FILE_PATH"] = "/" + config["EMAIL_FILE_PATH"].lstrip("/")
        if parts.netloc or config["EMAIL_FILE_PATH"] == "/":
            stop("EMAIL_URL", "names no absolute folder; use filemail:///var/spool/fueldepot")
    return config


def read_map_tiles() -> str:
    """Return the URL of raster map tiles with {z}, {x} and {y}, and {s} for subdomains; "" for none."""
    url = read_text("MAP_TILES_URL")
    host = split_url("MAP_TILES_URL", url).netloc.replace("{s}", "s")
    is_good = url.startswith(("https://", "http://")) and re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]+)?", host)
    if url and not (is_good and all(part in url for part in ("{z}", "{x}", "{y}"))):
        stop("MAP_TILES_URL", f"is {url!r}; give an address like https://tiles.example.pl/{{z}}/{{x}}/{{y}}.png")
    return url


def read_rate_limit(*, default: str) -> RateLimit | None:
    text = read_text("RATE_LIMIT") or default
    try:
        return read_limit(text)
    except ValueError:
        stop("RATE_LIMIT", f"is {text!r}; use off, or a number per sec, min or hour, for example 60/min")


def read_bulk_limit(*, default: int) -> int:
    """Return the number of rows that an editor (not a chief) may change at once."""
    text = read_text("EDITOR_BULK_LIMIT") or str(default)
    if not re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) or int(text) < 1:
        stop("EDITOR_BULK_LIMIT", f"is {text!r}; use a whole number from 1 to 999999")
    return int(text)


def read_cache_url() -> str:
    """Return the URL of the shared Redis; "" for none."""
    url = read_text("CACHE_URL")
    parts = split_url("CACHE_URL", url)
    is_socket = parts.scheme == "unix" and parts.path.startswith("/")
    is_server = parts.scheme in {"redis", "rediss"} and parts.hostname and has_valid_port(parts)
    if url and not (is_socket or (is_server and re.fullmatch("(/[0-9]*)?", parts.path))):
        stop("CACHE_URL", "must name a Redis: redis://host:6379/0, rediss://… or unix:///path/to/socket")
    return url


def read_networks(variable: str, *words: str) -> list[str]:
    """Return addresses and networks as they are written. words: what else the variable may hold."""
    names = [name.strip() for name in env.list(variable, default=[]) if name.strip()]
    try:
        for name in set(names).difference(words):
            ip_network(name)
    except ValueError as error:
        hint = " or ".join(["addresses", "networks", *map(repr, words)])
        stop(variable, f"cannot be read: {error}; use {hint}")
    return names


PROMETHEUS_DIR = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of prometheus-client with its directory for several processes."""


def read_sentry() -> str:
    """Return the Sentry DSN; "" for none."""
    dsn = read_text("SENTRY_DSN")
    parts = split_url("SENTRY_DSN", dsn)
    if dsn and not (parts.scheme in {"http", "https"} and parts.hostname and parts.username):
        stop("SENTRY_DSN", "is no address of a Sentry project; use https://key@host/number")
    if dsn and importlib.util.find_spec("sentry_sdk") is None:
        stop("SENTRY_DSN", "is set, but sentry-sdk is not installed; install it, or leave the variable out")
    return dsn
