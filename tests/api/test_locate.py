import pytest
import shapely

from catalog.territory import boundaries, coordinates
from tests import factories

pytestmark = pytest.mark.django_db

URL = "/api/v1/locate"
LAT, LON = 50.0617, 19.9373


@pytest.fixture
def neighbours():
    """Create Kraków, a square of 20 km, and Zakopane on its eastern border. Return the x of the border."""
    x, y = coordinates.project(LAT, LON)
    factories.BoundaryFactory(municipality=factories.krakow(), area=area(x - 10_000, x + 10_000, y))
    factories.BoundaryFactory(municipality=factories.zakopane(), area=area(x + 10_000, x + 30_000, y), approximate=True)
    return x + 10_000, y


def area(west, east, y):
    return shapely.to_wkb(shapely.box(west, y - 10_000, east, y + 10_000))


def ask(client, x, y):
    lat, lon = factories.unproject(x, y)
    return client.get(URL, {"lat": f"{lat:.7f}", "lon": f"{lon:.7f}"})


def test_locate_golden(client, golden, neighbours):
    golden("locate_krakow", client.get(URL, {"lat": "50.0617", "lon": "19.9373"}).json())
    border, y = neighbours
    assert ask(client, border + 500, y).json()["approximate"] is True  # of the starter's boundaries


def test_on_a_shared_border_the_official_boundary_or_the_lower_code_wins(client, neighbours):
    for offset in (-0.04, -0.01, 0, 0.01, 0.04):
        border, y = neighbours
        assert ask(client, border + offset, y).json()["teryt"] == "1261011", offset


def test_outside_every_boundary_the_nearest_answers_up_to_100_m(client, neighbours):
    for metres, status in ((1, 200), (95, 200), (105, 404), (5_000, 404)):
        border, y = neighbours
        assert ask(client, border, y + 10_000 + metres).status_code == status, metres
    # Outside, too, what is as near as rounding tells is decided by kind and code.
    assert ask(client, border + 0.04, y + 10_001).json()["teryt"] == "1261011"


def test_lower_code_wins_between_boundaries_of_one_kind():
    first, second = factories.zakopane(), factories.krakow()
    x, y = coordinates.project(LAT, LON)
    factories.BoundaryFactory(municipality=first, area=area(x, x + 1000, y))
    factories.BoundaryFactory(municipality=second, area=area(x - 1000, x, y))
    assert boundaries.BoundaryIndex.load().get(LAT, LON).teryt == min(first.teryt, second.teryt)


def test_ends_of_the_ranges_and_outer_blanks_are_accepted_and_a_point_abroad_is_404(client, neighbours):
    for query in ("lat=48.8&lon=13.9", "lat=55.1&lon=24.3", "lat=52.52&lon=13.95"):
        answer = client.get(f"{URL}?{query}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), query
    assert client.get(f"{URL}?lat=+50.0617&lon=19.9373%20").status_code == 200


def test_exchanged_coordinates_are_named_and_nobody_is_told_to_leave_out_what_is_required(client):
    exchanged = {"lat=19.9366&lon=50.0614": True, "lat=0&lon=0": False, "lat=50&lon=50": False}
    told = {query: client.get(f"{URL}?{query}").json()["message"] for query in exchanged}
    assert {query: "look exchanged" in message for query, message in told.items()} == exchanged
    for path in ("locate?lat=&lon=20", "locations?q="):
        assert "leave" not in client.get(f"/api/v1/{path}").json()["message"]
