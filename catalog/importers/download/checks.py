"""Checks of downloads: where they may lead, the form they are behind, and whether the file is whole.

Neither a redirect nor a host name that resolves to a private address may make the importer request resources of the
internal network. Special-purpose addresses: RFC 6890; those that embed another: RFC 3056, 4291, 6052.
"""

import os
import re
import socket
import zipfile
from collections.abc import Mapping
from html.parser import HTMLParser
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from catalog.importers.parsers.files import MAX_BYTES, MAX_RATIO, SMALL_BYTES, load_json, open_zip
from catalog.importers.parsers.values import tidy
from catalog.importers.records import BadInput, DownloadFailed
from catalog.importers.source import DataSource, identify, is_loopback

NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address is public; for one that embeds another, whether that is."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        ip = (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else ip.ipv4_mapped or ip.sixtofour) or ip
    return ip.is_global and not ip.is_multicast


def leads_inside(url: str) -> bool:
    """Whether the host of a URL has any address that is not public. Asks the resolver.

    A name that does not resolve does not count: the request fails, or a proxy resolves it.
    """
    parts = urlsplit(url)
    try:
        addresses = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(address[0])) for *_, address in addresses)


def may_follow(url: str, target: str) -> bool:
    """Whether a redirect may be followed: to the public internet, or from this machine to itself."""
    if is_loopback(urlsplit(target).hostname or ""):
        return is_loopback(urlsplit(url).hostname or "")
    return not leads_inside(target)


MOST_FIELDS = 200
CARRIED = ("hidden", "text")


class _Fields(HTMLParser):
    """Parser of the inputs that a browser submits whichever button is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        field = {name: value or "" for name, value in attrs}
        if tag == "input" and field.get("type", "text").lower() in CARRIED and field.get("name"):
            self.values[field["name"]] = field.get("value", "")


def fields_for(url: str, page: str, button: str) -> Mapping[str, str]:
    """Return the form data of pressing a button of an ASP.NET page, with its fields (`__VIEWSTATE` etc.) unchanged.

    Raises DownloadFailed for a page without the form or the button: the publisher changed it, and the response would
    not be the file.
    """
    reader = _Fields()
    reader.feed(page)
    if "__VIEWSTATE" not in reader.values or len(reader.values) > MOST_FIELDS:
        raise DownloadFailed(
            url, "is no longer the form that is known; download the file by hand and give it to the import command"
        )
    # The name is part of the link's JavaScript call, HTML-escaped.
    if button not in page and button.replace("$", "&#36;") not in page and button.replace("$", "_") not in page:
        raise DownloadFailed(
            url, f"has no button {button}; download the file by hand and give it to the import command"
        )
    return {**reader.values, "__EVENTTARGET": button, "__EVENTARGUMENT": ""}


HEAD_BYTES = 2048

_HTML = re.compile(rb"\s*(<!--.{0,500}?-->\s*)?<(!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


def check(path: Path, source: DataSource) -> None:
    """Raise BadInput, with a remedy, unless a file is complete and in the source's format.

    Reads all of it: zip members against their checksums, JSON to its end. CSV has no end marker; only its last row is
    checked.
    """
    if path.stat().st_size == 0:
        raise BadInput(path, "is empty; try again later")
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    kind = Path(source.file).suffix
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        raise BadInput(
            path,
            f"is a web page instead of {kind[1:]}; open it in a browser: the publisher is closed or the file has moved",
        )
    CHECKS[kind](path)
    recognised = identify(path)
    names = [format_.name for format_ in source.formats]
    if recognised is None or recognised[1].name not in names:
        kind = f"looks like {recognised[1].name}" if recognised else "is of no known form"
        raise BadInput(path, f"{kind} instead of {' or '.join(names)}; the publisher may have changed it, look at it")


def _check_zip(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        raise BadInput(path, "is no zip, or one without its end; try again later")
    with open_zip(path) as archive:
        for member in archive.infolist():
            if member.file_size > SMALL_BYTES and member.file_size > MAX_RATIO * max(member.compress_size, 1):
                raise BadInput(path, f"{member.filename} unpacks to more than {MAX_RATIO} times its size")
        if sum(member.file_size for member in archive.infolist()) > 4 * MAX_BYTES:
            raise BadInput(path, f"unpacks to more than {4 * MAX_BYTES} bytes")
        try:
            damaged = archive.testzip()
        except Exception as error:  # a damaged archive makes zipfile raise a dozen exception types
            raise BadInput(path, f"the zip is damaged ({error}); try again later") from error
        if damaged is not None:
            raise BadInput(path, f"the zip is damaged at {damaged}; try again later")


def _check_json(path: Path) -> None:
    document = load_json(path)
    if isinstance(document, dict) and "remark" in document:
        remark = tidy(str(document["remark"]))[:200]
        raise BadInput(path, f"is not whole, the server says: {remark}; try again later")


def _check_csv(path: Path) -> None:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        if stream.read() != b"\n":
            raise BadInput(path, "ends in the middle of a row; try again later")


CHECKS = {".zip": _check_zip, ".json": _check_json, ".csv": _check_csv}
"""Checks by the suffix of the file."""
