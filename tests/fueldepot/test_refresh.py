"""manage.py refresh, from an empty database on, against publishers on this machine."""

import io
import re
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from django.utils import timezone

from catalog import models, runs
from catalog.importers import refresh, steps
from catalog.importers.download import Store
from catalog.importers.parsers import osm_tags
from catalog.importers.parsers.formats import Format
from catalog.importers.publications import read_publications
from catalog.importers.run import one_import
from catalog.models import ImportRun
from prices.importers import bdl
from prices.models import Observation
from tests import small_country
from tests.catalog.test_import_failures import fill_disk
from tests.dumps import dump
from tests.publisher_server import Publishers, serve

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ORDER = ["teryt-terc", "teryt-simc", "prg-boundaries", "geonames-postcodes", "osm-depots", "gus-bdl"]
COUNTED = (models.Municipality, models.Place, models.Boundary, models.Postcode, models.Depot, Observation)


class Rehearsal:
    """Publishers, their file of sources, and the command."""

    def __init__(self, publishers, sources):
        self.publishers, self.sources = publishers, sources

    def run(self, *args, **options):
        out, err = io.StringIO(), io.StringIO()
        call_command("refresh", *args, sources_file=self.sources, stdout=out, stderr=err, **{"commit": True, **options})
        return out.getvalue() + err.getvalue()

    def fail(self, *args, match, **options):
        """Run, expecting a failure. Returns what was printed as an error, line by line."""
        err = io.StringIO()
        with pytest.raises(CommandError, match=match) as failed:
            call_command(
                "refresh",
                *args,
                sources_file=self.sources,
                stdout=io.StringIO(),
                stderr=err,
                **{"commit": True, **options},
            )
        assert "\n" not in str(failed.value)
        return err.getvalue().splitlines()


@pytest.fixture
def publishers():
    published = Publishers(files=small_country.files())
    with serve(published):
        yield published


@pytest.fixture
def rehearsal(publishers, tmp_path, settings, monkeypatch):
    defaults = {**bdl.BdlClient.__init__.__kwdefaults__, "sleep": lambda seconds: None}
    monkeypatch.setattr(bdl.BdlClient.__init__, "__kwdefaults__", defaults)
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    return Rehearsal(publishers, publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL))


@pytest.fixture
def filled(rehearsal):
    rehearsal.run()
    rehearsal.publishers.asked.clear()
    return rehearsal


def counts():
    return [model.objects.count() for model in COUNTED]


def test_from_an_empty_database_to_a_served_catalog_and_then_nothing_to_do(rehearsal, client):
    printed = rehearsal.run().splitlines()
    assert [line.split(":")[0] for line in printed] == ORDER
    assert all(": imported: " in line for line in printed)
    assert counts() == [4, 7, 4, 12, 12, 6]
    records = list(ImportRun.objects.order_by("pk"))
    assert [record.source for record in records] == ORDER
    assert {record.outcome for record in records} == {"imported"}
    assert all(len(record.checksum) == 64 and record.file_size for record in records)
    assert [record.added for record in records][:5] == [9, 7, 4, 12, 12]

    assert client.get("/api/v1/locate?lat=50.05&lon=19.95").json()["teryt"] == "1261011"
    assert client.get("/api/v1/locations", {"q": "zagorze"}).json()[0]["description"].endswith("małopolskie")
    near = client.get("/api/v1/stores?postcode=98-702").json()
    assert near[0]["municipality"]["teryt"] == "1261011"
    assert "OpenStreetMap" in near[0]["source"]["origin"]
    assert client.get("/api/v1/prices").json()["prad-g11"]["poland"] == {"2024": 1.01}

    before, asked = dump(), len(rehearsal.publishers.asked)
    printed = rehearsal.run()
    assert printed.startswith("nothing is due; the next is osm-depots on ")
    assert len(rehearsal.publishers.asked) == asked
    assert dump() == before
    assert ImportRun.objects.count() == len(ORDER)


def test_asked_again_by_force_the_same_files_change_nothing(filled):
    before = dump()
    printed = filled.run(force=True).splitlines()
    assert all(": unchanged: " in line for line in printed)
    assert [line.split(":")[0] for line in printed] == ORDER
    assert dump() == before
    again = ImportRun.objects.order_by("pk")[len(ORDER) :]
    assert {record.outcome for record in again} == {"unchanged"}
    assert [record.rows for record in again][:5] == [9, 7, 4, 12, 12]
    statuses = [headers.get("If-None-Match") for _, headers, _ in filled.publishers.requests("/PL.zip")]
    assert statuses[0] is not None


def test_what_is_due_is_shown_without_asking_anybody(rehearsal):
    printed = rehearsal.run(commit=False)
    assert printed.count("never imported") == 6
    assert "teryt-terc: never imported, due every 30 days" in printed
    assert "nobody has confirmed the address" in printed
    assert "dry run" in printed
    assert not rehearsal.publishers.asked
    assert not ImportRun.objects.exists()


def test_only_what_is_due_by_its_rhythm_is_asked(filled):
    old = ImportRun.objects.get(source="osm-depots")
    long_ago = timedelta(days=8)
    ImportRun.objects.filter(pk=old.pk).update(started=old.started - long_ago, finished=old.finished - long_ago)
    filled.publishers.files["depots.json"] = small_country.depots(range(13), day="2031-10-10")
    assert filled.run().startswith("osm-depots: imported: 13 rows, 1 added")
    assert {path for path, *_ in filled.publishers.asked} == {"/interpreter"}
    assert filled.run().startswith("nothing is due")


def test_only_one_source_by_name(rehearsal):
    assert rehearsal.run(only=["teryt-terc"]).startswith("teryt-terc: imported")
    assert rehearsal.run(only=["teryt-terc"]).startswith("nothing is due; the next is teryt-terc")
    for name in ("regulations", "nonsense"):
        with pytest.raises(CommandError, match="the sources that can be fetched are teryt-terc, "):
            rehearsal.run(only=[name])


CHANGES = {
    "too many removals": ("osm-depots", {"depots.json": small_country.depots(range(9), day="2031-11-01")}, "--allow-"),
    "units gone": ("teryt-terc", {"terc.zip": small_country.terc(list(small_country.UNITS)[:3])}, "--allow-removals"),
    "older register": ("teryt-terc", {"terc.zip": small_country.terc(day="2030-01-01")}, "would undo newer changes"),
    "older depots": ("osm-depots", {"depots.json": small_country.depots(day="2031-10-02")}, "would undo newer changes"),
    "older places, more of them": (
        "teryt-simc",
        {"simc.zip": small_country.simc(("A", "B", "C", "D"), day="2030-06-01")},
        r"older than what is stored .2031-01-01.",
    ),
    "another header": ("teryt-terc", {"terc.zip": small_country.terc(header="W;P;G;R;N;D")}, "is of no known form"),
    "unknown municipalities": (
        "teryt-simc",
        {"simc.zip": small_country.zipped("s.csv", b"WOJ;POW;GMI;RODZ_GMI;RM;MZ;NAZWA;SYM;SYMPOD;STAN_NA\n"
                                          b"32;99;99;2;01;1;Nigdzie;9900001;9900001;2031-01-01\n")},
        "rows cannot be used|rows would be removed",
    ),
    "time-out": ("osm-depots", {"depots.json": small_country.depots(range(2), remark="timed out")}, "timed out"),
    "no depot at all": ("osm-depots", {"depots.json": small_country.depots(())}, "has no depot among 0 elements"),
    "cut off": ("osm-depots", {"depots.json": small_country.depots()[:-30]}, "is it cut off"),
    "not the boundaries": ("prg-boundaries", {"granice.zip": small_country.terc()}, "looks like terc"),
    "boundaries gone": ("prg-boundaries", {"granice.zip": small_country.boundaries(["1206912"])}, "--allow-removals"),
    "postcodes gone": ("geonames-postcodes", {"PL.zip": small_country.postcodes(range(5))}, "--allow-removals"),
    "an empty file": ("geonames-postcodes", {"PL.zip": b""}, "is empty; try again later"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_looks_wrong_is_refused_and_the_others_go_on(filled, change):
    name, files, what = CHANGES[change]
    filled.publishers.files |= files
    before = dump()
    lines = filled.fail(match=f"failed: {name}; every other source is as it should be", force=True)
    (line,) = lines
    assert line.startswith(f"{name}: ")
    assert "nothing was changed" in line
    assert dump() == before
    record = ImportRun.objects.filter(source=name).order_by("-pk")[0]
    assert record.outcome in {"refused", "failed"}
    assert re.search(what, line), line
    assert record.message in line
    others = ImportRun.objects.exclude(source=name).order_by("-pk")[: len(ORDER) - 1]
    assert {one.outcome for one in others} == {"unchanged"}


def test_a_first_import_that_is_too_small_is_undone(rehearsal, tmp_path):
    few = small_country.SMALL | {"osm_depots": {"min_rows": 13}}
    rehearsal.sources = rehearsal.publishers.sources(tmp_path / "strict.yaml", **few)
    rehearsal.fail(match="failed: osm-depots; ")
    before = dump()
    (line,) = rehearsal.fail(match="failed: osm-depots; ", only=["osm-depots"])
    assert "has 12 rows, fewer than the 13 that osm-depots must have; look at it, and if it is right give it" in line
    assert dump() == before
    assert not models.Depot.objects.exists()


def test_a_first_import_that_is_largely_unusable_is_undone(rehearsal):
    rehearsal.publishers.files["granice.zip"] = small_country.boundaries(["1206912", "1261011", "1465011"])
    (line,) = rehearsal.fail(match="failed: osm-depots; ")
    assert re.search("3 of 12 rows cannot be used, for example node/[0-9]+: lies in no municipality; look at it", line)
    assert not models.Depot.objects.exists()
    assert models.Boundary.objects.count() == 3


TROUBLES = [
    "html",
    "empty",
    "half",
    404,
    403,
    (429, {"Retry-After": "9999"}),
    (301, {"Location": "http://example.com/"}),
]


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize(
    ("name", "path"), [("geonames-postcodes", "/PL.zip"), ("teryt-terc", "/pliki_pelne.aspx"), ("gus-bdl", None)]
)
def test_a_failing_download_leaves_everything_as_it_was(filled, name, path, trouble):
    if path is None:
        path = "/bdl/variables/6001"
        if isinstance(trouble, tuple):
            pytest.skip("the client of the BDL waits by its own rules; see tests/prices/test_bdl.py")
    filled.publishers.files["PL.zip"] = small_country.postcodes(range(13))
    filled.publishers.always[path] = trouble
    before = dump()
    (line,) = filled.fail(match=f"failed: {name}", force=True, only=[name])
    assert line.startswith(f"{name}: ")
    assert dump() == before


def test_a_source_on_which_others_rest_takes_only_those_with_it_that_cannot_do_without(rehearsal):
    rehearsal.publishers.files["terc.zip"] = b"no register"
    lines = rehearsal.fail(match="failed: teryt-terc, teryt-simc, prg-boundaries, geonames-postcodes, osm-depots; ")
    assert "run import_teryt first" in lines[1]
    assert "run import_boundaries first" in lines[4]
    assert counts()[:5] == [0] * 5
    rehearsal.publishers.files |= small_country.files()
    assert rehearsal.run(force=True).count(": imported: ") == len(ORDER)
    assert counts() == [4, 7, 4, 12, 12, 6]


def test_the_same_file_is_read_again_after_what_it_builds_on_has_changed(filled, monkeypatch):
    models.Place.objects.filter(name="Zagórze Próbne").delete()
    assert filled.run(force=True, only=["teryt-simc"]).startswith("teryt-simc: unchanged")
    monkeypatch.setitem(small_country.UNITS, "1206912", ("Żabia Nowa Próbna", 50.0, 19.0))
    filled.publishers.files["terc.zip"] = small_country.terc(day="2032-01-01")
    printed = filled.run(force=True, only=["teryt-terc", "teryt-simc"])
    assert "teryt-terc: imported: 9 rows, 0 added, 1 changed" in printed
    assert "teryt-simc: imported: 7 rows, 1 added" in printed
    record = ImportRun.objects.filter(source="teryt-terc").order_by("-pk")[0]
    assert record.differences == "renamed: 1206912 Żabia Wola Próbna → Żabia Nowa Próbna"


def test_names_of_depots_are_in_no_record(filled):
    filled.publishers.files["depots.json"] = small_country.depots(range(11), day="2031-11-01")
    filled.run(force=True, only=["osm-depots"], allow_removals=True)
    record = ImportRun.objects.order_by("-pk")[0]
    assert record.removed == 1
    assert record.differences == ""


def test_an_error_of_ours_is_recorded_and_does_not_stop_the_others(rehearsal, monkeypatch):
    def broken(path):
        raise KeyError(path)

    monkeypatch.setitem(steps.IMPORTERS, Format.SIMC, replace(steps.IMPORTERS[Format.SIMC], parse=broken))
    (line,) = rehearsal.fail(match="failed: teryt-simc; ")
    assert "an error of the program: KeyError; the log has the rest" in line
    assert counts() == [4, 0, 4, 12, 12, 6]


@pytest.mark.django_db(transaction=True)
def test_two_refreshes_at_once(rehearsal):
    said = []

    def beside():
        try:
            rehearsal.run()
        except CommandError as error:
            said.append(str(error))
        finally:
            connections.close_all()

    with refresh.one_refresh():
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join()
    assert said == ["nothing was refreshed: another refresh is running; wait until it has finished"]
    assert not rehearsal.publishers.asked
    assert not ImportRun.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_refresh_beside_an_import_says_so_and_leaves_the_rest_for_the_next(rehearsal):
    said = []

    def beside():
        try:
            rehearsal.fail("--only", "teryt-terc", match="failed: teryt-terc")
        except BaseException as error:
            said.append(error)
        finally:
            connections.close_all()

    with one_import():
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join()
    assert not said
    assert not ImportRun.objects.exists()
    assert rehearsal.run(only=["teryt-terc"]).startswith("teryt-terc: imported")


def test_a_download_beside_a_refresh_is_waited_for(rehearsal, settings):
    with Store(settings.DOWNLOADS_DIR, "teryt-terc", "TERC_Urzedowy.zip").lock():
        (line,) = rehearsal.fail(match="failed: teryt-terc", only=["teryt-terc"])
    assert line.startswith("teryt-terc: not refreshed, the next refresh tries again: ")
    assert "is being filled by another download; wait until it ends" in line
    assert not ImportRun.objects.exists()


def test_a_database_that_goes_away_is_told_in_one_line(rehearsal, monkeypatch):
    def gone(*args, **options):
        raise OperationalError("server closed the connection\nunexpectedly")

    monkeypatch.setattr(refresh, "record", gone)
    monkeypatch.setattr(refresh, "run_recorded", gone)
    rehearsal.fail(match="the database does not answer: server closed the connection unexpectedly")


def test_a_full_disk_is_told_and_recorded_and_does_not_stop_the_others(rehearsal):
    fill_disk(models.Place)
    (line,) = rehearsal.fail(match="failed: teryt-simc; ")
    assert line.endswith('the database refused: could not extend file "base/1": No space left on device')
    assert ImportRun.objects.get(source="teryt-simc").message in line
    assert counts() == [4, 0, 4, 12, 12, 6]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_nothing_is_told_in_one_line(rehearsal):
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            rehearsal.fail(match="not all was refreshed: the database refused: cannot execute .* read-only transaction")
        finally:
            cursor.execute("SET default_transaction_read_only = off")
    assert counts() == [0] * len(COUNTED)


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "must name the sources"), ("a: [", "is not YAML"), ("teryt-terc: {dataset: units}", "method is missing")],
)
def test_a_bad_file_of_sources_is_named(rehearsal, tmp_path, content, message):
    (tmp_path / "other.yaml").write_text(content)
    rehearsal.sources = tmp_path / "other.yaml"
    with pytest.raises(CommandError, match=message):
        rehearsal.run()


def test_overdue_is_what_should_have_come_days_ago(filled, django_assert_num_queries):
    today = timezone.localdate()
    assert runs.overdue_sources(today) == []
    assert [s.publication.id for s in runs.overdue_sources(today + timedelta(days=7 + 3))] == []
    with django_assert_num_queries(1):
        late = runs.overdue_sources(today + timedelta(days=7 + 4))
    assert [state.publication.id for state in late] == ["osm-depots"]
    assert [s.publication.id for s in runs.overdue_sources(today + timedelta(days=34))] == [
        "teryt-terc",
        "teryt-simc",
        "geonames-postcodes",
        "osm-depots",
        "gus-bdl",
    ]


def test_a_source_that_never_came_is_overdue_from_the_first_attempt_on(rehearsal):
    today = timezone.localdate()
    assert runs.overdue_sources(today + timedelta(days=1000)) == []
    rehearsal.publishers.always["/interpreter"] = 404
    rehearsal.fail(match="failed: osm-depots", only=["osm-depots"])
    assert runs.overdue_sources(today + timedelta(days=10)) == []
    (late,) = runs.overdue_sources(today + timedelta(days=11))
    assert (late.good, late.last.outcome) == (None, "failed")


def test_the_query_asks_for_every_shop_that_may_be_a_depot():
    query = read_publications()["osm-depots"].query
    for shop in {*osm_tags._SHOPS, *osm_tags._TRADES}:
        assert shop in query
    assert query.count("nwr[") == 2
