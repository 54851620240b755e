"""Validators: what changes them, what has none, and what a caller who has one is told."""

import re
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from tests import ROOT
from tests.fueldepot.sharers import run_python

pytestmark = pytest.mark.django_db

UNITS, DEPOTS = Dataset.Slug.UNITS, Dataset.Slug.DEPOTS
LIFETIME = "public, max-age=1"


def answering(status=200):
    return Mock(side_effect=lambda request: HttpResponse("x", status=status))


def ask(view, path="/x", **headers):
    return view(RequestFactory().get(path, headers=headers))


def test_a_known_answer_costs_no_view():
    inner = answering()
    view = conditional(UNITS, cache_control=LIFETIME)(inner)
    first = ask(view)
    for given in (first["ETag"], f"W/{first['ETag']}", f'"other", {first["ETag"]}'):
        again = ask(view, if_none_match=given)
        assert (again.status_code, again["ETag"], again["Cache-Control"]) == (304, first["ETag"], LIFETIME)
        assert "Content-Length" not in again
    assert inner.call_count == 1
    assert ask(view, if_none_match='"other"').status_code == 200


def test_a_condition_on_the_etag_is_refused_only_where_there_is_an_answer():
    for given, status, told in (('"other"', 200, 412), ('"other"', 404, 404), ("*", 200, 200), ("*", 404, 404)):
        view = conditional(UNITS, cache_control=LIFETIME)(answering(status))
        answer = ask(view, if_match=given)
        assert (answer.status_code, "ETag" in answer) == (told, told == 200), given
    view = conditional(UNITS, cache_control=LIFETIME)(answering())
    assert ask(view, if_match=ask(view)["ETag"])["Cache-Control"] == LIFETIME


def test_every_question_has_its_own():
    view = conditional(UNITS, cache_control=LIFETIME, vary="Accept")(answering())
    asked = [ask(view), ask(view, "/y"), ask(view, "/x?a=1"), ask(view, accept="text/markdown")]
    assert len({answer["ETag"] for answer in asked}) == 4
    assert {answer["Vary"] for answer in asked} == {"Accept"}


def test_a_change_of_what_it_depends_on_is_another():
    view = conditional(UNITS, cache_control=LIFETIME)(answering())
    before = ask(view)["ETag"]
    Dataset.objects.bump_version(DEPOTS)
    snapshot.refresh()
    assert ask(view)["ETag"] == before
    Dataset.objects.bump_version(UNITS)
    snapshot.refresh()
    assert ask(view)["ETag"] != before


@pytest.mark.parametrize("changes_daily", [True, False])
def test_at_midnight_in_poland_what_changes_daily_ends(monkeypatch, changes_daily):
    view = conditional(UNITS, cache_control="public, max-age=300", changes_daily=changes_daily)(answering())
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 22, 59, tzinfo=UTC))
    before = ask(view)
    assert before["Cache-Control"] == f"public, max-age={60 if changes_daily else 300}"
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 23, 0, tzinfo=UTC))
    after = ask(view)
    assert (after["ETag"] != before["ETag"], after["Cache-Control"]) == (changes_daily, "public, max-age=300")


@pytest.mark.parametrize("headers", [{"if_match": "*"}, {"if_none_match": "*"}])
def test_a_response_begun_before_midnight_has_the_validator_of_that_day(monkeypatch, headers):
    before, after = (datetime(2026, 12, 31, *clock, tzinfo=UTC) for clock in ((22, 59), (23, 0)))
    monkeypatch.setattr(timezone, "now", lambda: before)

    def take_until_midnight(request):
        monkeypatch.setattr(timezone, "now", lambda: after)
        return HttpResponse("of the day before")

    view = conditional(UNITS, cache_control=LIFETIME, changes_daily=True)
    answer = ask(view(take_until_midnight), **headers)
    assert answer["ETag"] != ask(view(answering()))["ETag"]


def test_failures_and_other_methods_have_none():
    for status in (301, 400, 404, 503):
        answer = ask(conditional(UNITS, cache_control=LIFETIME)(answering(status)))
        assert "ETag" not in answer, status
        assert "Cache-Control" not in answer
    answer = conditional(UNITS, cache_control=LIFETIME)(answering())(RequestFactory().post("/x"))
    assert (answer.status_code, "ETag" in answer) == (200, False)


def test_the_view_reads_the_state_that_the_validator_names():
    def view(request):
        Dataset.objects.bump_version(UNITS)
        snapshot.refresh()
        return HttpResponse(snapshot.current().key(UNITS))

    asking = conditional(UNITS, cache_control=LIFETIME)(view)
    known = snapshot.current().key(UNITS)
    assert ask(asking).content.decode() == known


def test_validators_change_with_every_setting_that_responses_contain(monkeypatch, settings):
    sources = [ROOT / "fueldepot" / "api.py", ROOT / "fueldepot" / "http" / "links.py", *(ROOT / "pages").rglob("*.py")]
    named = {name for path in sources for name in re.findall(r"settings\.([A-Z_]+)", path.read_text())}
    assert named - {"SITE_HOST"} == {*cache_control.RELEVANT}  # the host is part of SITE_URL
    monkeypatch.setattr(cache_control, "PARTS", ())
    releases = [cache_control.release.__wrapped__()]
    for name in cache_control.RELEVANT:
        setattr(settings, name, "another")
        releases.append(cache_control.release.__wrapped__())
    assert len({*releases}) == len(releases)


BEFORE_FORKING = """
import django
django.setup()
from fueldepot import checks, gunicorn
from fueldepot.data import snapshot
from fueldepot.http.cache_control import release
from pages import rendering
from pages.svg import cached_maps
steps = (checks, "refuse_unfit_database"), (snapshot, "refresh"), (rendering, "warm_up"), (cached_maps, "warm_up")
for module, name in steps:
    setattr(module, name, lambda: None)
gunicorn.on_starting(None)
print(release.cache_info().currsize)
"""


@pytest.mark.slow
def test_workers_that_start_once_the_files_are_replaced_have_the_release_of_their_code():
    done = run_python("-c", BEFORE_FORKING, DJANGO_SETTINGS_MODULE="fueldepot.settings")
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
