"""Settings, from environment variables (`fueldepot.environment`) only.

No side effects: no network, file or database access. Table of variables: docs/settings.md.
"""

import os
from datetime import timedelta
from email.utils import quote
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from whitenoise.compress import Compressor

from fueldepot import environment
from fueldepot.http.caller_address import UNIX_SOCKET

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = environment.read_bool("DEBUG")
SITE_URL = environment.read_site_url()
SITE_HOST = urlsplit(SITE_URL).hostname or ""
SITE_NAME: str = environment.env.str("SITE_NAME", default="Składy opału")
OPERATOR_NAME = environment.read_text("OPERATOR_NAME") or SITE_NAME
CONTACT_EMAIL = environment.read_email("CONTACT_EMAIL")
vars().update(environment.read_mail(SITE_URL, debug=DEBUG))  # EMAIL_BACKEND, EMAIL_HOST and so on
EMAIL_TIMEOUT = 10  # seconds
SERVER_EMAIL = CONTACT_EMAIL or f"noreply@{SITE_HOST}"
# Quoted here, encoded when a letter is sent.
DEFAULT_FROM_EMAIL = f'"{quote(SITE_NAME)}" <{SERVER_EMAIL}>'
SECRET_KEY = environment.read_required("SECRET_KEY", "set it to 50 random characters and keep it secret")
ALLOWED_HOSTS = environment.read_hosts(SITE_HOST)
DATABASES = {"default": environment.read_database()}
# PostgreSQL's limits of requests; commands and imports have none. See fueldepot/data/snapshot.py.
STATEMENT_LIMITS = {
    "statement_timeout": "10s",
    # A frozen worker must not hold locks forever.
    "idle_in_transaction_session_timeout": "60s",
    # Cancels statements of disconnected clients.
    "client_connection_check_interval": "1s",
}
CACHE_URL = environment.read_cache_url()
TRUSTED_PROXIES = environment.read_networks("TRUSTED_PROXIES", UNIX_SOCKET)
ADMIN_NETWORKS = environment.read_networks("ADMIN_NETWORKS")
SECOND_FACTOR = environment.read_choice("SECOND_FACTOR", "optional", "chiefs", "everyone", default="optional")
RATE_LIMIT = environment.read_rate_limit(default="60/min")
HTTPS = SITE_URL.startswith("https://")
METRICS = environment.read_bool("METRICS")
# Metrics directory of the gunicorn workers, created by fueldepot/gunicorn.py; "" in other processes.
METRICS_DIR = os.environ.get(environment.PROMETHEUS_DIR, "")
SENTRY_DSN = environment.read_sentry()

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
    "drf_spectacular_sidecar",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "js_lib_leaflet",
    "fueldepot.apps.DeskConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "fueldepot.apps.StaticFilesConfig",
]

MIDDLEWARE = [
    *(["fueldepot.monitoring.count_requests"] if METRICS else []),
    "fueldepot.http.caller_address.forwarded_headers",
    "fueldepot.http.request_log.log_requests",
    "fueldepot.middleware.answer_head_without_body",
    "fueldepot.middleware.cors",
    "django.middleware.security.SecurityMiddleware",
    "fueldepot.middleware.add_policies",
    "fueldepot.http.rate_limit.limit_requests",
    "fueldepot.middleware.explain_refusals",
    "fueldepot.middleware.ApiGZipMiddleware",
    "fueldepot.middleware.read_whole_bodies",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "fueldepot.middleware.PrivateViewMiddleware",
]
# Of views marked `private`, the desk and the forms.
PRIVATE_MIDDLEWARE = [
    "fueldepot.middleware.guard_private_views",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    # Last, as documented: turns a refused login into the page about it.
    "axes.middleware.AxesMiddleware",
]

# A registered client has a higher request limit at the statistical office's local data bank; see prices/bdl.py.
BDL_CLIENT_ID = environment.read_text("BDL_CLIENT_ID")

# Raster map tiles, "" for none: then nothing is loaded from other machines.
MAP_TILES_URL = environment.read_map_tiles()

# Downloads of `--download` and `refresh`; see catalog/sources.yaml.
DOWNLOADS_DIR = BASE_DIR / "var" / "downloads"

CSRF_FAILURE_VIEW = "fueldepot.errors.form_expired"
ROOT_URLCONF = "fueldepot.urls"
WSGI_APPLICATION = "fueldepot.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    # The site's engine first; the second finds templates of the admin and packages.
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates" / "site"],
        "OPTIONS": {"environment": "pages.rendering.environment"},
    },
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "admin"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["pages.rendering.DeskLoader", "django.template.loaders.app_directories.Loader"],
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
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
]
# The first one hashes new passwords and is memory-hard; the second verifies older hashes.
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

# Logins are throttled by name and address together, and by name alone in browsers that the account has not used before.
# Counted in the database for all workers, by REMOTE_ADDR; forwarding headers of clients are ignored here.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_LOCKOUT_PARAMETERS = "fueldepot.desk.logins.lock_by"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
# An attempt during the lock does not extend it.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "admin/locked_out.html"
AXES_USERNAME_CALLABLE = "fueldepot.desk.logins.name_key"
# The page to go on to may be a search for somebody's address.
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code", "next"]
# Shown by the app beside the code.
OTP_TOTP_ISSUER = SITE_NAME
# Only failures are stored, without being shown or logged, until the next login or purge after the 15 minutes.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

LANGUAGE_CODE = "pl"
FORMAT_MODULE_PATH = "fueldepot.formats"
TIME_ZONE = "Europe/Warsaw"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
# Source maps, some megabytes, are read by developer tools only.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")


def WHITENOISE_ADD_HEADERS_FUNCTION(headers: Any, path: str, url: str) -> None:  # noqa: N802 - a setting
    """Give a file a weak ETag, since its plain and compressed form have the same (RFC 9110, section 8.8.3.3)."""
    state = Path(path).stat()
    headers["ETag"] = f'W/"{int(state.st_mtime):x}-{state.st_size:x}"'


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

CSRF_COOKIE_HTTPONLY = True
# A working day; closing the browser ends the session as well.
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
# HTTPS for browsers. A proxy that terminates TLS sets X-Forwarded-Proto; without a trusted one every request would look
# like plain http and be redirected forever.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS and bool(TRUSTED_PROXIES)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# The owner of the whole domain decides about HSTS preloading, which is hard to undo.
SILENCED_SYSTEM_CHECKS = [
    "security.W021",
    # Their middleware is in PRIVATE_MIDDLEWARE.
    "admin.E408",
    "admin.E409",
    "admin.E410",
    "axes.W002",
]
# The largest upload is a price list in the admin; the API has a lower limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = 5
# Rows that an editor may change by one bulk action; chief editors and administrators are unlimited.
EDITOR_BULK_LIMIT = environment.read_bulk_limit(default=200)

REST_FRAMEWORK = {
    # The API is public and read-only: no authentication, no permissions.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "fueldepot.errors.answer_error",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "fueldepot.http.request_log.JsonFormatter"}},
    "filters": {
        "once": {
            "()": "django.utils.log.CallbackFilter",
            "callback": "ext://fueldepot.http.request_log.drop_duplicate_db_errors",
        }
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["once"]},
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    # 4xx responses are the caller's business and would fill the log.
    "loggers": {
        "django.request": {"handlers": ["console"], "level": "ERROR", "propagate": False},
        # It would log every URL requested by importers.
        "httpx2": {"level": "WARNING"},
        # The request's line has the status 400. Without a handler Python would print these with tracebacks.
        **{
            f"django.security.{refusal}": {"handlers": ["nowhere"], "propagate": False}
            for refusal in (
                *("DisallowedHost", "DisallowedRedirect"),
                *("RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent"),
            )
        },
        # Its lines contain names and addresses of people who mistyped a password.
        "axes": {"handlers": ["nowhere"], "propagate": False},
    },
}
