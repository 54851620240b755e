"""Bodies that do not come whole, or not as they are: refused before any view, for the API and for forms alike."""

from io import BytesIO

import pytest
from django.test import Client
from gunicorn.http.errors import InvalidChunkSize, NoMoreData

from fueldepot import middleware
from tests.api.test_errors import check_body
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
WHOLE = b"people=2"
CHUNKED = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}


class Stream(BytesIO):
    """What a server hands over: some bytes, then perhaps an error."""

    def __init__(self, content=b"", error=None):
        super().__init__(content)
        self.error = error

    def read(self, size=-1):
        if self.error:
            raise self.error
        return super().read(size)


def post(path, stream, **headers):
    caller = Client(enforce_csrf_checks=True)
    return caller.post(path, content_type=FORM, **{"CONTENT_LENGTH": "8", "wsgi.input": stream} | headers)


BROKEN = [
    (Stream(WHOLE[:4]), {}, "the connection ended before the body did"),
    (Stream(error=ConnectionResetError()), {}, "the connection ended before the body did"),
    (Stream(error=NoMoreData()), CHUNKED, "the connection ended before the body did"),
    (Stream(error=InvalidChunkSize(b"zz")), CHUNKED, "its chunks are not what RFC 9112, section 7.1, says"),
]


@pytest.mark.parametrize(("stream", "headers", "reason"), BROKEN)
def test_a_body_that_does_not_come_whole(stream, headers, reason):
    answer = post("/api/v1/subsidy", stream, **headers)
    check_body(answer, 400, "malformed_body")
    assert answer.json()["message"] == f"The request body cannot be read: {reason}."
    for path in ("/dotacja/", "/sklady/dodaj/", "/admin/login/"):
        stream.seek(0)
        page = post(path, stream, **headers)
        assert (page.status_code, page["Cache-Control"]) == (400, "no-store")
        assert "Formularz nie dotarł w całości" in text_of(page)


def test_a_body_in_chunks_is_read_as_one_with_a_length():
    for path in ("/api/v1/subsidy", "/dotacja/"):
        by_length, in_chunks = post(path, Stream(WHOLE)), post(path, Stream(WHOLE), **CHUNKED)
        assert by_length.status_code == 200, path
        assert in_chunks.content == by_length.content != post(path, Stream(), CONTENT_LENGTH="0").content


def test_chunks_that_do_not_end_are_too_large(monkeypatch):
    monkeypatch.setattr(middleware, "MAX_FORM_BYTES", 10)
    assert post("/dotacja/", Stream(b"x" * 11), **CHUNKED).status_code == 413
    check_body(post("/api/v1/subsidy", Stream(b"x" * 70_000), **CHUNKED), 413, "payload_too_large")


@pytest.mark.parametrize("path", ["/api/v1/subsidy", "/dotacja/", "/sklady/dodaj/"])
def test_a_multipart_form_without_its_last_boundary(path):
    part = b'--x\r\nContent-Disposition: form-data; name="people"\r\n\r\n2\r\n'
    headers = {"CONTENT_TYPE": "multipart/form-data; boundary=x", "CONTENT_LENGTH": str(len(part))}
    assert post(path, Stream(part), **headers).status_code == 400
    whole = part + b"--x--\r\n"
    assert post(path, Stream(whole), **headers | {"CONTENT_LENGTH": str(len(whole))}).status_code in {200, 403}


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-16"])
def test_a_charset_that_is_not_that_of_the_site(client, charset):
    field = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\\ud800..\r\n--x--\r\n'
    for path in ("/sklady/dodaj/", "/dotacja/", "/admin/login/"):
        answer = client.generic("POST", path, field, f"multipart/form-data; boundary=x; charset={charset}")
        assert (answer.status_code, answer["Cache-Control"]) == (400, "no-store")
    for path in ("/?q=%5Cud800..", "/powiadomienia/?gmina=%5Cud800..", "/admin/login/?next=%5Cud800.."):
        assert client.get(path, CONTENT_TYPE=f"text/plain; charset={charset}").status_code == 200
    assert (
        client.post("/dotacja/", field, content_type="multipart/form-data; boundary=x; charset=UTF8").status_code == 200
    )


@pytest.mark.parametrize("coding", ["gzip", "br", "x\x01"])
def test_a_compressed_body(coding):
    answer = post("/api/v1/subsidy", Stream(WHOLE), HTTP_CONTENT_ENCODING=coding)
    check_body(answer, 415, "unsupported_media_type")
    assert "Content-Encoding" in answer.json()["message"]
    chunked = post("/api/v1/subsidy", Stream(WHOLE), **CHUNKED | {"HTTP_TRANSFER_ENCODING": f"{coding}, chunked"})
    check_body(chunked, 415, "unsupported_media_type")
    assert "Transfer-Encoding" in chunked.json()["message"]
    assert post("/dotacja/", Stream(WHOLE), HTTP_CONTENT_ENCODING=coding).status_code == 415
    assert post("/api/v1/subsidy", Stream(WHOLE), HTTP_CONTENT_ENCODING="identity").status_code == 200
