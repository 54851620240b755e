import subprocess
import sys

import pytest

from tests import ROOT


@pytest.mark.slow
def test_the_application_can_be_imported():
    code = "from tests.bench import app; assert app.application and app.urlpatterns[0].name is None"
    environment = {
        "SECRET_KEY": "x",
        "DATABASE_URL": "postgresql://u:p@host/name",
        "DJANGO_SETTINGS_MODULE": "fueldepot.settings",
    }
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


ASK_SMALLEST = """
from django.test import RequestFactory
from tests.bench.smallest import application, settings
told = {}
asked = RequestFactory().get("/bare", SERVER_NAME="127.0.0.1").environ
body = application(asked, lambda status, headers: told.update(headers))
assert list(body) == [b'{"status": "ok"}']
print(settings.MIDDLEWARE, told)
"""


@pytest.mark.slow
def test_the_smallest_application_has_no_middleware():
    done = subprocess.run([sys.executable, "-c", ASK_SMALLEST], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[] {'Content-Type': 'application/json'}\n", done.stderr
