"""Non-breaking spaces after words of one letter."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from pages.polish import NO_BREAK
from pages.template_filters import tie, tie_html
from tests.pages.reading import KRAKOW

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def shown(text):
    return text.replace(NO_BREAK, "~")


def test_what_belongs_together_is_tied():
    tied = {
        "Mapa z granicami": "Mapa z~granicami",
        "W Polsce i w Czechach": "W~Polsce i~w~Czechach",
        "pod adresem\n  (w gminie)": "pod adresem\n  (w~gminie)",
        "„O katalogu”": "„O~katalogu”",
        "klasa A i B": "klasa A~i~B",
        "strefy A, B i C": "strefy A, B i~C",
        "raz na dzień": "raz na dzień",
        "z": "z",
        "koniec z ": "koniec z ",
        "od 1 lipca 2026 r. do 40 zł": "od 1 lipca 2026~r. do 40~zł",
        "do 15 km, 12,5 kg i 5 mm": "do 15~km, 12,5~kg i~5~mm",
        "Dz. Urz. z 2017 r. poz. 787, nr 4 rury": "Dz. Urz. z~2017~r. poz.~787, nr~4 rury",
        "kod 30-001 – Kraków": "kod 30-001~– Kraków",
        "1 tona i 30 metrów": "1 tona i~30 metrów",
        "przy ul. Długiej 5 i os. Zielonym": "przy ul.~Długiej 5 i~os.~Zielonym",
    }
    assert {written: shown(tie(written)) for written in tied} == tied


def test_only_texts_of_a_template_are_tied():
    for written, tied in (
        ("<p>Mediana z {{ n }} cen</p>", "<p>Mediana z~{{ n }} cen</p>"),
        ("<p>{{ n }} km – <b>{{ m }}</b> – {{ k }} t</p>", "<p>{{ n }}~km~– <b>{{ m }}</b>~– {{ k }}~t</p>"),
        ("<title>{% block title %}{% endblock %} – {{ name }}</title>",) * 2,
        ("składy w\n  <a href='/'>gminie</a>", "składy w~<a href='/'>gminie</a>"),
        ('<a title="raz w roku" data-i="a b">w domu</a>', '<a title="raz w roku" data-i="a b">w~domu</a>'),
        ("{% if a > b or i %}a{% endif %}", "{% if a > b or i %}a{% endif %}"),
        (
            '<b class="{% if i > 1 %}o p{% endif %} w x">i tak</b>',
            '<b class="{% if i > 1 %}o p{% endif %} w x">i~tak</b>',
        ),
        ('{# a i b #}{{ a|default:"w i" }}', '{# a i b #}{{ a|default:"w i" }}'),
    ):
        assert shown(tie_html(written)) == tied


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR / "templates")))
def test_nothing_but_spaces_changes(path: Path):
    source = path.read_text()
    tied = tie_html(source)
    assert re.sub(r"\s+", " ", tied) == re.sub(r"\s+", " ", source)
    assert re.findall(r"<[^>]*>|\{%.*?%\}", tied) == re.findall(r"<[^>]*>|\{%.*?%\}", source)


@pytest.mark.django_db
def test_pages_are_tied_and_their_markdown_is_not(client, depot):
    html = client.get(KRAKOW).content.decode()
    assert f"API i{NO_BREAK}zasady" in html
    assert NO_BREAK not in client.get(f"{KRAKOW[:-1]}.md").content.decode().replace("2026", "")
