"""What keeps people from reading a page."""

from typing import Any

import pytest

SEVERE = {"serious", "critical"}


def findings(page: Any) -> list[str]:
    """What axe finds serious, and what sticks out to the right."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = [
        f"{page.url}: {one['id']} at {one['nodes'][0]['target']}"
        for one in axe.Axe().run(page).response["violations"]
        if one["impact"] in SEVERE
    ]
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return found + ([f"{page.url}: {width} wide in a window of {window}"] if width > window else [])
