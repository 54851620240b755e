"""The home search: fuels alone, and depots by name, telephone and tax number."""

import re

import pytest

from catalog.links import depot_path
from catalog.search import entries
from tests import factories
from tests.pages.reading import missing, text_of

pytestmark = pytest.mark.django_db


DEPOT = re.compile(r'<li><a href="(/sklad/[^"]+)">')


@pytest.fixture
def named():
    factories.krakow()
    return {
        name: factories.DepotFactory(name=name, phone=phone, nip=nip)
        for name, phone, nip in [
            ("Skład Opału Zieliński", "+48 601 202 303, +48 12 345 67 89", "6762484560"),
            ("Zieliński Węgiel", "+48 601 202 304", None),
            ("Pod Kominem", "", None),
        ]
    }


def listed(client, text, path="/"):
    """Return the paths of the depots among the results, in order; of the only one it leads to."""
    answer = client.get(path, {"q": text})
    return [answer["Location"]] if answer.status_code == 302 else DEPOT.findall(answer.content.decode())


def test_depots_are_found_by_name_telephone_and_tax_number(client, named):
    for names, texts in (
        (["Zieliński Węgiel", "Skład Opału Zieliński"], ("zielinski",)),
        (["Skład Opału Zieliński"], ("Skład opału Zieliński", "601 202 303", "123456789", "676-248-45-60")),
        (["Skład Opału Zieliński"], ("NIP 6762484560",)),
        (["Pod Kominem"], ("kominem pod",)),
        (["Zieliński Węgiel"], ("+48 601-202-304",)),
        ([], ("601202", "xyz", "zi")),
    ):
        for text in texts:
            assert listed(client, text) == [depot_path(named[name].pk, name) for name in names], text


def test_a_place_in_the_name_of_a_depot_does_not_hide_it(client):
    unit = factories.krakow()
    entries.rebuild_index()
    depot = factories.DepotFactory(name="Centrum Opałowe Kraków")
    answer = client.get("/", {"q": "centrum opałowe kraków"})
    assert DEPOT.findall(answer.content.decode()) == [depot_path(depot.pk, depot.name)]
    assert "/sklady/malopolskie/krakow-1261011/" in answer.content.decode()
    assert client.get("/", {"q": "skład opału Kraków"})["Location"].endswith(f"-{unit.teryt}/")


def test_a_depot_that_is_not_published_is_not_found(client, named):
    depot = named["Pod Kominem"]
    depot.publication = "pending"
    depot.save()
    assert listed(client, "Pod Kominem") == []


def test_the_twin_lists_the_same_depots(client, named):
    depot = named["Pod Kominem"]
    text = client.get("/index.md", {"q": "pod kominem"}).content.decode()
    assert f"[Pod Kominem](http://127.0.0.1:8000{depot_path(depot.pk, depot.name)[:-1]}.md)" in text


def test_a_fuel_alone_offers_its_prices_and_depots_nearby(client):
    for text in ("pellet", "Wood pellets", "pelletu", "pellet near me", "pellet w pobliżu"):
        answer = client.get("/", {"q": text})
        html = answer.content.decode()
        assert answer.status_code == 200, text
        assert not missing(html, 'href="/ceny/pellet/">Ceny', 'data-fuel="pellet"')
        assert "Ceny w Polsce i w województwach" in text_of(answer)
        assert "Niczego nie znaleźliśmy" not in text_of(answer)
        # Results stand above the medians.
        assert "Ile kosztuje opał" not in text_of(answer)
        assert "data-fuel" not in client.get("/", {"q": f"{text} Kraków"}).content.decode()
