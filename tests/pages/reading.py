"""What the tests of pages look for in them."""

import json
import re
from html import unescape

KRAKOW = "/sklady/malopolskie/krakow-1261011/"
ZAKOPANE = "/sklady/malopolskie/zakopane-1217011/"
NOINDEX = '<meta name="robots" content="noindex">'
SCRIPT = "<script>alert(1)</script>"


def text_of(response):
    """What a reader sees, on one line."""
    body = response.content.decode().partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def canonical_of(response):
    return re.search(r'<link rel="canonical" href="([^"]+)">', response.content.decode())[1]


def runnable(response):
    """The scripts of a page that a browser would run: all but blocks of data, and beside the file of the search."""
    known = r' type="application/ld\+json">| src="/static/pages/search\.js" defer></script>'
    return re.findall(rf"<script(?!{known})", response.content.decode())


def linked_data(response):
    """What a page tells search engines."""
    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', response.content.decode(), re.DOTALL)
    return json.loads(block[1])
