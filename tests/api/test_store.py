"""GET /stores/{id}."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db

URL = "/api/v1/stores"


def test_store_golden(client, golden, django_assert_num_queries):
    factories.DepotFactory(pk=7, source_id="node/7")
    with django_assert_num_queries(1 + 1):  # the depot with its municipality and voivodeship; its price list
        answer = client.get(f"{URL}/7")
    golden("store", answer.json())


@pytest.mark.parametrize("trait", ["removed", "held"])
def test_what_is_not_published_is_not_found(client, trait):
    depot = factories.DepotFactory(**{trait: True})
    assert client.get(f"{URL}/{depot.pk}").status_code == 404


@pytest.mark.parametrize("pk", ["8", "999999999999999999"])
def test_unknown(client, pk):
    answer = client.get(f"{URL}/{pk}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("pk", ["0", "-1", "1.5", "abc", "1e3", "%00", "9" * 30, "%D9%A1", "1%0A"])
def test_refused(client, pk):
    answer = client.get(f"{URL}/{pk}")
    assert (answer.status_code, answer.json()["errors"][0]["parameter"]) == (400, "id")
