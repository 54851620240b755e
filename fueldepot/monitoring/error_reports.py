"""Error reports to Sentry, if SENTRY_DSN is set, without personal data.

The packages are the extra `sentry`. A report has the type of the error, the traceback without values, method and path
of the request, and the release. Error messages are omitted: they may repeat user input.
"""

from typing import Any

import sentry_sdk
from django.conf import settings
from sentry_sdk.integrations.django import DjangoIntegration

from fueldepot.http.cache_control import version_and_release

SENT_FIELDS = frozenset(
    {"event_id", "timestamp", "platform", "level", "logger", "release", "sdk", "transaction", "contexts"}
)
KEPT_OF_FRAMES = frozenset({"filename", "function", "module", "lineno", "in_app", "abs_path"})


def start() -> None:
    """Report errors from now on in this process and its forks."""
    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        release=version_and_release(),
        server_name="",
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(middleware_spans=False, signals_spans=False)],
        max_request_body_size="never",
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        auto_session_tracking=False,
        traces_sample_rate=None,
        before_send=without_people,
    )


def without_people(event: Any, hint: Any) -> Any:
    """Return a report reduced to data that may leave the machine."""
    kept = {name: value for name, value in event.items() if name in SENT_FIELDS}
    kept["contexts"] = {"runtime": event.get("contexts", {}).get("runtime", {})}
    if request := event.get("request"):
        kept["request"] = {"method": request.get("method"), "url": str(request.get("url", "")).partition("?")[0]}
    if template := event.get("logentry", {}).get("message"):
        kept["logentry"] = {"message": template}
    if errors := event.get("exception", {}).get("values"):
        kept["exception"] = {"values": [_without_values(error) for error in errors]}
    return kept


def _without_values(error: dict[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames", [])
    return {
        "type": error.get("type"),
        "module": error.get("module"),
        "stacktrace": {"frames": [{k: v for k, v in frame.items() if k in KEPT_OF_FRAMES} for frame in frames]},
    }
