"""The position in the forms: accepted and refused values."""

from catalog.models import Submission
from tests import factories
from tests.pages.reading import expect

ADD = "/sklady/dodaj/?teryt=1261011"
NEW = {"name": "Opał u Zosi", "place": "Kraków", "fuels": ["pellet"]}


def proposed():
    return Submission.objects.get().proposed


def test_a_depot_may_move_within_its_neighbourhood_and_far_away_is_another_one(stranger, nowak):
    factories.BoundaryFactory(municipality=factories.warszawa(), lat=52.23, lon=21.01)
    answer = stranger.fill(f"/sklad/{nowak.pk}/popraw/", lat="52.23", lon="21.01")
    expect(answer, "Ten punkt leży ponad 30 km od obecnego, w gminie Warszawa.", status=400)
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", lat="50.07", lon="19.95").status_code == 302
    assert {name: proposed()[name] for name in ("lat", "lon")} == {"lat": 50.07, "lon": 19.95}


def test_a_new_depot_needs_a_position(stranger, nowak):
    for changed, words in (
        ({"postcode": "99-999"}, "Nie znamy takiego kodu pocztowego."),
        ({}, "Podaj kod pocztowy albo współrzędne"),
        ({"lat": "50.06"}, "Podaj obie współrzędne albo żadnej."),
        ({"lat": "54.5", "lon": "19.94"}, "Ten punkt nie leży w żadnej polskiej gminie."),
    ):
        expect(stranger.fill(ADD, **NEW, **changed), words, status=400)
    assert not Submission.objects.exists()


def test_a_position_far_from_the_postcode_is_asked_about_and_a_near_one_is_exact(stranger, nowak):
    factories.PostcodeFactory()
    factories.BoundaryFactory(municipality=factories.warszawa(), lat=52.23, lon=21.01)
    answer = stranger.fill(ADD, **NEW, postcode="30-001", lat="52.23", lon="21.01")
    expect(answer, "Ten punkt leży ponad 30 km od kodu 30-001. Popraw jedno z nich.", status=400)
    assert stranger.fill(ADD, **NEW, postcode="30-001", lat="50.06", lon="19.94").status_code == 302
    asked = proposed()
    assert (asked["lat"], asked["lon"], asked["location_approximate"]) == (50.06, 19.94, False)
    assert asked["municipality"] == "1261011"
