"""Settings, read from the environment and nowhere else.

Reading them has no side effect: no network, no file, no database. A missing or malformed variable stops the start
with one line that names it and says what to do. The table of variables is in the README.
"""

import re
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email
from django.http.request import validate_host
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from fueldepot.proxies import UNIX_SOCKET, read_networks
from fueldepot.rate_limit_setting import Limit, read_limit

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

CONNECTION: dict[str, Any] = {
    "connect_timeout": 2,
    # Over a network, a machine that vanished is given up as soon as one that says no.
    "tcp_user_timeout": 2000,
    "keepalives_idle": 10,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "server_side_binding": True,
}
"""Options of every connection to the database."""


def stop(name: str, problem: str) -> NoReturn:
    """End the start with one line on standard error."""
    raise SystemExit(f"fueldepot: the environment variable {name} {problem}")


def read_required(name: str, hint: str) -> str:
    """The value of a variable that has no sensible default."""
    value: str = env.str(name, default="").strip()
    if not value:
        stop(name, f"is not set; {hint}")
    return value


def read_bool(name: str, *, default: bool) -> bool:
    """A switch: on or off, and nothing that could be taken for either."""
    words = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}
    given = env.str(name, default="").strip().lower()
    if not given:
        return default
    if given not in words:
        stop(name, f"is {given!r}; use one of {', '.join(words)}")
    return words[given]


def read_site_url() -> str:
    """The address under which people reach the site: scheme and host, without a path."""
    url: str = env.str("SITE_URL", default="http://127.0.0.1:8000").strip().rstrip("/")
    parts = urlsplit(url)
    try:
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        port_is_good = False
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path or parts.query or not port_is_good:
        stop("SITE_URL", f"is {url!r}; use scheme and host only, for example https://sklady.example.pl")
    return url


def is_loopback(host: str) -> bool:
    """Whether a host of SITE_URL is this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def read_email(name: str) -> str:
    """An e-mail address, "" when none is given."""
    address: str = env.str(name, default="").strip()
    try:
        if address:
            validate_email(address)
    except ValidationError:
        stop(name, f"is {address!r}; use one address, for example redakcja@example.pl")
    return address


def read_hosts() -> list[str]:
    """Host names that requests may carry. The host of SITE_URL is among them, or every link would answer 400."""
    own = f"[{SITE_HOST}]" if ":" in SITE_HOST else SITE_HOST
    hosts = [host.strip() for host in env.list("ALLOWED_HOSTS", default=[own]) if host.strip()]
    if not hosts:
        stop("ALLOWED_HOSTS", "is empty; name the hosts, separated by commas, or leave it out")
    if not validate_host(own, hosts):
        stop("ALLOWED_HOSTS", f"refuses {own}, the host of SITE_URL; add it, or set SITE_URL to the public address")
    return hosts


def read_database() -> dict[str, Any]:
    """Connection settings of the PostgreSQL database."""
    name = "DATABASE_URL"
    url = read_required(name, "set it to postgresql://user:password@host/database")
    if not url.startswith(("postgresql://", "postgres://")):
        stop(name, "must name a PostgreSQL database: postgresql://user:password@host/database")
    try:
        config: dict[str, Any] = dict(env.db_url_config(url)) | read_servers(url)
    except (ImproperlyConfigured, ProgrammingError, ValueError) as error:
        stop(name, f"cannot be read: {str(error).strip()}")
    options = config.setdefault("OPTIONS", {})
    for option, value in CONNECTION.items():
        options.setdefault(option, value)
    config["CONN_MAX_AGE"] = 600
    config["CONN_HEALTH_CHECKS"] = True
    return config


def read_servers(url: str) -> dict[str, str]:
    """Hosts and ports of a database URL as libpq reads them, comma-separated; nothing where it names no host.

    django-environ loses which of several servers a port belongs to, and keeps the brackets of IPv6 addresses.
    Raises ProgrammingError, and ValueError for a port that is no number.
    """
    authority = re.split("[/?]", url.partition("://")[2], maxsplit=1)[0]
    found = conninfo_to_dict(f"postgresql://{authority.rpartition('@')[2]}")
    ports = str(found.get("port", ""))
    if not re.fullmatch("[0-9,]*", ports):
        raise ValueError(f"a port is no number in {ports!r}")
    return {"HOST": str(found["host"]), "PORT": ports} if "host" in found else {}


def read_mail() -> dict[str, Any]:
    """Settings of the mail server. Letters are printed where none is named, and the site is not public."""
    url: str = env.str("EMAIL_URL", default="").strip()
    hint = "use smtp://user:password@host:587, smtp+tls://… or consolemail://"
    if not url and not DEBUG and not is_loopback(SITE_HOST):
        # Printed letters stand in the log, with addresses and links that confirm a request, and reach nobody.
        stop(
            "EMAIL_URL",
            f"is not set, and {SITE_URL} is public; name the mail server: smtp+tls://user:password@host:587",
        )
    url = url or "consolemail://"
    parts = urlsplit(url)
    if parts.scheme not in env.EMAIL_SCHEMES:
        stop("EMAIL_URL", f"has no known scheme; {hint}")
    try:
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        port_is_good = False
    if not port_is_good or (parts.scheme.startswith("smtp") and not parts.hostname):
        stop("EMAIL_URL", f"names no mail server; {hint}")
    config: dict[str, Any] = dict(env.email_url_config(url))
    if parts.scheme == "filemail":
        # The reader of URLs takes the first slash away, and the folder would lie below the present one.
        config["EMAIL_FILE_PATH"] = "/" + config["EMAIL_FILE_PATH"].lstrip("/")
        if parts.netloc or config["EMAIL_FILE_PATH"] == "/":
            stop("EMAIL_URL", "names no absolute folder; use filemail:///var/spool/fueldepot")
    return config


def read_rate_limit() -> Limit | None:
    """How many requests of one address the API answers; None for no limit."""
    text: str = env.str("RATE_LIMIT", default="").strip() or "60/min"
    try:
        return read_limit(text)
    except ValueError:
        stop("RATE_LIMIT", f"is {text!r}; use off, or a number per sec, min or hour, for example 60/min")


def read_cache_url() -> str:
    """The Redis that workers share; "" for none."""
    url: str = env.str("CACHE_URL", default="").strip()
    try:
        parts = urlsplit(url)
        good = not url or (parts.scheme in {"redis", "rediss"} and parts.hostname and parts.port != 0)
        good = good or (parts.scheme == "unix" and parts.path.startswith("/"))
    except ValueError:
        good = False
    if not good:
        stop("CACHE_URL", "must name a Redis: redis://host:6379/0, rediss://… or unix:///path/to/socket")
    return url


def read_proxies() -> list[str]:
    """Reverse proxies that are believed when they name the caller."""
    names = [name.strip() for name in env.list("TRUSTED_PROXIES", default=[]) if name.strip()]
    try:
        read_networks(names)
    except ValueError as error:
        stop("TRUSTED_PROXIES", f"cannot be read: {error}; use addresses or networks, or {UNIX_SOCKET!r}")
    return names


DEBUG = read_bool("DEBUG", default=False)
SITE_URL = read_site_url()
SITE_HOST = urlsplit(SITE_URL).hostname or ""
SITE_NAME: str = env.str("SITE_NAME", default="Składy opału")
OPERATOR_NAME: str = env.str("OPERATOR_NAME", default="").strip() or SITE_NAME
CONTACT_EMAIL = read_email("CONTACT_EMAIL")
MAIL = read_mail()
EMAIL_BACKEND: str = MAIL["EMAIL_BACKEND"]
EMAIL_HOST: str = MAIL["EMAIL_HOST"] or "localhost"
EMAIL_PORT: int = MAIL["EMAIL_PORT"] or (465 if "EMAIL_USE_SSL" in MAIL else 587 if "EMAIL_USE_TLS" in MAIL else 25)
EMAIL_HOST_USER: str = MAIL["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD: str = MAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS: bool = MAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL: bool = MAIL.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH: str = MAIL["EMAIL_FILE_PATH"]
EMAIL_TIMEOUT = 10  # seconds that a form waits for the mail server
DEFAULT_FROM_EMAIL = SERVER_EMAIL = CONTACT_EMAIL or f"noreply@{SITE_HOST}"
SECRET_KEY = read_required("SECRET_KEY", "set it to 50 random characters and keep it secret")
ALLOWED_HOSTS = read_hosts()
DATABASES = {"default": read_database()}
CACHE_URL = read_cache_url()
TRUSTED_PROXIES = read_proxies()
RATE_LIMIT = read_rate_limit()
HTTPS = SITE_URL.startswith("https://")

INSTALLED_APPS = [
    "fueldepot",
    "catalog",
    "prices",
    "regulations",
    "subsidy",
    "pages",
    "rest_framework",
    "simple_history",
    "django_filters",
    "import_export",
    "axes",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "fueldepot.proxies.believe_trusted_proxies",
    "fueldepot.request_log.log_requests",
    "fueldepot.middleware.answer_head_without_body",
    "fueldepot.middleware.open_to_every_origin",
    "django.middleware.security.SecurityMiddleware",
    "fueldepot.security.add_policies",
    "fueldepot.rate_limit.limit_requests",
    "fueldepot.compression.compress_answers",
    "fueldepot.middleware.keep_no_desk",
    "fueldepot.middleware.refuse_nul_at_desk",
    "fueldepot.middleware.read_whole_bodies",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "fueldepot.middleware.refuse_without_database",
    "fueldepot.http.desk.DeskSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "fueldepot.http.desk.DeskCsrfViewMiddleware",
    "fueldepot.http.desk.DeskAuthenticationMiddleware",
    "fueldepot.http.desk.DeskMessageMiddleware",
    "fueldepot.http.desk.desk_history",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Last, as its documentation asks: it turns a refused login into the page that says so.
    "axes.middleware.AxesMiddleware",
]

# A registered client may ask the statistical office's local data bank more often; see prices/importers/bdl.py.
BDL_CLIENT_ID: str = env.str("BDL_CLIENT_ID", default="").strip()

# Files of the publishers, as `--download` and `refresh` fetched them; see catalog/sources.yaml.
DOWNLOADS_DIR = BASE_DIR / "var" / "downloads"

CSRF_FAILURE_VIEW = "pages.errors.form_expired"
ROOT_URLCONF = "fueldepot.urls"
WSGI_APPLICATION = "fueldepot.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    # The site's first. The admin's templates and those of packages are found by the second.
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates" / "site"],
        "APP_DIRS": False,
        "OPTIONS": {
            "environment": "fueldepot.templating.environment",
            "context_processors": ["pages.context_processors.site"],
        },
    },
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "desk"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["pages.typography.DeskLoader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
AUTH_PASSWORD_VALIDATORS.append(
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    }
)
# The first one hashes new passwords and needs memory besides time; the other is known from before.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

# Logins are throttled by name and address together: a stranger who knows a name locks out nobody but himself, and one
# who shares the address of an editor must know the name as well. The count is the database's, so it is one for all
# workers. REMOTE_ADDR is the address; what a client writes into forwarding headers is not believed here.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
# A try during the lock does not make it longer.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "admin/locked_out.html"
AXES_USERNAME_CALLABLE = "fueldepot.logins.name_key"
AXES_IPWARE_META_PRECEDENCE_ORDER = ("REMOTE_ADDR",)
# Nothing is kept but the failures of the last quarter of an hour, and none of it is shown or logged.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

LANGUAGE_CODE = "pl"
TIME_ZONE = "Europe/Warsaw"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "fueldepot.static_files.StaticFiles"},
}

SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# A working day; closing the browser ends it as well.
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
# What browsers are told to insist on. A proxy that ends TLS says so by X-Forwarded-Proto; without one that is trusted
# every request would look like plain http, and be sent round in circles.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS and bool(TRUSTED_PROXIES)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
# To be in browsers' preload lists is for the owner of the whole domain to ask, and not easily undone.
SILENCED_SYSTEM_CHECKS = [
    "security.W021",
    "security.W003",  # looks for the name of a middleware; ours is derived from it
]
# The largest that anybody sends is a price list in the admin; the API has a smaller limit of its own.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = 5
# Rows that an editor may change at once by an action of a list; chief editors and administrators change any number.
EDITOR_BULK_LIMIT = 200
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    # The API is public and read-only: nothing to authenticate, nothing to permit.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_THROTTLE_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["fueldepot.rendering.JsonRenderer"],
    "DEFAULT_METADATA_CLASS": "fueldepot.rendering.NoMetadata",
    "EXCEPTION_HANDLER": "fueldepot.errors.answer_error",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "fueldepot.request_log.JsonFormatter"}},
    "filters": {
        "told": {
            "()": "django.utils.log.CallbackFilter",
            "callback": "ext://fueldepot.request_log.is_about_something_else",
        }
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["told"]},
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    # 4xx answers are the caller's business and would fill the log.
    "loggers": {
        "django.request": {"handlers": ["console"], "level": "ERROR", "propagate": False},
        # It would name every address that an importer asks.
        "httpx2": {"level": "WARNING"},
        # The line of the request says 400. Without any handler Python itself would print these, with their tracebacks.
        "django.security.DisallowedHost": {"handlers": ["nowhere"], "propagate": False},
        # Its lines hold names and addresses of people who mistyped a password.
        "axes": {"handlers": ["nowhere"], "propagate": False},
    },
}
