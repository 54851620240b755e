import pytest

from catalog.submissions.owner_links import UNUSED
from catalog.submissions.tokens import LINK_LIFE
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


def test_every_page_leads_owners_to_what_they_can_do(client):
    assert 'href="/dla-wlascicieli/"' in client.get("/").content.decode()
    answer = client.get("/dla-wlascicieli/")
    twin = client.get("/dla-wlascicieli.md").content.decode()
    for text in (text_of(answer), twin):
        assert f"{LINK_LIFE.days * 24} godzin" in text.replace("\N{NO-BREAK SPACE}", " ")
        assert f"{UNUSED.days} dni" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert 'href="/sklady/dodaj/"' in answer.content.decode()


def test_the_buttons_it_names_stand_on_the_page_of_a_depot(client, depot_page):
    text = text_of(client.get(depot_page))
    for name in ("To mój skład", "Usuń wpis", "Pokaż to na swojej stronie", "Zmień godziny i ceny"):
        assert name in text
