import logging
from io import BytesIO
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import FileResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from fueldepot import middleware
from fueldepot.data import snapshot
from fueldepot.http.request_log import drop_duplicate_db_errors
from pages import api_and_text_pages
from tests import factories
from tests.client import build_snapshots
from tests.pages.reading import KRAKOW, expect, missing, present, text_of
from tests.regulations.factories import LegalStateFactory

AWAY = [OperationalError("the connection is closed"), InterfaceError("the connection is closed")]


@pytest.fixture
def client(client):
    client.raise_request_exception = False
    return client


@pytest.fixture
def nothing_read(monkeypatch, request):
    """Simulate a new process without a database."""
    monkeypatch.setattr(snapshot.store, "read_versions", Mock(side_effect=request.param))


@pytest.mark.parametrize("nothing_read", AWAY, indirect=True)
def test_a_page_and_a_twin_of_which_nothing_was_ever_read_say_so(client, nothing_read):
    """The test has no database, so the response runs no query."""
    pages = [(path, "*/*", "html") for path in ("/", KRAKOW, "/dotacja/", "/sitemap.xml")]
    for path, accept, kind in (*pages, ("/ceny.md", "*/*", "markdown"), ("/ceny/", "text/markdown", "markdown")):
        answer = client.get(path, headers={"Accept": accept})
        expect(answer, "Chwilowa przerwa", status=503)
        assert (answer["Retry-After"], answer["Cache-Control"]) == ("5", "no-store")
        assert answer["Content-Type"] == f"text/{kind}; charset=utf-8", path


@pytest.fixture
def away(depot, depot_page, request):
    """Simulate an outage after the snapshots were built."""
    factories.PostcodeFactory(code="30-001")
    LegalStateFactory()
    build_snapshots()
    with connection.execute_wrapper(Mock(side_effect=request.param)):
        snapshot.store.poll()
        yield


@pytest.fixture
def reader():
    """A client that receives the response to an exception, of a process that keeps its snapshots."""
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("away", AWAY[:1], indirect=True)
def test_reading_goes_on_without_the_database(db, reader, away, depot_page):
    paths = ["/", "/?q=krakow", "/dane/", "/sklady/malopolskie/", KRAKOW, f"{KRAKOW}?kod=30-001", depot_page]
    paths += ["/przepisy/", "/przepisy/malopolskie/?teryt=1299999", "/ceny/", "/ceny/pellet/", "/ceny.md", "/dotacja/"]
    paths += ["/dane/gminy.csv", "/sitemap.xml", "/llms-full.txt"]
    for path in paths:
        answer = reader.get(path)
        assert answer.status_code == 200, path
        assert reader.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 304, path
    assert "Opał „Żar” & Syn" in text_of(reader.get(KRAKOW))
    assert snapshot.database_is_away()


@pytest.mark.parametrize("away", AWAY, indirect=True)
def test_without_the_database_a_form_says_so_and_nobody_knows_what_was_removed(db, reader, away, depot):
    # 404 would mean that the entry never existed.
    assert reader.get("/sklad/987654-x/").status_code == 503
    for form in ("popraw", "przejmij", "usun", "cena"):
        answer = reader.post(f"/sklad/{depot.pk}/{form}/", {"email": "jan@opal-nowak.pl"})
        expect(answer, "Chwilowa przerwa", status=503)
        assert (answer["Retry-After"], answer["Cache-Control"]) == ("5", "no-store")


def test_a_database_that_takes_no_writes_is_no_fault_of_the_service(db, reader, caplog):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
    answer = reader.post("/admin/login/", {"username": "redaktor", "password": "secret"})
    expect(answer, "Chwilowa przerwa", status=503)
    errors = [record for record in caplog.records if record.levelname == "ERROR" and drop_duplicate_db_errors(record)]
    assert [record.getMessage() for record in errors] == ["database not available: ReadOnlySqlTransaction"]


def test_a_form_or_an_address_that_is_too_large_leaves_no_traceback_in_the_log(db, reader, caplog):
    files = {f"file{number}": BytesIO(b"x") for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FILES + 1)}
    fields = dict.fromkeys(map(str, range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)), "")
    for posted in (files, fields, {"name": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE}):
        assert reader.post("/sklady/dodaj/", posted).status_code == 400
    # Longer than Django lets a redirect be, to the login that names where to go on.
    assert reader.get(f"/admin/?{'x' * 20_000}").status_code == 400
    logged = [record for record in caplog.records if logging.getLogger(record.name).propagate]
    assert [record.getMessage() for record in logged if record.exc_info] == []


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        *(("/prywatnosc/", "*/*", "html"), ("/prywatnosc/", "text/markdown", "markdown")),
        ("/prywatnosc.md", "*/*", "markdown"),
    ],
)
def test_a_fault_a_refused_method_and_failed_condition_have_page_and_twin(db, client, monkeypatch, path, accept, kind):
    accepted, other = {"accept": accept}, {"if-match": '"another"'}
    assert client.get(path, headers={"if-match": client.get(path)["ETag"]}).status_code == 200
    failed, refused = client.get(path, headers=accepted | other), client.delete(path, headers=accepted)
    monkeypatch.setattr(api_and_text_pages, "privacy_page", Mock(side_effect=RuntimeError("secret")))
    fault = client.get(path, headers=accepted)
    for answer, status, words in (
        *((failed, 412, "Inna wersja strony"), (refused, 405, "Niedozwolona metoda")),
        (fault, 500, "zepsuło"),
    ):
        expect(answer, words, status=status, without=["secret"])
        assert (answer["Content-Type"], answer["Cache-Control"]) == (f"text/{kind}; charset=utf-8", "no-store")
    assert (refused["Allow"], fault["Vary"]) == ("GET, HEAD", "Accept")


def test_a_refused_method_of_a_static_file_has_a_page():
    refusal = FileResponse((), status=405, headers={"Allow": "GET, HEAD"})  # as WhiteNoise answers
    answer = middleware.explain_refusals(lambda request: refusal)(RequestFactory().post("/static/pages/site.css"))
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "Niedozwolona metoda" in answer.content.decode()


def test_bare_pages_carry_no_style_of_their_own():
    """The test has no database: they need neither that nor a context."""
    texts = {"400": "Nieprawidłowe zapytanie", "500": "nas zepsuło"}
    for name in ("400", "400_body", "400_host", "403", "403_csrf", "412", "500", "503"):
        html = render_to_string(f"{name}.html")
        assert not present(html, "<style", "style="), name
        assert not missing(html, '<meta name="robots" content="noindex">', texts.get(name, ""))


def test_a_form_from_elsewhere_is_refused_on_a_bare_page_that_says_whose_it_is_and_is_not_kept(db, settings):
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "a", "password": "b"})
    assert (answer.status_code, answer["Cache-Control"]) == (403, "no-store")
    html, name = answer.content.decode(), settings.SITE_NAME
    assert not missing(html, f"</svg>{name}</a>", f"<title>Formularz wygasł – {name}</title>")
    assert "Otwórz stronę jeszcze raz" in text_of(answer)


def test_what_is_not_here_is_not_kept(db, client, settings):
    assert client.get("/nie-ma/")["Cache-Control"] == "no-store"
    settings.ALLOWED_HOSTS = ["example.pl"]
    answer = client.get("/")
    assert (answer.status_code, answer["Cache-Control"]) == (400, "no-store")
    assert "Nieznany adres serwera" in text_of(answer)
    assert f'<a href="{settings.SITE_URL}/">' in answer.content.decode()
