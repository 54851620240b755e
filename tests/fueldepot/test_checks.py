import os
from datetime import timedelta
from types import SimpleNamespace

import psycopg
import pytest
from django.utils import timezone

from catalog.models import Dataset, ImportRun
from fueldepot import checks
from tests.fueldepot.sharers import NOWHERE, refusal
from tests.ops.databases import fresh_database, url
from tests.ports import free_port


@pytest.mark.django_db
def test_this_server_is_new_enough_and_an_old_one_is_an_error(monkeypatch):
    assert [*checks.check_postgresql(databases=["default"])] == []
    info = SimpleNamespace(server_version=140010, parameter_status=lambda name: "UTF8")
    old = SimpleNamespace(ensure_connection=lambda: None, connection=SimpleNamespace(info=info))
    monkeypatch.setattr(checks, "connections", {"default": old})
    (message,) = checks.check_postgresql(databases=["default"])
    assert message.id == "fueldepot.E001"


COMMANDS = (
    *("manage.py migrate", "-m fueldepot purge_submissions", "-m fueldepot.local.serve --port {port}"),
    "-m gunicorn fueldepot.wsgi --config fueldepot/gunicorn.py --bind 127.0.0.1:{port}",
)
ANOTHER = "make another: createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 …"
UNFIT = {
    "SQL_ASCII": f"is SQL_ASCII, not UTF-8; {ANOTHER} (fueldepot.E002)",
    "UTF8": f"has a locale that knows no Polish letters; {ANOTHER} (fueldepot.E003)",
}


def refusal_of(command, address):
    # Python warns where static files were not collected.
    environment = {"SECRET_KEY": "x", "DATABASE_URL": address, "PYTHONWARNINGS": "ignore"}
    return refusal(*command.format(port=free_port()).split(), **environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "command"), [*(("SQL_ASCII", command) for command in COMMANDS), ("UTF8", COMMANDS[0])]
)
def test_a_database_that_does_not_know_polish_letters_is_refused(transactional_db, encoding, command):
    with fresh_database("c", f"LOCALE_PROVIDER libc LOCALE 'C' ENCODING '{encoding}'") as name:
        assert refusal_of(command, url(name)) == f"fueldepot: database 'default' {UNFIT[encoding]}"
        with psycopg.connect(url(name)) as database:
            assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_is_away_is_one_line(command):
    assert refusal_of(command, NOWHERE).startswith("fueldepot: the database cannot be used: connection ")


def ids(messages):
    return [message.id for message in messages]


HTTPS = "https://sklady.example.pl"
CONSOLE, SMTP = "django.core.mail.backends.console.EmailBackend", "django.core.mail.backends.smtp.EmailBackend"


def test_a_public_site_has_https_a_proxy_and_a_mail_server(settings):
    for site, proxies, backend, warnings in (
        ("http://127.0.0.1:8000", [], CONSOLE, ["fueldepot.W001"]),
        (HTTPS, [], SMTP, ["fueldepot.W002"]),
        (HTTPS, ["127.0.0.1"], SMTP, []),
        (HTTPS, ["127.0.0.1"], CONSOLE, ["fueldepot.W003"]),
    ):
        settings.SITE_URL, settings.TRUSTED_PROXIES, settings.EMAIL_BACKEND = site, proxies, backend
        assert ids(checks.check_public_site()) == warnings


def test_a_settings_file_is_closed_to_others_and_the_service_can_read_it(tmp_path, monkeypatch, settings):
    settings.BASE_DIR = tmp_path
    file = tmp_path / "fueldepot.env"
    monkeypatch.setattr(checks, "SETTINGS_FILE", file)
    assert [*checks.check_secret_files()] == []  # there need not be one
    file.touch()
    for mode, found in ((0o644, ["fueldepot.W005"]), (0o642, ["fueldepot.W005"]), (0o640, []), (0o600, [])):
        file.chmod(mode)
        assert ids(checks.check_secret_files()) == found, oct(mode)
    monkeypatch.setattr(os, "access", lambda path, how: False)  # root may read everything
    assert ids(checks.check_secret_files()) == ["fueldepot.W004"]


def record_nightly_jobs(now):
    """What has to happen every night happens now, with a legal state of today."""
    law = {"slug": Dataset.Slug.REGULATIONS, "as_of": now.date(), "row_count": 16, "source": "x"}
    Dataset.objects.create(version=1, changed_at=now, **law)
    for source in ("purge_requests", "back_up", "teryt-terc"):
        ImportRun.objects.create(source=source, started=now, finished=now, outcome=ImportRun.Outcome.IMPORTED)


@pytest.mark.django_db
def test_what_has_to_happen_every_night_is_missed():
    now = timezone.now()
    assert ids(checks.check_jobs()) == ["fueldepot.W006", "fueldepot.W007", "fueldepot.W008", "fueldepot.W009"]
    record_nightly_jobs(now)
    assert [*checks.check_jobs()] == []
    ImportRun.objects.update(started=now - timedelta(days=400), finished=now - timedelta(days=400))
    assert ids(checks.check_jobs()) == ["fueldepot.W006", "fueldepot.W007", "fueldepot.W008"]
