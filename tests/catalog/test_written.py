"""Depots that the process holds as JSON: the same answers as the database gives, and never of two states at once."""

import random
from datetime import date

import orjson
import pytest

from catalog import circles, kept, queries, serializers, versions, written
from catalog.actions import remove_depot
from catalog.models import Dataset, Depot
from catalog.params import Point
from tests import factories

TODAY = date(2026, 11, 21)
POINT = Point(50.06, 19.94)

pytestmark = pytest.mark.django_db


@pytest.fixture
def _holding():
    """The data have versions, as after an import, so that what is made of them lasts."""
    for slug in circles.RESTS_ON:
        versions.raise_version(slug)


def without_positions(patch):
    """Let the database answer, as while nothing is held."""
    patch.setattr(circles.positions, "lasting", lambda: None)


def depots_at(*places):
    """Depots, and a version of the data that says so."""
    made = [factories.DepotFactory(lat=lat, lon=lon) for lat, lon in places]
    changed()
    return made


def changed():
    versions.raise_version(Dataset.Slug.DEPOTS)
    versions.forget()


def ids_near(limit, radius_km=5):
    near = written.find_near(POINT, radius_km=radius_km, limit=limit)
    return None if near is None else [int(depot.partition(b":")[2].partition(b",")[0]) for depot in near.depots]


@pytest.mark.usefixtures("_holding")
def test_answers_as_the_database_does(client, monkeypatch):
    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    places = [(draw.uniform(49.8, 50.3), draw.uniform(19.5, 20.4)) for _ in range(80)]
    # Several at one place are told apart by their ids alone.
    depots_at(*places, *[places[0]] * 5)
    for _ in range(60):
        lat, lon = draw.choice([(draw.uniform(49.7, 50.4), draw.uniform(19.4, 20.5)), places[0]])
        path = f"/api/v1/stores?lat={lat:.5f}&lon={lon:.5f}"
        path += f"&radius={draw.choice([1, 5, 25, 50])}&limit={draw.choice([1, 3, 20, 100])}"
        held = client.get(path)
        with monkeypatch.context() as patch:
            without_positions(patch)
            asked = client.get(path)
        assert held.content == asked.content
        for name in ("X-Total-Count", "Content-Type", "Cache-Control", "ETag"):
            assert held[name] == asked[name]


@pytest.mark.usefixtures("_holding")
def test_a_depot_alone_is_the_same(client, monkeypatch):
    [depot] = depots_at((50.06, 19.94))
    path = f"/api/v1/stores/{depot.pk}"
    answers = [client.get(path).content, client.get(path).content]
    without_positions(monkeypatch)
    assert [*answers, client.get(path).content] == [answers[0]] * 3


@pytest.mark.usefixtures("_holding")
def test_asks_for_each_depot_once(django_assert_num_queries):
    first, second, third = depots_at((50.06, 19.94), (50.061, 19.94), (50.062, 19.94))
    assert ids_near(2) == [first.pk, second.pk]
    with django_assert_num_queries(0):
        assert ids_near(2) == [first.pk, second.pk]
        assert written.find(second.pk).id == second.pk
    with django_assert_num_queries(1):
        assert ids_near(3) == [first.pk, second.pk, third.pk]
    with django_assert_num_queries(0):
        assert ids_near(3) == [first.pk, second.pk, third.pk]


@pytest.mark.usefixtures("_holding")
def test_rows_of_another_state_are_not_mixed_in(django_assert_num_queries):
    """The process may look at the versions too late; the statement for what is missing tells of the other state."""
    first, second, third = depots_at((50.06, 19.94), (50.061, 19.94), (50.062, 19.94))
    assert ids_near(1) == [first.pk]
    remove_depot(depot=second, reason=Depot.RemovalReason.CLOSED, on=TODAY)
    with django_assert_num_queries(1):
        assert ids_near(3) is None
    versions.forget()
    assert ids_near(3) == [first.pk, third.pk]


@pytest.mark.usefixtures("_holding")
def test_a_depot_of_another_state_is_not_held(django_assert_num_queries):
    [depot] = depots_at((50.06, 19.94))
    circles.positions.current()
    Depot.objects.filter(pk=depot.pk).update(name="Nowy")
    versions.raise_version(Dataset.Slug.DEPOTS)
    for _ in range(2):
        with django_assert_num_queries(1):
            assert b'"Nowy"' in written.find(depot.pk).at(0)


@pytest.mark.usefixtures("_holding")
def test_a_renamed_unit_is_written_anew():
    [depot] = depots_at((50.06, 19.94))
    written.find(depot.pk)
    type(depot.municipality).objects.filter(pk=depot.municipality_id).update(name="Nowa Gmina")
    versions.raise_version(Dataset.Slug.UNITS)
    versions.forget()
    assert b'"Nowa Gmina"' in written.find(depot.pk).at(0)


@pytest.mark.usefixtures("_holding")
def test_works_without_room_to_hold_anything(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(written.depots, "max_bytes", 0)
    first, second = depots_at((50.06, 19.94), (50.061, 19.94))
    ids_near(2)
    for _ in range(2):
        with django_assert_num_queries(1):
            assert ids_near(2) == [first.pk, second.pk]


@pytest.mark.usefixtures("_holding")
def test_names_cannot_pass_for_fields():
    [depot] = depots_at((50.06, 19.94))
    name = '","distance_km":null,"source":{'
    Depot.objects.filter(pk=depot.pk).update(name=name, opening_hours=name)
    row, _ = queries.get_store(depot.pk)
    whole = written.write(row).at(1234.0)
    expected = row._replace(distance_m=1234.0)
    assert whole == orjson.dumps(serializers.store(expected))


@pytest.mark.usefixtures("_holding")
def test_a_depot_that_nobody_knows_costs_two_queries(django_assert_num_queries):
    depots_at((50.06, 19.94))
    written.find_near(POINT, radius_km=5, limit=1)
    with django_assert_num_queries(2), pytest.raises(queries.UnknownDepot):
        written.find(2**40)


def test_several_are_taken_out_in_order():
    memory = kept.Memory(len, 100)
    for name in ("a", "b", "c"):
        memory.keep(name, name * 30)
    assert memory.get_each(["b", "x", "a"]) == ["b" * 30, None, "a" * 30]
    # Asked for last is dropped last.
    memory.keep("d", "d" * 30)
    assert memory.get_each(["a", "b", "c", "d"]) == ["a" * 30, "b" * 30, None, "d" * 30]
