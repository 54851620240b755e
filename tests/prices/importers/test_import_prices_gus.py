import json
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.core.management import CommandError
from django.utils import timezone

from catalog.importers.records import Extract, Options
from catalog.models import Dataset, ImportRun
from fueldepot.management.commands import import_prices_gus
from prices import bdl, starter
from prices.models import Observation, Series
from prices.sources import sync_series
from tests import commands, factories
from tests.pages.reading import missing
from tests.prices.importers.bdl_server import DATA, VARIABLES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _voivodeships():
    factories.krakow()
    factories.warszawa()


@pytest.fixture
def server(publishers, settings, monkeypatch, tmp_path):
    monkeypatch.setattr(bdl, "time", SimpleNamespace(sleep=lambda s: None, monotonic=lambda: 0.0))
    monkeypatch.setattr(bdl, "ANONYMOUS_LIMITS", ((1000, 1),))
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    monkeypatch.setitem(OPTIONS, "sources_file", publishers.sources(tmp_path / "sources.yaml"))
    return publishers.bdl


OPTIONS = {}
"""Arguments of every call while a server runs."""


def run(*args, **options):
    return commands.run("import_prices_gus", *args, **OPTIONS, **options)


def stored():
    return {(row.series_id, row.voivodeship_id, row.year): row.value for row in Observation.objects.all()}


EXPECTED = {
    ("wegiel-kamienny", None, 2021): Decimal("996.60"),
    ("wegiel-kamienny", None, 2022): Decimal("2329.03"),
    ("prad-g11", None, 2024): Decimal("1.01"),
    ("prad-g11", "12", 2024): Decimal("0.97"),
    ("prad-g11", "14", 2024): Decimal("1.02"),
    ("gaz-w11", None, 2024): Decimal("0.3456"),
}


def test_download_finds_the_variables_shows_them_and_keeps_their_numbers_and_every_answer(server, client, settings):
    out = run("--download", "--commit")
    assert stored() == EXPECTED
    numbers = {"wegiel-kamienny": 5001, "prad-g11": 6001, "gaz-w11": 6002}
    assert dict(Series.objects.values_list("slug", "variable_id")) == numbers
    assert "wegiel-kamienny is variable 5001: węgiel kamienny - za 1 t, in zł" in out
    assert not missing(out, "the unit of variable 6003 is not zł/kWh", "missing or confidential")
    answer = client.get("/api/v1/prices").json()
    assert answer["gaz-w11"]["poland"] == {"2024": 0.3456}
    assert answer["prad-g11"]["source"]["name"].endswith("zmienna 6001")
    assert Dataset.objects.get(slug="series").row_count == 6
    kept = settings.DOWNLOADS_DIR / "gus-bdl" / "bdl.json"
    addresses = list(json.loads(kept.read_text()))
    assert (len(addresses), all("/bdl/" in address for address in addresses)) == (len(server.asked), True)
    record = ImportRun.objects.get()
    assert (record.source, record.outcome, record.rows, record.file_name) == ("gus-bdl", "imported", 6, kept.name)
    assert server.asked[0][2]["User-Agent"].startswith("fueldepot/1 (+")


def test_a_dry_run_changes_nothing_and_a_second_run_neither(server):
    assert "dry run" in run("--download")
    assert stored() == {}
    assert not Series.objects.exists()
    run("--download", "--commit")
    version = Dataset.objects.get(slug="series").version
    server.asked.clear()
    assert "0 added, 0 changed, 0 removed, 6 unchanged" in run("--download", "--commit")
    assert Dataset.objects.get(slug="series").version == version
    assert "/subjects" not in server.paths  # the numbers are known by now


def test_a_variable_that_was_taken_for_that_of_another_series_is_given_to_its_own(server):
    run("--download", "--commit")
    Series.objects.update(variable_id=None)
    for slug, number in (("prad-g11", 6002), ("gaz-w11", 6001)):
        Series.objects.filter(slug=slug).update(variable_id=number)
    run("--download", "--variable", "prad-g11=6001", "--variable", "gaz-w11=6002", "--commit")
    assert dict(Series.objects.values_list("slug", "variable_id"))["prad-g11"] == 6001
    with pytest.raises(CommandError, match="nothing was imported: variable 6001"):
        run("--download", "--variable", "gaz-w11=6001", "--commit")


def test_a_value_that_the_office_corrects_is_taken_and_named_and_one_that_it_lacks_stays(server):
    factories.average(2003, "443.92")
    assert "1 skipped" in run("--download", "--commit")
    assert stored()["wegiel-kamienny", None, 2003] == Decimal("443.92")
    server.data[6002, 0][0]["values"] = [{"year": "2024", "val": 0.35, "attrId": 1}]
    assert "changed: gaz-w11/PL/2024 from 0.3456 to 0.3500" in run("--download", "--commit")


def test_the_averages_of_many_years_are_written_in_one_statement(django_assert_max_num_queries):
    options = Options(today=date(2026, 11, 21), write=True)
    for value, areas in ((Decimal("0.3"), ("", "12")), (Decimal("0.4"), ("", "12", "14"))):
        years = [(year, area) for year in range(2004, 2024) for area in areas]
        rows = tuple(bdl.ObservationRecord("gaz-w11", area, year, value, "") for year, area in years)
        with django_assert_max_num_queries(6):
            report = sync_series(Extract(rows), options)
    assert (report.added, report.changed) == (20, 40)
    assert {*stored().values()} == {Decimal("0.4")}
    assert len(stored()) == 60


@pytest.mark.parametrize("trouble", ["half", 403])
def test_a_failing_download_or_a_variable_of_another_unit_leaves_the_database_as_it_was(server, trouble):
    server.troubles = {7: trouble}
    with pytest.raises(CommandError, match="nothing was imported"):
        run("--download", "--commit")
    server.troubles = {}
    with pytest.raises(CommandError, match="not zł/kWh"):
        run("--download", "--commit", "--variable", "gaz-w11=6003")
    assert stored() == {}


@pytest.fixture
def answers(monkeypatch):
    given = []
    monkeypatch.setattr(import_prices_gus.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: given.pop(0))
    return given


def test_find_lists_candidates_and_asks_which(server, answers):
    """Two variables of gas share a name; the one of another unit is refused."""
    answers += ["5001", "", "6003", "7", "6002"]
    out = run("--find", "--commit")
    assert answers == []
    assert not missing(
        out,
        "5001: 'węgiel kamienny - za 1 t', in zł, 2021–2022 (2 years); fits",
        "6001: 'energia elektryczna dla gospodarstw domowych – taryfa G-11 - za 1 kWh', in zł, 2024–2024 (1",
        "6003: 'gaz ziemny wysokometanowy – taryfa W-1.1 - za 1 m3', in zł, no value for Poland; the unit of",
        "'7' is none of those above",
    )
    numbers = dict(Series.objects.values_list("slug", "variable_id"))
    assert (numbers["wegiel-kamienny"], numbers["gaz-w11"]) == (5001, 6002)
    assert ("gaz-w11", None, 2024) in stored()


@pytest.mark.parametrize("searchable", [True, False])
def test_find_without_a_terminal_lists_and_changes_nothing(server, searchable):
    """Without the office's search every variable below the category of prices is tried."""
    server.searchable = searchable
    out = run("--find", "--commit")
    assert not missing(out, "5001: ", "6002: ", "--download --variable SERIES=NUMBER")
    assert "chleb" not in out
    assert stored() == {}
    assert ("/subjects" in server.paths) is not searchable
    server.always = 403
    with pytest.raises(CommandError, match=r"nothing was imported: .*status 403"):
        run("--find")


def test_what_was_named_by_hand_is_not_looked_for(server, answers):
    answers += ["", ""]
    out = run("--find", "--variable", "wegiel-kamienny=5001")
    assert "wegiel-kamienny (" not in out.partition("gaz-w11")[0]
    assert "dry run" in out
    assert stored() == {}


@pytest.fixture
def saved(tmp_path):
    """Save responses: the variables of the second subject, and values of electricity."""
    files = {
        "variables.json": {"totalRecords": 3, "page": 0, "pageSize": 100, "results": VARIABLES["P2"]},
        "data-0.json": {"totalRecords": 1, "variableId": 6001, "measureUnitId": 4, "results": DATA[6001, 0]},
        "data-2.json": {"totalRecords": 3, "variableId": 6001, "measureUnitId": 4, "results": DATA[6001, 2]},
    }
    for name, answer in files.items():
        (tmp_path / name).write_text(json.dumps(answer, ensure_ascii=False), encoding="utf-8")
    return tmp_path


def test_saved_answers_are_read_from_files_or_with_others_of_a_folder_and_a_known_variable_in_its_unit(saved):
    commands.run("import_data", saved, "--commit")
    assert stored() == {key: value for key, value in EXPECTED.items() if key[0] == "prad-g11"}
    for path in saved.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # a byte order mark
    assert "0 added, 0 changed" in run(*sorted(saved.iterdir()), "--commit")
    answer = {"totalRecords": 1, "results": [VARIABLES["P2"][0] | {"measureUnitName": "%"}]}
    (saved / "variables.json").write_text(json.dumps(answer), encoding="utf-8")
    with pytest.raises(CommandError, match="variable 6001: the unit of variable 6001 is not zł/kWh"):
        run(*sorted(saved.iterdir()), "--commit")


def test_a_variable_described_alone_and_named_by_hand(saved):
    (saved / "variables.json").unlink()
    with pytest.raises(CommandError, match="variable 6001 is not known"):
        run(saved / "data-0.json", "--commit")
    named = ["--variable", "prad-g11=6001"]
    with pytest.raises(CommandError, match="variable 6001: is not described in the files"):
        run(saved / "data-0.json", *named, "--commit")
    (saved / "variable.json").write_text(json.dumps(VARIABLES["P2"][0]), encoding="utf-8")
    run(saved / "variable.json", saved / "data-0.json", *named, "--commit")
    assert stored() == {("prad-g11", None, 2024): Decimal("1.01")}
    assert Series.objects.get(slug="prad-g11").variable_id == 6001


def test_a_folder_of_downloads_that_cannot_be_written_is_named(server, settings):
    run("--download", "--commit")
    Observation.objects.all().delete()
    (settings.DOWNLOADS_DIR / "gus-bdl" / "bdl.json.part").mkdir()
    with pytest.raises(CommandError, match=r"gus-bdl: cannot be written: Is a directory"):
        run("--download", "--commit")
    assert stored() == {}


def save_electricity(saved, *values):
    units = [{"id": "000000000000", "name": "POLSKA", "values": list(values)}]
    answer = {"totalRecords": 1, "variableId": 6001, "measureUnitId": 4, "results": units}
    (saved / "data-0.json").write_text(json.dumps(answer), encoding="utf-8")


def test_two_values_of_one_year_are_refused_and_those_of_a_year_to_come_left_out(saved):
    value = {"year": "2024", "val": 1.01, "attrId": 1}
    save_electricity(saved, value, {**value, "val": 2})
    reason = r"data-0\.json: prad-g11/PL/2024 is there twice with different values: 1\.0100 and 2\.0000"
    with pytest.raises(CommandError, match=reason):
        run(*sorted(saved.iterdir()), "--commit")
    assert stored() == {}
    # The newest year stands beside medians, and the table takes no year from 2100 on.
    years = [timezone.localdate().year + ahead for ahead in (1, 200)]
    save_electricity(saved, value, value, *({"year": str(year), "val": 1.5, "attrId": 1} for year in years))
    report = run(*sorted(saved.iterdir()), "--commit")
    assert f"for example prad-g11/PL/{years[0]} (its year has not begun: '1.5000')" in report
    assert stored()["prad-g11", None, 2024] == Decimal("1.01")
    assert {year for _, _, year in stored()} == {2024}


def test_damaged_files_are_refused_by_name(tmp_path):
    for content in (
        *("", "[]", "{}", "\x00", '{"results": 3}', '{"results": [{"x": 1}]}'),
        *('{"results": [{"id": "1", "n1": "x", "measureUnitName": "t"}]}', '{"variableId": 1}'),
        '{"variableId": "1", "results": []}',
    ):
        path = tmp_path / "answer.json"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(CommandError, match=r"nothing was imported: .*answer\.json"):
            run(path, "--commit")


def test_arguments_that_do_not_fit_are_refused():
    alone = ("", "missing.json", "--find --download", "--download --variable x=1")
    for args in ("--download file.json", "--find file.json", *alone):
        with pytest.raises(CommandError, match=r"imported|--variable"):
            run(*args.split())


def test_the_starter_has_official_averages_only_each_with_its_source():
    rows = list(starter.read_official())
    assert len(rows) == 363
    assert {row.series for row in rows} == {"wegiel-kamienny", "prad-g11"}
    assert all(row.source and row.value > 0 for row in rows)
    assert {row.year for row in rows if row.series == "wegiel-kamienny"} == {2003, 2006, 2018, 2020, 2021, 2022}
