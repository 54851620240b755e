"""Names in memory: the order of suggestions against its definition, on names of few letters."""

import re

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import post_migrate
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from catalog.apps import MOVES_ENTRIES
from catalog.models import Municipality, Place, SearchEntry
from catalog.search.entries import IndexEntry
from catalog.search.index import DEPTH, SearchIndex, read_index
from catalog.search.ranking import LARGEST, WordIndex
from tests import factories
from tests.catalog.search.country import columns_of, make_search, units_found

WORDS = st.text("aж", min_size=1, max_size=DEPTH + 3)
FOLDS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
DIGITS = st.text("012", min_size=5, max_size=5)
UNITS = {"1261011": Municipality(teryt="1261011", kind=2)}


def index(folds: list[str], kind: str = SearchEntry.Kind.LOCALITY) -> SearchIndex:
    """An index of names whose labels are their numbers."""
    entries = [IndexEntry(kind, text, str(number), "wieś", "1261011", None) for number, text in enumerate(folds)]
    return SearchIndex(columns_of(entries), UNITS)


def rank(fold: str, key: str) -> int | None:
    """How well a name fits: 0 is exact, 3 inside a word, None not at all."""
    if fold == key:
        return 0
    if fold.startswith(key):
        return 1
    if f" {key}" in fold:
        return 2
    return 3 if key in fold and " " not in key else None


@given(st.lists(FOLDS, min_size=1, max_size=60), FOLDS, st.integers(1, 9))
@example(["aaa"] * 3 + ["b aaa", "baaa aaa", "baaaaaaa"], "aaa", 9)
@example(["a" * (DEPTH + 1), "a" * DEPTH, "a" * (DEPTH + 2)], "a" * (DEPTH + 1), 9)
def test_names_come_by_fit_and_importance(folds, key, limit):
    fits = [(fit, number) for number, fold in enumerate(folds) if (fit := rank(fold, key)) is not None]
    assert index(folds).find(key, limit=limit) == [number for _, number in sorted(fits)][:limit]


@given(st.lists(DIGITS, min_size=1, max_size=60), st.from_regex("[012_]{1,5}", fullmatch=True))
def test_postcodes_are_found_by_digits_at_their_places(codes, pattern):
    form = re.compile(pattern.replace("_", "."))
    found = [number for number, code in enumerate(codes) if form.match(code)]
    assert index(codes, "p").find_postcodes(pattern) == found[:8]


def test_what_no_name_holds_is_not_found_and_a_name_of_digits_is_no_postcode():
    assert [index(["lodz", "minsk"]).find(key) for key in ("łódź", "\xff", "минск", "z" * 200)] == [[]] * 4
    digits = index(["12345", "1"], "l")
    assert digits.find_postcodes("12") == digits.find_postcodes("__3") == []
    # One with the text in it many times hides no later name.
    assert index(["b" + "a" * 64, "ca"]).find("a") == [0, 1]


def municipalities(*names: str, kind: int, villages: tuple[str, ...] = ()) -> SearchIndex:
    """An index of municipalities in the order of importance, and of villages in the first of them."""
    codes = [f"{number:06}{kind}" for number in range(1, len(names) + 1)]
    units = {code: Municipality(teryt=code, kind=kind) for code in codes}
    rows = [("municipality", *row) for row in zip(names, codes, strict=True)]
    rows += [("locality", name, codes[0]) for name in villages]
    return SearchIndex(columns_of(IndexEntry(level, name, name, "", code, None) for level, name, code in rows), units)


def found(known: SearchIndex, key: str) -> list[str]:
    return [known.labels[number] for number in known.find(key)]


def test_a_large_municipality_or_a_town_goes_before_a_village_of_exactly_the_text_and_others_after_it():
    others = [f"gmina {number}" for number in range(LARGEST)]
    known = municipalities("krakow", *others, "kraszewo", kind=2, villages=("kra",))
    assert found(known, "kra") == ["krakow", "kra", "kraszewo"]
    # A town whose first word the village has alone.
    known = municipalities(*others, "sucha beskidzka", "suchanowo", kind=1, villages=("sucha",))
    assert found(known, "sucha") == ["sucha beskidzka", "sucha", "suchanowo"]
    assert found(municipalities("brzeg dolny", "brzeg", kind=1), "brzeg") == ["brzeg", "brzeg dolny"]


def test_a_blank_is_not_inside_a_word():
    """Texts across blanks are searched only after words in any order: see `fragments`."""
    known = index(["stara gora", "nowa ara gora"])
    assert known.find("ara gora") == [1]
    assert known.fragments("ara gora") == [0]


@given(
    st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=12, unique=True),
    st.text("abc", min_size=2, max_size=5),
)
@example(["zakopane", "zator"], "zekop")
@example(["zakopane"], "zakpan")
def test_words_with_a_mistake_come_with_its_size(words, key):
    """A prefix may end anywhere in the word, its first letter is right; in the words themselves every letter counts."""
    names = WordIndex((word, number) for number, word in enumerate(words))
    hits = {(edits, int(text)) for edits, texts in names.similar(key, 1) for text in texts}
    assert hits == {(OSA.distance(key, word), n) for n, word in enumerate(words) if OSA.distance(key, word) <= 1}
    hits = {(edits, int(text)) for edits, texts in names.similar_prefix(key, 1) for text in texts}
    begun = [(word[:length], n) for n, word in enumerate(words) if word[0] == key[0] for length in range(1, len(word))]
    assert hits == {(OSA.distance(key, part), n) for part, n in begun if OSA.distance(key, part) <= 1}


@pytest.mark.django_db
def test_names_are_read_as_they_were_written():
    krakow, zakopane = factories.krakow(), factories.zakopane()
    place = {"kind": "locality", "fold": "lopuszna", "label": "Łopuszna", "description": "wieś", "position": "place"}
    code = {"kind": "postcode", "fold": "30001", "label": "30-001 Kraków", "description": "kod"}
    SearchEntry.objects.create(rank=1, municipality=krakow, **code)
    SearchEntry.objects.create(rank=0, municipality=zakopane, lat=49.4715, lon=20.12345, **place)
    read = read_index({krakow.pk: krakow, zakopane.pk: zakopane})
    columns = (read.kind, read.fold, read.labels.__getitem__, read.description, read.teryt, read.point, read.position)
    assert [tuple(column(n) for column in columns) for n in range(2)] == [
        ("locality", "lopuszna", "Łopuszna", "wieś", zakopane.pk, (49.4715, 20.12345), "place"),
        ("postcode", "30001", "30-001 Kraków", "kod", krakow.pk, None, None),
    ]
    assert read.at_point(49.4715, 20.12345) == [0]
    assert read.at_point(49.4715, 20.1) == read.at_point(49.5, 20.12345) == []
    SearchEntry.objects.all().delete()
    empty = read_index({})
    assert empty.find("krakow") == empty.find_postcodes("30") == empty.find_postcodes("__1") == []


def test_a_city_with_county_rights_goes_before_a_town_with_more_addresses():
    units = {"08": "lubuskie", "0861": "Gorzów Wielkopolski", "0861011": "Gorzów Wielkopolski"}
    units |= {"16": "opolskie", "1608": "oleski", "1608033": "Gorzów Śląski", "1608052": "Gorzów Wielkopolski"}
    town = dict.fromkeys(("46-310", "46-311"), ("1608033",))
    search = make_search(units, postcodes={**town, "66-400": ("0861011",)})
    assert units_found(search, "gorz") == ["0861011", "1608033", "1608052"]


def migrated(*names: str) -> None:
    """Say that migrations of the catalog were applied, as `migrate` does."""
    loader = MigrationLoader(None)
    plan = [(loader.get_migration("catalog", name), False) for name in names]
    config = apps.get_app_config("catalog")
    post_migrate.send(config, app_config=config, verbosity=0, interactive=False, using="default", apps=apps, plan=plan)


@pytest.mark.django_db
@pytest.mark.parametrize("migration", sorted(MOVES_ENTRIES))
def test_migrations_that_move_entries_have_the_index_rebuilt(migration):
    krakow = factories.krakow()
    factories.PlaceFactory(name="Kraków", municipality=krakow, lat=50.06, lon=19.94)
    SearchEntry.objects.create(rank=0, kind="municipality", fold="old", label="Old", municipality=krakow)
    migrated("0018_expiry_letters")
    assert SearchEntry.objects.get().label == "Old"
    migrated("0018_expiry_letters", migration)
    entry = SearchEntry.objects.get()
    assert (entry.label, entry.lat, entry.position) == ("Kraków", 50.06, "municipality")


@pytest.mark.django_db
def test_districts_of_the_starter_data_get_their_code():
    krakow = factories.krakow()
    for identifier in ("terc:1261039", "simc:0950718"):
        factories.PlaceFactory(id=identifier, municipality=krakow)
    operations = MigrationLoader(None).get_migration("catalog", "0026_districts_of_places").operations
    with connection.cursor() as cursor:
        cursor.execute(operations[1].sql)
    assert dict(Place.objects.values_list("id", "district")) == {"terc:1261039": "1261039", "simc:0950718": ""}
