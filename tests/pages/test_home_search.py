"""The home search: fuels alone, and depots by name, telephone and tax number; what a searched point is called."""

import re

import pytest

from catalog.links import depot_path
from catalog.search import entries
from catalog.territory.snapshot import territory
from pages.depot_filters import read_origin
from tests import factories
from tests.client import build_snapshots
from tests.pages.reading import KRAKOW, expect, missing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

DEPOT = re.compile(r'<li><a href="(/sklad/[^"]+)">')


@pytest.fixture
def named():
    rows = [
        ("Skład Opału Zieliński", "+48 601 202 303, +48 12 345 67 89", "6762484560"),
        *(("Zieliński Węgiel", "+48 601 202 304", None), ("Pod Kominem", "", None)),
    ]
    return {name: factories.DepotFactory(name=name, phone=phone, nip=nip) for name, phone, nip in rows}


def village(name, municipality, lat=None, lon=None, **values):
    """A place of unknown position unless told otherwise, in the index of names."""
    row = factories.PlaceFactory(name=name, municipality=municipality, lat=lat, lon=lon, **values)
    entries.rebuild_index()
    return row


def search(client, text, path="/"):
    return client.get(path, {"q": text})


def listed(client, text, path="/"):
    """Return the paths of the depots among the results, in order; of the only one it leads to."""
    answer = client.get(path, {"q": text})
    return [answer["Location"]] if answer.status_code == 302 else DEPOT.findall(answer.content.decode())


def test_depots_are_found_by_name_telephone_and_tax_number(client, named):
    for names, texts in (
        (["Zieliński Węgiel", "Skład Opału Zieliński"], ("zielinski",)),
        (["Skład Opału Zieliński"], ("Skład opału Zieliński", "601 202 303", "123456789", "676-248-45-60")),
        (["Skład Opału Zieliński"], ("NIP 6762484560", "PL6762484560", "nip: pl 676-248-45-60")),
        (["Pod Kominem"], ("kominem pod",)),
        (["Zieliński Węgiel"], ("+48 601-202-304", "tel. 601 202 304", "0048601202304", "(60) 120-23-04")),
        (["Zieliński Węgiel"], ("601–202–304", "(+48) 601 202 304", "601\N{NO-BREAK SPACE}202\N{NO-BREAK SPACE}304")),
        ([], ("601202", "xyz", "zi")),
    ):
        for text in texts:
            assert listed(client, text) == [depot_path(named[name].pk, name) for name in names], text


def test_initials_are_found_with_full_stops_and_without(client):
    first, other = (factories.DepotFactory(name=name) for name in ("P.P.H.U. Zieliński", "PHU Nowak"))
    for text in ("pphu zieliński", "P.P.H.U. Zielinski", "p p h u zieliński"):
        assert listed(client, text) == [depot_path(first.pk, first.name)], text
    assert listed(client, "p.h.u. nowak") == [depot_path(other.pk, other.name)]


def test_a_place_in_the_name_of_a_depot_does_not_hide_it(client):
    unit = factories.krakow()
    entries.rebuild_index()
    depot = factories.DepotFactory(name="Centrum Opałowe Kraków")
    answer = client.get("/", {"q": "centrum opałowe kraków"})
    assert DEPOT.findall(answer.content.decode()) == [depot_path(depot.pk, depot.name)]
    assert "/sklady/malopolskie/krakow-1261011/" in answer.content.decode()
    assert client.get("/", {"q": "skład opału Kraków"})["Location"].endswith(f"-{unit.teryt}/")
    # Nor does it hide several depots that have the words of the text in their names.
    factories.DepotFactory.create_batch(2, name="Samopomoc Chłopska Kraków – skład opału")
    assert len(listed(client, "samopomoc chłopska kraków")) == 2
    # Nor does a place of a corrected text hide the only depot.
    factories.zakopane()
    entries.rebuild_index()
    assert "Zakopane" in text_of(client.get("/", {"q": "Zakopamne"}))
    depot = factories.DepotFactory(name="Zakopamne", municipality=factories.krakow())
    answer = client.get("/", {"q": "Zakopamne"})
    assert (answer.status_code, answer.headers.get("Location")) == (302, depot_path(depot.pk, depot.name))


def test_the_name_of_a_depot_with_its_place(client):
    zakopane = factories.zakopane()
    entries.rebuild_index()
    others = factories.DepotFactory.create_batch(9, name="PHU Kowalski")
    depot = factories.DepotFactory(name="PHU Kowalski", street="Długa", place="Olcza", municipality=zakopane)
    for text in ("PHU Kowalski Olcza", "kowalski zakopane", "Kowalski Długa Olcza"):
        assert listed(client, text) == [depot_path(depot.pk, depot.name)], text
    assert listed(client, "PHU Nowak Olcza") == []
    # A place that the text has too, or only by part of the name, does not hide it.
    for name in ("Olcza", "Kowalskie"):
        village(name, zakopane)
    for text in ("PHU Kowalski, Olcza", "PHU Kowalski (Zakopane)"):
        assert listed(client, text) == [depot_path(depot.pk, depot.name)], text
    assert listed(client, "PHU Nowak, Zakopane")[0].startswith("/sklady/")
    for path in ("/", "/index.md"):
        expect(search(client, "PHU Kowalski", path), "Pokazujemy 8 z 10 składów.")
    for other in others[:2]:
        other.delete()
    expect(search(client, "PHU Kowalski"), without=["Pokazujemy"])


def test_the_twin_lists_the_same_depots_and_neither_one_that_is_not_published(client, named):
    depot = named["Pod Kominem"]
    text = search(client, "pod kominem", "/index.md").content.decode()
    twin = f"[Pod Kominem](http://127.0.0.1:8000{depot_path(depot.pk, depot.name)[:-1]}.md)"
    assert f"{twin}: Kraków, nieweryfikowane\n" in text
    depot.publication = "pending"
    depot.save()
    assert listed(client, "Pod Kominem") == []


def test_a_fuel_alone_offers_its_prices_and_depots_nearby(client):
    for text in ("pellet", "Wood pellets", "pelletu", "pellet near me", "tani pellet"):
        answer = search(client, text)
        assert not missing(answer.content.decode(), 'href="/ceny/pellet/">Ceny', 'data-fuel="pellet"')
        # Results stand above the medians.
        without = ["Niczego nie znaleźliśmy", "Ile kosztuje opał"]
        expect(answer, "Ceny w Polsce i w województwach", without=without)
        assert "data-fuel" not in search(client, f"{text} Kraków").content.decode()


def test_a_point_is_called_by_what_is_known_to_lie_there_and_by_a_postcode_only_if_it_is_all_places_own():
    rural = factories.nowy_targ_rural()
    factories.PostcodeFactory(code="34-433", places=["Gronków"], shares=[(rural, 5)], lat=49.44, lon=20.11)
    village("Ludźmierz", rural, 49.46861, 19.98)
    village("Gronków", rural)
    for point, label in (
        ("49.46861,19.98", "miejscowości Ludźmierz"),
        ("49.44,20.11", "środka zabudowy z kodem 34-433"),
        ("49.5,20.2", "wskazanego punktu"),
    ):
        assert read_origin(f"p={point}")[0].label.startswith(label)
    village("Ostrowsko", rural)  # so that the postcode is not that of every place without a position
    build_snapshots()
    assert read_origin("p=49.44,20.11")[0].label == "środka gminy Nowy Targ"


def test_the_point_of_a_municipality_is_said_to_be_all_that_is_known(client):
    krakow = factories.krakow()
    village("Nowa Huta", krakow)
    village("Kraków", krakow, 50.06, 19.94)
    suggestions = territory.get().search.suggest("Nowa Huta").found
    point = next(row for row in suggestions if row.label == "Nowa Huta").query["p"]
    notice = "Nie znamy położenia szukanego miejsca, więc odległości liczymy od środka gminy Kraków."
    origin, notices = read_origin(f"p={point}")
    assert (origin.label, notices) == ("środka gminy Kraków", (notice,))
    for path in (KRAKOW, f"{KRAKOW[:-1]}.md"):
        expect(client.get(path, {"p": point}), notice)
    assert read_origin(f"p={point}&miejsce=Nowa+Huta")[0].place == "Nowa Huta"


def test_a_centre_that_several_places_share_is_said_to_be_all_that_is_known(client):
    krakow = factories.krakow()
    for code, count, lat, lon in (("31-702", 5, 50.1, 20.09), ("31-901", 5, 50.07, 20.1), ("30-399", 90, 49.98, 19.87)):
        factories.PostcodeFactory(code=code, shares=[(krakow, count)], lat=lat, lon=lon)
    for name in ("Nowa Huta", "Lubocza", "Pleszów"):
        village(name, krakow, district="1261039")
    suggest = territory.get().search.suggest
    hits = {hit.label: hit for name in ("Nowa Huta", "Lubocza") for hit in suggest(name).found}
    assert {hit.position for name, hit in hits.items() if name != "Kraków"} == {"postcode"}
    alone, shared = (read_origin(f"p={hits[name].query['p']}") for name in ("Nowa Huta", "Lubocza"))
    assert (alone[0].label, alone[1]) == ("środka zabudowy z kodem 31-901", ())
    assert (alone[0].place, shared[0].place) == ("Nowa Huta", "")
    label = "środka zabudowy z kodem 31-702"
    assert shared[0].label == label
    assert shared[1] == (f"Nie znamy położenia szukanego miejsca, więc odległości liczymy od {label}.",)
    assert hits["Lubocza"].query["miejsce"] == "Lubocza"
    page = client.get("/", {"q": "Lubocza"}, follow=True)
    expect(page, "Składy opału: Lubocza, gmina Kraków", shared[1][0])
    assert "miejsce=Lubocza&amp;kolejnosc=nazwa" in page.content.decode()
    origin, notices = read_origin(f"p={hits['Lubocza'].query['p']}&miejsce=Gdziekolwiek")
    assert (origin.place, notices) == ("", shared[1])
    assert len(read_origin("miejsce=a&miejsce=b")[1]) == 1


def test_coordinates_lead_to_the_depots_near_them_unless_they_lie_in_no_municipality(client):
    factories.BoundaryFactory(municipality=factories.krakow())
    commas = "50,0614; 19,9366", "50,0614, 19,9366"
    for text in ("50.0614, 19.9366", "50.0614 19.9366", *commas, "N50.0614° E19.9366°"):
        assert search(client, text)["Location"] == f"{KRAKOW}?p=50.0614,19.9366", text
    for text in ("10.5, 10.5", "54.9, 19.9", "50.0614", "50.0614, 19.9366, 3"):
        expect(search(client, text), "Niczego nie znaleźliśmy")


def test_a_voivodeship_and_its_region_lead_to_its_list_unless_several_places_have_the_name(client):
    entries.rebuild_index()
    names = ("małopolskie", "Malopolskie", "województwo małopolskie", "woj. małopolskie")
    assert {search(client, text)["Location"] for text in names} == {"/sklady/malopolskie/"}
    beside = ("węgiel Małopolska", "pellet w województwie małopolskim", "małopolskie ekogroszek cena", "w Małopolsce")
    beside += ("Lesser Poland", "coal in lesser-poland", "Lesser Poland Voivodeship")
    assert {search(client, text)["Location"] for text in beside} == {"/sklady/malopolskie/"}
    assert search(client, "małopolski")["Location"] != "/sklady/malopolskie/"
    depot = factories.DepotFactory(name="Opał Małopolska")
    assert listed(client, "opał małopolska") == [depot_path(depot.pk, depot.name)]
    village("Małopolska", factories.krakow())
    assert {search(client, text)["Location"] for text in ("Małopolska", *names)} == {"/sklady/malopolskie/"}
    village("Małopolska", factories.zakopane())
    assert search(client, "Małopolska").status_code == 200
