"""Import of the legal state: files are followed, changes of editors stay."""

from datetime import date

import pytest
from django.core.management import CommandError

from catalog.importers import runner as importing
from catalog.importers.records import BadInput
from catalog.importers.sources import recognise
from catalog.models import Voivodeship
from regulations import sources
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution
from regulations.state_files import DATA, find_files, parse
from tests import commands, factories
from tests.pages.reading import missing
from tests.regulations.factories import DeadlineFactory
from tests.regulations.loading import OPTIONS

pytestmark = pytest.mark.django_db

FILE = """
voivodeship: "12"
as_of: 2026-10-01
summary: Opis.
note: null
sources:
  gmina: {title: Gmina, url: "https://example.pl/"}
scopes:
  cale: {text: całe województwo, area: voivodeship}
  krakow: {text: Kraków, area: listed, units: ["1261011"], caveat: Tylko tam.}
resolutions:
  - key: a
    title: Uchwała
    number: I/1/17
    adopted: 2017-01-23
    publication: null
    scope: cale
    sources: [gmina]
    amendments:
      - {key: zmiana-2022, number: II/2/22, adopted: 2022-09-01, changes: Przesuwa termin., sources: [gmina]}
deadlines:
  - {key: stare, date: 2027-01-01, kind: existing_boilers, applies_to: kotły, description: Koniec., scope: cale}
  - {key: zakaz, date: 2019-09-01, kind: coal_ban, applies_to: wszystko, description: Zakaz., scope: krakow,
     sources: [gmina]}
bans:
  - {key: muly, fuel: muły, from_date: null, scope: cale, sources: [gmina]}
"""


@pytest.fixture
def write(tmp_path):
    def write(text=FILE):
        (tmp_path / "malopolskie.yaml").write_text(text, encoding="utf-8")
        return tmp_path

    factories.VoivodeshipFactory()
    return write


def run(source, *options):
    return commands.run("import_regulations", source, *options)


@pytest.fixture
def imported(write):
    """The file is in the database already."""
    run(write(), "--commit")


def counts():
    return [model.objects.count() for model in (LegalState, Resolution, Amendment, Deadline, FuelBan)]


def stare():
    return Deadline.objects.get(key="stare")


def test_a_dry_run_a_first_import_and_a_second_that_finds_nothing(write):
    assert not missing(run(write()), "regulations: 6 added, 0 changed, 0 removed", "This was a dry run")
    assert counts() == [0, 0, 0, 0, 0]
    assert "6 added" in run(write(), "--commit")
    assert counts() == [1, 1, 1, 2, 1]
    histories = Deadline.history.count()
    assert "0 added, 0 changed, 0 removed, 6 unchanged, 0 skipped" in run(write(), "--commit")
    assert Deadline.history.count() == histories
    deadline = Deadline.objects.get(key="zakaz")
    assert (deadline.area, deadline.units, deadline.caveat) == ("listed", ["1261011"], "Tylko tam.")
    assert deadline.sources == "Gmina | https://example.pl/"


def test_a_database_from_before_the_codes_gets_them_and_keeps_an_editors(write, imported):
    """Columns added since the last import had their defaults then."""
    state = LegalState.objects.get()
    for row in state.file["deadlines"].values():
        del row["appliances"], row["spared"]
    state.save()
    Deadline.objects.filter(key="zakaz").update(appliances=["stove"])
    coded = FILE.replace("{key: stare,", "{key: stare, appliances: [boiler_class_3], spared: [{appliance: fireplace}],")
    out = run(write(coded.replace("{key: zakaz,", "{key: zakaz, appliances: [fireplace],")), "--commit")
    assert not missing(out, "1 changed", "appliances was changed by an editor and stays ['stove']")
    assert (stare().appliances, stare().spared) == (["boiler_class_3"], "fireplace")


def counts_in(*paths):
    """Return what `counts` gives after an import of these files alone."""
    records = [parse(path) for path in paths]
    parts = ("resolutions", "amendments", "deadlines", "bans")
    return [len(records), *(sum(len(record.parts[part]) for record in records) for part in parts)]


def test_a_changed_file_changes_the_rows_adds_new_ones_and_says_how(write, imported):
    uid = stare().uid
    text = FILE.replace("2027-01-01", "2029-01-01").replace("2026-10-01", "2026-11-01")
    out = run(write(f"{text}  - {{key: torf, fuel: torf, scope: cale, sources: [gmina]}}\n"), "--commit")
    told = "malopolskie: as_of 2026-10-01 → 2026-11-01", "malopolskie, deadlines/stare: date 2027-01-01 → 2029-01-01"
    assert not missing(out, "1 added, 2 changed, 0 removed", "malopolskie, bans/torf: added", *told)
    assert LegalState.objects.get().as_of == date(2026, 11, 1)
    assert (stare().date, stare().uid) == (date(2029, 1, 1), uid)
    assert stare().history.first().history_change_reason == "import"


def test_an_editors_change_stays_and_is_named_and_other_values_follow_the_file(write, imported):
    deadline = stare()
    deadline.date = date(2031, 1, 1)
    deadline.save()
    LegalState.objects.update(as_of=date(2026, 11, 1), summary="Redakcyjny opis.")
    stays = "malopolskie, deadlines/stare (date was changed by an editor and stays 2031-01-01"
    other = FILE.replace("2027-01-01", "2029-01-01").replace("summary: Opis.", "summary: Nowy opis.")
    for text in (FILE, other, other):
        assert not missing(run(write(text), "--commit"), "0 changed", "3 skipped", stays)
    run(write(FILE.replace("Koniec.", "Już nie wolno.")), "--commit")
    state = LegalState.objects.get()
    assert (state.as_of, state.summary) == (date(2026, 11, 1), "Redakcyjny opis.")
    assert (stare().date, stare().description) == (date(2031, 1, 1), "Już nie wolno.")


def test_what_an_editor_deleted_does_not_come_back(write, imported):
    Deadline.objects.get(key="stare").delete()
    for _ in range(2):
        assert "malopolskie, deadlines/stare (deleted by an editor; it stays away)" in run(write(), "--commit")
    assert Deadline.objects.count() == 1


def test_what_an_editor_added_stays_and_is_not_doubled_by_the_row_of_a_file(write, imported):
    DeadlineFactory(date=date(2030, 1, 1), applies_to="piece", description="Redakcja.")
    assert "0 added, 0 changed, 0 removed" in run(write(), "--commit")
    assert Deadline.objects.get(applies_to="piece").description == "Redakcja."
    values = "kind: space_heaters, applies_to: piece, description: Plik., scope: cale, sources: [gmina]"
    text = FILE.replace("\nbans:", f"\n  - {{key: piece, date: 2030-01-01, {values}}}\nbans:")
    assert "an editor had entered it" in run(write(text), "--commit")
    assert Deadline.objects.get(applies_to="piece").description == "Redakcja."
    assert "0 changed" in run(write(text), "--commit")


def test_what_leaves_the_file_goes_unless_an_editor_worked_on_it(write, imported):
    Deadline.objects.filter(key="zakaz").update(description="Redakcyjnie.")
    before, _, after = FILE.partition("deadlines:")
    cut = before + "bans:" + after.partition("bans:")[2]
    with pytest.raises(CommandError, match="--allow-removals"):
        run(write(cut), "--commit")
    assert Deadline.objects.count() == 2
    stays = "malopolskie, deadlines/zakaz (no longer in the file, but changed by an editor; it stays)"
    assert not missing(run(write(cut), "--commit", "--allow-removals"), "1 removed", stays)
    assert [row.key for row in Deadline.objects.all()] == ["zakaz"]


def test_without_its_voivodeship_nothing_of_a_file_is_imported_and_without_a_register_none(write):
    assert "1 rejected" in run(write(FILE.replace('"12"', '"30"')), "--commit")
    assert counts() == [0, 0, 0, 0, 0]
    Voivodeship.objects.all().delete()
    with pytest.raises(CommandError, match="import_teryt"):
        run(write(), "--commit")


def test_with_a_deleted_act_its_amendments_stay_away_new_ones_too(write, imported):
    Resolution.objects.get().delete()
    assert "2 skipped" in run(write(), "--commit")
    out = run(write(FILE.replace("zmiana-2022", "zmiana-2023")), "--commit")
    told = "its resolution was deleted by an editor, for example malopolskie, amendments/a/zmiana-2023"
    assert f"skipped: 1 × {told}" in out
    assert Amendment.objects.count() == 0


def test_bad_files_are_refused_in_one_line_and_change_nothing_nor_do_others_beside_them(write):
    acts = FILE[FILE.index("resolutions:") : FILE.index("deadlines:")]
    for old, new, reason in (
        ("as_of: 2026-10-01", "as_of: null", "row 3: as_of is null; it must be a day"),
        ("as_of: 2026-10-01", "as_of: 2199-10-01", "as_of is 2199-10-01, and may be"),
        ('"12"', "12", "in quotation marks"),
        ("kind: coal_ban", "kind: zakaz", "kind is 'zakaz'"),
        ("scope: krakow", "scope: nigdzie", "scope is 'nigdzie'; give one of cale, krakow"),
        ('units: ["1261011"]', "units: []", "units are given for the area listed"),
        ("sources: [gmina]", "sources: gmina", "sources is 'gmina'; it must be a list"),
        ("key: zakaz", "key: stare", "'stare' stands twice"),
        ("key: zakaz", "key: Zakaz!", "key is 'Zakaz!'; it must have the form"),
        ("sources: [gmina]", "sources: [inna]", "'inna' is not among the sources"),
        ("bans:", "bans: [", "is no YAML"),
        (acts, "resolutions: []\n", "are missing although there are deadlines or bans"),
        ("key: stare,", "key: stare, dated: 2027-01-01,", "row 22: deadlines 1 (stare), dated is unknown"),
        ("key: stare,", "key: stare, appliances: [kocioł],", "appliances 1 is 'kocioł'; it must be"),
        ("key: a\n", f"key: {'a' * 61}\n", "key: Ensure this value has at most 60 characters"),
        ("number: I/1/17", "text_url: 'javascript:x'", "malopolskie, resolutions/a: text_url: Enter a valid URL"),
        ("https://example.pl/", "gmina", "sources: Enter a valid URL"),
        ("date: 2027-01-01,", "date: 2027-01-01, valid_from: 2020-01-01, valid_to: 2019-01-01,", "not after"),
    ):
        with pytest.raises(CommandError) as failure:
            run(write(FILE.replace(old, new)), "--commit")
        assert not missing(str(failure.value), "malopolskie.yaml", reason)
        assert "\n" not in str(failure.value)
    folder = write()
    (folder / "zly.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(CommandError, match=r"zly\.yaml"):
        run(folder, "--commit")
    assert counts() == [0, 0, 0, 0, 0]


def test_the_starter_loads_only_into_an_empty_table(write):
    (report,) = importing.run(sources.missing_steps(), OPTIONS)
    assert LegalState.objects.count() == 1  # only małopolskie is in the register
    assert report.added == sum(counts_in(DATA / "malopolskie.yaml"))
    Deadline.objects.all().delete()
    assert list(sources.missing_steps()) == []


def test_files_that_are_missing_given_twice_or_nest_without_end(write, tmp_path):
    with pytest.raises(BadInput, match="holds no YAML"):
        find_files([tmp_path])
    path = write().joinpath("malopolskie.yaml").rename(tmp_path / "MALOPOLSKIE.YAML")
    assert find_files([tmp_path]) == [path]
    assert recognise(path) == (sources.SOURCE, sources.FORMAT)
    path = path.rename(tmp_path / "malopolskie.yaml")
    with pytest.raises(BadInput, match=r"malopolskie\.yaml: is given twice"):
        find_files([tmp_path, path])
    (tmp_path / "dawny.yaml").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(CommandError, match=r"malopolskie\.yaml: is about voivodeship 12, as another file is"):
        run(tmp_path, "--commit")
    path.write_text("[" * 20_000)
    for name, message in (("malopolskie.yaml", "too deeply"), ("nie-ma.yaml", "cannot be read")):
        with pytest.raises(BadInput, match=message):
            parse(tmp_path / name)


def test_codes_that_have_left_the_register_are_read_as_those_that_follow(write, imported):
    successor = factories.MunicipalityFactory(teryt="1261993", name="Kraków", kind=3)
    factories.FormerMunicipalityFactory(teryt="1261011", successor=successor)
    ban = Deadline.objects.get(key="zakaz")
    assert ban.units == ["1261011"]
    assert "1 changed" in run(write(), "--commit")
    assert factories.fresh(ban).units == ["1261993"]
    again = run(write(), "--commit")
    assert ("0 changed" in again, "editor" in again) == (True, False)
    before, _, after = FILE.partition("  - {key: zakaz")
    assert "1 removed" in run(write(before + after[after.index("bans:") :]), "--commit", "--allow-removals")
