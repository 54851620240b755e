"""A publisher's page that is an ASP.NET form: every file is a button, and the page sends itself back to name it.

The fields that the page carries (`__VIEWSTATE` and its like, the day asked for) go back as they came.
"""

from collections.abc import Mapping
from html.parser import HTMLParser

from catalog.importers.download.store import DownloadFailed

MOST_FIELDS = 200
CARRIED = ("hidden", "text")


class _Fields(HTMLParser):
    """The inputs of a page that a browser would send back whichever button is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "input" and found.get("type", "text").lower() in CARRIED and found.get("name"):
            self.values[found["name"]] = found.get("value", "")


def fields_for(url: str, page: str, button: str) -> Mapping[str, str]:
    """The form that pressing a button of a page sends.

    Raises DownloadFailed for a page that is no such form or does not know the button: then the publisher has changed
    it, and what would come back is not the file.
    """
    reader = _Fields()
    reader.feed(page)
    if "__VIEWSTATE" not in reader.values or len(reader.values) > MOST_FIELDS:
        raise DownloadFailed(
            url, "is no longer the form that is known; download the file by hand and give it to the import command"
        )
    # The name stands in the call that the link makes, in the page's own escaping.
    if button not in page and button.replace("$", "&#36;") not in page and button.replace("$", "_") not in page:
        raise DownloadFailed(
            url, f"has no button {button}; download the file by hand and give it to the import command"
        )
    return {**reader.values, "__EVENTTARGET": button, "__EVENTARGUMENT": ""}
