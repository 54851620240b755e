"""A new installation: what the starter data fill, and what readers see over them. They are loaded once."""

import pytest

from catalog import models
from tests.client import shared_rows
from tests.commands import run
from tests.pages.test_public_words import faults

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@shared_rows
def loaded():
    return run("load_starter")


def test_the_starter_fills_what_is_empty_and_only_that(client, loaded):
    assert models.Depot.objects.demonstration().count() == 6586
    assert "6586 depots (demonstration)" in loaded
    assert models.Depot.objects.values("municipality").distinct().count() == 1959
    assert set(models.Boundary.objects.values_list("approximate", flat=True)) == {True}
    assert not models.ImportRun.objects.exists(), "an installation is no import"
    assert run("load_starter") == ""
    assert client.get("/api/v1/locate?lat=50.0617&lon=19.9373").json()["teryt"] == "1261011"
    nearest = client.get("/api/v1/stores?postcode=30-001&limit=1").json()[0]
    assert nearest["name"].startswith("DEMO")
    assert "demonstracyjny" in nearest["source"]["description"]
    assert run("remove_demo").startswith("6586 demonstration depots and ")
    assert run("load_starter") == ""
    assert not models.Depot.objects.exists()


def test_its_pages_have_no_internal_words(client, loaded):
    wrong = faults(client)
    assert not wrong, wrong
