"""The files of the starting state: complete, well-formed, and nothing in them that was not seen."""

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from catalog.starter import reader
from regulations.importers.records import DATA, find_files, parse
from regulations.models import read_sources, validate_sources

FACTS = Path(__file__).resolve().parents[3] / "shared" / "facts" / "regulations.json"

CORRECTED_ON = "2026-11-22"

KOSAKOWO, STAROZREBY = "https://gminakosakowo.pl/", "https://starozreby.pl/"

CORRECTIONS = {
    "14": [("2028-01-01", "kotły klasy 3 i 4", STAROZREBY)],
    "22": [
        ("2024-09-01", "kotły poniżej klasy 3 lub bez tabliczki znamionowej", KOSAKOWO),
        ("2026-09-01", "kotły klasy 3 i 4", KOSAKOWO),
        ("2035-07-01", "kotły klasy 5", KOSAKOWO),
        ("2024-09-01", "niepewne: kominki i inne ogrzewacze bez ekoprojektu sprzed 30.10.2020", KOSAKOWO),
    ],
}
"""Deadlines that were seen after the facts were gathered: `corrections_2026-11.md` beside them, A1, A1b and A2."""

DIFFERS = (
    "The file says something else than ../shared/facts, although it is of the same day. If the law has changed since, "
    "move `as_of` of the file too, and it is no longer compared (CONTRIBUTING.md, Change a deadline of a resolution); "
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
    for teryt, rows in CORRECTIONS.items():
        found[teryt]["as_of"] = CORRECTED_ON
        found[teryt]["deadlines"] += [{"date": day, "applies_to": what, "status": "seen"} for day, what, _ in rows]
    return found


@pytest.fixture(params=find_files([DATA]), ids=lambda path: path.stem)
def known(request, records, facts):
    """A file and the facts of its voivodeship, unless the law has moved on since these were gathered."""
    (record,) = (record for record in records.values() if record.path == request.param)
    entry = facts[record.teryt]
    if record.values["as_of"] > date.fromisoformat(entry["as_of"]):
        pytest.skip(f"the facts are of {entry['as_of']}, older than the file")
    return record, entry


def items(record):
    return [*record.resolutions.values(), *record.deadlines.values(), *record.bans.values()]


def current(rows):
    """Rows that no amendment has replaced."""
    return [row for row in rows.values() if row["valid_to"] is None]


def test_every_voivodeship_has_a_file(records):
    names = {unit.teryt: unit.name for unit in reader.read_units() if len(unit.teryt) == 2}
    assert records.keys() == names.keys()
    assert all(record.values["note"] for record in records.values())


def test_every_code_is_in_the_register_and_in_its_voivodeship(records):
    known = {unit.teryt for unit in reader.read_units()}
    for teryt, record in records.items():
        for item in items(record):
            codes = {*item["units"], *item["partly"], *item["excluded"]}
            assert codes <= known
            assert all(code.startswith(teryt) for code in codes)


def test_every_deadline_and_ban_has_a_source(records):
    for record in records.values():
        for item in [*record.deadlines.values(), *record.bans.values()]:
            assert read_sources(item["sources"])
            validate_sources(item["sources"])


def test_a_deadline_that_was_moved_speaks_of_no_later_year(records):
    for record in records.values():
        moved = [row for row in record.deadlines.values() if row["valid_to"] is not None]
        for row in moved:
            assert all(int(year) <= row["date"].year for year in re.findall(r"\b20[0-9]{2}\b", row["description"]))


def test_a_part_of_a_municipality_always_has_a_caveat(records):
    for record in records.values():
        assert all(item["caveat"] for item in items(record) if item["partly"])


def test_seen_deadlines_are_published_and_no_others(known):
    record, entry = known
    seen = [(row["date"], row["applies_to"]) for row in entry["deadlines"] if row["status"] == "seen"]
    published = [(row["date"].isoformat(), row["applies_to"]) for row in current(record.deadlines)]
    assert Counter(published) == Counter(seen), DIFFERS


@pytest.mark.parametrize("teryt", CORRECTIONS)
def test_corrected_deadlines_name_where_they_were_read(records, teryt):
    for day, what, address in CORRECTIONS[teryt]:
        rows = [
            row
            for row in records[teryt].deadlines.values()
            if (row["date"].isoformat(), row["applies_to"]) == (day, what) and address in row["sources"]
        ]
        assert len(rows) == 1


def test_what_is_uncertain_says_why(records):
    for record in records.values():
        assert all("sprzeczne" in item["caveat"] for item in items(record) if item["uncertain"])


def test_seen_bans_are_published_and_no_others(known):
    record, entry = known
    seen = {(row["fuel"], row["from_date"]) for row in entry["fuel_bans"] if row["status"] == "seen"}
    published = {(row["fuel"], row["from_date"] and row["from_date"].isoformat()) for row in current(record.bans)}
    assert published == seen, DIFFERS


def test_acts_say_only_what_was_seen(known):
    record, entry = known
    seen = [
        (
            (act["number"] or "") if act["number_status"] == "seen" else "",
            act["publication"] if act["publication_status"] == "seen" else "",
            act["text_url"] if act["text_url_status"].startswith("seen") else "",
            act["in_force_from"],
        )
        for act in entry["acts"]
    ]
    published = [
        (act["number"], act["publication"], act["text_url"], act["in_force_from"] and str(act["in_force_from"]))
        for act in record.resolutions.values()
    ]
    assert Counter(published) == Counter(seen), DIFFERS
    assert len(record.amendments) == sum(len(act["amendments"]) for act in entry["acts"]), DIFFERS


def test_no_state_is_older_than_its_facts(known):
    record, entry = known
    assert record.values["as_of"].isoformat() == entry["as_of"], "bring the file up to date with ../shared/facts"


def test_sources_are_kept(known):
    record, entry = known
    kept = {source.url for source in read_sources(record.values["sources"])}
    assert {source["url"] for source in entry["sources"]} <= kept


def test_next_deadlines_are_those_of_the_facts(known):
    record, entry = known
    days = [row["date"] for row in current(record.deadlines) if row["date"] >= date(2026, 11, 20)]
    assert (min(days).isoformat() if days else None) == entry["next_deadline_on_2026_11_20"], DIFFERS
