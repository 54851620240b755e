"""Downloads behind an ASP.NET form, where every file is a button that posts the page back.

The fields of the page (`__VIEWSTATE` etc., the chosen day) are sent back unchanged.
"""

from collections.abc import Mapping
from html.parser import HTMLParser

from catalog.importers.records import DownloadFailed

MOST_FIELDS = 200
CARRIED = ("hidden", "text")


class _Fields(HTMLParser):
    """Parser of the inputs that a browser submits whichever button is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "input" and found.get("type", "text").lower() in CARRIED and found.get("name"):
            self.values[found["name"]] = found.get("value", "")


def fields_for(url: str, page: str, button: str) -> Mapping[str, str]:
    """Return the form data of pressing a button.

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
