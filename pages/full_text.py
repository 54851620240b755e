"""The whole context for language models in one file: the Markdown twins of the pages that explain and sum up."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from catalog import fuels
from pages.datasets import datasets_page
from pages.page import Page
from pages.prices import country_page, index_page
from pages.privacy import privacy_page
from pages.regulations import page_of, regulations_page
from pages.rendering import markdown_text, tidy
from pages.rules import rules_page
from pages.site_map import listed_pages
from pages.subsidy import subsidy_page
from pages.territory import voivodeships_by_name
from prices.queries import all_fuel_prices
from regulations.queries import regulations_of

BETWEEN = "\n---\n\n"


def full_text(today: date) -> str:
    """Rules of use, API, data sets, prices, regulations, subsidy."""
    listed = {entry.path for entry in listed_pages(today)}
    medians = index_page(today)
    context = {"site": names(), "page": medians, "invented": medians.path not in listed}
    parts = [tidy(render_to_string("pages/llms_full.md", context))]
    parts += [markdown_text(page) for page in pages(medians, today) if page.path in listed]
    return BETWEEN.join(parts)


def names() -> dict[str, str]:
    """The name of the site, and the paths of what is not a page."""
    base = reverse("v1:stores").removesuffix("/stores")
    return {
        "name": settings.SITE_NAME,
        "stores": reverse("v1:stores"),
        "openapi": f"{base}/openapi.json",
        "docs": f"{base}/docs",
        "index": reverse("llms"),
        "full": reverse("llms-full"),
        "map": reverse("sitemap"),
    }


def pages(medians: Page, today: date) -> Iterator[Page]:
    """The pages of the file, in its order."""
    yield rules_page()
    yield datasets_page(today)
    yield privacy_page()
    yield medians
    for slug, answer in all_fuel_prices(today).items():
        yield country_page(fuels.BY_SLUG[slug], answer)
    yield regulations_page(today)
    for entry in regulations_of(voivodeships_by_name(), on=today):
        yield page_of(entry)
    yield subsidy_page(None, today)
