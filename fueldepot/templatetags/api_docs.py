import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")


@register.filter
def inline(text: str) -> SafeString:
    """Text of the description with its `code` and [links](https://…) as HTML; everything else is escaped."""
    text = CODE.sub(r"<code>\1</code>", str(escape(text)))
    return mark_safe(LINK.sub(r'<a href="\2">\1</a>', text))  # noqa: S308 - escaped above
