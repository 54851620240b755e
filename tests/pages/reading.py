import csv
import io
import json
import re
from html import unescape

KRAKOW = "/sklady/malopolskie/krakow-1261011/"
ZAKOPANE = "/sklady/malopolskie/zakopane-1217011/"
NOINDEX = '<meta name="robots" content="noindex">'
SCRIPT = "<script>alert(1)</script>"
PAGES = (
    *("/", "/api/", "/dane/", "/prywatnosc/", "/dotacja/", "/sklady/malopolskie/", KRAKOW, "/przepisy/"),
    *("/przepisy/malopolskie/", "/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"),
)


def read(client, path, **query):
    answer = client.get(path, query)
    assert answer.status_code == 200, path
    return answer.content.decode()


def html_of(response):
    """Return the page that a response holds, or sends a browser to, with blanks in place of typography's."""
    if response.status_code in {301, 302}:
        response = response.client.get(response["Location"], follow=True)
    return response.content.decode().replace("\xa0", " ")


def text_of(response):
    """Return the visible text of a response, or of where it sends a browser, on one line."""
    return text_of_html(re.split("<body[^>]*>", html_of(response), maxsplit=1)[-1])


def expect(answer, *parts, status=200, without=()):
    """Hold a response to its status and to what its visible text says and does not say. Returns the text."""
    text = text_of(answer)
    found = answer.status_code, missing(text, *parts), present(text, *without)
    assert found == (status, [], []), f"{found}: {text}"
    return text


def text_of_html(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def fields_of(html):
    """What a browser would send of a form: texts, ticked boxes and chosen radio buttons, a list for each name."""
    sent = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and (" checked" in tag or not re.search(r'type="(radio|checkbox)"', tag)):
            sent.setdefault(unescape(name[1]), []).append(unescape(value[1]) if value else "on")
    return sent


def data_of(client, url):
    """Return the JSON that a page leads to."""
    link = re.search(r'<link rel="alternate" type="application/json" href="([^"]*)"', html_of(client.get(url)))
    return client.get(unescape(link[1])).json()


def csv_rows(response):
    """Return the rows of a CSV file by the names of its columns."""
    assert (response.status_code, response["Content-Type"][:8]) == (200, "text/csv")
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def canonical_of(response):
    return re.search(r'<link rel="canonical" href="([^"]+)">', response.content.decode())[1]


def runnable(response):
    scripts = "search|calculator|live_map|map|position"
    known = rf' type="application/ld\+json">| src="/static/pages/(?:{scripts})\.js" defer></script>'
    return re.findall(rf"<script(?!{known})", response.content.decode())


def linked_data(response):
    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', response.content.decode(), re.DOTALL)
    return json.loads(block[1])


def missing(text, *parts):
    return [part for part in parts if part not in text]


def present(text, *parts):
    return [part for part in parts if part in text]
