"""The files of the starter data: complete, well-formed, and equal to the collected facts."""

import json
import re
from collections import Counter
from datetime import date
from urllib.parse import urlsplit

import pytest

from catalog import starter
from regulations.models import read_sources, validate_sources
from regulations.state_files import DATA, find_files, parse
from tests import SHARED

FACTS = SHARED / "facts" / "regulations.json"

CORRECTED_ON, CONFIRMED_ON_THAT_DAY = "2026-11-22", {"14", "22"}
"""The day of the corrections, and voivodeships whose whole state they confirm."""

CORRECTIONS = {
    "02": [("2018-07-01", "kominki we Wrocławiu")],
    "10": [
        ("2020-01-01", "kotły na paliwo stałe w budynkach przyłączonych do sieci ciepłowniczej"),
        ("2022-01-01", "piece i kominki w budynkach przyłączonych do sieci ciepłowniczej"),
    ],
    "14": [("2028-01-01", "kotły klasy 3 i 4")],
    "22": [
        ("2024-09-01", "kotły poniżej klasy 3 lub bez tabliczki znamionowej"),
        ("2026-09-01", "kotły klasy 3 i 4"),
        ("2035-07-01", "kotły klasy 5"),
        ("2024-09-01", "niepewne: kominki i inne ogrzewacze bez ekoprojektu sprzed 30.10.2020"),
    ],
}
"""Deadlines found after the facts were collected: `corrections_2026-11.md` beside them, A1, A1b, A2, A6."""

FINES = "paliwa stałe z mułów lub flotokoncentratów węglowych oraz mieszanki"
CORRECTED_BANS = {
    "14": ({"część paliw stałych najgorszej jakości"}, "2018-07-01", {"muly", "wegiel-brunatny", "drobny-wegiel"}),
    "16": ({FINES}, "2017-11-01", {"muly", "wegiel-brunatny", "drobny-wegiel"}),
}
"""Bans, A4 and A5: former keys, and the first day and keys of their replacements."""

CORRECTED_ACTS = {
    ("12", "XVIII/243/16"): "Dz. Urz. Woj. Małopolskiego z 2016 r. poz. 812",
    ("30", "XXXIX/941/17"): None,
}
"""Acts with their numbers and positions in the gazette."""

DIFFERS = (
    "The file says something else than ../shared/facts, although it is of the same day. If the law has changed since, "
    "move `as_of` of the file too, and it is no longer compared (docs/how-to.md, Change a deadline of a resolution); "
    "otherwise correct the file."
)


@pytest.fixture(scope="module")
def records():
    return {record.teryt: record for record in map(parse, find_files([DATA]))}


@pytest.fixture(scope="module")
def facts():
    if not FACTS.is_file():
        pytest.skip("the facts are not here: ../shared/facts is missing")
    found = {entry["teryt"]: entry for entry in json.loads(FACTS.read_text(encoding="utf-8"))}
    for teryt in CONFIRMED_ON_THAT_DAY:
        found[teryt]["as_of"] = CORRECTED_ON
    for (teryt, number), publication in CORRECTED_ACTS.items():
        (act,) = (act for act in found[teryt]["acts"] if act["number"] == number)
        act["number_status"] = "seen"
        if act["publication"] == publication:
            act["publication_status"] = "seen"
    for teryt, rows in CORRECTIONS.items():
        found[teryt]["deadlines"] += [{"date": day, "applies_to": what, "status": "seen"} for day, what in rows]
    return found


@pytest.fixture(params=find_files([DATA]), ids=lambda path: path.stem)
def known(request, records, facts):
    """Return a file and the facts of its voivodeship; skip where the law has changed since."""
    (record,) = (record for record in records.values() if record.path == request.param)
    entry = facts[record.teryt]
    if record.values["as_of"] > date.fromisoformat(entry["as_of"]):
        pytest.skip(f"the facts are of {entry['as_of']}, older than the file")
    return record, entry


def items(record):
    return [*record.parts["resolutions"].values(), *record.parts["deadlines"].values(), *record.parts["bans"].values()]


def current(rows):
    """Return the rows that no amendment has replaced."""
    return [row for row in rows.values() if row["valid_to"] is None]


def typeset(text):
    """Return a text of the facts with Polish dashes, between numbers and between parts."""
    return re.sub(r"(\d)-(\d)", "\\1–\\2", text).replace(" - ", " – ")


def test_every_voivodeship_has_a_file(records):
    names = {unit.teryt: unit.name for unit in starter.read_units() if len(unit.teryt) == 2}
    assert records.keys() == names.keys()
    assert all(record.values["note"] for record in records.values())


def test_every_code_is_in_the_register_and_in_its_voivodeship(records):
    known = {unit.teryt for unit in starter.read_units()}
    for teryt, record in records.items():
        for item in items(record):
            codes = {*item["units"], *item["partly"], *item["excluded"]}
            assert codes <= known
            assert all(code.startswith(teryt) for code in codes)


def test_every_deadline_and_ban_has_a_source_and_speaks_of_no_later_year_once_it_was_moved(records):
    for record in records.values():
        deadlines = record.parts["deadlines"].values()
        for item in [*deadlines, *record.parts["bans"].values()]:
            assert read_sources(item["sources"])
            validate_sources(item["sources"])
        for row in (row for row in deadlines if row["valid_to"] is not None):
            assert all(int(year) <= row["date"].year for year in re.findall(r"\b20[0-9]{2}\b", row["description"]))


def test_texts_name_their_day(records):
    """A list of what holds already has no day beside a rule, and one of what comes has it before the rule."""
    for record in records.values():
        for row in record.parts["deadlines"].values():
            texts = row["description"], row["caveat"], row["part_caveat"]
            assert not re.search(r"\b(ten dzień|tego dnia|tym dniu)\b", " ".join(texts)), texts


def test_new_boilers_are_named_with_those_of_ecodesign_unless_these_are_exempt(records):
    for record in records.values():
        for row in record.parts["deadlines"].values():
            if row["kind"] == "new_installations" and "boiler_class_5" in row["appliances"]:
                assert ("boiler_ecodesign" in row["appliances"]) is ("ecodesign" not in row["exemptions"]), row["key"]


def test_a_caveat_says_what_concerns_a_part_and_of_which_municipality(records):
    for item in (item for record in records.values() for item in items(record)):
        caveat, partly = item["part_caveat"], item["partly"]
        assert caveat or not partly
        codes = [line.partition(" | ")[0] for line in caveat.splitlines() if "|" in line]
        assert not codes or sorted(codes) == sorted(partly)
        assert not re.search(r"(?<!przepis) dotyczy\b", caveat), caveat


def test_seen_deadlines_are_published_and_no_others(known):
    record, entry = known
    seen = [(row["date"], typeset(row["applies_to"])) for row in entry["deadlines"] if row["status"] == "seen"]
    published = [(row["date"].isoformat(), row["applies_to"]) for row in current(record.parts["deadlines"])]
    assert Counter(published) == Counter(seen), DIFFERS


def test_what_is_uncertain_says_why(records):
    for record in records.values():
        assert all("sprzeczne" in item["caveat"] for item in items(record) if item["uncertain"])


def test_seen_bans_are_published_and_no_others(known):
    record, entry = known
    seen = {(typeset(row["fuel"]), row["from_date"]) for row in entry["fuel_bans"] if row["status"] == "seen"}
    gone, since, instead = CORRECTED_BANS.get(record.teryt, (set(), "", set()))
    rows = {(row["fuel"], row["from_date"] and row["from_date"].isoformat()) for row in current(record.parts["bans"])}
    corrected = {key: row for key, row in record.parts["bans"].items() if key in instead | {"mokre-drewno"} and gone}
    assert {row["from_date"].isoformat() for row in corrected.values()} <= {since}, DIFFERS
    assert instead <= corrected.keys(), DIFFERS
    rows -= {(row["fuel"], row["from_date"].isoformat()) for row in corrected.values()}
    assert rows == {(fuel, day) for fuel, day in seen if fuel not in gone}, DIFFERS


def test_acts_say_only_what_was_seen_sources_are_kept_and_no_state_is_older_than_its_facts(known):
    record, entry = known
    names = ("number", "publication", "text_url")
    seen = [
        (*(act[name] or "" if act[f"{name}_status"].startswith("seen") else "" for name in names), act["in_force_from"])
        for act in entry["acts"]
    ]
    published = [
        (*(act[name] for name in names), act["in_force_from"] and str(act["in_force_from"]))
        for act in record.parts["resolutions"].values()
    ]
    assert Counter(published) == Counter(seen), DIFFERS
    assert len(record.parts["amendments"]) == sum(len(act["amendments"]) for act in entry["acts"]), DIFFERS
    assert record.values["as_of"].isoformat() == entry["as_of"], "bring the file up to date with ../shared/facts"
    kept = {source.url for source in read_sources(record.values["sources"])}
    assert {source["url"] for source in entry["sources"]} <= kept


def test_sources_lead_to_a_page(records):
    """Not to the first page of a site, but for one whose page about Wrocław was not found."""
    urls = {source.url for record in records.values() for source in read_sources(record.values["sources"])}
    assert [url for url in urls if urlsplit(url)[2:4] == ("/", "")] == ["https://czysteogrzewanie.pl/"]


def test_the_summary_of_lubuskie_leaves_what_its_deadlines_leave(records):
    left = (
        "od 1 stycznia 2027 r. zostają kotły, piece i kominki z ekoprojektem; co do kotłów klasy 5 źródła są sprzeczne"
    )
    assert left in records["08"].values["summary"]


def test_the_doubt_about_the_country_of_pomorskie_says_where_it_is(records):
    """Municipalities with a town show it, too."""
    (row,) = (row for row in records["22"].parts["deadlines"].values() if row["uncertain"])
    where = "Co do obszaru poza miastami źródła są sprzeczne"
    assert (row["area"], row["caveat"].partition(":")[0]) == ("outside_towns", where)
