"""The page of a depot, demonstration depots included."""

import pytest

from catalog.parsing.opening_hours import DAYS
from pages.depots import week
from tests import factories
from tests.pages.reading import KRAKOW, NOINDEX, SCRIPT, canonical_of, expect, linked_data, missing, present, runnable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


def test_depot_shows_every_public_field(client, depot, depot_page):
    answer = client.get(depot_page)
    expect(
        answer,
        *("Opał „Żar” & Syn", "zweryfikowane", "Dane sprawdzone przez redakcję serwisu."),
        *("ul. Długa 5, 30-001 Kraków", "Ekogroszek brak ceny – podaj Pellet brak ceny – podaj"),
        *("Zadzwoń +48 12 345 67 89 Zadzwoń +48 601 234 567 Dojazd Strona składu", "https://www.example.pl/opal"),
        *("NIP 5260250274", "50,0617° N, 19,9373° E (przybliżone)", "poniedziałek 7:00–15:00"),
        *("wtorek 7:00–10:00 i 12:00–15:00", "sobota całą dobę", "niedziela nieczynne", "Licencja ODbL-1.0"),
        *("Mo-Fr 07:00-15:00; Tu 07:00-10:00,12:00-15:00; Sa 24/7", "Sprawdzono 1 września 2026 r."),
        *("Ostatnia zmiana 3 października 2026 r.", "© autorzy OpenStreetMap, licencja ODbL 1.0"),
    )
    assert "- wtorek: 7:00–10:00 i 12:00–15:00" in client.get(f"{depot_page[:-1]}.md").content.decode()
    assert canonical_of(answer) == f"http://127.0.0.1:8000{depot_page}"
    html = answer.content.decode()
    assert "mlat=50.0617&amp;mlon=19.9373" in html
    assert f'<link rel="alternate" type="application/json" href="/api/v1/stores/{depot.pk}">' in html
    assert NOINDEX not in html


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
    missing_prices = "Węgiel brak ceny – podaj Pellet (według nazwy) brak ceny – podaj"
    expect(page, missing_prices, "Paliwa według nazwy: pellet.")
    (store,) = [thing for thing in linked_data(page)["@graph"] if thing["@type"] == "Store"]
    assert [offer["itemOffered"]["name"] for offer in store["makesOffer"]] == ["Węgiel"]
    assert "- Paliwa: Węgiel, Pellet (według nazwy)" in client.get(f"{path}.md").content.decode().replace("\\", "")
    expect(client.get(KRAKOW), "Pellet (według nazwy)")
    assert "Pellet (według nazwy)" in client.get(f"{KRAKOW[:-1]}.md").content.decode().replace("\\", "")


def test_what_a_source_wrote_is_escaped(client):
    depot = factories.DepotFactory(name=f"Opał {SCRIPT}", place=SCRIPT, opening_hours=SCRIPT)
    for path in [f"/sklad/{depot.pk}-opal-script-alert-1-script/", KRAKOW]:
        answer = client.get(path)
        assert answer.status_code == 200
        assert not runnable(answer)


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


def test_a_day_of_three_ranges():
    ranges = ("6:00-9:00", "10:00-12:00", "13:00-24:00")
    assert week(dict.fromkeys(DAYS, ranges))[0] == ("poniedziałek", "6:00–9:00, 10:00–12:00 i 13:00–24:00")
