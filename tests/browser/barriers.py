"""Accessibility problems of a page."""

import re
from typing import Any

import pytest

SEVERE = {"serious", "critical"}

NOT_OURS = ("nested-interactive", ".opblock")
"""A rule that Swagger UI breaks, and where: a button within what opens an operation. The page without it is beside."""


def findings(page: Any, *tags: str) -> list[str]:
    """What axe finds serious, and what sticks out to the right. tags: of the only rules to try; none for all."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    wanted = {"resultTypes": ["violations"]} | ({"runOnly": list(tags)} if tags else {})
    found = [
        f"{page.url}: {one['id']} at {one['nodes'][0]['target']}"
        for one in axe.Axe().run(page, options=wanted).response["violations"]
        if one["impact"] in SEVERE and not (one["id"] == NOT_OURS[0] and NOT_OURS[1] in str(one["nodes"][0]["target"]))
    ]
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found + ([f"{page.url}: {width} wide in a window of {window}"] if width > window else [])


def is_outlined(element: Any) -> bool:
    """Whether the outline of an element is seen; a transparent one is in forced colours alone."""
    return re.match(r"rgb\(.* solid ", element.evaluate("(one) => getComputedStyle(one).outline")) is not None
