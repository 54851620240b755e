import pytest

from prices.models import DepotPrice
from tests import factories
from tests.bench import prices
from tests.fueldepot.sharers import run_python

IMPORT = "from tests.bench import app; assert app.application and app.urlpatterns[0].name is None"
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
def test_the_application_can_be_imported_and_the_smallest_has_no_middleware():
    environment = {"SECRET_KEY": "x", "DATABASE_URL": "postgresql://u:p@host/name"}
    done = run_python("-c", IMPORT, settings=environment | {"DJANGO_SETTINGS_MODULE": "fueldepot.settings"})
    assert done.returncode == 0, done.stderr
    done = run_python("-c", ASK_SMALLEST, settings={})
    assert done.stdout == "[] {'Content-Type': 'application/json'}\n", done.stderr


def test_prices_to_measure_are_stored_and_approved(monkeypatch, db):
    monkeypatch.setattr(prices, "settle", lambda: None)  # would close the connection of the test
    factories.DepotFactory.create_batch(2)
    prices.fill(5)
    assert len(prices.approve(prices.submit(2, 0))) == 2
    assert DepotPrice.objects.approved().count() == 7
