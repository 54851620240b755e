"""Checks of downloads: where they may lead, the form they are behind, whether the file is whole; and ages of sources.

Neither a redirect nor a host name may lead into the internal network. Special-purpose addresses: RFC 6890; those that
embed another: RFC 3056, 4291, 6052. A source of a later day than tomorrow is always refused, and such a day, stored
earlier, does not count.
"""

import os
import re
import socket
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from html.parser import HTMLParser
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from django.db.models import Max, Q
from django.utils import timezone

from catalog.importers.parsers.files import MAX_BYTES, MAX_RATIO, is_bomb, load_json, open_zip
from catalog.importers.records import BadInput, DownloadFailed, tidy
from catalog.importers.sources import DataSource, all_sources, identify, read_sources
from catalog.models import Dataset, ImportRun
from fueldepot.http.links import is_loopback

NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address, or the one that it embeds, is public."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        ip = (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else ip.ipv4_mapped or ip.sixtofour) or ip
    return ip.is_global and not ip.is_multicast


def leads_inside(url: str) -> bool:
    """Whether any address of a URL's host is not public. Asks the resolver; an unknown name does not count."""
    parts = urlsplit(url)
    try:
        addresses = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(address[0])) for *_, address in addresses)


def may_follow(url: str, target: str) -> bool:
    """Whether a redirect may be followed: to the public internet, or from this machine to itself."""
    if is_loopback(target):
        return is_loopback(url)
    return not leads_inside(target)


MOST_FIELDS = 200


class _Fields(HTMLParser):
    """Parser of the inputs that a browser submits whichever button is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        field = {name: value or "" for name, value in attrs}
        if tag == "input" and field.get("type", "text").lower() in {"hidden", "text"} and field.get("name"):
            self.values[field["name"]] = field.get("value", "")


def fields_for(url: str, page: str, button: str) -> Mapping[str, str]:
    """Return the form data of pressing a button of an ASP.NET page. Raises DownloadFailed if the page has changed."""
    reader = _Fields()
    reader.feed(page)
    remedy = "download the file by hand and give it to the import command"
    if "__VIEWSTATE" not in reader.values or len(reader.values) > MOST_FIELDS:
        raise DownloadFailed(url, f"is no longer the form that is known; {remedy}")
    # The name is part of the link's JavaScript call, HTML-escaped.
    if not any(button.replace("$", mark) in page for mark in ("$", "&#36;", "_")):
        raise DownloadFailed(url, f"has no button {button}; {remedy}")
    return {**reader.values, "__EVENTTARGET": button, "__EVENTARGUMENT": ""}


_HTML = re.compile(rb"\s*(<!--.{0,500}?-->\s*)?<(!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


def check(path: Path, source: DataSource) -> None:
    """Raise BadInput, with a remedy, unless a file is complete and in the source's format. Reads all of it."""
    if path.stat().st_size == 0:
        raise BadInput(path, "is empty; try again later")
    with path.open("rb") as stream:
        head = stream.read(2048)
    kind = Path(source.file).suffix
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        remedy = "open it in a browser: the publisher is closed or the file has moved"
        raise BadInput(path, f"is a web page instead of {kind[1:]}; {remedy}")
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
            if is_bomb(member):
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


GRACE_DAYS = 3
"""Days after the due day until a source is overdue: a publisher may be closed over a weekend."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source with its last successful run (`good`), its last and its first one; None for none."""

    source: DataSource
    good: ImportRun | None
    last: ImportRun | None
    first: ImportRun | None

    @property
    def checked_on(self) -> date | None:
        """Day on which the source was last found current, None for never."""
        return timezone.localdate(self.good.finished) if self.good else None

    @property
    def due_on(self) -> date | None:
        """Day from which the source is due, None for at once."""
        checked_on = self.checked_on
        return checked_on and checked_on + timedelta(days=self.source.rhythm_days)

    def is_overdue(self, today: date, installed_on: date | None = None) -> bool:
        """installed_on: the day from which a source that was never tried counts, None if it does not count."""
        run = self.good or self.first
        since = timezone.localdate(run.finished) if run else installed_on if self.source.fetched else None
        return since is not None and since + timedelta(days=self.source.rhythm_days + GRACE_DAYS) < today


def last_runs(sources: Mapping[str, DataSource] | None = None) -> list[SourceState]:
    """Return every source with its runs, in their order. One query."""
    newest = ImportRun.objects.order_by("source", "-finished", "-pk").distinct("source").values("pk")
    oldest = ImportRun.objects.order_by("source", "finished", "pk").distinct("source").values("pk")
    ended_well = newest.filter(outcome__in=ImportRun.GOOD)
    selected = ImportRun.objects.filter(Q(pk__in=newest) | Q(pk__in=oldest) | Q(pk__in=ended_well))
    runs = list(selected.order_by("finished", "pk").defer("differences"))
    last = {run.source: run for run in runs}
    good = {run.source: run for run in runs if run.outcome in ImportRun.GOOD}
    first = {run.source: run for run in reversed(runs)}
    return [
        SourceState(source, good.get(source.id), last.get(source.id), first.get(source.id))
        for source in (sources if sources is not None else read_sources()).values()
    ]


def last_end(source: str) -> datetime | None:
    """Return when the last run of a source or of a nightly job ended, None for never. One query."""
    last: datetime | None = ImportRun.objects.filter(source=source).aggregate(last=Max("finished"))["last"]
    return last


def last_valid_day(today: date) -> date:
    """Return tomorrow: the latest day that a file may be of. Publishers date some files a day ahead."""
    return today + timedelta(days=1)


def day_of_dataset(dataset: Dataset.Slug, *, until: date, publisher: str | None = None) -> date | None:
    """Return the day of a data set, None if unknown or later than `until`. publisher: as it names it. One query."""
    stored = Dataset.objects.filter(slug=dataset, as_of__lte=until)
    if publisher is not None:
        stored = stored.filter(source=publisher)
    return stored.values_list("as_of", flat=True).first()


def day_of_publication(source: str, dataset: Dataset.Slug, *, publisher: str, until: date) -> date | None:
    """Return the day of the last import from a source, dated at most `until`, else of the data set. Two queries."""
    good = ImportRun.objects.filter(source=source, outcome__in=ImportRun.GOOD, file_date__lte=until)
    day = good.order_by("-finished", "-pk").values_list("file_date", flat=True).first()
    return day if day is not None else day_of_dataset(dataset, until=until, publisher=publisher)


def stored_day(source: DataSource, *, until: date = date.max) -> date | None:
    """Return the stored day of a source, in a data set that others may share, up to `until`."""
    if source.rows is None:
        return day_of_dataset(source.dataset, until=until)
    return day_of_publication(source.id, source.dataset, publisher=source.credit, until=until)


def other_publishers(source: DataSource) -> dict[str, date | None]:
    """Return other publishers of a source's data set, with the day their rows are current to."""
    row = Dataset.objects.filter(slug=source.dataset).first()
    credited = row.sources if row else []
    days: dict[str, date | None] = {}
    for other in all_sources().values():
        if other.dataset != source.dataset or other.credit in {source.credit, *days} or other.rows is None:
            continue
        own = other.rows.exists()
        if own and other.starter and other.starter[0] in credited:
            days[other.starter[0]] = other.starter[1]
        elif own or (other.lent is not None and other.lent.exists()):
            days[other.credit] = stored_day(other)
    return days
