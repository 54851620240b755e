"""GET /prices."""

from decimal import Decimal

import pytest

from prices.models import Observation, Series
from tests import factories

pytestmark = pytest.mark.django_db

URL = "/api/v1/prices"


def test_series_golden(client, golden):
    coal = Series.objects.create(slug="wegiel-kamienny", variable_id=5088, variable_name="węgiel kamienny - za 1 t")
    power = Series.objects.create(slug="prad-g11")
    malopolskie = factories.krakow().voivodeship
    mazowieckie = factories.warszawa().voivodeship
    for series, area, year, value in [
        (coal, None, 2018, "887.30"),
        (coal, None, 2006, "491.54"),
        (power, mazowieckie, 2024, "1.02"),
        (power, malopolskie, 2024, "0.97"),
        (power, malopolskie, 2004, "0.40"),
        (power, None, 2024, "1.0123"),
    ]:
        Observation.objects.create(series=series, voivodeship=area, year=year, value=Decimal(value), source="GUS")
    answer = client.get(URL, {"anything": "ignored"})
    assert answer["Cache-Control"] == "public, max-age=86400"
    golden("prices", answer.json())
    assert list(answer.json()) == ["wegiel-kamienny", "prad-g11", "gaz-w11"]
    assert list(answer.json()["wegiel-kamienny"]["poland"]) == ["2006", "2018"]


def test_without_data_every_series_is_there_and_empty(client):
    answer = client.get(URL).json()
    assert [(row["poland"], row["voivodeships"]) for row in answer.values()] == [({}, {})] * 3
