"""Fetching from publishers that break off, refuse, talk nonsense and give yesterday's file."""

import fcntl
import hashlib
import json
import re
import socket
from dataclasses import replace
from email.utils import formatdate
from time import time

import pytest

from catalog.importers.download import Fetcher, RetryPolicy, Store, is_public, may_follow
from catalog.importers.records import BadInput, DownloadFailed, ImportRunning
from catalog.importers.sources import read_sources
from tests import small_country

POSTCODES = "/PL.zip"
CONTENT = small_country.postcodes()
GIVEN_UP = "the connection failed .*tried 4 times; try again later"


@pytest.fixture
def sources(publishers, tmp_path):
    return read_sources(publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL))


@pytest.fixture
def slept():
    """The seconds that the fetcher wanted to sleep on top of real time."""
    return []


@pytest.fixture
def fetcher(tmp_path, slept):
    patience = RetryPolicy(attempts=4, first_wait_s=1, longest_wait_s=60, idle_s=20, whole_s=90)
    return Fetcher(tmp_path / "downloads", patience, sleep=slept.append)


@pytest.fixture
def source(sources):
    return sources["geonames-postcodes"]


def folder(fetcher, source):
    return sorted(path.name for path in Store(fetcher.root, source).folder.iterdir() if path.name != ".lock")


def refusal(fetcher, source):
    with pytest.raises(DownloadFailed) as caught:
        fetcher.fetch(source)
    return str(caught.value)


def test_a_file_is_kept_with_its_date_size_and_checksum(fetcher, source, publishers):
    download = fetcher.fetch(source)
    assert download.fresh
    assert download.path.read_bytes() == CONTENT
    assert (download.size, download.sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    said = json.loads(download.path.with_name(f"{download.path.name}.json").read_text())
    assert (said["url"], said["size"], said["sha256"]) == (publishers.url + POSTCODES, len(CONTENT), download.sha256)
    assert said["etag"].startswith('"')
    assert folder(fetcher, source) == [download.path.name, f"{download.path.name}.json"]


def test_the_publisher_learns_who_asks(fetcher, source, publishers, settings):
    settings.CONTACT_EMAIL, settings.SITE_URL = "redakcja@example.pl", "https://sklady.example.pl"
    fetcher.fetch(source)
    ((_, headers, _),) = publishers.requests(POSTCODES)
    assert headers["User-Agent"] == "fueldepot/1 (+https://sklady.example.pl; redakcja@example.pl)"
    assert headers["Accept-Encoding"] == "identity"
    settings.SITE_URL = "https://składy.example.pl"
    fetcher.fetch(source)
    assert "fueldepot/1 (+https://sk?ady.example.pl; " in publishers.requests(POSTCODES)[1][1]["User-Agent"]


def test_yesterdays_file_is_still_current_after_304_and_the_same_bytes_are_not_kept_twice(fetcher, source, publishers):
    first, second = fetcher.fetch(source), fetcher.fetch(source)
    assert (second.path, second.sha256, second.fetched_at) == (first.path, first.sha256, first.fetched_at)
    _, headers, _ = publishers.requests(POSTCODES)[1]
    assert (headers["If-None-Match"], headers["If-Modified-Since"]) == (first.etag, first.last_modified)
    publishers.validators = False
    third = fetcher.fetch(source)
    assert (first.fresh, second.fresh, third.fresh, third.path) == (True, False, False, first.path)
    assert len(folder(fetcher, source)) == 2
    # Another address is asked without the validators of the old one.
    publishers.files["other.zip"] = publishers.files["PL.zip"]
    fetcher.fetch(replace(source, url=publishers.url + "/other.zip"))
    assert "If-None-Match" not in publishers.requests("/other.zip")[0][1]


def test_a_kept_file_that_was_damaged_or_cut_and_one_whose_record_was_are_fetched_again(fetcher, source):
    path = fetcher.fetch(source).path
    record = path.with_name(f"{path.name}.json")
    damages = [(path, CONTENT[:-1] + b"?"), (path, CONTENT[:-1])]
    damages += [(record, damage) for damage in (b"", b"{}", b'{"source": 5, "fetched_at": "soon"}')]
    for file, damage in damages:
        file.write_bytes(damage)
        again = fetcher.fetch(source)
        assert (again.fresh, again.path.read_bytes()) == (True, CONTENT), damage


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("html", "what came is a web page instead of zip; open it in a browser"),
        ("empty", "what came is empty; try again later"),
        *((half, "no zip, or one without its end") for half in ("half", "unannounced", "half gzip")),
        *((cut, GIVEN_UP) for cut in ("short", "chunked", "drop", "refuse")),
        ("damaged gzip", "the connection failed .DecodingError: .*tried 4 times; try again later"),
        (404, "answered 404; check the address in the file of sources"),
        (403, "answered 403; check the address in the file of sources"),
        (500, "answered 500, tried 4 times; try again later"),
        ((429, {"Retry-After": "3600"}), "answered 429 and asks to wait 3600 seconds; try again later"),
        ((301, {"Location": "http://example.com/PL.zip"}), "leads to http://example.com/PL.zip, which is not https"),
        ((302, {"Location": "file:///etc/passwd"}), "which is not https"),
        ((302, {"Location": "/PL.zip"}), "leads on more than 5 times; check the file of sources"),
        (204, "answered 204; check the address"),
        (304, "answered 304; check the address in the file of sources"),  # to a request without a validator
    ],
)
def test_what_cannot_be_trusted_is_refused_in_one_line(fetcher, source, publishers, trouble, message):
    publishers.always[POSTCODES] = trouble
    said = refusal(fetcher, source)
    assert re.search(message, said)
    assert said.startswith(publishers.url + POSTCODES)
    assert "\n" not in said
    assert not Store(fetcher.root, source).read()


@pytest.mark.parametrize(
    ("waiting", "seconds"),
    [
        ([429, 503, 502], [1, 2, 4]),
        ([(429, {"Retry-After": "7"})], [7]),
        ([(503, {"Retry-After": "0"})], [0]),
        ([(503, {"Retry-After": "soon"})], [1]),
        (["gzip"], []),
        ([(302, {"Location": "/moved.zip"})], []),
    ],
)
def test_passing_troubles_are_waited_out(fetcher, source, publishers, slept, waiting, seconds):
    publishers.files["moved.zip"] = CONTENT
    publishers.troubles[POSTCODES] = list(waiting)
    assert (fetcher.fetch(source).path.read_bytes(), slept) == (CONTENT, seconds)


def test_a_retry_after_may_be_a_date(fetcher, source, publishers, slept):
    publishers.troubles[POSTCODES] = [(503, {"Retry-After": formatdate(time() + 30, usegmt=True)})]
    fetcher.fetch(source)
    assert 25 < slept[0] <= 30


def test_a_silent_publisher_is_given_up(fetcher, source, publishers):
    publishers.always[POSTCODES] = "silent"
    hasty = replace(fetcher, patience=RetryPolicy(attempts=2, first_wait_s=0, idle_s=0.3, whole_s=90))
    assert re.search(r"the connection failed .ReadTimeout.*tried 2 times; try again later", refusal(hasty, source))
    assert not Store(fetcher.root, source).read()


def test_a_slow_body_and_a_slow_form_are_given_up(fetcher, sources, publishers):
    publishers.always = dict.fromkeys((POSTCODES, "/pliki_pelne.aspx"), "slow")
    hasty = replace(fetcher, patience=RetryPolicy(attempts=2, first_wait_s=0, idle_s=5, whole_s=0.3))
    for name in ("geonames-postcodes", "teryt-terc"):
        assert re.search(r"is too slow: [0-9]+ bytes in 0 seconds; try again later", refusal(hasty, sources[name]))


def test_what_is_too_large_is_refused_before_it_comes_and_while_it_comes(fetcher, source, publishers):
    small = replace(source, max_megabytes=(len(CONTENT) - 1) / 1e6)
    assert f"has {len(CONTENT)} bytes, more than the {len(CONTENT) - 1} that may come" in refusal(fetcher, small)
    publishers.always[POSTCODES] = "gzip"
    assert "has more bytes than the" in refusal(fetcher, small)
    publishers.files["PL.zip"] = bytes(50_000_000)  # which would fill the disk
    assert "has more bytes than the 1000000" in refusal(fetcher, replace(source, max_megabytes=1))
    assert folder(fetcher, small) == []


def test_another_kind_of_file_and_a_damaged_one_are_refused(fetcher, source, publishers):
    damaged, unknown = (bytearray(small_country.zipped("PL.txt", b"x" * 5000)) for _ in range(2))
    damaged[45] ^= 0xFF
    unknown[unknown.index(b"PK\x01\x02") + 10] = 77  # the packing, as the directory at the end names it
    for content, message in (
        (small_country.terc(), "looks like terc instead of geonames; the publisher may have changed it"),
        (small_country.zipped("x.txt", b"hello"), "is of no known form instead of geonames"),
        (b"not a zip at all", "no zip"),
        (bytes(damaged), "the zip is damaged"),
        (bytes(unknown), "the zip is damaged (That compression method is not supported)"),
        (small_country.zipped("PL.txt", bytes(30_000_000)), "unpacks to more than 200 times its size"),
    ):
        publishers.files["PL.zip"] = content
        assert message in refusal(fetcher, source)


def test_an_endless_page_and_a_zip_that_unpacks_to_too_much_are_given_up(fetcher, sources, publishers, monkeypatch):
    monkeypatch.setattr("catalog.importers.download.MOST_PAGE_BYTES", 10)
    assert "more than the 10 that may come" in refusal(fetcher, sources["teryt-terc"])
    monkeypatch.setattr("catalog.importers.parsers.files.MAX_BYTES", 100)
    publishers.files["PL.zip"] = small_country.zipped("PL.txt", bytes(401))
    assert "unpacks to more than 400 bytes" in refusal(fetcher, sources["geonames-postcodes"])


def test_nobody_waits_longer_than_the_whole_time(fetcher, source, publishers, slept):
    publishers.always[POSTCODES] = 503
    hasty = replace(fetcher, patience=replace(fetcher.patience, whole_s=2))
    assert "answered 503, and its time is used up; try again later" in refusal(hasty, source)
    assert slept == [1]


def test_a_file_or_a_folder_that_cannot_be_written_is_named(fetcher, source, tmp_path):
    (tmp_path / "taken").write_text("a file")
    assert "cannot be written" in refusal(replace(fetcher, root=tmp_path / "taken"), source)
    store = Store(fetcher.root, source)
    store.part.mkdir(parents=True)
    assert refusal(fetcher, source) == f"{store.folder}: cannot be written: Is a directory"


def test_a_redirection_into_a_private_network_is_not_followed(fetcher, source, publishers, monkeypatch):
    resolve = socket.getaddrinfo

    def resolved(host, *rest, **more):
        return resolve("10.1.2.3" if host == "inside.example.pl" else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    for target in (
        *("https://10.0.0.1/x", "https://192.168.1.1/x", "https://169.254.169.254/latest/meta-data/"),
        *("https://[fd00::1]/x", "https://[::ffff:10.0.0.1]/x", "https://[64:ff9b::a00:1]/x", "https://0x0a000001/x"),
        *("https://100.64.0.1/x", "https://inside.example.pl/x"),
    ):
        publishers.troubles[POSTCODES] = [(302, {"Location": target})]
        assert f"leads to {target}, into a private network; check the file of sources" in refusal(fetcher, source)
    assert all(map(is_public, ("8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8")))


def test_a_publisher_may_not_lead_to_this_machine():
    assert may_follow("http://127.0.0.1:1/a", "http://127.0.0.1:2/b")
    for target in ("http://127.0.0.1:2/b", "https://localhost/", "https://depot.localhost/", "https://[::1]/"):
        assert not may_follow("https://8.8.8.8/a", target)


@pytest.mark.slow
def test_a_publisher_that_stops_within_a_header_is_given_up(fetcher, source, publishers):
    publishers.always[POSTCODES] = "slow header"
    hasty = replace(fetcher, patience=RetryPolicy(attempts=2, first_wait_s=0, idle_s=1, whole_s=0.5))
    assert "its time is used up; try again later" in refusal(hasty, source)


def test_the_form_is_filled_in_and_sent_back(fetcher, sources, publishers):
    assert fetcher.fetch(sources["teryt-terc"]).path.read_bytes() == publishers.files["terc.zip"]
    assert fetcher.fetch(sources["teryt-simc"]).path.read_bytes() == publishers.files["simc.zip"]
    assert [method for method, _, _ in publishers.requests("/pliki_pelne.aspx")] == ["GET", "POST", "GET", "POST"]
    body = publishers.requests("/pliki_pelne.aspx")[1][2].decode()
    assert "ctl00%24body%24TBData=21+listopada+2026" in body
    assert "search=" not in body


def test_a_form_that_is_no_longer_the_known_one_is_not_sent(fetcher, sources, publishers):
    publishers.always["/pliki_pelne.aspx"] = "html"
    assert "is no longer the form that is known; download the file by hand" in refusal(fetcher, sources["teryt-terc"])
    publishers.always.clear()
    unknown = replace(sources["teryt-terc"], button="ctl00$body$Other")
    assert re.search(r"has no button ctl00\$body\$Other; download the file by hand", refusal(fetcher, unknown))
    assert [method for method, _, _ in publishers.requests("/pliki_pelne.aspx")] == ["GET", "GET"]


def test_overpass_is_asked_once_with_a_time_out(fetcher, sources, publishers):
    assert fetcher.fetch(sources["osm-depots"]).path.read_bytes() == publishers.files["depots.json"]
    ((method, headers, body),) = publishers.requests("/interpreter")
    assert (method, headers["Accept-Encoding"]) == ("POST", "gzip")
    assert b"timeout%3A180" in body


def test_an_answer_of_overpass_that_is_not_whole_is_refused(fetcher, sources, publishers):
    for content, message in (
        (small_country.depots(remark='runtime error: Query timed out in "query" at line 3'), 'timed out in "query"'),
        (small_country.depots()[:-20], "is not complete JSON, is it cut off"),
        (b'{"version": 0.6}', "of no known form instead of overpass"),
        (b"[]", "of no known form instead of overpass"),
    ):
        publishers.files["depots.json"] = content
        assert message in refusal(fetcher, sources["osm-depots"])
        assert folder(fetcher, sources["osm-depots"]) == []


def test_overpass_abroad_is_not_asked_without_a_contact(fetcher, sources, settings):
    settings.CONTACT_EMAIL, settings.SITE_URL = "", "http://127.0.0.1:8000"
    abroad = replace(sources["osm-depots"], url="https://overpass.invalid/api/interpreter")
    assert "asks for a contact in every request; set CONTACT_EMAIL" in refusal(fetcher, abroad)
    assert issubclass(DownloadFailed, BadInput)  # which commands report


def test_two_at_once_do_not_write_into_one_file(fetcher, source):
    store = Store(fetcher.root, source)
    with store.lock(), (store.folder / ".lock").open("r+") as other:
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(ImportRunning, match="wait until it ends"):
            fetcher.fetch(source)


def test_a_refused_file_and_a_full_disk_are_told_and_what_was_there_stays(fetcher, source, publishers):
    before, store = fetcher.fetch(source), Store(fetcher.root, source)
    publishers.files["PL.zip"] = small_country.postcodes(range(3))
    for trouble in ("html", "empty", "half", "half gzip"):
        publishers.always[POSTCODES] = trouble
        assert "PL.zip" in refusal(fetcher, source)
        assert store.read() == replace(before, fresh=False)
    publishers.always.clear()
    # Linux's own full disk, where the download is to go.
    store.part.symlink_to("/dev/full")
    assert refusal(fetcher, source) == f"{store.folder}: cannot be written: No space left on device"
    assert (store.read(), before.path.read_bytes()) == (replace(before, fresh=False), CONTENT)
