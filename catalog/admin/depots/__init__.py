"""Depots at the editors' desk: find, check, edit, publish, remove, merge. Nothing is ever deleted here.

`change_list` and `work_queues`: the list, and the queues above it. `change_form`, `form`, `field_history` and
`position_map`: one depot, its form, history and position. `duplicates`: likely duplicates, merged or marked distinct.
"""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from catalog import models
from catalog.admin.depots.change_form import DepotChangeForm
from catalog.admin.depots.change_list import DepotListAdmin
from catalog.admin.depots.duplicates import DuplicatesMixin


@admin.register(models.Depot)
class DepotAdmin(DepotListAdmin, DepotChangeForm, DuplicatesMixin):
    """The list, the page of a depot, and the pages of likely duplicates."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
