"""The editors' desk. Register data can be looked at only; depots change through actions."""

from django.contrib import admin

from catalog.admin.accounts import AccountAdmin
from catalog.admin.bulk import delete_selected
from catalog.admin.depots import DepotAdmin
from catalog.admin.registers import RegisterAdmin
from catalog.admin.requests import DepotRequestAdmin

__all__ = ["AccountAdmin", "DepotAdmin", "DepotRequestAdmin", "RegisterAdmin"]

admin.site.add_action(delete_selected, "delete_selected")
admin.site.site_header = "Składy opału: redakcja"
admin.site.site_title = "Redakcja"
admin.site.index_title = "Katalog"
