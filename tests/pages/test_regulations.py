import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from fueldepot.data import snapshot
from pages import regulations
from pages.polish import NO_BREAK, day
from pages.regulations import regulations_page
from regulations.codes import Appliance
from regulations.models import Deadline
from tests import factories
from tests.client import shared_rows
from tests.pages.reading import NOINDEX, SCRIPT, canonical_of, expect, html_of, missing, present, text_of
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory, state_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

URL = "/przepisy/malopolskie/"


@shared_rows
def acts():
    """Create a voivodeship-wide act with distant deadlines, and a ban in Kraków."""
    state_of("12", as_of=timezone.localdate())
    AmendmentFactory(resolution=ResolutionFactory())
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), applies_to="wszystkie paliwa", caveat="Bez wyjątków.")
    DeadlineFactory(outside_krakow=True, date=date(2999, 1, 1))
    FuelBanFactory()
    factories.zakopane()


# First those without the acts, which stays until the end of the module.


def test_all_deadlines_of_the_nearest_day_are_named_and_the_list_marks_what_is_not_confirmed(client, same_day):
    for address, end in ((URL, "Ten stan"), ("/przepisy/malopolskie.md", "Wszystkie terminy")):
        text = read(client, address)
        first = text.partition("Najbliższy termin")[2].partition(end)[0]
        named = "piece; kotły", "Piece trzeba", "Kotły trzeba", "W mieście też.", "Gdzie: okolice Krakowa Wlkp. "
        assert not missing(" ".join(first.split()) + " ", *named)
        assert ("kuchnie" in first, "Wlkp.." in text) == (False, False)
    for address in ("/przepisy/", "/przepisy.md"):
        text = " ".join(re.sub(r"[()]", "", read(client, address)).replace(";", "").split())
        named = "piece kotły okolice Krakowa Wlkp. kotły Gmina Miejska Kraków"
        assert not missing(text, named, "dawno niepotwierdzony", "od ponad pół roku")


def test_what_is_not_confirmed_for_long_is_as_long_as_the_limit(client, same_day, monkeypatch):
    monkeypatch.setattr(regulations, "STALE_AFTER", timedelta(days=200))
    for address in ("/przepisy/", "/przepisy.md"):
        assert "od ponad 200 dni" in read(client, address)
    assert "ponad 200 dni temu" in read(client, URL)


def test_a_deadline_can_be_linked_to_and_the_page_cited(client, same_day):
    html = client.get(URL).content.decode()
    names = {f"termin-{row.key or row.uid}" for row in Deadline.objects.all()}
    assert "termin-kotly" in names
    assert set(re.findall(r'<tr id="([^"]+)"', html)) == set(re.findall(r'href="#(termin-[^"]+)"', html)) == names
    cited = re.search("- Cytuj: (.*)", read(client, "/przepisy/malopolskie.md"))[1]
    assert re.sub(r"<(http[^>]+)>", r"\1", cited) in read(client, URL)
    assert len(re.findall("cytować|Cytuj", html)) == 1


def test_a_voivodeship_without_resolution(client):
    state_of("20", "podlaskie", summary="", note="W województwie nie ma uchwały.")
    title = "Bez uchwały antysmogowej: województwo podlaskie"
    page = client.get("/przepisy/podlaskie/")
    expect(page, title, "W województwie nie ma uchwały.", without=["Najbliższy termin"])


def test_a_state_that_was_never_imported_is_not_known(client):
    factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    for path in ("/przepisy/podlaskie/", "/przepisy/podlaskie.md", "/przepisy/", "/przepisy.md", "/llms.txt"):
        text = html_of(client.get(path))
        assert present(text, "nie wczytano", "Bez uchwały", "odlaskie nie ma uchwały") == ["nie wczytano"], path


@pytest.mark.parametrize(("kind", "unknown"), [(None, True), ("new_installations", True), ("existing_boilers", False)])
def test_deadlines_that_are_not_known_have_not_passed(client, kind, unknown):
    ResolutionFactory(krakow=True)
    DeadlineFactory(outside_krakow=True, date=date(2019, 9, 1))
    if kind:
        DeadlineFactory(krakow=True, kind=kind, date=date(2019, 9, 1))
    not_known, passed = "Terminów tej uchwały nie znamy.", "Wszystkie znane terminy minęły."
    for path in ("/przepisy/malopolskie/", "/przepisy/malopolskie.md"):
        text = html_of(client.get(f"{path}?teryt=1261011"))
        assert present(text, not_known, passed) == ([not_known] if unknown else [passed])


def test_an_uncertain_deadline_says_so_and_not_that_it_holds(client):
    DeadlineFactory(date=date(2019, 9, 1), uncertain=True, caveat="Źródła są sprzeczne.")
    for query in ("", "?teryt=1261011"):
        said = "nie wiadomo, czy obowiązuje Źródła są sprzeczne."
        expect(client.get(URL + query), said, without=["już obowiązuje", "obowiązuje tu Źródła"])
        twin = html_of(client.get(URL.removesuffix("/") + ".md" + query))
        assert f"; {'w tym miejscu' if query else 'czy obowiązuje'}: nie wiadomo\n" in twin


@pytest.mark.parametrize(("days", "named"), [(1, True), (400, False)])
def test_an_old_state_names_the_deadline_within_a_year(client, days, named):
    state_of("12", as_of=timezone.localdate() - timedelta(days=181))
    near = timezone.localdate() + timedelta(days=days)
    DeadlineFactory(outside_krakow=True, date=near, applies_to="kotły klasy 3 i 4")
    sentence = f"a w ciągu roku mija termin: {day(near)} – kotły klasy 3 i 4. Przed decyzją".replace(NO_BREAK, " ")
    for address in (URL, "/przepisy/malopolskie.md"):
        text = read(client, address)
        assert (sentence in text) is named, text
        assert named or "ponad pół roku temu. Przed decyzją" in text
    assert "w ciągu roku" not in text_of(client.get(f"{URL}?teryt=1261011"))


def test_the_unit_is_told_its_own_next_deadline_first(client):
    """The JSON has the deadline in `resolution`; page and twin of Kraków do not show it first."""
    DeadlineFactory(outside_krakow=True, date=date(2998, 1, 1), applies_to="kotły klasy 3 i 4")
    DeadlineFactory(krakow=True, date=date(2999, 1, 1), applies_to="węgiel")
    for address in (f"{URL}?teryt=1261011", "/przepisy/malopolskie.md?teryt=1261011"):
        following = read(client, address).partition("Najbliższy termin")[2].partition("Inne terminy")[0]
        assert ("2999" in following, "2998" in following) == (True, False)


def test_what_editors_type_is_escaped(client):
    state_of("12", summary=SCRIPT, note=SCRIPT, sources=f"{SCRIPT} | https://example.pl")
    ResolutionFactory(title=SCRIPT)
    DeadlineFactory(description=SCRIPT)
    assert SCRIPT not in client.get(URL).content.decode()


def test_the_map_names_the_next_deadline_or_that_none_is_left():
    factories.BoundaryFactory()
    DeadlineFactory(date=date(2028, 1, 1))
    for today, label in ((date(2027, 12, 31), "2028"), (date(2028, 1, 1), "–")):
        (shape,) = regulations_page(today).content["draw_map"]().links
        assert shape.unit.label == (label,)
        assert ("wszystkie znane terminy minęły" in shape.unit.title) == (label == "–")


def test_the_map_does_not_say_none_where_nothing_is_known():
    factories.BoundaryFactory()
    (unknown,) = regulations_page(date(2028, 1, 2)).content["draw_map"]().links
    ResolutionFactory(krakow=True)
    snapshot.invalidate()
    (undated,) = regulations_page(date(2028, 1, 2)).content["draw_map"]().links
    assert (unknown.unit.label, undated.unit.label) == (("?",), ("?",))
    assert unknown.unit.title.endswith("nie wiemy: nie wczytano jeszcze stanu prawnego")
    assert undated.unit.title.endswith("terminów części uchwał nie znamy")
    assert not unknown.unit.hatched


def test_pages_lead_to_their_data_and_one_of_a_municipality_is_not_kept(client, acts):
    for path in ("/przepisy/", URL, f"{URL}?teryt=1217011"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        html = answer.content.decode()
        assert canonical_of(answer) == "http://127.0.0.1:8000" + path.partition("?")[0]
        assert (NOINDEX in html) == ("?" in path)
        assert client.get(re.search(r'type="application/json" href="([^"]+)"', html)[1]).status_code == 200


def test_the_list_names_the_next_deadline(client, acts):
    factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    state_of("28", "warmińsko-mazurskie", as_of=date(2026, 3, 1))
    expect(
        client.get("/przepisy/"),
        "małopolskie 1 stycznia 2999 r. kotły klasy 3 i 4",
        "podlaskie nie wiemy: nie wczytano jeszcze stanu prawnego brak danych",
        "warmińsko-mazurskie nie ma uchwały 1 marca 2026 r.",
    )
    for address in ("/przepisy/", "/przepisy.md"):
        assert "niepotwierdzony" not in read(client, address), "a fresh state is not marked"


@pytest.fixture
def same_day():
    """Create deadlines of one day for two appliances outside Kraków and one of them in Kraków, in an old state."""
    state_of("12", as_of=timezone.localdate() - timedelta(days=181))
    near = timezone.localdate() + timedelta(days=30)
    around = {"date": near, "excluded": ["1261011"], "scope": "okolice Krakowa Wlkp."}
    DeadlineFactory(**around, applies_to="piece", description="Piece trzeba wymienić.")
    DeadlineFactory(**around, applies_to="kotły", description="Kotły trzeba wymienić.", key="kotly")
    DeadlineFactory(krakow=True, date=near, applies_to="kotły", description="W mieście też.")
    DeadlineFactory(date=near + timedelta(days=1), applies_to="kuchnie", description="Później.")


def test_a_voivodeship_sees_all_rules_and_a_municipality_what_binds_it(client, acts):
    parts = "Bez wyjątków.", "muły węglowe", "Nr I/1/17", "Zmiana nr II/2/26", "Gmina Przykładowa"
    title = "Uchwała antysmogowa: województwo małopolskie"
    text = expect(client.get(URL), title, *parts, without=["obowiązuje tu", "ponad pół roku"])
    assert text.index("1 września 2019 r. już obowiązuje") < text.rindex("1 stycznia 2999 r.")
    rules = "Gmina Miejska Kraków nie dotyczy Bez wyjątków.", "województwo bez Krakowa obowiązuje tu"
    expect(client.get(f"{URL}?teryt=1217011"), "Zakopane, województwo małopolskie", *rules)
    expect(client.get(f"{URL}?teryt=1261011"), "Wszystkie znane terminy minęły.")
    html = client.get("/sklady/malopolskie/zakopane-1217011/").content.decode()
    assert 'href="/przepisy/sprawdz/?miejsce=1217011"' in html


def test_an_address_that_names_another_unit(client, acts):
    expect(client.get(f"{URL}?teryt=1299999"), "Pod podanym kodem TERYT nie ma gminy")
    expect(client.get(URL), without=["Pod podanym kodem"])
    factories.bielsko_biala()
    for query in ("teryt=2461011", "teryt=99", "teryt=x", "teryt=%ff", "teryt=14"):
        expect(client.get(f"{URL}?{query}"), "Pokazujemy całe województwo")


def read(client, address):
    answer = client.get(address)
    text = answer.content.decode() if ".md" in address else text_of(answer)
    return text.replace(NO_BREAK, " ").replace("&nbsp;", " ").replace("\\", "")


def test_who_does_not_know_the_class_of_a_boiler_may_ask_on_every_page_with_the_check(client, acts):
    lists = {
        path: re.findall(r'<option value="(\w+)"', client.get(path).content.decode())
        for path in ("/przepisy/", URL, f"{URL}?teryt=1217011", "/przepisy/sprawdz/")
    }
    assert {tuple(codes) for codes in lists.values()} == {(*Appliance.values, "boiler")}, lists
