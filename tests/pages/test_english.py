import pytest

from catalog.depots import fuels
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


def test_the_page_is_in_english_and_its_frame_in_polish(client):
    html = client.get("/en/").content.decode()
    assert '<html lang="en">' in html
    assert '<header class="top" lang="pl">' in html
    assert '<footer class="bottom" lang="pl">' in html
    content = html.partition("<main")[2].partition("</main>")[0]
    assert "Licencja" not in content
    assert "This page in Markdown" in content


def test_every_fuel_has_its_word(client):
    text, twin = text_of(client.get("/en/")), client.get("/en.md").content.decode()
    for fuel in fuels.FUELS:
        assert fuel.english
        assert f"{fuel.name} {fuel.english}" in text
        assert f"| {fuel.name} | {fuel.english} |" in twin


def test_every_page_leads_to_it(client):
    assert '<a href="/en/" lang="en" hreflang="en">English</a>' in client.get("/").content.decode()


def test_each_of_the_two_pages_names_both_languages(client):
    for path in ("/", "/en/"):
        html = client.get(path).content.decode()
        for language, other in (("pl", "/"), ("en", "/en/")):
            assert f'<link rel="alternate" hreflang="{language}" href="http://127.0.0.1:8000{other}">' in html
        assert '<link rel="alternate" hreflang' not in client.get("/ceny/").content.decode(), path
