"""Settings, read from the environment (`fueldepot.environment`) and nowhere else.

Reading them has no side effect: no network, no file, no database. The table of variables is in the README.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fueldepot import environment

BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = environment.read_bool("DEBUG", default=False)
SITE_URL = environment.read_site_url()
SITE_HOST = urlsplit(SITE_URL).hostname or ""
SITE_NAME: str = environment.env.str("SITE_NAME", default="Składy opału")
OPERATOR_NAME: str = environment.env.str("OPERATOR_NAME", default="").strip() or SITE_NAME
CONTACT_EMAIL = environment.read_email("CONTACT_EMAIL")
MAIL = environment.read_mail(SITE_URL, debug=DEBUG)
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
SECRET_KEY = environment.read_required("SECRET_KEY", "set it to 50 random characters and keep it secret")
ALLOWED_HOSTS = environment.read_hosts(SITE_HOST)
DATABASES = {"default": environment.read_database()}
CACHE_URL = environment.read_cache_url()
TRUSTED_PROXIES = environment.read_proxies()
RATE_LIMIT = environment.read_rate_limit()
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
BDL_CLIENT_ID: str = environment.env.str("BDL_CLIENT_ID", default="").strip()

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
