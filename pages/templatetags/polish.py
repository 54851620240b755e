import re
from datetime import date

from django import template
from django.template.defaultfilters import stringfilter
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from pages import polish, typography

register = template.Library()


@register.filter
def counted(number: int, forms: str) -> str:
    """A number with its noun. forms: "skład,składy,składów"."""
    return polish.counted(number, *forms.split(","))


@register.filter
def whole(number: int | None) -> str:
    """A whole number with its thousands apart, "" for none."""
    return "" if number is None else polish.whole(number)


@register.filter
def day(value: date) -> str:
    """A day in words, with "r." at its end."""
    return polish.day(value)


@register.filter
def zloty(amount: float | None) -> str:
    """ "1 520,50 zł", or a dash where there is no number."""
    return polish.zloty(amount)


@register.filter(is_safe=True)
@stringfilter
def tied(text: str) -> str:
    """Text whose words of one letter do not end a line."""
    return typography.tie(text)


@register.filter
def tied_html(html: SafeString) -> SafeString:
    """The same for a part of a page that is HTML already."""
    return mark_safe(typography.tie_html(html))  # noqa: S308 - as safe as it was


@register.filter
def postcodes(text: str) -> SafeString:
    """Text, escaped, whose postcodes do not break in two at the end of a line."""
    kept = re.sub(r"\b\d{2}-\d{3}\b", r'<span class="code">\g<0></span>', conditional_escape(text))
    return mark_safe(kept)  # noqa: S308 - escaped before


@register.filter
def coded(text: str) -> SafeString:
    """Text of ours with what stands between backticks as code; the rest is escaped."""
    escaped = conditional_escape(typography.tie(text))
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped))  # noqa: S308
