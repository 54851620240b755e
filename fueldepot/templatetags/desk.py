"""Template tags of the desk's start page."""

from typing import Any

from django import template

from fueldepot.desk import overview
from fueldepot.desk.decision_counts import DayOfEditor

register = template.Library()


@register.simple_tag
def waiting_for(user: Any) -> list[overview.Waiting]:
    """Return waiting work that the user may do."""
    return overview.find_waiting(user)


@register.simple_tag
def voivodeships_for(user: Any) -> list[overview.VoivodeshipWork]:
    """Return the work by voivodeship, for who may do it."""
    return overview.find_voivodeships(user)


@register.simple_tag
def decided_today(user: Any) -> list[DayOfEditor]:
    """Return today's decisions by editor."""
    return overview.find_today(user)
