"""Addresses of pages that stand on every page."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from catalog.links import route_path

register = template.Library()


@register.filter
def route(name: str) -> SafeString:
    """The address of a route without parameters, by its name. As the tag `url`, but looked up once per process."""
    return mark_safe(route_path(name))  # noqa: S308 - routes hold no marks
