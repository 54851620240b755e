"""Security headers, checks of deployments, security.txt."""

import os
import re

import pytest
from django.conf import settings as configured
from django.core.management import get_commands
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog.depots.attribution import tiles_credit
from fueldepot import middleware
from tests import ROOT, factories
from tests.fueldepot.sharers import run_python
from tests.fueldepot.test_checks import record_nightly_jobs
from tests.ops.databases import url
from tests.regulations.factories import DeadlineFactory

PAGES = ["/", "/dotacja/", "/przepisy/", "/ceny/", "/api/", "/nothing/"]

DOCUMENTED = (ROOT / "docs" / "settings.md").read_text()
GEOPORTAL = re.search(r"MAP_TILES_URL='(https://.*)'", DOCUMENTED)[1]
"""The address of the national service, as the document of settings gives it."""

SCRIPT = r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/(?:ld\+)?json\")[^>]*>|javascript:"
INLINE = re.compile(rf"{SCRIPT}|<style|\sstyle=|\son[a-z]+=", re.IGNORECASE)
INLINE_SCRIPT = re.compile(rf"{SCRIPT}|<[a-z][^>]*\son[a-z]+=", re.IGNORECASE)


@pytest.mark.django_db
def test_pages_need_nothing_that_the_policy_forbids():
    headers = {
        "Content-Security-Policy": middleware.STRICT,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "X-Frame-Options": "DENY",
    }
    assert "unsafe" not in middleware.STRICT
    for path in PAGES:
        answer = Client().get(path)
        assert headers.items() <= dict(answer.items()).items(), path
        assert answer["Permissions-Policy"].startswith("geolocation=(self)")
        assert INLINE.findall(answer.content.decode()) == [], path
        assert not re.search(r'(?:src|action)="(?:https?:)?//', answer.content.decode()), path


@pytest.mark.django_db
def test_a_kept_page_keeps_its_policies():
    depot = factories.DepotFactory(municipality=factories.krakow())
    for path in ("/", f"/osadz/sklad/{depot.pk}/", "/api/v1/prices/pellet"):
        kept = Client().get(path)
        answer = Client().get(path, headers={"If-None-Match": kept["ETag"]})
        assert answer.status_code == 304, path
        # Browsers put the headers of a 304 in place of the kept ones.
        changed = {name for name, value in answer.items() if kept.get(name) != value}
        assert changed == {"X-Request-ID"}, path


@pytest.mark.django_db
def test_answers_of_the_api_load_nothing_and_refusals_of_django_have_the_policies():
    assert middleware.DATA == "default-src 'none'; frame-ancestors 'none'"
    assert Client().get("/api/v1/subsidy?people=2")["Content-Security-Policy"] == middleware.DATA
    for path, policy in (("/api/v1/prices", middleware.DATA), ("/dane/", middleware.STRICT)):
        for answer in (Client().get(path, headers={"If-Match": '"other"'}), Client().put(path)):
            assert (answer["Content-Security-Policy"], answer["X-Content-Type-Options"]) == (policy, "nosniff")
            assert ("Permissions-Policy" in answer, answer["Referrer-Policy"]) == (path == "/dane/", "same-origin")


def test_tiles_are_credited_to_whom_they_belong():
    assert tiles_credit(GEOPORTAL) == "GUGiK, mapy.geoportal.gov.pl"
    credit = tiles_credit("https://{s}.tiles.example.pl/{z}/{x}/{y}.png")
    assert credit.startswith("© autorzy <a href=")
    assert credit.endswith(", tiles.example.pl")


def test_pages_may_load_tiles_from_the_server_of_the_operator_alone(settings):
    for tiles, server in (
        ("https://tiles.example.pl/{z}/{x}/{y}.png?key=1", "https://tiles.example.pl "),
        ("http://{s}.tiles.example.pl:8080/{z}/{x}/{y}.png", "http://*.tiles.example.pl:8080 "),
        (GEOPORTAL, "https://mapy.geoportal.gov.pl "),
        ("", ""),
    ):
        settings.MAP_TILES_URL = tiles
        policy = Client().get("/nie-ma/")["Content-Security-Policy"]
        allowed = f"img-src 'self' {server}data:;"
        assert allowed in policy, tiles
        assert policy.replace(allowed, "img-src 'self' data:;") == middleware.STRICT


def test_templates_hold_nothing_inline():
    """Letters may: mail programs read no other style, and no policy of ours reaches them.

    So may a chart that is a file, whose own policy allows styles and nothing else.
    """
    site = ROOT / "templates" / "site"
    alone = {*(site / "mail").glob("*"), site / "pages" / "svg" / "months_file.html"}
    for template in set((ROOT / "templates").rglob("*.html")) - alone:
        assert INLINE.findall(template.read_text()) == [], template


@pytest.mark.django_db
def test_pages_of_the_admin_run_no_inline_script(desk):
    factories.DepotPriceFactory(depot=factories.DepotFactory(municipality=factories.krakow()))
    deadline = DeadlineFactory()
    for page in (
        *("/admin/", "/admin/catalog/depot/", "/admin/prices/depotprice/", "/admin/prices/depotprice/add/"),
        *("/admin/prices/depotprice/import/", f"/admin/regulations/deadline/{deadline.pk}/change/"),
        reverse("admin:regulations_deadline_history", args=[deadline.pk]),
    ):
        answer = desk.get(page)
        assert (answer.status_code, answer["Content-Security-Policy"]) == (200, middleware.ADMIN)
        assert INLINE_SCRIPT.findall(answer.content.decode()) == [], page
        assert "no-cache" in answer["Cache-Control"]
    assert "script-src 'self';" in middleware.ADMIN


PRODUCTION = {
    "PATH": os.environ["PATH"],
    "SECRET_KEY": "ten-thousand-monkeys-typed-this-0123456789-ąęłóż-so-nobody-else-will",
    "DATABASE_URL": "postgresql://u:p@host/name",
    "SITE_URL": "https://sklady.example.pl",
    "TRUSTED_PROXIES": "127.0.0.1",
    "EMAIL_URL": "smtp+tls://user:password@mail.example.pl:587",
}


def production(*arguments, **environment):
    return run_python(*arguments, settings=PRODUCTION, **environment)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_deploy_check_is_clean_in_production():
    """With recent nightly jobs and a legal state."""
    record_nightly_jobs(timezone.now())
    here = url(str(connection.settings_dict["NAME"]))
    done = production("manage.py", "check", "--deploy", "--fail-level", "WARNING", DATABASE_URL=here)
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (5 silenced).\n"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "named"),
    [
        (
            {"TRUSTED_PROXIES": "", "DEBUG": "on", "SECRET_KEY": "short"},
            {"fueldepot.W002", "security.W008", "security.W009", "security.W018"},
        ),
        ({"EMAIL_URL": "consolemail://"}, {"fueldepot.W003"}),
        (
            {"SITE_URL": "http://sklady.example.pl"},
            {"fueldepot.W001", *(f"security.W{number}" for number in ("004", "008", "010", "016"))},
        ),
    ],
)
def test_the_deploy_check_names_what_is_missing(environment, named):
    done = production("manage.py", "check", "--deploy", "--fail-level", "WARNING", **environment)
    assert done.returncode == 1
    assert "(fueldepot.W010) the database cannot be asked: " in done.stderr
    assert "Traceback" not in done.stderr
    assert set(re.findall(r"\((\w+\.W\d+)\)", done.stderr)) == named | {"fueldepot.W010"}


def test_what_callers_reach_cannot_read_dumps():
    unit = (ROOT / "docs" / "deployment" / "fueldepot@.service").read_text()
    assert "\nInaccessiblePaths=-/var/backups/fueldepot\n" in unit


def test_what_timers_start_is_there_and_writes_and_is_confined():
    for name, writes, when in (
        ("refresh", "--commit", r"\*-\*-\* "),
        ("purge", "--commit", r"\*-\*-\* "),
        ("backup", "/var/backups/fueldepot", r"\*-\*-\* "),
        ("letters", "--commit", r"\*:0/15$"),
    ):
        unit = (ROOT / "docs" / "deployment" / f"fueldepot-{name}.service").read_text()
        command, option = re.search(r"^ExecStart=\S+/python manage\.py (\w+) (\S+)$", unit, re.MULTILINE).groups()
        assert command in get_commands()
        assert option == writes
        confined = {f"{setting}=yes" for setting in ("NoNewPrivileges", "ProtectHome", "PrivateTmp")}
        assert confined | {"ProtectSystem=strict", "User=fueldepot"} <= set(unit.splitlines())
        timer = (ROOT / "docs" / "deployment" / f"fueldepot-{name}.timer").read_text()
        assert re.search(rf"^OnCalendar={when}", timer, re.MULTILINE), name


@pytest.mark.django_db
def test_https_is_insisted_on(settings):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    caller = Client()
    answer = caller.get("/dotacja/")
    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/dotacja/")
    proxied = caller.get("/dotacja/", headers={"x-forwarded-proto": "https"})
    assert (proxied.status_code, proxied["Strict-Transport-Security"]) == (200, "max-age=31536000; includeSubDomains")
    assert caller.get("/healthz").status_code == 200


def test_browsers_find_the_icon_and_security_txt_the_address_where_there_is_one(client, settings):
    icon = client.get("/favicon.ico")
    assert (icon.status_code, icon["Location"]) == (302, "/static/pages/icon.svg")
    assert "max-age=86400" in icon["Cache-Control"]
    settings.CONTACT_EMAIL = ""
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.CONTACT_EMAIL = "redakcja@example.pl"
    answer = client.get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert fields["Contact"] == "mailto:redakcja@example.pl"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", fields["Expires"])
    assert fields["Canonical"] == f"{configured.SITE_URL}/.well-known/security.txt"
