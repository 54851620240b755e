import re
from urllib.parse import quote

import pytest

from tests import factories
from tests.pages.reading import KRAKOW, SCRIPT, ZAKOPANE, canonical_of, expect, missing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


def test_municipality_lists_its_depots(client, depot, depot_page):
    factories.DepotFactory(name="Wstrzymany", held=True)
    factories.DepotFactory(name="Usunięty", removed=True)
    answer = client.get(KRAKOW)
    shown = "W tej gminie: 1 skład", "ul. Długa 5, 30-001 Kraków", "Ekogroszek Pellet", "zweryfikowane"
    expect(answer, *shown, without=["Wstrzymany", "Usunięty", "Najbliższe składy"])
    html = answer.content.decode()
    assert not missing(html, f'<a href="{depot_page}">Opał „Żar” &amp; Syn</a>', 'href="tel:+48123456789"')


def test_distances_say_once_where_they_begin(client, depot):
    factories.BoundaryFactory(lat=50.06, lon=19.94)
    for path in (KRAKOW, f"{KRAKOW[:-1]}.md"):
        text = text_of(client.get(path))
        assert text.count("Odległości") == text.count("linii prostej od punktu leżącego w tej gminie (50,0") == 1


def test_municipality_without_depots_shows_the_nearest_unless_they_are_far_or_its_place_is_unknown(client, depot):
    factories.zakopane()
    none = "Nie mamy w katalogu żadnego składu w tej gminie."
    expect(client.get(ZAKOPANE), none)
    boundary = factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.8, side_km=2)
    expect(client.get(ZAKOPANE), none, "Odległości w linii prostej od punktu leżącego w tej gminie.", "29,1 km")
    boundary.delete()
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.3, side_km=2)
    expect(client.get(ZAKOPANE), "W promieniu 50 km od punktu leżącego w tej gminie nie znamy żadnego składu.")


def test_nearest_depots_from_a_postcode(client, depot):
    factories.PostcodeFactory(code="30-001")
    for code in ("30-001", "30001"):
        answer = client.get(KRAKOW, {"kod": code})
        expect(answer, "Odległości w linii prostej od środka zabudowy z kodem 30-001.", "1,6 km")
        assert canonical_of(answer) == f"http://127.0.0.1:8000{KRAKOW}"


def listed(answer):
    """Return the depots of a Markdown page by heading, with the text after their names."""
    found = {}
    for line in answer.content.decode().splitlines():
        if line.startswith("## "):
            names = found.setdefault(line.removeprefix("## "), [])
        elif line.startswith("- ["):
            names.append(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.removeprefix("- ")))
    return found


def test_depots_are_listed_once_by_distance(client):
    for step in range(12):
        factories.DepotFactory(name=f"Skład {chr(ord('L') - step)}", lat=50.06 + step / 100, lon=19.94)
    kept = listed(client.get(f"{KRAKOW[:-1]}.md?p=50.06,19.94"))
    distances = ("0,0", "1,1", "2,2", "3,3", "4,4", "5,6", "6,7", "7,8", "8,9", "10,0")
    assert kept["Najbliższe składy"] == [
        f"Skład {letter}, {distance} km" for letter, distance in zip("LKJIHGFEDC", distances, strict=True)
    ]
    assert kept["Dalej w tej gminie: 2 składy"] == ["Skład B, 11,1 km", "Skład A, 12,2 km"]
    html = client.get(f"{KRAKOW}?p=50.06,19.94")
    text = text_of(html)
    assert "W tej gminie: 12 składów." in text
    assert re.findall(r"Skład ([A-L])", text) == list("LKJIHGFEDCBA")
    assert re.findall(r'<li value="(\d+)"', html.content.decode()) == [str(number) for number in range(1, 13)]


@pytest.mark.parametrize(("total", "folded"), [(24, 0), (25, 5)])
def test_a_long_list_is_folded(client, total, folded):
    for step in range(total):
        factories.DepotFactory(name=f"Skład nr {step}", lat=50.06 + step / 1000, lon=19.94)
    html = client.get(KRAKOW).content.decode()
    assert re.findall(r'<li value="(\d+)"', html) == [str(number) for number in range(1, total + 1)]
    _, fold, rest = html.partition('<details><summary class="act">')
    assert bool(fold) == bool(folded)
    assert rest.count('<li value="') == folded
    assert rest.startswith("Pokaż pozostałe 5 składów</summary>" if folded else "")


def test_own_depots_beyond_the_nearest_of_a_distant_point(client, depot):
    factories.PostcodeFactory(code="80-001", lat=54.35, lon=18.65)
    none = "W promieniu 50 km od środka zabudowy z kodem 80-001 nie znamy żadnego składu."
    text = expect(client.get(KRAKOW, {"kod": "80-001"}), none, "W tej gminie: 1 skład", without=["Dalej"])
    assert re.search(r"48\d,\d km", text)


def test_a_place_that_cannot_be_used_is_ignored(client, depot):
    wrong = "w adresie strony jest zapisany nieprawidłowo"
    short, long = ("p=abc", "p=50.06", "p=1e1,2e1", "p=nan,inf"), ("p=50.06,19.94,1", "p=" + "9" * 4000 + ",1")
    for notice, queries in (
        (None, ("p=", "kod=")),
        (f"Punkt {wrong}", (*short, *long, "p=%D9%A5%D9%A0,19", "p=50.06,19.94&p=50.06,19.94")),
        ("leży poza Polską", ("p=0,0", "p=-50,-190")),
        (f"Kod pocztowy {wrong}", ("kod=1", "kod=%00", "kod=%ff", "kod=" + SCRIPT)),
        ("Nie znamy kodu pocztowego 99-999", ("kod=99-999",)),
    ):
        for query in queries:
            answer = client.get(f"{KRAKOW}?{query}")
            text = expect(answer, "W tej gminie: 1 skład", without=["Najbliższe składy"])
            assert notice in text if notice else "pominęliśmy" not in text
            assert SCRIPT not in answer.content.decode()
    # An unknown postcode leaves the point.
    expect(client.get(f"{KRAKOW}?kod=99-999&p=50.07,19.94"), "Nie znamy kodu pocztowego 99-999", "od wskazanego punktu")


def test_without_a_position_there_is_no_order_by_distance(client):
    for name in ("Żar", "Antracyt"):
        factories.DepotFactory(municipality=factories.zakopane(), name=name)
    text = text_of(client.get(f"{ZAKOPANE}?kolejnosc=odleglosc"))
    assert "najbliżej" not in text
    assert text.index("Antracyt") < text.index("Żar")


def test_a_wrong_name_leads_to_the_right_address_with_the_query(client):
    former = "/sklady/malopolskie/dawna-nazwa-1261011/"
    for path in ("/sklady/mazowieckie/krakow-1261011/", former):
        answer = client.get(f"{path}?kod=30-001&x=%22")
        assert (answer.status_code, answer["Location"]) == (301, f"{KRAKOW}?kod=30-001&x=%22"), path
    # Letters that were not encoded stay what they are.
    assert client.get(f"{former}?miejsce=Łobzów")["Location"] == f"{KRAKOW}?miejsce={quote('Łobzów')}"


def test_a_former_code_leads_to_its_successor(client, django_assert_num_queries):
    factories.FormerMunicipalityFactory()
    with django_assert_num_queries(0):
        answer = client.get("/sklady/malopolskie/dawna-1261999/?p=50,20")
    assert (answer.status_code, answer["Location"]) == (301, f"{KRAKOW}?p=50,20")


def test_an_unknown_municipality(client):
    for teryt in ("9999999", "126101", "12610111", "abcdefg", "%00000000", "١٢٦١٠١١", "1261011%0A"):
        path = f"/sklady/malopolskie/krakow-{teryt}/"
        assert client.get(f"{path}?kod=30-001").status_code == 404, teryt
        expect(client.get(path), "Nie ma takiej strony", status=404)
