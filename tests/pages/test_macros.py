"""Macros that stand many times on a page of depots: their marks, and nothing of others' text unescaped."""

from dataclasses import replace

import pytest
from django.template import engines

from pages.depots import DepotCard, Phone, Status
from pages.pictures.dots import Dot
from pages.pictures.frames import Frame
from pages.pictures.maps import DepotMap, Name
from pages.pictures.scales import ScaleBar


def macro(template, name):
    return getattr(engines["jinja2"].env.get_template(template).module, name)


@pytest.fixture
def empty():
    """A map with nothing on it."""
    return DepotMap(
        frame=Frame(0.0, 0.0, 10.0, 360.0, 200.0),
        scale=ScaleBar(50.0, 500, "500 m"),
        approximate=False,
        outline="",
        land="",
        borders="",
        names=(),
        dots=(),
        origin=None,
        credit_osm=False,
    )


@pytest.fixture
def drawn(empty):
    """Draws a map of these dots and names."""

    def draw(**what):
        return macro("pages/pictures/depot_map.html", "depot_map")(replace(empty, **what), "gmina <b>")

    return draw


def test_names_of_others_are_escaped(drawn):
    picture = drawn(names=(Name("<i>", 1.5, 2.0),))
    assert '<text class="name" x="1.5" y="2.0" dy="3.4">&lt;i&gt;</text>' in picture
    assert "Mapa: gmina &lt;b&gt;</title>" in picture
    phone = Phone("+48 12 345 67 89 <", "tel:+48123456789")
    card = DepotCard(
        number=7,
        name="<u>",
        path="/sklad/1-u/",
        address='ul. "Ładna" 1, 30-001 <Kraków>',
        fuels=("a<b", "c&d"),
        phones=(phone, phone),
        status=Status("verified", "zweryfikowane", ""),
        distance_km=12.0,
    )
    html = macro("pages/_depots.html", "cards")([card])
    for shown in [
        '<h3><a href="/sklad/1-u/">&lt;u&gt;</a></h3>',
        '<span class="distance">12,0 km</span>',
        '<p>ul. &#34;Ładna&#34; 1, <span class="code">30-001</span> &lt;Kraków&gt;</p>',
        "<li>a&lt;b</li><li>c&amp;d</li>",
        ", ".join(['<a class="phone" href="tel:+48123456789">+48 12 345 67 89 &lt;</a>'] * 2),
    ]:
        assert shown in html


def test_a_dot_that_moved_is_led_to_its_place(drawn):
    here = Dot("1", 10.0, 20.0, 10.0, 20.0, False, (1,))
    moved = Dot("128", 30.0, 20.5, 10.0, 20.0, True, (128,))
    picture = drawn(dots=(here, moved))
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
