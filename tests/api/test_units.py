"""GET /locate, GET /municipalities/{teryt} and GET /postcodes/{code}."""

import pytest
import shapely

from catalog.territory import boundaries, coordinates
from tests import factories
from tests.client import shared_rows

pytestmark = pytest.mark.django_db

UNITS, CODES, LOCATE = "/api/v1/municipalities", "/api/v1/postcodes", "/api/v1/locate"
LAT, LON = 50.0617, 19.9373


@shared_rows
def krakow():
    """Create Kraków, a square of 20 km, with a postcode, two published depots and a held one."""
    unit = factories.krakow()
    factories.BoundaryFactory(municipality=unit, area=shapely.to_wkb(factories.square(50.06, 19.94, 20)))
    factories.PostcodeFactory(code="31-002")
    factories.PostcodeFactory(code="30-001")
    factories.DepotFactory.create_batch(2)
    factories.DepotFactory(held=True)
    return unit


# First those without Kraków, which stays until the end of the module.


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
    return client.get(LOCATE, {"lat": f"{lat:.7f}", "lon": f"{lon:.7f}"})


def test_locate_golden(client, golden, neighbours):
    golden("locate_krakow", client.get(LOCATE, {"lat": "50.0617", "lon": "19.9373"}).json())
    border, y = neighbours
    assert ask(client, border + 500, y).json()["approximate"] is True  # of the starter's boundaries


def test_on_a_shared_border_the_official_boundary_wins_and_outside_of_all_the_nearest_up_to_100_m(client, neighbours):
    border, y = neighbours
    for offset in (-0.04, -0.01, 0, 0.01, 0.04):
        assert ask(client, border + offset, y).json()["teryt"] == "1261011", offset
    for metres, status in ((1, 200), (95, 200), (105, 404), (5_000, 404)):
        assert ask(client, border, y + 10_000 + metres).status_code == status, metres
    # Outside, too, what is as near as rounding tells is decided by kind and code.
    for offset, teryt in ((0.04, "1261011"), (50, "1217011")):
        assert ask(client, border + offset, y + 10_001).json()["teryt"] == teryt, offset


def test_lower_code_wins_between_boundaries_of_one_kind():
    first, second = factories.zakopane(), factories.krakow()
    x, y = coordinates.project(LAT, LON)
    factories.BoundaryFactory(municipality=first, area=area(x, x + 1000, y))
    factories.BoundaryFactory(municipality=second, area=area(x - 1000, x, y))
    assert boundaries.BoundaryIndex.load().get(LAT, LON).teryt == min(first.teryt, second.teryt)


def test_ends_of_the_ranges_and_outer_blanks_are_accepted_and_a_point_abroad_is_404(client, neighbours):
    for query in ("lat=48.8&lon=13.9", "lat=55.1&lon=24.3", "lat=52.52&lon=13.95"):
        answer = client.get(f"{LOCATE}?{query}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), query
    assert client.get(f"{LOCATE}?lat=+50.0617&lon=19.9373%20").status_code == 200


def test_exchanged_coordinates_are_named_and_nobody_is_told_to_leave_out_what_is_required(client):
    exchanged = {"lat=19.9366&lon=50.0614": True, "lat=0&lon=0": False, "lat=50&lon=50": False}
    told = {query: client.get(f"{LOCATE}?{query}").json()["message"] for query in exchanged}
    assert {query: "look exchanged" in message for query, message in told.items()} == exchanged
    for path in ("locate?lat=&lon=20", "locations?q="):
        assert "leave" not in client.get(f"/api/v1/{path}").json()["message"]


def test_a_municipality_without_boundary_has_no_position(client):
    factories.zakopane()
    body = client.get(f"{UNITS}/1217011").json()
    assert (body["lat"], body["lon"], body["bbox"], body["approximate"]) == (None, None, None, None)
    assert (body["postcodes"], body["depots"]) == ([], 0)
    feature = client.get(f"{UNITS}/1217011?format=geojson").json()
    assert feature["geometry"] is None
    assert "bbox" not in feature


def test_postcode_golden_and_shares_that_are_unknown_where_addresses_were_not_counted(client, golden):
    krakow, warszawa = factories.krakow(), factories.warszawa()
    for code, addresses in (("30-001", 9), ("30-002", 0)):
        factories.PostcodeFactory(code=code, shares=[(krakow, 3), (warszawa, addresses)])
    golden("postcode_two_voivodeships", client.get(f"{CODES}/30-001").json())
    assert client.get(f"{CODES}/30001").content == client.get(f"{CODES}/30-001").content
    assert [unit["share"] for unit in client.get(f"{CODES}/30-002").json()["municipalities"]] == [None, None]


def test_without_numbers_a_town_then_the_municipality_around_the_centre_is_the_main_one(client):
    town, around = factories.nowy_targ_town(), factories.nowy_targ_rural()
    rural, mixed = factories.municipality("1211042", "Czorsztyn"), factories.municipality("1211123", "Rabka-Zdrój")
    factories.BoundaryFactory(municipality=around, lat=49.5, lon=20.0)
    factories.BoundaryFactory(municipality=rural, lat=49.45, lon=20.4)
    for code, units, main in (
        ("34-404", (rural, around), around),
        ("34-400", (rural, around, town), town),
        ("34-700", (rural, mixed), mixed),
    ):
        factories.PostcodeFactory(code=code, lat=49.5051, lon=19.9769, shares=[(unit, 0) for unit in units])
        assert client.get(f"{CODES}/{code}").json()["municipalities"][0]["teryt"] == main.teryt
        (entry,) = client.get(f"/api/v1/regulations?postcode={code}").json()
        assert entry["requested_unit"]["teryt"] == main.teryt


def test_a_part_of_a_municipality_names_it(client):
    factories.municipality("1211113", "Szczawnica")
    factories.warszawa()
    factories.krakow()
    parts = {"1211114": "1211113", "1211115": "1211113", "1465028": "1465011", "1261029": "1261011"}
    for address in ("municipalities/{}", "stores?teryt={}", "regulations?teryt={}"):
        for teryt, whole in parts.items():
            answer = client.get(f"/api/v1/{address.format(teryt)}")
            assert answer.status_code == 404
            assert answer.json()["message"].startswith(f"teryt {teryt} is a part of the municipality ")
            assert answer.json()["message"].endswith(f"; ask for {whole}.")
        for teryt in ("1211128", "1211124", "1261999", "1261069", "1261028", "1465208", "1465029"):
            message = client.get(f"/api/v1/{address.format(teryt)}").json()["message"]
            assert message == f"no unit has the TERYT code {teryt}; /api/v1/locations finds codes by name."


def test_a_code_wrong_in_its_last_digit_names_the_right_one_and_a_part_of_one_that_left_who_follows(client):
    factories.zakopane(), factories.FormerMunicipalityFactory(teryt="1299013")
    wrong, left = (client.get(f"{UNITS}/{teryt}").json()["message"] for teryt in ("1217012", "1299014"))
    assert wrong == "no unit has the TERYT code 1217012; that of the municipality Zakopane is 1217011."
    assert left.endswith("Kraków; ask for 1261011.")


def test_a_municipality_as_geojson_by_parameter_header_or_address(client, krakow):
    answer = client.get(f"{UNITS}/1261011?format=geojson")
    assert answer["Content-Type"] == "application/geo+json"
    feature = answer.json()
    area = shapely.geometry.shape(feature["geometry"])
    assert feature["properties"] == client.get(f"{UNITS}/1261011").json()
    assert feature["bbox"] == feature["properties"]["bbox"] == [round(end, 5) for end in area.bounds]
    assert area.contains(shapely.Point(feature["properties"]["lon"], feature["properties"]["lat"]))
    assert shapely.is_ccw(area.exterior)
    corners = shapely.get_coordinates(area)[:-1]
    x, y = coordinates.project(50.06, 19.94)
    for lon, lat in corners:
        east, north = coordinates.project(lat, lon)
        assert (abs(east - x), abs(north - y)) == pytest.approx((10_000, 10_000), abs=1)
    asked = client.get(f"{UNITS}/1261011", headers={"accept": "application/geo+json"})
    assert asked.content == answer.content
    assert asked["Vary"].startswith("Accept")
    own = client.get(f"{UNITS}/1261011.geojson", headers={"accept": "application/json"})
    assert (own["Content-Type"], own.content) == ("application/geo+json", answer.content)
    assert client.get(f"{UNITS}/1261011.geojson", headers={"if-none-match": own["ETag"]}).status_code == 304


def test_municipality_golden_whose_short_form_has_no_postcodes(client, golden, krakow):
    whole = client.get(f"{UNITS}/1261011").json()
    golden("municipality_krakow", whole)
    del whole["postcodes"]
    assert client.get(f"{UNITS}/1261011?brief=1").json() == whole


@pytest.mark.parametrize("unit", ["voivodeship=malopolskie", "voivodeship=12", "county=1261&voivodeship=mazowieckie"])
def test_municipalities_of_a_unit_with_the_number_of_their_depots(client, krakow, unit):
    factories.DepotFactory(fuels=["ekogroszek"])
    answer = client.get(f"{UNITS}?{unit}").json()
    assert [(row["teryt"], row["depots"]) for row in answer] == [("1261011", 3)]
    assert answer[0]["depots_by_fuel"] == client.get(f"{UNITS}?county=1261").json()[0]["depots_by_fuel"]
    for fuel, number in answer[0]["depots_by_fuel"].items():
        assert len(client.get(f"/api/v1/stores?teryt=1261011&fuel={fuel}").json()) == number
    place, same = client.get(f"{UNITS}/1261011").json(), ("lat", "lon", "kind", "url")
    assert [answer[0][name] for name in same] == [place[name] for name in same]
