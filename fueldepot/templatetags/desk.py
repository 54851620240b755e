"""Template tags of the desk."""

from typing import Any

from django import template

from fueldepot.data import history
from fueldepot.desk import overview

register = template.Library()
register.simple_tag(overview.find_waiting, name="waiting_for")
register.simple_tag(overview.find_voivodeships, name="voivodeships_for")
register.simple_tag(overview.draw_queue, name="queue_map_of")
register.simple_tag(overview.wants_letter, name="wants_letter")
register.simple_tag(overview.find_today, name="decided_today")


@register.filter
def author(line: Any) -> str:
    """Who made the change of a history row, a dash for a reader, an import or a command."""
    user = line.history_user
    name = history.author(user and user.get_username(), line.history_change_reason)
    return "–" if name == history.IMPORTED else name
