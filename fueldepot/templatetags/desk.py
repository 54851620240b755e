"""Template tags of the desk's start page."""

from django import template

from fueldepot.desk import overview

register = template.Library()
register.simple_tag(overview.find_waiting, name="waiting_for")
register.simple_tag(overview.find_voivodeships, name="voivodeships_for")
register.simple_tag(overview.find_today, name="decided_today")
