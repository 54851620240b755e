"""Data for search engines inside a page: a block of data, never run."""

from typing import Any

import orjson
from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# Nothing that could end the block or begin a tag or an entity; in JSON these are the same characters.
HARMLESS = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@register.filter
def json_ld(data: dict[str, Any]) -> SafeString:
    """Data as JSON that can stand inside a script element."""
    return mark_safe(orjson.dumps(data).decode().translate(HARMLESS))  # noqa: S308 - see HARMLESS
