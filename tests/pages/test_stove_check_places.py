"""The place in the check of a stove: villages, names of several places, what is not found."""

import pytest

from catalog.search import entries
from tests import factories
from tests.pages.reading import SCRIPT, missing
from tests.pages.test_stove_check import CLASS_3, TWIN, URL, acts, ask, said, searchable, sentence_of  # noqa: F401 - fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("searchable", "the_day")]


def units(**named):
    """Municipalities of Małopolska by the ends of their codes, to be found by their names."""
    for number, name in named.items():
        factories.MunicipalityFactory(teryt=f"12110{number.removeprefix('n')}", name=name)
    entries.rebuild_index()


def test_a_village_is_not_lost(client):
    factories.PlaceFactory(name="Ludźmierz", municipality=factories.zakopane())
    entries.rebuild_index()
    answer = ask(client, "ludzmierz")
    assert "Ludźmierz (gmina Zakopane), kocioł klasy 3: wolno używać" in said(answer)
    assert 'value="Ludźmierz"' in answer.content.decode()


def test_several_places_of_a_name_are_offered_and_the_form_keeps_the_chosen_one(client):
    units(n11="Nowy Targ", n52="Nowy Targ")
    assert '<input type="hidden" name="teryt" value="1211052">' in ask(client, "1211052").content.decode()
    answer = ask(client, "Nowy Targ")
    assert "Które miejsce masz na myśli?" in said(answer)
    assert 'class="answer' not in answer.content.decode()
    for teryt in ("1211011", "1211052"):
        assert f'href="{URL}?miejsce={teryt}&amp;piec={CLASS_3}"' in answer.content.decode()
    asked = {"miejsce": "Nowy Targ", "piec": CLASS_3}
    assert "(TERYT 1211052)" in client.get(TWIN, asked | {"teryt": "1211052"}).content.decode()
    # Another name is another question.
    assert "Kraków, kocioł klasy 3" in said(client.get(URL, asked | {"miejsce": "Kraków", "teryt": "1211052"}))


def test_the_form_keeps_the_village_that_was_chosen_among_its_namesakes(client):
    nine = [factories.MunicipalityFactory(teryt=f"12110{number}2", name=f"Gmina {number}") for number in range(1, 10)]
    for unit in nine:
        factories.PlaceFactory(name="Dąbrowa", municipality=unit)
    entries.rebuild_index()
    asked, which = {"miejsce": "Dąbrowa", "piec": CLASS_3}, "Które miejsce masz na myśli?"
    assert not missing(said(client.get(URL, asked)), which, "Nie ma tu Twojego miejsca? Dopisz gminę")
    # One of the nine is not among the eight suggestions.
    for unit in nine:
        answer = client.get(URL, asked | {"teryt": unit.teryt})
        assert f"Dąbrowa (gmina {unit.name}), kocioł klasy 3:" in said(answer)
        assert f'<input type="hidden" name="teryt" value="{unit.teryt}">' in answer.content.decode()
    assert which in said(client.get(URL, asked | {"teryt": "1217011"}))


def test_a_village_does_not_stand_for_the_town_that_begins_with_its_name(client):
    for name in ("Gorzów", "Bór"):
        factories.PlaceFactory(name=name, municipality=factories.zakopane())
    units(n11="Gorzów Wielkopolski")
    for path, twin in ((URL, ""), (TWIN, ".md")):
        answer = ask(client, "Gorzów", path=path)
        assert "Które miejsce masz na myśli?" in said(answer)
        for teryt in ("1211011", "1217011"):
            assert f"/przepisy/sprawdz{twin or '/'}?miejsce={teryt}&" in answer.content.decode()
    assert "Bór (gmina Zakopane), kocioł klasy 3" in sentence_of(client, "Bór")


def test_page_and_twin_name_other_places_of_a_similar_name(client):
    units(n11="Ostrów", n52="Ostrów Wielkopolski")
    other = f"- [Ostrów Wielkopolski](http://127.0.0.1:8000{TWIN}?miejsce=1211052&piec={CLASS_3}): "
    twin = ask(client, "Ostrów", path=TWIN).content.decode()
    assert not missing(twin, "**Ostrów, kocioł klasy 3", other, "Inne miejsca o podobnej nazwie:")
    assert "Inne miejsca o podobnej nazwie (1)" in sentence_of(client, "Ostrów")
    assert "Inne miejsca" not in ask(client, "Zakopane", path=TWIN).content.decode()


def test_what_cannot_be_answered_says_so_and_shows_what_was_typed_as_text(client):
    unknown = "Nie znamy urządzenia o kodzie, który jest w adresie strony."
    assert SCRIPT not in ask(client, SCRIPT).content.decode()
    for query, words in (
        ("", "Wpisz miejscowość i wybierz urządzenie."),
        ("?miejsce=&piec=", "Wpisz miejscowość i wybierz urządzenie."),
        ("?miejsce=zzzqqq", "Nie znaleźliśmy takiego miejsca."),
        ("?miejsce=%ff", "Nie umiemy odczytać tego miejsca."),
        ("?miejsce=9999999", "Nie znaleźliśmy takiego miejsca."),
        ("?miejsce=1217011", "Wybierz urządzenie z listy."),
        ("?miejsce=1217011&piec=kopciuch", f"{unknown} Wybierz"),
        ("?miejsce=zzzqqq&piec=kopciuch", f"{unknown} Nie znaleźliśmy"),
        ("?piec=kopciuch", unknown),
    ):
        answer = client.get(URL + query)
        assert answer.status_code == 200, query
        assert words in said(answer)
        assert 'class="answer' not in answer.content.decode()
        twin = client.get(TWIN + query)
        assert twin.status_code == 200
        if "Wpisz miejscowość" not in words:
            assert words in twin.content.decode()
