"""What keeps people from reading a page."""

from typing import Any

import pytest

SEVERE = {"serious", "critical"}


def findings(page: Any, *tags: str) -> list[str]:
    """What axe finds serious, and what sticks out to the right. tags: of the only rules to try; none for all."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    wanted = {"resultTypes": ["violations"]} | ({"runOnly": list(tags)} if tags else {})
    found = [
        f"{page.url}: {one['id']} at {one['nodes'][0]['target']}"
        for one in axe.Axe().run(page, options=wanted).response["violations"]
        if one["impact"] in SEVERE
    ]
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found + ([f"{page.url}: {width} wide in a window of {window}"] if width > window else [])
