"""What the tests of pages look for in them."""

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
