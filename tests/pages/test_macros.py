"""Macros of lists of depots: their output, and escaping."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.template import engines

from catalog.depots import fuels
from catalog.depots.opening_times import OpeningState
from pages import choices
from pages.choices import CardFacts, DepotCard, Phone, Status
from pages.svg.maps import DepotMap, Ground, Name
from pages.svg.outlines import Dot
from pages.svg.scales import Box, Frame, ScaleBar
from prices.snapshot import ListedPrice


def macro(template, name):
    return getattr(engines["jinja2"].env.get_template(template).module, name)


@pytest.fixture
def empty():
    return DepotMap(
        frame=Frame(0.0, 0.0, 10.0, 360.0, 200.0),
        scale=ScaleBar(50.0, "500 m"),
        approximate=False,
        ground=Ground("", "", "", False, ()),
        names=(),
        dots=(),
        origin=None,
        credit_osm=False,
    )


@pytest.fixture
def drawn(empty):

    def draw(**what):
        return macro("pages/svg/depot_map.html", "depot_map")(replace(empty, **what), "gmina <b>")

    return draw


def test_names_of_others_are_escaped(drawn, monkeypatch):
    picture = drawn(names=(Name("<i>", 1.5, 2.0, Box(0, 0, 1, 1)),))
    assert '<text class="name" x="1.5" y="2.0" dy="3.4">&lt;i&gt;</text>' in picture
    assert "Mapa: gmina &lt;b&gt;</title>" in picture
    phone = Phone("+48 12 345 67 89 <", "tel:+48123456789")
    facts = CardFacts(
        path="/sklad/1-u/",
        fuels=("a<b", "c&d"),
        phones=(phone, phone),
        status=Status("verified", "zweryfikowane", ""),
        way="https://example.pl/?to=1&x=2",
    )
    row = SimpleNamespace(id=1, name="<u>", address='ul. "Ładna" 1, 30-001 <Kraków>', lat=50.1, lon=19.2)
    facts = facts._replace(fixed=macro("pages/_depots.html", "fixed")(row, facts))
    monkeypatch.setattr(choices, "card_facts", lambda row: facts)
    monkeypatch.setitem(fuels.BY_SLUG, "wegiel", replace(fuels.BY_SLUG["wegiel"], name="Węgiel <x>"))
    price = ListedPrice("wegiel", Decimal(1590), date(2026, 10, 28))
    card = DepotCard(row, OpeningState(True, "otwarte do <12:00>, potem 13:00–16:00"), price, 12_000.0, 7)
    html = macro("pages/_depots.html", "cards")([card])
    for shown in [
        '<li value="7" id="sklad-7" data-at="50.1,19.2">',
        '<a href="/sklad/1-u/">&lt;u&gt;</a></h3>',
        '<span class="distance">12,0\N{NO-BREAK SPACE}km</span>',
        "<b>1\N{NO-BREAK SPACE}590\N{NO-BREAK SPACE}zł</b>/t <span>Węgiel &lt;x&gt;, 28.10.2026</span>",
        '<span class="state open"><span class="together">otwarte do &lt;12:00&gt;,</span> '
        '<span class="together">potem 13:00–16:00</span></span>',
        'ul. &#34;Ładna&#34; 1, <span class="code">30-001</span> &lt;Kraków&gt;</p>',
        "<li>a&lt;b</li> <li>c&amp;d</li>",
        'href="tel:+48123456789">Zadzwoń <span class="phone">+48 12 345 67 89 &lt;</span></a>',
        'href="https://example.pl/?to=1&amp;x=2"',
        '<a href="/sklad/1/zglos/" rel="nofollow">Tego składu nie ma</a></details>',
    ]:
        assert shown in html
    without = macro("pages/_depots.html", "cards")([card._replace(price=None, opening=OpeningState(None, "?"))])
    assert 'class="price"' not in without
    assert '<span class="state unknown">' in without


def test_a_dot_that_moved_is_led_to_its_place(drawn):
    here = Dot("1", 10.0, 20.0, 10.0, 20.0, False, (1,))
    picture = drawn(dots=(here, Dot("128", 30.0, 20.5, 10.0, 20.0, True, (128,))))
    assert (
        '<g class="dot" transform="translate(10.0 20.0)"><circle r="8.5"/><text y="3.6">1</text></g>'
        '<g class="dot" transform="translate(30.0 20.5)"><circle r="8.5"/><text class="long" y="3.6">128</text></g>'
    ) in picture
    assert picture.count('class="leader"') == 1
    assert (
        '<path class="leader" d="M30.0 20.5L10.0 20.0"/><circle class="place" cx="10.0" cy="20.0" r="2"/>'
    ) in picture


def test_a_group_is_a_square_with_a_letter(drawn):
    group = Dot("A", 1.0, 2.0, 1.0, 2.0, False, (1, 2))
    assert (
        '<g class="dot group" transform="translate(1.0 2.0)"><rect x="-8.5" y="-8.5" width="17" height="17"/>'
        '<text y="3.6">A</text></g>'
    ) in drawn(dots=(group,))
