"""manage.py refresh of an empty database, against local publishers."""

import re
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.core.management import CommandError
from django.db import OperationalError
from django.utils import timezone

from catalog import models
from catalog.importers import import_steps, runner
from catalog.importers.download import Store
from catalog.importers.parsers import osm_tags
from catalog.importers.runner import CommitOutcomeUnknown
from catalog.importers.sources import identify, read_sources
from catalog.models import ImportRun
from prices.models import Observation
from tests import small_country
from tests.catalog.importers.test_refusals import fill_disk
from tests.dumps import dump
from tests.fueldepot.refreshing import ORDER

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

COUNTED = (models.Municipality, models.Place, models.Boundary, models.Postcode, models.Depot, Observation)


def counts():
    return [model.objects.count() for model in COUNTED]


def test_from_an_empty_database_to_a_served_catalog_and_then_nothing_to_do(rehearsal, client):
    printed = rehearsal.run().splitlines()
    assert [line.split(":")[0] for line in printed] == ORDER
    assert all(": imported: " in line for line in printed)
    assert counts() == [4, 7, 4, 12, 12, 6]
    records = list(ImportRun.objects.order_by("pk"))
    assert [(record.source, record.outcome) for record in records] == [(source, "imported") for source in ORDER]
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


def test_what_is_due_is_shown_without_asking_anybody_and_one_source_asked_by_name(rehearsal):
    printed = rehearsal.run(commit=False)
    assert printed.count("never imported") == 6
    assert "teryt-terc: never imported, due every 30 days" in printed
    assert "nobody has confirmed the address" in printed
    assert "dry run" in printed
    assert not rehearsal.publishers.asked
    assert not ImportRun.objects.exists()
    assert rehearsal.run(only=["teryt-terc"]).startswith("teryt-terc: imported")
    assert rehearsal.run(only=["teryt-terc"]).startswith("nothing is due; the next is teryt-terc")
    for name in ("regulations", "nonsense"):
        with pytest.raises(CommandError, match="the sources that can be fetched are teryt-terc, "):
            rehearsal.run(only=[name])


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


def test_a_source_on_which_others_rest_takes_only_those_with_it_that_cannot_do_without(rehearsal):
    rehearsal.publishers.files["terc.zip"] = b"no register"
    lines = rehearsal.fail(match="failed: teryt-terc, teryt-simc, prg-boundaries, geonames-postcodes, osm-depots; ")
    assert "run import_teryt first" in lines[1]
    assert "run import_boundaries first" in lines[4]
    assert counts()[:5] == [0] * 5
    rehearsal.publishers.files |= small_country.files()
    assert rehearsal.run(force=True).count(": imported: ") == len(ORDER)
    assert counts() == [4, 7, 4, 12, 12, 6]


def test_an_error_of_ours_is_recorded_and_does_not_stop_the_others(rehearsal, monkeypatch):
    def broken(path):
        raise KeyError(path)

    simc = read_sources(rehearsal.sources)["teryt-simc"]
    format_ = replace(simc.formats[0], parse=broken)
    monkeypatch.setattr(
        import_steps, "identify", lambda path: (simc, format_) if "SIMC" in path.name else identify(path)
    )
    (line,) = rehearsal.fail(match="failed: teryt-simc; ")
    assert "an error of the program: KeyError; the log has the rest" in line
    assert counts() == [4, 0, 4, 12, 12, 6]


def test_a_download_beside_a_refresh_is_waited_for(rehearsal, settings):
    with Store(settings.DOWNLOADS_DIR, read_sources()["teryt-terc"]).lock():
        (line,) = rehearsal.fail(match="failed: teryt-terc", only=["teryt-terc"])
    assert line.startswith("teryt-terc: not refreshed, the next refresh tries again: ")
    assert "is being filled by another download; wait until it ends" in line
    assert not ImportRun.objects.exists()


def test_a_database_that_goes_away_is_told_in_one_line(rehearsal, monkeypatch):
    gone = Mock(side_effect=OperationalError("server closed the connection\nunexpectedly"))
    monkeypatch.setattr(runner, "record", gone)
    monkeypatch.setattr(runner, "run", gone)
    rehearsal.fail(match="the database does not answer: server closed the connection unexpectedly")


def test_a_connection_that_breaks_at_the_commit_ends_the_refresh_and_is_recorded_as_nothing(rehearsal, monkeypatch):
    broken = CommitOutcomeUnknown(OperationalError("server closed the connection\nunexpectedly"))
    monkeypatch.setattr(runner, "run", Mock(side_effect=broken))
    assert rehearsal.fail(match="it is not known whether the data are in: ", only=["teryt-terc"]) == []
    assert not ImportRun.objects.exists()


def test_a_full_disk_is_told_and_recorded_and_does_not_stop_the_others(rehearsal):
    fill_disk(models.Place)
    (line,) = rehearsal.fail(match="failed: teryt-simc; ")
    assert line.endswith('the database refused: could not extend file "base/1": No space left on device')
    assert ImportRun.objects.get(source="teryt-simc").message in line
    assert counts() == [4, 0, 4, 12, 12, 6]


def test_a_bad_file_of_sources_is_named(rehearsal, tmp_path):
    rehearsal.sources = tmp_path / "other.yaml"
    rehearsal.sources.write_text("teryt-terc: {dataset: units, url: 3}")
    mistakes = "row 1: teryt-terc, url is 3; it must be text.*; row 1: teryt-terc, dataset is unknown"
    with pytest.raises(CommandError, match=mistakes):
        rehearsal.run()


def test_a_file_without_a_source_that_can_be_fetched_is_refused(rehearsal, tmp_path):
    rehearsal.sources = tmp_path / "none.yaml"
    rehearsal.sources.write_text("regulations: {rhythm_days: 30}")
    with pytest.raises(CommandError, match="the file names no source that can be fetched"):
        rehearsal.run(commit=False)


def test_a_source_that_never_came_is_overdue_from_the_first_attempt_on(rehearsal):
    today = timezone.localdate()
    assert rehearsal.overdue(today + timedelta(days=1000)) == []
    rehearsal.publishers.always["/interpreter"] = 404
    rehearsal.fail(match="failed: osm-depots", only=["osm-depots"])
    assert rehearsal.overdue(today + timedelta(days=10)) == []
    (late,) = rehearsal.overdue(today + timedelta(days=11))
    assert (late.good, late.last.outcome) == (None, "failed")


def test_the_query_asks_for_every_shop_that_may_be_a_depot():
    query = read_sources()["osm-depots"].query
    for shop in {*osm_tags.SHOPS, *osm_tags.TRADES}:
        assert shop in query
    assert query.count("nwr[") == 2
