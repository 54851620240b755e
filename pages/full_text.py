"""Text of `llms-full.txt`: the Markdown of the overview pages in one file."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from catalog.api.params import LIMIT_RANGE
from pages.api_rules import rules_page
from pages.datasets import datasets_page
from pages.home import home_page
from pages.page import Page
from pages.prices.index import index_page
from pages.prices.official import official_page
from pages.privacy import privacy_page
from pages.regulations import page_of, regulations_page
from pages.rendering import collapse_blank_lines, markdown_text
from pages.site_map import listed_pages
from pages.stove_check import stove_check_page
from pages.subsidy import subsidy_page
from pages.territory import voivodeships_by_name
from regulations.api.params import DeadlinesQuery
from regulations.queries import find_deadlines, regulations_of

BETWEEN = "\n---\n\n"


def full_text(today: date) -> str:
    """Return rules of use, API, data sets, prices, deadlines and subsidy, without single fuels and voivodeships."""
    listed = {entry.path for entry in listed_pages(today)}
    found, _ = find_deadlines(DeadlinesQuery.parse(f"limit={LIMIT_RANGE[1]}", today=today), today=today)
    context = {"site": names(), "deadlines": found}
    parts = [collapse_blank_lines(render_to_string("pages/llms_full.md", context))]
    parts += [markdown_text(page) for page in pages(today) if page.path in listed]
    return BETWEEN.join(parts)


def sizes(today: date) -> dict[str, str]:
    """Return the sizes of the Markdown of the pages in `llms.txt`, by path: "4 kB"."""
    described = [*pages(today), home_page("", today), privacy_page(), stove_check_page("", today)]
    described += [page_of(entry) for entry in regulations_of(voivodeships_by_name(), on=today)]
    return {page.path: kilobytes(len(markdown_text(page).encode())) for page in described}


def kilobytes(size: int) -> str:
    """Format a number of bytes in kB, rounded up."""
    return f"{-(-size // 1000)} kB"


def names() -> dict[str, str]:
    """Return the name of the site, and the paths of endpoints and files."""
    return {
        "name": settings.SITE_NAME,
        "stores": reverse("v1:stores"),
        "openapi": reverse("v1:openapi"),
        "mcp": reverse("mcp"),
        "docs": reverse("v1:docs"),
        "index": reverse("llms"),
        "full": reverse("llms-full"),
        "map": reverse("sitemap"),
        "changes": reverse("changes"),
    }


def pages(today: date) -> Iterator[Page]:
    """Yield the pages of the file, in its order."""
    yield rules_page()
    yield datasets_page(today)
    yield official_page()
    yield index_page(today)
    yield regulations_page(today)
    yield subsidy_page(None, today)
