"""The editors' desk. Register data is read-only; depots change through `catalog.services`."""

from django.contrib import admin

from catalog.admin import (  # noqa: F401 - register
    accounts,
    depot_page,
    journal,
    owners,
    registers_and_history,
    submission_queue,
)
from catalog.admin.bulk import delete_selected

admin.site.add_action(delete_selected, "delete_selected")
admin.site.site_header = "Składy opału: redakcja"
admin.site.site_title = "Redakcja"
admin.site.index_title = "Katalog"
