"""Sentences that pages say seldom."""

from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.forms import ValidationError
from django.http import HttpResponse

from catalog import fuels
from catalog.models import FormerMunicipality
from fueldepot.data import snapshot
from pages import polish
from pages.checking import Walk
from pages.depots import week
from pages.forms.fields import Phone
from pages.forms.hours import HoursUnreadable, read_day
from pages.prices import price_map
from pages.regulations import regulations_page
from pages.site_map import Entry, Section
from tests import factories
from tests.pages.reading import text_of
from tests.pages.test_check_pages import HEAD
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = pytest.mark.django_db


def test_a_day_that_nothing_is_known_of():
    assert [day.hours for day in week({"mon": "7:00-15:00", "tue": "0:00-24:00"})][:3] == [
        "7:00–15:00",
        "całą dobę",
        "brak danych",
    ]


def test_no_amount_is_a_dash():
    assert polish.zloty(None) == "–"


@pytest.mark.parametrize("typed", ["całą dobę", "Całodobowo", "24h", " 24/7 "])
def test_round_the_clock_in_words(typed):
    assert read_day(typed) == ("0:00-24:00",)
    with pytest.raises(HoursUnreadable):
        read_day(f"{typed} albo później")


def test_too_many_telephones():
    numbers = [f"+48 60{number} 234 567" for number in range(9)]
    field = Phone(required=False)
    assert field.clean(", ".join(numbers[:5])).count(",") == 4
    with pytest.raises(ValidationError, match="Podaj najwyżej pięć numerów"):
        field.clean(", ".join(numbers))


def test_the_map_names_the_next_deadline_or_that_none_is_left():
    factories.BoundaryFactory()
    LegalStateFactory()
    ResolutionFactory()
    DeadlineFactory(date=date(2028, 1, 1))
    for today, label in ((date(2028, 1, 1), "2028"), (date(2028, 1, 2), "–")):
        (shape,) = regulations_page(today).map.links
        assert shape.label == (label,)
        assert ("wszystkie znane terminy minęły" in shape.title) == (label == "–")


def test_the_map_does_not_say_none_where_nothing_is_known():
    factories.BoundaryFactory()
    (unknown,) = regulations_page(date(2028, 1, 2)).map.links
    ResolutionFactory(krakow=True)
    snapshot.invalidate()
    (undated,) = regulations_page(date(2028, 1, 2)).map.links
    assert (unknown.label, undated.label) == (("?",), ("?",))
    assert unknown.title.endswith("nie wiemy: nie wczytano jeszcze stanu prawnego")
    assert undated.title.endswith("terminów części uchwał nie znamy")
    assert not unknown.hatched


def test_a_unit_that_nobody_knows(client):
    LegalStateFactory()
    known, unknown = (text_of(client.get(f"/przepisy/malopolskie/{query}")) for query in ("", "?teryt=1299999"))
    assert "Pod podanym kodem TERYT nie ma gminy" in unknown
    assert "Pod podanym kodem" not in known


def test_a_voivodeship_with_too_few_prices_is_hatched(client):
    factories.BoundaryFactory()
    drawn = str(price_map(fuels.BY_SLUG["pellet"], [{"voivodeship": "mazowieckie", "median": 1500.0}]))
    assert "województwo małopolskie: za mało cen" in drawn


def test_a_former_code_with_a_postcode_leads_to_its_successor(client):
    krakow = factories.krakow()
    FormerMunicipality.objects.create(teryt="1261999", name="Dawna", successor=krakow, left_on=date(2020, 1, 1))
    answer = client.get("/sklady/malopolskie/dawna-1261999/?kod=30-001")
    assert (answer.status_code, answer["Location"]) == (301, "/sklady/malopolskie/krakow-1261011/?kod=30-001")
    assert client.get("/sklady/malopolskie/zadna-1261998/?kod=30-001").status_code == 404


def test_a_twin_of_another_type_is_told():
    def site(path):
        return HttpResponse(HEAD if path.endswith(".md") else "<title>A</title>", content_type="text/html")

    assert list(Walk(site).findings([Entry("/a/", Section.SERVICE)])) == ["/a.md: has the type text/html"]


def test_every_how_manyth_page_is_a_number():
    with pytest.raises(CommandError, match="--one-in wants a whole number from 1 on"):
        call_command("check_pages", one_in=0)


def test_a_citation_names_the_operator_where_it_is_another(client, settings):
    settings.SITE_NAME, settings.OPERATOR_NAME = "Składy opału", "Fundacja Próbna"
    assert "Składy opału (Fundacja Próbna), „" in text_of(client.get("/dane/"))
    settings.OPERATOR_NAME = "Składy opału"
    assert "Składy opału, „" in text_of(client.get("/dane/"))
