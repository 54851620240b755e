"""gzip, and the validators that go with it."""

import gzip

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from fueldepot.middleware import ApiGZipMiddleware
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

LONG = "/api/v1/stores?teryt=1261011"
GZIP = {"accept-encoding": "gzip"}


@pytest.fixture
def depots():
    factories.DepotFactory.create_batch(3, municipality=factories.krakow())


ACCEPTED = {
    True: ("gzip", "GZip", "deflate, gzip;q=0.5, br", "br , gzip ; q=1.0"),
    False: ("", "identity", "gzip;q=0", "gzip; q=0.000", "gzip;q=0, *", "*;q=0", "notgzip"),
}


def test_who_accepts_gzip_gets_it(client, depots):
    for accepted, headers in ACCEPTED.items():
        for header in headers:
            answer = client.get(LONG, headers={"accept-encoding": header})
            assert (answer.get("Content-Encoding") == "gzip") is accepted, header
            assert answer["Vary"] == "Accept, Accept-Encoding"


def test_who_accepts_gzip_gets_it_of_static_files(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "site.css").write_text("a { color: red }")
    (tmp_path / "site.css.gz").write_bytes(b"short")
    serve = ApiGZipMiddleware(WhiteNoiseMiddleware(lambda request: HttpResponse(status=404)))
    for accepted, headers in ACCEPTED.items():
        for header in headers:
            answer = serve(RequestFactory().head("/static/site.css", headers={"accept-encoding": header}))
            assert (answer.status_code, answer["Vary"]) == (200, "Accept-Encoding")
            assert (answer.get("Content-Encoding") == "gzip") is accepted, header
    assert answer["ETag"].startswith('W/"')
    again = serve(RequestFactory().get("/static/site.css", headers={**GZIP, "if-none-match": answer["ETag"]}))
    assert (again.status_code, again["ETag"]) == (304, answer["ETag"])


def test_the_same_answer_in_fewer_bytes_and_either_form_is_known_again(client, depots):
    plain, packed = client.get(LONG), client.get(LONG, headers=GZIP)
    assert packed["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2
    assert packed["Content-Length"] == str(len(packed.content))
    assert not plain["ETag"].startswith("W/")
    assert (packed["ETag"], client.get(LONG, headers=GZIP).content) == (f"W/{plain['ETag']}", packed.content)
    head = client.head(LONG, headers=GZIP)
    assert head.content == b""
    for name in ("ETag", "Content-Length", "Content-Encoding", "Vary"):
        assert head[name] == packed[name]
    for first in (plain, packed):
        for accept in (GZIP, {}):
            again = client.get(LONG, headers={"if-none-match": first["ETag"], **accept})
            assert (again.status_code, again.content) == (304, b"")
            assert (again["ETag"], again["Vary"]) == (first["ETag"], "Accept, Accept-Encoding")
            assert "Content-Encoding" not in again


def test_tiny_answers_errors_and_pages_stay_as_they_are_and_a_posted_question_has_no_validator(client, depots):
    answer = client.post("/api/v1/subsidy", {"people": 2, "walls": 10, "eu": 3}, headers=GZIP)
    assert (answer["Content-Encoding"], answer["Cache-Control"], "ETag" in answer) == ("gzip", "no-store", False)
    for path in ("/api/v1/stores?teryt=9999999", "/api/v1/locations?q=zzz", "/api/"):
        assert "Content-Encoding" not in client.get(path, headers=GZIP)
