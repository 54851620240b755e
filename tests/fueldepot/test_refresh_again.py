import re
import shutil
from datetime import date, timedelta

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from catalog import models
from catalog.models import ImportRun
from tests import small_country
from tests.dumps import dump
from tests.fueldepot.refreshing import ORDER, Rehearsal, without_waiting
from tests.publisher_server import Publishers, serve

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def refreshed(django_db_setup, django_db_blocker, tmp_path_factory):
    """Run the rehearsal once for the module. Also provides the folder of its downloads."""
    folder = tmp_path_factory.mktemp("refreshed")
    published = Publishers(files=small_country.files())
    with serve(published), django_db_blocker.unblock(), transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        without_waiting(patch)
        rehearsal = Rehearsal(published, published.sources(folder / "sources.yaml", **small_country.SMALL))
        with override_settings(DOWNLOADS_DIR=folder / "downloads"):
            rehearsal.run()
        yield rehearsal, folder / "downloads"
        transaction.set_rollback(True)


@pytest.fixture
def filled(refreshed, tmp_path, settings):
    """The same for one test: its own downloads, and publishers in good order who were asked nothing yet."""
    rehearsal, downloads = refreshed
    settings.DOWNLOADS_DIR = shutil.copytree(downloads, tmp_path / "downloads")
    fresh = Publishers(files=small_country.files(), url=rehearsal.publishers.url)
    vars(rehearsal.publishers).update(vars(fresh))
    return rehearsal


def test_asked_again_by_force_the_same_files_change_nothing(filled):
    before = dump()
    printed = filled.run(force=True).splitlines()
    assert all(": unchanged: " in line for line in printed)
    assert [line.split(":")[0] for line in printed] == ORDER
    assert dump() == before
    again = ImportRun.objects.order_by("pk")[len(ORDER) :]
    assert {record.outcome for record in again} == {"unchanged"}
    assert [record.rows for record in again][:5] == [9, 7, 4, 12, 12]
    assert next(headers.get("If-None-Match") for _, headers, _ in filled.publishers.requests("/PL.zip")) is not None


def test_only_what_is_due_by_its_rhythm_is_asked(filled):
    old = ImportRun.objects.get(source="osm-depots")
    long_ago = timedelta(days=8)
    ImportRun.objects.filter(pk=old.pk).update(started=old.started - long_ago, finished=old.finished - long_ago)
    filled.publishers.files["depots.json"] = small_country.depots(range(13), day="2021-10-10")
    assert filled.run().startswith("osm-depots: imported: 13 rows, 1 added")
    assert {path for path, *_ in filled.publishers.asked} == {"/interpreter"}
    assert filled.run().startswith("nothing is due")


CHANGES = {
    "too many removals": ("osm-depots", {"depots.json": small_country.depots(range(9), day="2021-11-01")}, "--allow-"),
    "units gone": ("teryt-terc", {"terc.zip": small_country.terc(list(small_country.UNITS)[:3])}, "--allow-removals"),
    "older depots": ("osm-depots", {"depots.json": small_country.depots(day="2021-10-02")}, "would undo newer changes"),
    "older places, more of them": (
        "teryt-simc",
        {"simc.zip": small_country.simc(("A", "B", "C", "D"), day="2020-06-01")},
        "would undo newer changes",
    ),
    "unknown municipalities": (
        "teryt-simc",
        {"simc.zip": small_country.zipped("s.csv", b"WOJ;POW;GMI;RODZ_GMI;RM;MZ;NAZWA;SYM;SYMPOD;STAN_NA\n"
                                          b"32;99;99;2;01;1;Nigdzie;9900001;9900001;2021-01-01\n")},
        "rows cannot be used|rows would be removed",
    ),
    "an empty file": ("geonames-postcodes", {"PL.zip": b""}, "is empty; try again later"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_looks_wrong_is_refused_and_the_others_go_on(filled, change):
    name, files, what = CHANGES[change]
    filled.publishers.files |= files
    before = dump()
    (line,) = filled.fail(match=f"failed: {name}; the next refresh tries again", force=True)
    assert line.startswith(f"{name}: ")
    assert "nothing was changed" in line
    assert dump() == before
    record = ImportRun.objects.filter(source=name).order_by("-pk")[0]
    assert record.outcome in {"refused", "failed"}
    assert re.search(what, line), line
    assert record.message in line
    others = ImportRun.objects.exclude(source=name).order_by("-pk")[: len(ORDER) - 1]
    assert {one.outcome for one in others} == {"unchanged"}


@pytest.mark.parametrize(("name", "day"), [("osm-depots", date(2021, 10, 10)), ("teryt-terc", date(2022, 1, 1))])
def test_a_day_ahead_that_is_stored_stops_no_later_refresh(filled, name, day):
    run = ImportRun.objects.get(source=name)
    ImportRun.objects.filter(pk=run.pk).update(file_date=date(2099, 1, 1))
    models.Dataset.objects.filter(slug=run.dataset).update(as_of=date(2099, 1, 1))
    filled.publishers.files["terc.zip"] = small_country.terc(day="2022-01-01")
    filled.publishers.files["depots.json"] = small_country.depots(range(13), day="2021-10-10")
    filled.run(force=True, only=[name])
    assert ImportRun.objects.filter(source=name).latest("pk").file_date == day


def test_a_file_of_a_day_ahead_that_is_stored_is_refused_when_it_comes_again(filled):
    filled.publishers.files["depots.json"] = small_country.depots(day="2099-01-01")
    (line,) = filled.fail(match="failed", force=True, only=["osm-depots"])
    assert ".json is of 2099-01-01, and may be of" in line
    refused = ImportRun.objects.latest("pk")
    ImportRun.objects.filter(pk=refused.pk).update(outcome="imported", file_date=date(2099, 1, 1))
    (line,) = filled.fail(match="failed", force=True, only=["osm-depots"])
    assert "is of 2099-01-01" in line


def test_an_older_file_may_be_asked_for(filled):
    filled.publishers.files["simc.zip"] = small_country.simc(day="2020-06-01")
    filled.fail(match="failed: teryt-simc", force=True, only=["teryt-simc"])
    assert filled.run("--allow-older", force=True, only=["teryt-simc"]).startswith("teryt-simc: unchanged")


@pytest.mark.parametrize("trouble", ["html", "empty", "half", 404])
def test_a_failing_bank_of_data_leaves_everything_as_it_was(filled, trouble):
    filled.publishers.always["/bdl/variables/6001"] = trouble
    before = dump()
    (line,) = filled.fail(match="failed: gus-bdl", force=True, only=["gus-bdl"])
    assert line.startswith("gus-bdl: ")
    assert dump() == before


def test_the_same_file_is_read_again_after_what_it_builds_on_has_changed(filled, monkeypatch):
    models.Place.objects.filter(name="Zagórze Próbne").delete()
    assert filled.run(force=True, only=["teryt-simc"]).startswith("teryt-simc: unchanged")
    monkeypatch.setitem(small_country.UNITS, "1206912", ("Żabia Nowa Próbna", 50.0, 19.0))
    filled.publishers.files["terc.zip"] = small_country.terc(day="2022-01-01")
    printed = filled.run(force=True, only=["teryt-terc", "teryt-simc"])
    assert "teryt-terc: imported: 9 rows, 0 added, 1 changed" in printed
    assert "teryt-simc: imported: 7 rows, 1 added" in printed
    record = ImportRun.objects.filter(source="teryt-terc").order_by("-pk")[0]
    assert record.differences == "renamed: 1206912 Żabia Wola Próbna → Żabia Nowa Próbna"


def test_names_of_depots_are_in_no_record(filled):
    filled.publishers.files["depots.json"] = small_country.depots(range(11), day="2021-11-01")
    filled.run(force=True, only=["osm-depots"], allow_removals=True)
    record = ImportRun.objects.order_by("-pk")[0]
    assert (record.removed, record.differences) == (1, "")


def test_overdue_is_what_should_have_come_days_ago(filled, django_assert_num_queries):
    today = timezone.localdate()
    assert filled.overdue(today) == []
    assert [s.source.id for s in filled.overdue(today + timedelta(days=7 + 3))] == []
    with django_assert_num_queries(1):
        late = filled.overdue(today + timedelta(days=7 + 4))
    assert [state.source.id for state in late] == ["osm-depots"]
    late = [state.source.id for state in filled.overdue(today + timedelta(days=34))]
    assert late == [name for name in ORDER if name != "prg-boundaries"]
