"""Versions of data sets, and the validators made of them."""

import time
from datetime import date

import pytest
from catalog.validators import rests_on
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory

from catalog import databases, kept
from catalog.models import Dataset
from fueldepot.data import versions

CACHE = "public, max-age=60"
LOOK_AGAIN = versions.is_current
"""As it is; other tests do without."""


def test_looks_once_in_a_while(django_assert_num_queries, db):
    with django_assert_num_queries(1):
        versions.current()
        versions.current()


@pytest.mark.parametrize(("age_s", "queries"), [(0.1, 0), (0.5, 0), (1.5, 1)])
def test_what_was_found_is_trusted_a_while_when_another_thread_looks(
    db, monkeypatch, django_assert_num_queries, age_s, queries
):
    monkeypatch.setattr(versions, "POLL_SECONDS", 0.25)
    versions.current()
    known = versions._known[databases.PRIMARY]
    known.read_at -= age_s
    with known.reading, django_assert_num_queries(queries):
        versions.current()


def test_what_was_found_is_as_old_as_the_question(db):
    """A change that is committed while the answer is on its way may not be in it."""
    asked_at = []

    def note(execute, *question):
        asked_at.append(time.monotonic())
        return execute(*question)

    versions.forget()
    with connection.execute_wrapper(note):
        versions.current()
    assert versions._known[databases.PRIMARY].read_at < asked_at[0]


def test_a_look_that_took_long_does_not_undo_a_later_one(db, monkeypatch):
    known = versions._known[databases.PRIMARY]
    monkeypatch.setattr(known, "stamps", {Dataset.Slug.DEPOTS: "later"})
    monkeypatch.setattr(known, "read_at", time.monotonic() + 60)
    versions.look(known)
    assert known.stamps == {Dataset.Slug.DEPOTS: "later"}


@pytest.mark.django_db(transaction=True)
def test_a_change_of_this_process_is_seen_at_once(django_assert_num_queries):
    before = versions.stamp(Dataset.Slug.DEPOTS)
    versions.bump_version(Dataset.Slug.DEPOTS)
    assert versions.stamp(Dataset.Slug.DEPOTS) != before


@pytest.mark.django_db(transaction=True)
def test_a_version_that_was_undone_is_not_had_again():
    versions.bump_version(Dataset.Slug.DEPOTS)
    with transaction.atomic():
        versions.bump_version(Dataset.Slug.DEPOTS)
        versions.forget()
        undone = versions.stamp(Dataset.Slug.DEPOTS)
        transaction.set_rollback(True)
    versions.bump_version(Dataset.Slug.DEPOTS)
    assert versions.stamp(Dataset.Slug.DEPOTS) != undone


class Answering:
    """A view that counts how often it ran."""

    def __init__(self, status: int = 200) -> None:
        self.runs = 0
        self.status = status

    def __call__(self, request, *args, **kwargs):
        self.runs += 1
        return HttpResponse("answer", status=self.status)


def ask(view, path="/x", **headers):
    return view(RequestFactory().get(path, headers=headers))


def test_a_known_answer_is_not_made_again(db):
    inner = Answering()
    view = rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE, vary="Accept")(inner)
    first = ask(view)
    again = ask(view, **{"If-None-Match": f'"other", W/{first["ETag"]}'})
    assert (first.status_code, again.status_code, inner.runs) == (200, 304, 1)
    assert again["ETag"] == first["ETag"]
    assert again["Cache-Control"] == first["Cache-Control"] == CACHE
    assert again["Vary"] == "Accept"


def test_another_question_has_another_validator(db):
    view = rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE, vary="Accept")(Answering())
    tags = [
        ask(view)["ETag"],
        ask(view, "/y")["ETag"],
        ask(view, "/x?a=1")["ETag"],
        ask(view, Accept="text/plain")["ETag"],
    ]
    assert len(set(tags)) == 4


def test_a_change_ends_validity(db):
    inner = Answering()
    view = rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE)(inner)
    known = ask(view)["ETag"]
    versions.bump_version(Dataset.Slug.PRICES)
    versions.forget()
    assert ask(view, **{"If-None-Match": known}).status_code == 304
    versions.bump_version(Dataset.Slug.DEPOTS)
    versions.forget()
    assert ask(view, **{"If-None-Match": known}).status_code == 200


@pytest.mark.parametrize(("dated", "status"), [(True, 200), (False, 304)])
def test_midnight_ends_dated_answers(db, monkeypatch, dated, status):
    view = rests_on(Dataset.Slug.PRICES, cache_control=CACHE, dated=dated)(Answering())
    monkeypatch.setattr("catalog.validators.timezone.localdate", lambda: date(2026, 12, 31))
    known = ask(view)["ETag"]
    monkeypatch.setattr("catalog.validators.timezone.localdate", lambda: date(2027, 1, 1))
    assert ask(view, **{"If-None-Match": known}).status_code == status


def test_failures_have_no_validator(db):
    answer = ask(rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE)(Answering(404)))
    assert "ETag" not in answer
    assert "Cache-Control" not in answer


class Changing(Answering):
    """A view between whose two questions to the database the data change, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def __call__(self, request, *args, **kwargs):
        before = Dataset.objects.filter(slug=Dataset.Slug.DEPOTS).count()
        if self.runs < self.times:
            versions.bump_version(Dataset.Slug.DEPOTS)
        self.runs += 1
        after = Dataset.objects.get(slug=Dataset.Slug.DEPOTS).version
        return HttpResponse(f"{before} {after}")


@pytest.fixture
def looking(monkeypatch, db):
    monkeypatch.setattr(versions, "is_current", LOOK_AGAIN)
    versions.bump_version(Dataset.Slug.DEPOTS)
    versions.forget()


def test_an_answer_is_of_one_state(looking):
    inner = Changing(times=1)
    view = rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE)(inner)
    first = ask(view)
    assert (first.content, inner.runs) == (b"1 2", 2)
    again = ask(view)
    assert (again["ETag"], again.content) == (first["ETag"], first.content)


def test_an_answer_of_data_that_never_rest_is_nobodys_to_keep(looking, monkeypatch):
    monkeypatch.setattr("catalog.kept.answers.max_bytes", 1_000_000)
    inner = Changing(times=versions.TRIES)
    answer = ask(rests_on(Dataset.Slug.DEPOTS, cache_control=CACHE)(inner))
    assert inner.runs == versions.TRIES
    assert "ETag" not in answer
    assert answer["Cache-Control"] == "no-store"
    assert kept.answers.bytes == 0


def test_a_change_of_other_data_does_not_matter(looking, django_assert_num_queries):
    stamps = versions.stamp(Dataset.Slug.DEPOTS)
    versions.bump_version(Dataset.Slug.PRICES)
    with django_assert_num_queries(1):
        assert versions.is_current(stamps, Dataset.Slug.DEPOTS)
    versions.bump_version(Dataset.Slug.DEPOTS)
    assert not versions.is_current(stamps, Dataset.Slug.DEPOTS)


def test_what_is_made_of_rows_is_of_one_state(looking):
    versions_seen = []

    def make():
        versions_seen.append(Dataset.objects.get(slug=Dataset.Slug.DEPOTS).version)
        if len(versions_seen) == 1:
            versions.bump_version(Dataset.Slug.DEPOTS)
        return versions_seen[-1]

    stamps, made = versions.settled(make, Dataset.Slug.DEPOTS)
    assert (versions_seen, made) == ([1, 2], 2)
    assert versions.is_current(stamps, Dataset.Slug.DEPOTS)


SLUGS = (Dataset.Slug.DEPOTS, Dataset.Slug.PRICES)
SEEN = f"SELECT {versions.stamp_sql(*SLUGS)}"


def see() -> str:
    with connection.cursor() as cursor:
        cursor.execute(SEEN)
        return cursor.fetchone()[0]


def test_a_statement_tells_the_state_as_the_process_does(looking):
    assert see() == versions.stamp(*SLUGS)
    assert see().endswith(" -"), "nobody has stored prices yet"


class Telling(Answering):
    """A view whose one statement tells the state that it saw."""

    def __call__(self, request, *args, **kwargs):
        self.runs += 1
        seen = see()
        versions.answered_of(seen, *SLUGS)
        return HttpResponse(seen)


def test_an_answer_made_without_a_question_needs_none(looking, django_assert_num_queries):
    versions.current()
    with django_assert_num_queries(0):
        assert "ETag" in ask(rests_on(*SLUGS, cache_control=CACHE)(Answering()))


def test_statements_that_tell_their_state_are_enough(looking, django_assert_num_queries):
    versions.current()
    with django_assert_num_queries(1):
        assert "ETag" in ask(rests_on(*SLUGS, cache_control=CACHE)(Telling()))


def test_a_look_at_the_versions_is_no_question_about_the_data(looking, django_assert_num_queries):
    def view(request):
        versions.forget()
        return HttpResponse(versions.stamp(*SLUGS))

    versions.current()
    with django_assert_num_queries(1):
        assert "ETag" in ask(rests_on(*SLUGS, cache_control=CACHE)(view))


def test_one_statement_that_tells_its_state_does_not_speak_for_another(looking, django_assert_num_queries):
    telling = Telling()

    def view(request):
        Dataset.objects.count()
        return telling(request)

    versions.current()
    with django_assert_num_queries(3):
        ask(rests_on(*SLUGS, cache_control=CACHE)(view))


def test_a_statement_that_saw_a_newer_state_makes_the_answer_anew(looking):
    versions.current()
    # The process has not noticed by the time the statement is sent, which is the only one of the answer.
    versions.bump_version(Dataset.Slug.PRICES)
    inner = Telling()
    answer = ask(rests_on(*SLUGS, cache_control=CACHE)(inner))
    assert inner.runs == 2
    assert answer.content.decode() == see() == versions.stamp(*SLUGS)


def test_an_answer_without_questions_is_made_anew_when_its_parts_may_differ(looking):
    """Two parts that the process holds are of two states where another thread saw a change in between."""
    versions.current()
    versions.bump_version(Dataset.Slug.DEPOTS)
    runs = []

    def view(request):
        runs.append(versions.stamp(*SLUGS))
        versions.forget()  # it is noticed here
        return HttpResponse(f"{runs[-1]} {versions.stamp(*SLUGS)}")

    answer = ask(rests_on(*SLUGS, cache_control=CACHE)(view))
    assert len(runs) == 2
    assert answer.content.decode() == f"{runs[1]} {runs[1]}"
