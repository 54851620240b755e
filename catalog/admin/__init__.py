"""The editors' desk. Register data is read-only; depots change through `catalog.services`."""

from django.contrib import admin

from catalog.admin.accounts import AccountAdmin
from catalog.admin.batches import DepotBatchAdmin
from catalog.admin.bulk import delete_selected
from catalog.admin.depots import DepotAdmin
from catalog.admin.drafts import DraftAdmin, DraftedAdmin
from catalog.admin.owners import OwnerChangeAdmin, OwnerLinkAdmin
from catalog.admin.registers import RegisterAdmin
from catalog.admin.submissions import SubmissionAdmin
from catalog.admin.voivodeship_claims import VoivodeshipClaimAdmin

__all__ = [
    "AccountAdmin",
    "DepotAdmin",
    "DepotBatchAdmin",
    "DraftAdmin",
    "DraftedAdmin",
    "OwnerChangeAdmin",
    "OwnerLinkAdmin",
    "RegisterAdmin",
    "SubmissionAdmin",
    "VoivodeshipClaimAdmin",
]

admin.site.add_action(delete_selected, "delete_selected")
admin.site.site_header = "Składy opału: redakcja"
admin.site.site_title = "Redakcja"
admin.site.index_title = "Katalog"
