"""The editors' desk. Register data is read-only; depots change through `catalog.services`."""

from django.contrib import admin

from catalog.admin import accounts, depot_pages, journal, owners, registers, submission_queue  # noqa: F401 - register
from catalog.admin.bulk import delete_selected

admin.site.add_action(delete_selected, "delete_selected")
admin.site.site_header = "Składy opału: redakcja"
admin.site.site_title = "Redakcja"
admin.site.index_title = "Katalog"
