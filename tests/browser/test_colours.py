"""Colours of the pages, light and dark: contrast of text, and shades of the map of prices."""

import math
import re

import pytest

from pages.svg.maps import SHADES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCHEMES = ("light", "dark")


def colours(page, selector="body", part=""):
    """Ground of an element, and text of it or of a part of it, each as red, green, blue from 0 to 255."""
    element = f"document.querySelector('{selector}')"
    read = "(text) => text.match(/\\d+/g).slice(0, 3).map(Number)"
    pair = f"[getComputedStyle({element}).backgroundColor, getComputedStyle({element}, '{part}').color]"
    return page.evaluate(f"{pair}.map({read})")


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ground, text):
    light, dark = sorted(map(luminance, (ground, text)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_dark_is_dark_and_legible(open_window):
    grounds = {}
    for scheme in SCHEMES:
        page = open_window(color_scheme=scheme).page
        page.goto("/")
        assert contrast(*colours(page)) > 7, scheme
        assert contrast(*colours(page, ".field input", "::placeholder")) >= 4.5, scheme  # axe does not look there
        grounds[scheme] = luminance(colours(page)[0])
    assert grounds["dark"] < 0.05 < 0.8 < grounds["light"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_colours_of_the_map_of_prices_grow_stronger(open_window, scheme):
    """The caption says that a stronger colour is dearer, so each shade is farther from the ground of the map."""
    page = open_window(color_scheme=scheme).page
    page.goto("/ceny/pellet/")
    ground = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--land')").strip()
    ground = [int(ground[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    distances = []
    for shade in range(1, SHADES + 1):
        fill = page.locator(f".shade-{shade}").first.evaluate("(path) => getComputedStyle(path).fill")
        distances.append(math.dist(ground, [float(value) for value in re.findall(r"\d*\.\d+", fill)[:3]]))
    assert distances == sorted(set(distances))
