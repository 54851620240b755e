import re
from urllib.parse import quote

import pytest

from catalog.parsing.opening_hours import DAYS
from pages.depots import week
from tests import factories
from tests.pages.reading import (
    KRAKOW,
    NOINDEX,
    SCRIPT,
    ZAKOPANE,
    canonical_of,
    expect,
    linked_data,
    missing,
    present,
    runnable,
    text_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


def test_depot_and_its_twin_show_every_public_field(client, depot, depot_page):
    answer = client.get(depot_page)
    expect(
        answer,
        *("Opał „Żar” & Syn", "zweryfikowane", "Dane sprawdzone przez redakcję serwisu."),
        *("ul. Długa 5, 30-001 Kraków", "Ekogroszek brak ceny – podaj Pellet brak ceny – podaj"),
        *("Zadzwoń +48 12 345 67 89 Zadzwoń +48 601 234 567 Dojazd Strona składu", "https://www.example.pl/opal"),
        *("NIP 5260250274", "50,0617° N, 19,9373° E (przybliżone)", "poniedziałek 7:00–15:00"),
        *("wtorek 7:00–10:00 i 12:00–15:00", "sobota całą dobę", "niedziela nieczynne", "Licencja: ODbL-1.0"),
        *("Mo-Fr 07:00-15:00; Tu 07:00-10:00,12:00-15:00; Sa 24/7", "Sprawdzono 1 września 2026 r."),
        *("Ostatnia zmiana 3 października 2026 r.", "© autorzy OpenStreetMap, licencja ODbL 1.0"),
    )
    assert not missing(
        client.get(f"{depot_page[:-1]}.md").content.decode(),
        *("- Stan na: 3 października 2026 r. (2026-10-03)", "- Licencja: ODbL-1.0", "- NIP: 5260250274"),
        "- Status danych: zweryfikowane. Dane sprawdzone przez redakcję serwisu.",
        *(", stan na 3 października 2026 r., status wpisu: zweryfikowane", "- Adres: ul. Długa 5, 30-001 Kraków"),
        *("- Nazwa: Opał „Żar” & Syn", "- Strona: <https://www.example.pl/opal>", "- poniedziałek: 7:00–15:00"),
        *("- wtorek: 7:00–10:00 i 12:00–15:00", f"http://127.0.0.1:8000/api/v1/stores/{depot.pk}"),
    )
    assert canonical_of(answer) == f"http://127.0.0.1:8000{depot_page}"
    html = answer.content.decode()
    assert "mlat=50.0617&amp;mlon=19.9373" in html
    assert f'<link rel="alternate" type="application/json" href="/api/v1/stores/{depot.pk}">' in html
    assert NOINDEX not in html


def test_a_day_of_three_ranges():
    ranges = ("6:00-9:00", "10:00-12:00", "13:00-24:00")
    assert week(dict.fromkeys(DAYS, ranges))[0] == ("poniedziałek", "6:00–9:00, 10:00–12:00 i 13:00–24:00")


def test_depot_of_which_little_is_known(client):
    depot = factories.DepotFactory(name="Skład", fuels=[])
    hours = "Nie znamy stałych godzin otwarcia tego składu.", "Godziny nieznane · Kraków"
    prices = "Nie znamy paliw ani cen tego składu. Podaj cenę"
    expect(client.get(f"/sklad/{depot.pk}-sklad/"), *hours, prices, without=["NIP"])


def test_the_twin_says_on_which_side_of_the_median_a_price_lies(client):
    depots = [factories.DepotFactory(name="Skład") for _ in range(3)]
    for depot, amount in zip(depots, (1400, 1500, 1590), strict=True):
        factories.price_depots(amount, depot=depot)
    for depot, apart in zip(depots, ("\N{MINUS SIGN}100,00 zł", "0,00 zł", "+90,00 zł"), strict=True):
        expect(client.get(f"/sklad/{depot.pk}-sklad.md"), f"| {apart} |")


def test_a_fuel_that_only_the_name_says_is_marked(client):
    depot = factories.DepotFactory(name="Skład", fuels=["wegiel", "pellet"], fuels_in_name=["pellet"])
    path = f"/sklad/{depot.pk}-sklad"
    page = client.get(f"{path}/")
    expect(page, "Węgiel brak ceny – podaj Pellet (według nazwy) brak ceny – podaj", "Paliwa według nazwy: pellet.")
    (store,) = [thing for thing in linked_data(page)["@graph"] if thing["@type"] == "Store"]
    assert [offer["itemOffered"]["name"] for offer in store["makesOffer"]] == ["Węgiel"]
    assert "- Paliwa: Węgiel, Pellet (według nazwy)" in client.get(f"{path}.md").content.decode().replace("\\", "")
    expect(client.get(KRAKOW), "Pellet (według nazwy)")
    assert "Pellet (według nazwy)" in client.get(f"{KRAKOW[:-1]}.md").content.decode().replace("\\", "")


def test_what_a_source_wrote_is_escaped(client):
    at = {"street": 'ul. "Ładna"', "house_number": "1", "postcode": "30-001", "place": SCRIPT}
    depot = factories.DepotFactory(name=f"Opał {SCRIPT}", opening_hours=SCRIPT, **at)
    for path in [f"/sklad/{depot.pk}-opal-script-alert-1-script/", KRAKOW]:
        answer = client.get(path)
        assert answer.status_code == 200
        assert not runnable(answer)
    assert 'ul. &#34;Ładna&#34; 1, <span class="code">30-001</span> &lt;script&gt;' in answer.content.decode()


def test_a_number_alone_and_a_wrong_slug_lead_to_the_right_address(client, depot, depot_page):
    for path, query in ((f"/sklad/{depot.pk}/", ""), (f"/sklad/{depot.pk}-dawna-nazwa/", "?x=1")):
        answer = client.get(path + query)
        assert (answer.status_code, answer["Location"]) == (301, depot_page + query)
        assert answer["Cache-Control"] == "no-store"  # the name may be taken back
    assert client.get(f"/sklad/{depot.pk + 1000}/").status_code == 404
    assert client.get(f"/sklad/{depot.pk}.md")["Location"] == f"{depot_page.removesuffix('/')}.md"


def test_a_removed_depot_is_gone_with_its_reason_and_without_its_name(client):
    depot = factories.DepotFactory(name="Jan Kowalski", removed=True)
    answer = client.get(f"/sklad/{depot.pk}-jakkolwiek/")
    gone = "Ten wpis został usunięty z katalogu 2 września 2026 r.", "Powód: usunięty na wniosek właściciela."
    expect(answer, *gone, status=410)
    assert not present(answer.content.decode(), "Kowalski", "canonical")
    assert not missing(answer.content.decode(), NOINDEX, f'href="{KRAKOW}"')
    twin = client.get(f"/sklad/{depot.pk}-jakkolwiek.md")
    expect(twin, *gone[1:], "2 września 2026 r.", "dodaj/?teryt=1261011", status=410)
    assert "Kowalski" not in twin.content.decode()
    assert (twin["Content-Type"], twin["X-Robots-Tag"]) == ("text/markdown; charset=utf-8", "noindex")
    again = "/sklady/dodaj/?teryt=1261011"
    assert f'nadal działa? <a href="{again}">Zgłoś go' in answer.content.decode()
    assert client.get(again).status_code == 200


@pytest.mark.parametrize("hidden", [{"held": True}, {"removed": True, "removal_reason": "private_person"}])
def test_a_depot_merged_into_one_that_is_not_public_does_not_lead_to_its_name(client, hidden):
    other = factories.DepotFactory(name="Jan Kowalski", **hidden)
    merged = factories.DepotFactory(removed=True, removal_reason="duplicate", merged_into=other)
    expect(client.get(f"/sklad/{merged.pk}/"), "powtórzony wpis", status=410)


def test_municipality_lists_its_depots(client, depot, depot_page):
    factories.DepotFactory(name="Wstrzymany", held=True)
    factories.DepotFactory(name="Usunięty", removed=True)
    answer = client.get(KRAKOW)
    shown = "W tej gminie: 1 skład", "ul. Długa 5, 30-001 Kraków", "Ekogroszek Pellet", "zweryfikowane"
    expect(answer, *shown, without=["Wstrzymany", "Usunięty", "Najbliższe składy"])
    html = answer.content.decode()
    assert not missing(
        html,
        f'<a href="{depot_page}">Opał „Żar” &amp; Syn</a>',
        'href="tel:+48123456789">Zadzwoń <span class="phone">+48 12',
    )


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


def test_nearest_depots_from_a_postcode_and_own_ones_beyond_the_nearest_of_a_distant_one(client, depot):
    factories.PostcodeFactory(code="30-001")
    for code in ("30-001", "30001"):
        answer = client.get(KRAKOW, {"kod": code})
        expect(answer, "Odległości w linii prostej od środka zabudowy z kodem 30-001.", "1,6 km")
        assert canonical_of(answer) == f"http://127.0.0.1:8000{KRAKOW}"
    factories.PostcodeFactory(code="80-001", lat=54.35, lon=18.65)
    none = "W promieniu 50 km od środka zabudowy z kodem 80-001 nie znamy żadnego składu."
    text = expect(client.get(KRAKOW, {"kod": "80-001"}), none, "W tej gminie: 1 skład", without=["Dalej"])
    assert re.search(r"48\d,\d km", text)


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


def test_a_wrong_name_and_a_former_code_lead_to_the_right_address_with_the_query(client, django_assert_num_queries):
    factories.FormerMunicipalityFactory()
    former = "/sklady/malopolskie/dawna-nazwa-1261011/"
    for path in ("/sklady/mazowieckie/krakow-1261011/", former, "/sklady/malopolskie/dawna-1261999/"):
        with django_assert_num_queries(0):
            answer = client.get(f"{path}?kod=30-001&x=%22")
        assert (answer.status_code, answer["Location"]) == (301, f"{KRAKOW}?kod=30-001&x=%22"), path
    # Letters that were not encoded stay what they are.
    assert client.get(f"{former}?miejsce=Łobzów")["Location"] == f"{KRAKOW}?miejsce={quote('Łobzów')}"


def test_an_unknown_municipality(client):
    for teryt in ("9999999", "126101", "12610111", "abcdefg", "%00000000", "١٢٦١٠١١", "1261011%0A"):
        path = f"/sklady/malopolskie/krakow-{teryt}/"
        assert client.get(f"{path}?kod=30-001").status_code == 404, teryt
        expect(client.get(path), "Nie ma takiej strony", status=404)
