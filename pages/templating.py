"""Jinja2 environment of `templates/site`. The desk's templates extend Django's and use its engine.

Jinja2 compiles templates to Python, several times as fast as Django's engine (docs/adr/0010-jinja2-for-the-site.md).
"""

from functools import cache
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.urls import reverse
from jinja2 import Environment, StrictUndefined, select_autoescape

from pages import template_filters as pages_filters
from pages.non_breaking import SiteLoader
from subsidy import template_filters as subsidy_filters


def environment(**options: Any) -> Environment:
    """Return the environment of the site's templates. Django passes the options and keeps one per process."""
    ours = {
        # Markdown and letters are no HTML: a filter escapes Markdown.
        "autoescape": select_autoescape(["html"], default=False, default_for_string=True),
        # An undefined name is an error.
        "undefined": StrictUndefined,
        # Cache all templates, a few dozen, forever.
        "cache_size": -1,
        "loader": SiteLoader(options["loader"].searchpath),
        "keep_trailing_newline": True,
        "lstrip_blocks": True,
    }
    jinja = Environment(**options | ours)  # noqa: S701 - it does escape HTML, see above
    jinja.filters |= pages_filters.FILTERS | subsidy_filters.FILTERS
    jinja.globals |= {"static": static, "url": url}
    return jinja


@cache
def static(name: str) -> str:
    """Return the URL of a static file, looked up once per process."""
    return staticfiles_storage.url(name)


def url(name: str, *args: object) -> str:
    """Return the URL of a route with many possible arguments; for others see the filter `route`."""
    return reverse(name, args=args)


def warm_up() -> None:
    """Compile all templates, once for all forked processes."""
    site = engines["jinja2"]
    assert isinstance(site, Jinja2)  # noqa: S101 - by its name
    for name in site.env.list_templates():
        site.env.get_template(name)
