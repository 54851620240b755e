"""A missing or malformed setting stops the start with one clear line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
GOOD = {"SECRET_KEY": "x", "DATABASE_URL": "postgresql://u:p@host/name", "PATH": os.environ["PATH"]}


def start(**environment):
    """Import the settings in a process of its own. Returns exit status and standard error."""
    values = {key: value for key, value in {**GOOD, **environment}.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-c", "import fueldepot.settings"], cwd=ROOT, env=values, capture_output=True, text=True
    )
    return done.returncode, done.stderr


def test_good_settings_say_nothing():
    assert start() == (0, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("RATE_LIMIT", value) for value in ("off", "60/min", "5/sec", "1000/hour", "")),
        *(("CACHE_URL", value) for value in ("redis://host", "rediss://u:p@[::1]:6380/1", "unix:///run/redis.sock")),
        *(("DATABASE_REPLICA_URL", value) for value in ("postgresql://u:p@other/name", "")),
        *(("REPLICA_MAX_LAG", value) for value in ("1", "3600", "")),
        *(("TRUSTED_PROXIES", value) for value in ("127.0.0.1", "10.0.0.0/8, ::1,unix", " ")),
    ],
)
def test_good_values_say_nothing(name, value):
    assert start(**{name: value}) == (0, "")


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"SECRET_KEY": None}, "SECRET_KEY"),
        ({"SECRET_KEY": " "}, "SECRET_KEY"),
        ({"DATABASE_URL": None}, "DATABASE_URL"),
        ({"DATABASE_URL": "nonsense"}, "DATABASE_URL"),
        ({"DATABASE_URL": "sqlite:///x.db"}, "DATABASE_URL"),
        ({"DATABASE_URL": "postgresql://u:p@host:notaport/name"}, "DATABASE_URL"),
        ({"DATABASE_REPLICA_URL": "nonsense"}, "DATABASE_REPLICA_URL"),
        ({"DATABASE_REPLICA_URL": "postgresql://u:p@host:notaport/name"}, "DATABASE_REPLICA_URL"),
        ({"REPLICA_MAX_LAG": "0"}, "REPLICA_MAX_LAG"),
        ({"REPLICA_MAX_LAG": "5s"}, "REPLICA_MAX_LAG"),
        ({"REPLICA_MAX_LAG": "3601"}, "REPLICA_MAX_LAG"),
        ({"DEBUG": "maybe"}, "DEBUG"),
        ({"SITE_URL": "example.pl"}, "SITE_URL"),
        ({"SITE_URL": "https://example.pl/path"}, "SITE_URL"),
        ({"SITE_URL": "http://example.pl:abc"}, "SITE_URL"),
        ({"SITE_URL": "http://example.pl:99999"}, "SITE_URL"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"EMAIL_URL": "mail.example.pl"}, "EMAIL_URL"),
        ({"EMAIL_URL": "pigeon://mail.example.pl"}, "EMAIL_URL"),
        ({"EMAIL_URL": "smtp://"}, "EMAIL_URL"),
        ({"EMAIL_URL": "smtp://mail.example.pl:abc"}, "EMAIL_URL"),
        ({"ALLOWED_HOSTS": " , "}, "ALLOWED_HOSTS"),
        ({"RATE_LIMIT": "60"}, "RATE_LIMIT"),
        ({"RATE_LIMIT": "none"}, "RATE_LIMIT"),
        ({"CACHE_URL": "memcached://host"}, "CACHE_URL"),
        ({"CACHE_URL": "redis://"}, "CACHE_URL"),
        ({"CACHE_URL": "redis://host:x/0"}, "CACHE_URL"),
        ({"CACHE_URL": "unix://socket"}, "CACHE_URL"),
        ({"TRUSTED_PROXIES": "10.0.0.1/8"}, "TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "proxy.example.pl"}, "TRUSTED_PROXIES"),
    ],
)
def test_a_bad_one_ends_the_start_in_one_line(environment, name):
    status, said = start(**environment)
    assert status == 1
    assert name in said
    assert len(said.strip().splitlines()) == 1
