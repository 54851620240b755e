"""Settings, read from the environment and nowhere else.

Reading them has no side effect: no network, no file, no database. A missing or malformed variable stops the start
with one line that names it and says what to do. The table of variables is in the README.
"""

from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


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
    """Host names that requests may carry."""
    hosts: list[str] = env.list("ALLOWED_HOSTS", default=[urlsplit(SITE_URL).hostname or ""])
    if not any(host.strip() for host in hosts):
        stop("ALLOWED_HOSTS", "is empty; name the hosts, separated by commas, or leave it out")
    return hosts


def read_database() -> dict[str, Any]:
    """Connection settings of the one PostgreSQL database."""
    url = read_required("DATABASE_URL", "set it to postgresql://user:password@host/database")
    if not url.startswith(("postgresql://", "postgres://")):
        stop("DATABASE_URL", "must name a PostgreSQL database: postgresql://user:password@host/database")
    try:
        config: dict[str, Any] = dict(env.db_url_config(url))
    except (ImproperlyConfigured, ValueError) as error:
        stop("DATABASE_URL", f"cannot be read: {error}")
    options = config.setdefault("OPTIONS", {})
    options.setdefault("connect_timeout", 2)
    # Statements are prepared on the server: the near search is planned once per connection, not once per request.
    options["server_side_binding"] = True
    options.setdefault("prepare_threshold", 2)
    config["CONN_MAX_AGE"] = 600
    config["CONN_HEALTH_CHECKS"] = False
    return config


SITE_URL = read_site_url()
SITE_NAME: str = env.str("SITE_NAME", default="Składy opału")
OPERATOR_NAME: str = env.str("OPERATOR_NAME", default="").strip() or SITE_NAME
CONTACT_EMAIL = read_email("CONTACT_EMAIL")
SECRET_KEY = read_required("SECRET_KEY", "set it to 50 random characters and keep it secret")
DEBUG = read_bool("DEBUG", default=False)
ALLOWED_HOSTS = read_hosts()
DATABASES = {"default": read_database()}

INSTALLED_APPS = [
    "fueldepot",
    "catalog",
    "prices",
    "regulations",
    "subsidy",
    "pages",
    "corsheaders",
    "rest_framework",
    "simple_history",
    "django_filters",
    "import_export",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "fueldepot.middleware.answer_head_without_body",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "fueldepot.middleware.open_to_every_origin",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

# A registered client may ask the statistical office's local data bank more often; see prices/importers/bdl.py.
BDL_CLIENT_ID: str = env.str("BDL_CLIENT_ID", default="").strip()

# Files of the publishers, as `--download` and `refresh` fetched them; see catalog/sources.yaml.
DOWNLOADS_DIR = BASE_DIR / "var" / "downloads"

ROOT_URLCONF = "fueldepot.urls"
WSGI_APPLICATION = "fueldepot.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "pages.context_processors.site",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

LANGUAGE_CODE = "pl"
TIME_ZONE = "Europe/Warsaw"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# Open to every caller in every browser; the admin and the site are not.
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS", "POST"]
CORS_EXPOSE_HEADERS = ["X-Total-Count"]

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_URL.startswith("https://")
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    # The API is public and read-only: nothing to authenticate, nothing to permit.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_THROTTLE_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["fueldepot.rendering.JsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "fueldepot.rendering.JsonAlways",
    "DEFAULT_METADATA_CLASS": "fueldepot.rendering.NoMetadata",
    "EXCEPTION_HANDLER": "fueldepot.errors.answer_error",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # 4xx answers are the caller's business and would fill the log.
    "loggers": {
        "django.request": {"handlers": ["console"], "level": "ERROR", "propagate": False},
        # It would name every address that an importer asks.
        "httpx": {"level": "WARNING"},
        "django.security.DisallowedHost": {"handlers": [], "propagate": False},
    },
}
