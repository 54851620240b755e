"""Reports to Sentry: location of the failure, no personal data."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sentry_sdk
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest
from django.test import RequestFactory, override_settings
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from fueldepot import monitoring, urls

SECRETS = ("23456", "jan@example.pl", "10.9.8.7", "Mozilla", "sessionid", "Kowalski")


@csrf_exempt
def fails(request: HttpRequest) -> None:
    income = request.GET["income"]
    raise ValueError(f"invalid literal for int(): {income} of {request.POST.get('email')}")


handler400, handler404, handler500 = urls.handler400, urls.handler404, urls.handler500
urlpatterns = [path("api/v1/fails", fails), *urls.urlpatterns]


class Kept(sentry_sdk.transport.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Any] = []

    def capture_envelope(self, envelope: Any) -> None:
        self.sent += [item.payload.json for item in envelope.items]


@pytest.fixture
def kept(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    settings.SENTRY_DSN = "https://key@sentry.example.pl/1"
    transport = Kept()
    begin = sentry_sdk.init
    monkeypatch.setattr(sentry_sdk, "init", lambda **how: begin(**how, transport=transport))
    monitoring.start_error_reports()
    yield transport
    begin()  # reports nowhere


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
def test_a_report_names_the_place_and_nobody(kept):
    asked = "/api/v1/fails?income=23456&name=Kowalski"
    headers = {"Referer": f"https://sklady.example.pl{asked}", "User-Agent": "Mozilla", "Cookie": "sessionid=x"}
    request = RequestFactory().post(asked, {"email": "jan@example.pl"}, headers=headers, REMOTE_ADDR="10.9.8.7")
    statuses: list[str] = []
    # As gunicorn calls it: the client of the tests goes another way.
    WSGIHandler()(request.environ, lambda status, sent: statuses.append(status)).close()
    assert statuses == ["500 Internal Server Error"]
    assert kept.sent
    text = json.dumps(kept.sent)
    assert not [secret for secret in SECRETS if secret in text]
    (report,) = [one for one in kept.sent if one.get("exception")]
    (error,) = report["exception"]["values"]
    assert (error["type"], error["stacktrace"]["frames"][-1]["function"]) == ("ValueError", "fails")
    assert report["request"] == {"method": "POST", "url": "http://testserver/api/v1/fails"}
    assert report["release"]


def test_a_report_opens_no_account():
    event = {"request": {"method": "GET", "url": "http://testserver/admin/haslo/MQ/c1x2-0a1b2c/?a=b"}}
    report = monitoring.without_people(event, {})
    assert report["request"] == {"method": "GET", "url": "http://testserver/admin/haslo/MQ/…/"}
