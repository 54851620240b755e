"""A crawler of all pages: both formats answer, titles are unique, links work, sizes are bounded."""

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from math import ceil
from typing import Any
from urllib.parse import urldefrag, urlsplit

from django.conf import settings
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone

from pages.machine_files import SiteMapEntry, all_pages
from pages.page import twin_path
from pages.rendering import MARKDOWN_UTF8

MOST_BYTES = 60_000
"""Largest compressed page in bytes, without its drawings."""

MOST_LINKS = 500
"""Links per view that are tried, evenly spread: every depot links to the same five forms."""

DRAWING = re.compile(rb"<svg\b.*?</svg>", re.DOTALL)
TITLE, ID = re.compile(r"<title>(.*?)</title>"), re.compile(r'<[^>]*\sid="([^"]*)"')
LINK = re.compile(r'<(?:a|link)\s[^>]*?\bhref="([^"]*)"')
MARKDOWN_LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
HEAD = ("- Adres: ", "- Stan na: ", "- Status danych: ", "- Licencja: ", "- Cytuj: ")
ENGLISH_HEAD = ("- Address: ", "- As of: ", "- Data status: ", "- Licence: ", "- Cite: ")


@dataclass
class Crawler:
    """Checks pages and collects their links.

    fetch: GET of a path, without following redirects. most_links: per view that are tried.
    """

    fetch: Callable[[str], Any]
    most_links: int = MOST_LINKS
    titles: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    """Linked paths with query, each with the first page that links there."""

    def findings(self, entries: Iterable[SiteMapEntry]) -> Iterator[str]:
        for entry in entries:
            for path, check in ((entry.path, self.check_page), (twin_path(entry.path), self.check_twin)):
                answer = self.fetch(path)
                self.seen.add(path)
                if answer.status_code == 200:
                    yield from check(path, answer)
                else:
                    yield f"{path}: answers {answer.status_code}"
        for link in self.links_to_try():
            if (status := self.fetch(link).status_code) != 200:
                yield f"{self.links[link]}: the link {link} answers {status}"

    def links_to_try(self) -> list[str]:
        """Return the links to pages that were not checked: a sample per view, and all without a view."""
        kinds = defaultdict(list)
        for link in self.links:
            path = urlsplit(link).path
            if path not in self.seen:
                kinds[kind_of(path)].append(link)
        unknown = kinds.pop("", [])
        return unknown + [link for links in kinds.values() for link in links[:: ceil(len(links) / self.most_links)]]

    def check_page(self, path: str, answer: Any) -> Iterator[str]:
        size = len(gzip.compress(DRAWING.sub(b"", answer.content), mtime=0))
        if size > MOST_BYTES:
            yield f"{path}: {size} bytes compressed, more than {MOST_BYTES}"
        html = answer.content.decode()
        title, ids = "".join(TITLE.findall(html)[:1]), {*ID.findall(html)}
        links = [unescape(link) for link in LINK.findall(html)]
        known = self.titles.setdefault(title, path)
        if known != path or not title:
            yield f"{path}: has the title {title!r} of {known}"
        for link in links:
            if link.startswith("#") and link[1:] not in ids:
                yield f"{path}: the link {link} leads nowhere in the page"
        self.collect(path, links)

    def check_twin(self, path: str, answer: Any) -> Iterator[str]:
        if answer["Content-Type"] != MARKDOWN_UTF8:
            yield f"{path}: has the type {answer['Content-Type']}"
        text = answer.content.decode()
        lines = text.splitlines()
        if not text.startswith("# "):
            yield f"{path}: does not begin with a title"
        head = ENGLISH_HEAD if path == "/en.md" else HEAD
        if missing := [start for start in head if not any(line.startswith(start) for line in lines[:8])]:
            yield f"{path}: its head lacks {', '.join(missing)}"
        if "&amp;" in text:
            yield f"{path}: holds HTML entities"
        self.collect(path, MARKDOWN_LINK.findall(text))

    def collect(self, page: str, links: Iterable[str]) -> None:
        """Collect links within the site, except static files, which the web server serves."""
        for link in links:
            inner = urldefrag(link.removeprefix(settings.SITE_URL)).url
            if inner.startswith("/") and not inner.startswith((settings.STATIC_URL, "//")):
                self.links.setdefault(inner, page)


def kind_of(path: str) -> str:
    """Return the name of the view of a path, "" without one."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def chosen(entries: Iterable[SiteMapEntry], *, everything: bool, one_in: int = 1) -> list[SiteMapEntry]:
    """Return the listed pages, and one unlisted page per view, or all of them.

    one_in: take the first page per view and then every Nth.
    """
    counts: Counter[tuple[str, bool]] = Counter()
    found = []
    for entry in entries:
        kind = (kind_of(entry.path), entry.listed or everything)
        if counts[kind] % one_in == 0 and (kind[1] or not counts[kind]):
            found.append(entry)
        counts[kind] += 1
    return found


def check_pages(*, everything: bool = False, one_in: int = 1, most_links: int = MOST_LINKS) -> tuple[int, list[str]]:
    client = Client(raise_request_exception=False, HTTP_HOST=urlsplit(settings.SITE_URL).netloc)
    entries = chosen(all_pages(timezone.localdate()), everything=everything, one_in=one_in)
    return len(entries), list(Crawler(client.get, most_links).findings(entries))
