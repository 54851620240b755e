"""The templates of the site, `templates/site`: Jinja2's. The desk's extend Django's own and stay with its engine.

Jinja2 makes Python of a template, several times as fast as Django's engine, which walks a tree of nodes
(docs/adr/0010-jinja2-for-the-site.md).
"""

from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.urls import reverse
from jinja2 import Environment, StrictUndefined, select_autoescape

from fueldepot.openapi.page import inline
from pages import filters as pages_filters
from pages.typography import SiteLoader
from subsidy import filters as subsidy_filters


def environment(**options: Any) -> Environment:
    """What every template of the site can use. Django gives the options and keeps one environment for the process."""
    ours = {
        # Markdown and letters are no HTML: there a filter looks after marks.
        "autoescape": select_autoescape(["html"], default=False, default_for_string=True),
        # A name that is misspelt, or missing from a page, is an error and no gap.
        "undefined": StrictUndefined,
        # Every template, and forever: a few dozen.
        "cache_size": -1,
        "loader": SiteLoader(options["loader"].searchpath),
        "keep_trailing_newline": True,
        "lstrip_blocks": True,
    }
    made = Environment(**options | ours)  # noqa: S701 - it does escape HTML, see above
    made.filters |= pages_filters.FILTERS | subsidy_filters.FILTERS | {"inline": inline}
    made.globals |= {"static": static, "url": url}
    return made


def static(name: str) -> str:
    """The address of a static file. Django's function of this name asks each time whether there is a storage."""
    return staticfiles_storage.url(name)


def url(name: str, *args: object) -> str:
    """The address of a route with arguments that many values fit; for others see the filter `route`."""
    return reverse(name, args=args)


def prepare() -> None:
    """Compile every template, so that no request has to, and the processes that are forked share them."""
    site = engines["jinja2"]
    assert isinstance(site, Jinja2)  # noqa: S101 - by its name
    for name in site.env.list_templates():
        site.env.get_template(name)
