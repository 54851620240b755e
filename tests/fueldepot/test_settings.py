"""Missing and malformed settings stop the start with one line."""

import os
import re
import runpy
import subprocess
from collections import UserDict
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest
from django.db.backends.postgresql.base import DatabaseWrapper
from django.http.request import validate_host

from fueldepot.http.rate_limit import RateLimit
from tests import ROOT

GOOD = {"SECRET_KEY": "x", "DATABASE_URL": "postgresql://u:p@host/name", "PATH": os.environ["PATH"]}


def given(environment):
    """The environment of a start: good settings but for those named, without those that are None."""
    return {key: value for key, value in {**GOOD, **environment}.items() if value is not None}


@pytest.fixture
def start(monkeypatch):
    """Read the settings anew in an environment. Returns them, or the line that would end the start."""

    def read(**environment):
        with monkeypatch.context() as patch:
            patch.setattr(os, "environ", given(environment))
            patch.setattr("environ.Env.ENVIRON", os.environ)
            try:
                return runpy.run_path(str(ROOT / "fueldepot" / "settings.py"))
            except SystemExit as end:
                return end.code

    return read


def test_good_values_are_taken_and_nothing_is_said(start, capfd):
    for name, value, meant in (
        ("RATE_LIMIT", "off", None),
        ("RATE_LIMIT", "60/min", RateLimit(60, 60)),
        ("RATE_LIMIT", "5/sec", RateLimit(5, 1)),
        ("RATE_LIMIT", "1000/hour", RateLimit(1000, 3600)),
        ("RATE_LIMIT", "", RateLimit(60, 60)),
        ("EDITOR_BULK_LIMIT", "", 200),
        ("EDITOR_BULK_LIMIT", "25", 25),
        *(("CACHE_URL", url, url) for url in ("redis://host", "rediss://u:p@[::1]:6380/1", "unix:///run/redis.sock")),
        ("TRUSTED_PROXIES", "127.0.0.1", ["127.0.0.1"]),
        ("TRUSTED_PROXIES", "10.0.0.0/8, ::1,unix", ["10.0.0.0/8", "::1", "unix"]),
        ("TRUSTED_PROXIES", " ", []),
        ("ADMIN_NETWORKS", "10.0.0.0/8,::1", ["10.0.0.0/8", "::1"]),
        ("SECOND_FACTOR", "", "optional"),
        ("SECOND_FACTOR", "Chiefs", "chiefs"),
        ("DEBUG", "on", True),
        ("DEBUG", "No", False),
        ("DEBUG", None, False),
        ("CONTACT_EMAIL", "redakcja@example.pl", "redakcja@example.pl"),
        ("CONTACT_EMAIL", "", ""),
        ("SITE_URL", "HTTP://Localhost:8000/", "http://localhost:8000"),
    ):
        assert start(**{name: value})[name] == meant, name
    assert capfd.readouterr() == ("", "")


def test_the_host_of_the_site_may_be_asked_for(start):
    for url, hosts in (
        ("https://a.pl:8443", "a.pl"),
        ("https://a.pl", "b.pl, A.pl"),
        ("https://www.a.pl", ".a.pl"),
        ("https://a.pl", "*"),
        ("https://a.pl", None),
        ("http://[::1]:8000", "localhost,[::1]"),
        ("http://[::1]:8000", None),
    ):
        found = start(SITE_URL=url, ALLOWED_HOSTS=hosts, EMAIL_URL="smtp://host")["ALLOWED_HOSTS"]
        assert validate_host(urlsplit(url).netloc.partition(":8")[0], found), url


def test_the_database_may_be_one_of_several_servers(start):
    """As libpq wants it: a port, or nothing, for each host; the primary is the one that takes changes."""
    wanted = {"user": "u", "password": "p@w", "dbname": "name"}
    wanted |= {"target_session_attrs": "read-write", "sslmode": "require", "connect_timeout": 2}
    for servers, hosts, ports in (
        ("a,b,c", "a,b,c", ",,"),
        ("a:5432,b:5433", "a,b", "5432,5433"),
        ("a,b:5433", "a,b", ",5433"),
        ("[::1]:5432,[::2]", "::1,::2", "5432,"),
        ("%2Fvar%2Frun%2Fa,b", "/var/run/a,b", ","),
    ):
        url = f"postgresql://u:p%40w@{servers}/name?target_session_attrs=read-write&sslmode=require"
        given = DatabaseWrapper(start(DATABASE_URL=url)["DATABASES"]["default"] | {"TIME_ZONE": None})
        expected = wanted | {"host": hosts, "port": ports}
        assert expected.items() <= given.get_connection_params().items(), servers


def test_letters_are_printed_on_this_machine_only_and_lie_in_the_folder_that_is_named(start):
    here = ("http://127.0.0.1:8000", "http://localhost", "http://a.localhost", "http://[::1]")
    for environment in (*({"SITE_URL": url} for url in here), {"SITE_URL": "http://host", "DEBUG": "on"}):
        assert start(**environment)["EMAIL_BACKEND"].endswith("console.EmailBackend"), environment
    for url in ("filemail:///var/letters", "filemail:////var/letters"):
        assert start(EMAIL_URL=url)["EMAIL_FILE_PATH"] == "/var/letters", url


def test_a_file_may_hold_a_secret(start, tmp_path):
    values = GOOD | {"EMAIL_URL": "smtp://mail", "CACHE_URL": "redis://r", "SENTRY_DSN": "https://k@host/1"}
    values["BDL_CLIENT_ID"] = "y"
    file = tmp_path / "secret"
    shown = ("SECRET_KEY", "DATABASES", "EMAIL_HOST", "CACHE_URL", "SENTRY_DSN", "BDL_CLIENT_ID")
    for name in values.keys() - {"PATH"}:
        file.write_text(f" {values[name]}\n")
        from_file, direct = start(**{name: None, f"{name}_FILE": str(file)}), start(**{name: values[name]})
        # A setting that equals Django's default is none of the module.
        assert {key: from_file.get(key) for key in shown} == {key: direct.get(key) for key in shown}, name
        assert [key for key in shown if key not in direct] == ([] if name == "EMAIL_URL" else ["EMAIL_HOST"])


def test_a_file_of_a_secret_that_is_no_good_is_one_line(start):
    unread = "names /missing, which cannot be read: No such file or directory"
    for environment, end in (
        ({"SECRET_KEY": None, "SECRET_KEY_FILE": "/missing"}, unread),
        ({"SECRET_KEY_FILE": "/x"}, "is set, and so is SECRET_KEY; use one of them"),
    ):
        assert start(**environment) == f"fueldepot: the environment variable SECRET_KEY_FILE {end}", environment


EXAMPLE = ROOT / ".env.example"
OF_THE_UNIT = {"ADDRESS", "WORKERS"}
"""What `docs/deployment/fueldepot@.service` reads, and not the settings."""
OF_COMPOSE = {"POSTGRES_PASSWORD"}
"""What `compose.yaml` reads."""


def as_systemd_reads(text):
    """Variables of an environment file; every line of it that is no comment is one."""
    # systemd takes quotes around a whole value away and replaces nothing; a shell would replace what has these signs.
    lines = re.findall(r"""^([A-Z_]+)=(['"]?)([^'"$`\\\n]+)\2$""", text, re.MULTILINE)
    found = {name: value for name, _, value in lines}
    assert len(found) == sum(not line.startswith("#") for line in text.splitlines() if line)
    return found


def test_the_example_is_read_alike_by_shells_and_systemd(start):
    by_systemd = as_systemd_reads(EXAMPLE.read_text())
    command = ["sh", "-euc", 'set -a; . "$1"; env -0', "sh", EXAMPLE]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env={}).stdout
    by_shell = dict(line.split("=", 1) for line in printed.split("\0")[:-1])
    assert by_systemd.items() <= by_shell.items()
    read = start(**by_systemd)
    assert read["SITE_NAME"] == "Składy opału"
    assert (read["EMAIL_HOST"], read["EMAIL_HOST_USER"]) == ("mail.example.pl", "redakcja@example.pl")
    # A key that everybody can read would sign everybody's links.
    assert "SECRET_KEY is not set" in start(SECRET_KEY=None, **by_systemd)


class Noting(UserDict):
    """An environment that records the variables read."""

    seen = set()
    get, __contains__ = Mapping.get, Mapping.__contains__  # both by `__getitem__`

    def __getitem__(self, name):
        self.seen.add(name)
        return super().__getitem__(name)


def test_the_example_and_the_document_have_every_setting_and_no_other(monkeypatch):
    text = EXAMPLE.read_text()
    named = set(re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE))
    noting = Noting(GOOD)
    monkeypatch.setattr("environ.Env.ENVIRON", noting)
    runpy.run_path(str(ROOT / "fueldepot" / "settings.py"))
    assert named - OF_THE_UNIT - OF_COMPOSE == {name for name in noting.seen if name.isupper()}
    documented = re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    assert sorted(documented) == sorted(named - OF_THE_UNIT - OF_COMPOSE)
    unit = (ROOT / "docs" / "deployment" / "fueldepot@.service").read_text()
    assert set(re.findall(r"\$\{([A-Z]+)\}", unit)) == OF_THE_UNIT
    assert set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text())) == OF_COMPOSE
    # All of them are good as they stand, those that are commented out too.
    assert named == set(as_systemd_reads(re.sub(r"^#(?=[A-Z_]+=)", "", text, flags=re.MULTILINE)))


def test_a_bad_one_ends_the_start_in_one_line(start):
    alone = (
        ("SECRET_KEY", (None, " ")),
        ("DATABASE_URL", (None, "nonsense", "embedded", "sqlite:///x.db")),
        ("DATABASE_URL", ("postgresql://u:p@host:notaport/name", "postgresql://u:p@a:notaport,b/name")),
        ("DEBUG", ("maybe",)),
        ("SITE_URL", ("example.pl", "https://example.pl/path", "http://example.pl:abc", "http://example.pl:99999")),
        ("SITE_URL", ("https://u:p@example.pl", "https://example.pl#a", "https://skład.pl", "https://a b.pl")),
        ("SITE_URL", ("http://[::1",)),
        ("ALLOWED_HOSTS", ("", "example.pl", " , ")),
        ("CONTACT_EMAIL", ("redakcja", "a@example.pl, b@example.pl")),
        ("EMAIL_URL", ("filemail://letters", "filemail:///", "mail.example.pl", "pigeon://mail.example.pl")),
        ("EMAIL_URL", ("smtp://", "smtp://mail.example.pl:abc", "smtp://u:p[w@mail.example.pl")),
        ("RATE_LIMIT", ("60", "none")),
        ("EDITOR_BULK_LIMIT", ("0", "dużo")),
        ("MAP_TILES_URL", ("/tiles/{z}/{x}/{y}.png", "https://tiles.example.pl/{z}/{x}.png")),
        ("MAP_TILES_URL", ("https://a; script-src *//{z}/{x}/{y}.png", "https://[a/{z}/{x}/{y}.png")),
        ("SENTRY_DSN", ("here", "https://k@[host/1")),
        ("CACHE_URL", ("memcached://host", "redis://", "redis://host:x/0", "redis://host/limits", "unix://socket")),
        ("TRUSTED_PROXIES", ("10.0.0.1/8", "proxy.example.pl")),
        ("ADMIN_NETWORKS", ("10.0.0.1/8", "unix")),
        ("SECOND_FACTOR", ("on",)),
    )
    together = (
        ({"SITE_URL": "https://a.pl", "EMAIL_URL": "smtp://host", "ALLOWED_HOSTS": "b.pl,www.a.pl"}, "ALLOWED_HOSTS"),
        ({"SITE_URL": "https://sklady.example.pl"}, "EMAIL_URL"),
        ({"SITE_URL": "http://192.168.1.5:8000", "EMAIL_URL": " "}, "EMAIL_URL"),
    )
    for environment, name in (*(({name: value}, name) for name, values in alone for value in values), *together):
        text = start(**environment)
        assert isinstance(text, str), (name, text)  # which Python prints alone, with the exit status 1
        assert re.fullmatch(f"fueldepot: the environment variable {name} .*", text), environment
