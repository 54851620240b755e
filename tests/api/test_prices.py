from decimal import Decimal

import pytest

from fueldepot.http import cache_control
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
    assert answer["Cache-Control"] == cache_control.REGISTER
    golden("prices", answer.json())
    assert list(answer.json()) == ["wegiel-kamienny", "prad-g11", "gaz-w11"]
    assert list(answer.json()["wegiel-kamienny"]["poland"]) == ["2006", "2018"]


def test_without_data_every_series_is_there_and_empty(client):
    answer = client.get(URL).json()
    assert [(row["poland"], row["voivodeships"]) for row in answer.values()] == [({}, {})] * 3


def test_one_number_with_where_it_was_read(client):
    coal, power = Series.objects.create(slug="wegiel-kamienny"), Series.objects.create(slug="prad-g11")
    area = factories.krakow().voivodeship
    for series, voivodeship, year, source in [
        (coal, None, 2018, "Monitor Polski"),
        (power, None, 2018, "GUS"),
        (power, None, 2019, "GUS za X"),
        (power, area, 2019, "GUS"),
    ]:
        Observation.objects.create(
            series=series, voivodeship=voivodeship, year=year, value=Decimal("0.6"), source=source
        )

    def ask(**query):
        return client.get(URL, query).json()

    found = ask(series="prad-g11", year="2019")
    assert [(row["area"], row["teryt"], row["origin"]) for row in found["prad-g11"]["values"]] == [
        ("Polska", "", "GUS za X"),
        ("małopolskie", "12", "GUS"),
    ]
    assert (found["prad-g11"]["poland"], found["prad-g11"]["voivodeships"]) == (
        {"2019": 0.6},
        {"malopolskie": {"2019": 0.6}},
    )
    assert (found["wegiel-kamienny"]["poland"], found["wegiel-kamienny"]["values"]) == ({}, [])
    assert "as_of" in found["prad-g11"]["values"][0]
    poland = ask(year="2018", voivodeship="polska")
    assert [len(row["values"]) for row in poland.values()] == [1, 1, 0]
    assert [row["teryt"] for row in ask(voivodeship="Małopolskie")["prad-g11"]["values"]] == ["12"]
    assert "values" not in ask()["prad-g11"]


def test_a_wrong_query_is_refused(client):
    status = {"series=ropa": 400, "year=1998": 400, "year=x": 400, "voivodeship=_": 400, "voivodeship=narnia": 404}
    assert {query: client.get(f"{URL}?{query}").status_code for query in status} == status
