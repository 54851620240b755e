"""Filters and orders of the page of a municipality, and its validity."""

import re
from datetime import UTC, date, datetime, timedelta
from html import unescape

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from catalog.depots.opening_times import WARSAW, Openings, opening_state
from catalog.depots.snapshot import Depots
from catalog.links import depot_path
from catalog.models import Depot
from catalog.parsing.opening_hours import daily_ranges, weekly_hours
from tests import factories
from tests.client import shared_rows
from tests.pages.reading import KRAKOW, canonical_of, expect, missing, text_of

TWIN = f"{KRAKOW[:-1]}.md"

pytestmark = pytest.mark.django_db

FRIDAY_NOON = datetime(2026, 11, 20, 12, 0, tzinfo=WARSAW)
WEEK = dict.fromkeys(["mon", "tue", "wed", "thu", "fri"], "8:00-16:00") | {"sat": "8:00-13:00", "sun": "nieczynne"}
ALWAYS = dict.fromkeys(WEEK, "0:00-24:00")


@pytest.fixture
def clock(monkeypatch):

    def set_time(moment):
        monkeypatch.setattr(timezone, "now", lambda: moment.astimezone(UTC))

    set_time(FRIDAY_NOON)
    return set_time


@shared_rows
def market():
    """Create three depots in Kraków and one beyond, with prices of pellet and of an assortment of coal."""
    factories.BoundaryFactory(lat=50.06, lon=19.94)
    near = factories.DepotFactory(name="Blisko", fuels=["pellet"], lat=50.06, hours=WEEK)
    middle = factories.DepotFactory(name="Środek", fuels=["pellet", "wegiel-orzech"], lat=50.08)
    far = factories.DepotFactory(name="Antracyt", fuels=["wegiel"], lat=50.10, hours=WEEK | {"fri": "14:00-18:00"})
    neighbour(name="Sąsiad", fuels=["pellet"], hours=WEEK)
    for depot, fuel, price in (
        *((near, "pellet", 1700), (middle, "pellet", 1600)),
        *((middle, "wegiel-orzech", 1500), (far, "wegiel", 1550)),
    ):
        price_of(depot, price, fuel)


def neighbour(lat=50.2, **values):
    return factories.DepotFactory(municipality=factories.zakopane(), lat=lat, **values)


def price_of(depot, price, fuel="pellet"):
    return factories.price_depots(price, depot=depot, fuel=fuel, day=date(2026, 11, 19))


def names(client, query=""):
    return re.findall(r'<h3><span class="pin">\d+</span><a href="[^"]+">([^<]+)</a>', html(client, query))


def max_age(answer):
    return answer["Cache-Control"].split(", ")[1]


def html(client, query=""):
    return client.get(f"{KRAKOW}{query}").content.decode()


def test_page_and_twin_list_what_is_chosen_in_the_chosen_order(client, clock, market):
    usual = "", "?kolejnosc=odleglosc", "?kolejnosc=cena", "?otwarte=pt-24", "?paliwo=&kolejnosc=&otwarte="
    for listed, queries in (
        (["Blisko", "Środek", "Antracyt", "Sąsiad"], (*usual, "?paliwo=torf&kolejnosc=x&otwarte=tak")),
        (["Antracyt", "Blisko", "Środek", "Sąsiad"], ("?kolejnosc=nazwa",)),
        (["Blisko", "Środek", "Sąsiad"], ("?paliwo=pellet",)),
        *((["Środek", "Blisko", "Sąsiad"], (f"?paliwo=pellet&kolejnosc=cena{at}",)) for at in ("", "&p=50.19,19.94")),
        (["Środek", "Antracyt"], ("?paliwo=wegiel&kolejnosc=cena",)),
        (["Blisko", "Sąsiad"], ("?otwarte=1",)),
        ([], ("?paliwo=wegiel&otwarte=1", "?otwarte=so-13", "?otwarte=nd")),
        (["Blisko", "Antracyt", "Sąsiad"], ("?otwarte=so", "?otwarte=so-12")),
        (["Antracyt"], ("?otwarte=pt-17",)),
        (["Sąsiad", "Antracyt", "Środek", "Blisko"], ("?p=50.19,19.94",)),
    ):
        for query in queries:
            answer = client.get(f"{KRAKOW}{query}")
            assert names(client, query) == listed, query
            assert canonical_of(answer) == f"http://127.0.0.1:8000{KRAKOW}"
            twin = client.get(f"{TWIN}{query}").content.decode()
            assert re.findall(r"^- \[([^\]]+)\]\(", twin, re.MULTILINE)[: len(listed)] == listed


def test_what_is_open_now_follows_the_clock_and_is_found_behind_hundreds_of_closed_ones(client, clock, market):
    for hours, listed in ((0, ["Blisko", "Sąsiad"]), (3, ["Blisko", "Antracyt", "Sąsiad"]), (5, ["Antracyt"]), (9, [])):
        clock(FRIDAY_NOON + timedelta(hours=hours))
        assert names(client, "?otwarte=1") == listed, hours
    shut = factories.DepotFactory.build_batch(201, municipality=factories.zakopane(), lat=50.07, hours=WEEK)
    Depot.objects.bulk_create(shut)
    neighbour(50.4, name="Całodobowy", hours=ALWAYS)
    clock(FRIDAY_NOON + timedelta(hours=11))
    assert names(client, "?otwarte=1") == ["Całodobowy"]


def test_hours_after_midnight_are_those_of_the_day_before(client, clock, market):
    clock(FRIDAY_NOON - timedelta(days=1))
    source = "Fr-Sa 22:00-06:00"
    factories.DepotFactory(name="Nocny", hours=weekly_hours(source), opening_hours=source)
    for query, is_listed in (("pt-23", True), ("so-5", True), ("nd-5", True), ("so-6", False), ("pt-5", False)):
        assert ("Nocny" in names(client, f"?otwarte={query}")) == is_listed, query
    for query, hours in (("pt-23", "w piątek"), ("so-5", "w piątek"), ("so-23", "w sobotę"), ("nd-5", "w sobotę")):
        assert f"{hours} 22:00–6:00" in html(client, f"?otwarte={query}"), query


def test_a_list_for_another_day_shows_the_hours_of_that_day(client, clock, market):
    clock(FRIDAY_NOON)
    for path in (KRAKOW, TWIN):
        saturday = expect(client.get(f"{path}?otwarte=so"), without=["otwarte do"])
        assert saturday.count("w sobotę 8:00–13:00") == 3
        expect(client.get(f"{path}?otwarte=pt-11"), "otwarte do", without=["w piątek 8"])


def test_a_chip_counts_the_list_that_it_shows_and_beyond_the_nearest_are_farther_depots(client, clock, market):
    """Here the municipality alone has two depots with pellet and one that is open."""
    for step in range(20):
        neighbour(50.2 + step / 1000, name=f"Obcy {step}", fuels=["pellet"], hours=WEEK)
    for place in ("", "?p=50.06,19.94", "?p=50.19,19.94"):
        counted = re.findall(r'<li><a href="([^"]+)"[^>]*>[^<]+ <span>(\d+)</span></a></li>', html(client, place))
        assert len(counted) == 7, place
        for href, number in counted:
            assert len(names(client, unescape(href).removeprefix(KRAKOW))) == int(number), href
    expect(client.get(f"{KRAKOW}?p=50.19,19.94"), "Dalsze składy poza gminą", without=["Najbliższe poza gminą"])


def test_chips_keep_what_is_chosen_and_begin_with_it(client, clock, market):
    page = html(client, "?p=50.06,19.94&paliwo=pellet&kolejnosc=cena").partition('class="chips"')[2]
    chips = re.findall(r'<li><a href="([^"]+)"( aria-current="true")?>([^<]+?)(?: <span>(\d+)</span>)?</a></li>', page)
    path = f"{KRAKOW}?p=50.06,19.94"
    assert chips == [
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=cena", ' aria-current="true"', "Pellet", "3"),
        (path, "", "wszystkie", "4"),
        (f"{path}&amp;paliwo=wegiel&amp;kolejnosc=cena", "", "Węgiel", "2"),
        (f"{path}&amp;paliwo=wegiel-orzech&amp;kolejnosc=cena", "", "Orzech", "1"),
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=cena", ' aria-current="true"', "najtaniej", ""),
        (f"{path}&amp;paliwo=pellet", "", "najbliżej", ""),
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=nazwa", "", "według nazwy", ""),
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=cena&amp;otwarte=1", "", "otwarte teraz", "2"),
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=cena&amp;otwarte=pt-17", "", "otwarte dziś o 17:00", "0"),
        (f"{path}&amp;paliwo=pellet&amp;kolejnosc=cena&amp;otwarte=so", "", "otwarte w sobotę", "2"),
    ]
    expect(client.get(f"{TWIN}?otwarte=sr-9&paliwo=wegiel"), "Wybrano: węgiel, otwarte w środę o 9:00.")
    assert f'<a href="{KRAKOW}" aria-current="true">otwarte w środę o 9:00 <span>' in html(client, "?otwarte=sr-9")


def test_from_five_on_after_work_is_that_of_the_next_day(client, clock, market):
    def chip():
        return re.search(r"otwarte=(..-17)[^>]*>(otwarte [^<]+) <", html(client)).groups()

    for day, hour, minute, shown in (
        (20, 16, 59, ("pt-17", "otwarte dziś o 17:00")),
        (20, 17, 0, ("so-17", "otwarte jutro o 17:00")),
        (22, 23, 30, ("pn-17", "otwarte jutro o 17:00")),
        (23, 0, 30, ("pn-17", "otwarte dziś o 17:00")),
    ):
        clock(datetime(2026, 11, day, hour, minute, tzinfo=WARSAW))
        assert chip() == shown
    clock(datetime(2026, 11, 20, 16, 59, tzinfo=WARSAW))
    assert max_age(client.get(KRAKOW)) == "max-age=60"


def test_depots_that_name_no_assortment_may_have_the_chosen_one(client, clock, market):
    for query, link in (
        ("?paliwo=wegiel-kostka", "?paliwo=wegiel"),
        ("?paliwo=wegiel-kostka&otwarte=so", "?paliwo=wegiel&amp;otwarte=so"),
        ("?paliwo=wegiel-kostka&otwarte=1", ""),  # of coal nothing is open
        ("?paliwo=wegiel-orzech", ""),
        ("?paliwo=brykiet", ""),
    ):
        told = re.findall(r'<a href="([^"]+)">Składy, które podają tylko „Węgiel”</a>', html(client, query))
        assert told == ([f"{KRAKOW}{link}"] if link else []), query
    expect(client.get(f"{TWIN}?paliwo=wegiel-kostka"), "mogą mieć też ten sortyment")


def test_prices_of_one_fuel_are_compared_over_all_sections(client, clock, market):
    price_of(Depot.objects.get(name="Sąsiad"), 1500)
    factories.DepotFactory(name="Bez ceny", fuels=["pellet"], lat=50.061)
    for query in ("?paliwo=pellet&kolejnosc=cena", "?paliwo=pellet&kolejnosc=cena&p=50.06,19.94"):
        assert names(client, query) == ["Sąsiad", "Środek", "Blisko", "Bez ceny"]
        for path in (KRAKOW, TWIN):
            said = "Składy od najtańszego", "Składy bez ceny są na końcu."
            text = expect(client.get(f"{path}{query}"), *said, without=["W tej gminie:"])
            assert text.count("Składy z ceną tego paliwa: 3 z 4.") == 1


def test_a_missing_price_is_that_of_the_chosen_fuel(client, clock, market):
    first = factories.DepotFactory(name="Pierwszy", fuels=["brykiet", "pellet"], lat=50.061)
    expect(client.get(KRAKOW), "Składy z ceną: 3 z 4.")
    price_of(first, 1650)
    brykiet = f"{KRAKOW}?paliwo=brykiet"
    expect(client.get(brykiet), "Ten skład nie podał jeszcze ceny tego paliwa.")
    factories.DepotFactory(name="Drugi", fuels=["brykiet"], lat=50.062)
    expect(client.get(brykiet), "Żaden z tych składów nie podał jeszcze ceny tego paliwa.")


def test_a_list_by_price_says_that_the_municipality_has_none(client, clock, market):
    abroad = Depot.objects.filter(name="Sąsiad")
    abroad.update(fuels=["brykiet"])
    for path in (KRAKOW, TWIN):
        none = "W tej gminie żaden skład nie pasuje do wyboru: brykiet"
        expect(client.get(f"{path}?paliwo=brykiet&kolejnosc=cena"), none)
    Depot.objects.exclude(pk__in=abroad).update(publication="held")
    none = "Nie mamy w katalogu żadnego składu w tej gminie."
    expect(client.get(f"{KRAKOW}?paliwo=brykiet&kolejnosc=cena"), none, "Składy od najtańszego")


def test_what_cannot_be_used_is_named_and_prices_of_different_fuels_are_not_compared(client, clock, market):
    notices = "Nie znamy paliwa", "Nie znamy kolejności", "może stać otwarte=1, dzień (so)"
    expect(client.get(f"{KRAKOW}?paliwo=torf&kolejnosc=x&otwarte=tak"), *notices)
    choose = "Wybierz paliwo, a ułożymy składy od najtańszego."
    expect(client.get(f"{KRAKOW}?kolejnosc=cena"), choose, without=["najtaniej"])
    expect(client.get(f"{KRAKOW}?paliwo=pellet"), "najtaniej")


def test_headings_tell_what_the_municipality_has_of_the_choice(client, clock, market):
    expect(client.get(f"{KRAKOW}?paliwo=brykiet&p=50.06,19.94"), without=["W tej gminie: 3 składy"])
    neighbour(name="Za granicą", fuels=["brykiet"])
    for query in ("?paliwo=brykiet", "?paliwo=brykiet&p=50.06,19.94"):
        none = "W tej gminie żaden skład nie pasuje do wyboru: brykiet (mamy tu 3 składy)."
        expect(client.get(f"{KRAKOW}{query}"), none)
    expect(client.get(f"{KRAKOW}?paliwo=pellet&p=50.06,19.94"), "W tej gminie: 2 składy.")


def test_a_card_tells_price_state_distance_and_way_and_the_list_the_median_of_a_chosen_fuel(client, clock, market):
    text = expect(
        client.get(KRAKOW),
        "1 Blisko 1 700 zł /t Pellet, 19.11.2026 otwarte do 16:00 ",
        "Środek 1 500 zł /t Węgiel orzech, 19.11.2026 godziny nieznane",
        "zamknięte, otwiera o 14:00",
        without=["16:00 ·", "brak ceny"],
    )
    expect(client.get(f"{KRAKOW}?paliwo=pellet"), "Środek 1 600 zł /t Pellet", without=["mediana"])
    assert not missing(
        html(client),
        '<li value="1" id="sklad-1" data-at="50.06,19.9373">',
        "<b>1\N{NO-BREAK SPACE}700\N{NO-BREAK SPACE}zł</b>/t <span>Pellet, 19.11.2026</span>",
        '<span class="state open"><span class="together">otwarte do 16:00</span></span> <span class="distance">0,2',
        '<span class="state unknown">',
        "<li>Pellet</li> <li>Węgiel orzech</li>",
        f'/sklad/{Depot.objects.get(name="Blisko").pk}/zglos/" rel="nofollow">Tego składu nie ma</a></details>',
        'href="https://www.openstreetmap.org/directions?to=50.06,19.9373"',
    )
    assert html(client).count('class="price"') == 3, "the neighbour has none"
    assert text.index("W tej gminie: 3 składy") < text.index("Najbliższe poza gminą") < text.index("Sąsiad")
    price_of(factories.DepotFactory(), 1650)
    expect(client.get(f"{KRAKOW}?paliwo=pellet"), "Pellet, województwo małopolskie: mediana 1 650 zł/t (3 ceny)")


@pytest.mark.parametrize("path", [KRAKOW, TWIN])
def test_what_is_open_is_kept_no_longer_than_it_holds(client, clock, market, path):
    clock(datetime(2026, 11, 20, 13, 58, 30, tzinfo=WARSAW))
    before = client.get(path)
    assert max_age(before) == "max-age=90"
    assert "otwiera o 14:00" in before.content.decode()
    clock(datetime(2026, 11, 20, 13, 59, 59, tzinfo=WARSAW))
    known = {"If-None-Match": before["ETag"]}
    unchanged = client.get(path, headers=known)
    assert (unchanged.status_code, unchanged["Cache-Control"]) == (304, "public, max-age=1")
    clock(datetime(2026, 11, 20, 14, 0, tzinfo=WARSAW))
    after = client.get(path, headers=known)
    assert (after.status_code, max_age(after)) == (200, "max-age=300")
    assert "otwarte do 18:00" in after.content.decode()


def test_a_body_stays_as_long_as_its_validator_and_markdown_says_when_the_opening_states_hold(client, clock, market):
    depot = Depot.objects.get(name="Blisko")
    paths = KRAKOW, depot_path(depot.pk, depot.name)
    for path in paths:
        for form in (path, f"{path[:-1]}.md"):
            clock(datetime(2026, 11, 20, 14, 0, 10, tzinfo=WARSAW))
            before = client.get(form)
            clock(datetime(2026, 11, 20, 15, 59, 59, tzinfo=WARSAW))
            after = client.get(form)
            assert (after["ETag"], after.content) == (before["ETag"], before.content)
    for hour, minute, span in ((12, 30, "od 8:00 do 13:00"), (23, 59, "od 18:00 do 24:00")):
        clock(datetime(2026, 11, 20, hour, minute, tzinfo=WARSAW))
        for path in paths:
            expect(client.get(f"{path[:-1]}.md"), f"20 listopada 2026 r. {span}")


def test_midnight_ends_what_is_said_of_tomorrow(client, clock, market):
    clock(datetime(2026, 11, 20, 23, 59, 0, tzinfo=WARSAW))
    late = client.get(KRAKOW)
    assert max_age(late) == "max-age=60"
    assert "zamknięte, otwiera sob. 8:00" in text_of(late)
    clock(datetime(2026, 11, 21, 0, 0, tzinfo=WARSAW))
    assert "zamknięte, otwiera o 8:00" in text_of(client.get(KRAKOW))


BREAK = "Mo-Fr 08:00-12:00,13:00-16:00; Sa 08:00-13:00"
WEEKS = [*map(daily_ranges, (BREAK, "Fr-Sa 22:00-06:00", "Mo-Fr 00:00-24:00", "Su 01:30-02:30", "24/7"))]
ALL = Openings(Depots([factories.depot_row(number, hours_ranges=week) for number, week in enumerate(WEEKS)]))


@given(second=st.integers(0, 2 * 366 * 24 * 3600))
def test_nothing_changes_within_a_period(second):
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
    period = ALL.period(moment)
    assert period.start <= moment < period.end
    last = period.end - timedelta(microseconds=1)
    for week in WEEKS:
        assert opening_state(week, moment).sentence == opening_state(week, last).sentence
    assert ALL.period(last) == ALL.period(period.start) == period


def test_a_new_state_has_a_new_period():
    for day in (date(2026, 3, 29), date(2026, 10, 25)):
        first = datetime(day.year, day.month, day.day, tzinfo=WARSAW).astimezone(UTC) - timedelta(hours=1)
        moments = [first + timedelta(minutes=minute) for minute in range(360)]
        for week in WEEKS:
            seen = {}
            for moment in moments:
                sentence = opening_state(week, moment).sentence
                assert seen.setdefault(ALL.period(moment), sentence) == sentence
