"""What is written without a loop in a template: the same marks, and nothing of others' text unescaped."""

from pages.depots import Phone
from pages.pictures.dots import Dot
from pages.pictures.maps import Name
from pages.templatetags.depots import captions, dialled, leaders, marks, tags


def test_names_of_others_are_escaped():
    assert tags(("a<b", "c&d")) == "<li>a&lt;b</li><li>c&amp;d</li>"
    assert captions([Name("<i>", 1.5, 2.0)]) == '<text class="name" x="1.5" y="2.0" dy="3.4">&lt;i&gt;</text>'
    link = '<a class="phone" href="tel:+48123456789">+48 12 345 67 89 &lt;</a>'
    assert dialled([Phone("+48 12 345 67 89 <", "tel:+48123456789")] * 2) == f"{link}, {link}"


def test_a_dot_that_moved_is_led_to_its_place():
    here = Dot("1", 10.0, 20.0, 10.0, 20.0, False, (1,))
    moved = Dot("128", 30.0, 20.5, 10.0, 20.0, True, (128,))
    assert marks([here, moved]) == (
        '<g class="dot" transform="translate(10.0 20.0)"><circle r="8.5"/><text y="3.6">1</text></g>'
        '<g class="dot" transform="translate(30.0 20.5)"><circle r="8.5"/><text class="long" y="3.6">128</text></g>'
    )
    assert leaders([here, moved]) == (
        '<path class="leader" d="M30.0 20.5L10.0 20.0"/><circle class="place" cx="10.0" cy="20.0" r="2"/>'
    )


def test_a_group_is_a_square_with_a_letter():
    group = Dot("A", 1.0, 2.0, 1.0, 2.0, False, (1, 2))
    assert marks([group]) == (
        '<g class="dot group" transform="translate(1.0 2.0)"><rect x="-8.5" y="-8.5" width="17" height="17"/>'
        '<text y="3.6">A</text></g>'
    )
