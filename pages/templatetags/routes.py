"""Addresses of pages that stand on every page."""

from functools import lru_cache

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
@lru_cache(maxsize=100)
def route(name: str) -> SafeString:
    """The address of a route without parameters, by its name. As the tag `url`, but looked up once per process."""
    return mark_safe(reverse(name))  # noqa: S308 - routes hold no marks
