"""Changes that owners published by their links, for review, and the links themselves."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, linebreaks
from django.utils.safestring import SafeString, mark_safe

from catalog.admin.bulk import bulk_action, each
from catalog.admin.desk import FixedRowsAdmin, OptionsFilter, current_editor, done_options
from catalog.admin.registers_and_history import UnitFilter
from catalog.models import OwnerChange, OwnerLink
from catalog.submissions import owner_links


class SeenFilter(OptionsFilter):
    title = "obejrzane"
    parameter_name = "seen"
    options = done_options("seen_at", "nie", "tak")


class OwnersAdmin(FixedRowsAdmin):
    list_display_links = None
    list_select_related = ("depot__municipality",)
    list_per_page = 50

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow the actions of the list only: the form of a row would change it past the journal."""
        return obj is None and bool(super().has_change_permission(request))

    @admin.display(description="skład", ordering="depot__name")
    def entry(self, row: Any) -> SafeString:
        url = reverse("admin:catalog_depot_change", args=[row.depot_id])
        # Branches of one owner may differ by their addresses only.
        return format_html('<a href="{}">{}</a><br>{}', url, row.depot.name, row.depot.address)


@admin.register(OwnerChange)
class OwnerChangeAdmin(OwnersAdmin):
    """Changes made by owners, newest first. They are already public; the journal undoes one."""

    list_display = ("made_at", "entry", "values", "seen_at", "seen_by")
    list_filter = (SeenFilter, UnitFilter)
    ordering = ("-made_at", "-pk")
    actions = ("mark_seen",)

    @admin.display(description="co się zmieniło")
    def values(self, row: OwnerChange) -> SafeString:
        return mark_safe(linebreaks(row.text, autoescape=True))  # noqa: S308 - escaped

    @bulk_action(description="Obejrzane", obstacles=each(lambda row: "ktoś już obejrzał" if row.seen_at else ""))
    def mark_seen(self, request: HttpRequest, keys: list[int]) -> None:
        rows = OwnerChange.objects.filter(pk__in=keys, seen_at__isnull=True)
        count = rows.update(seen_at=timezone.now(), seen_by=current_editor(request))
        self.message_user(request, f"Oznaczono jako obejrzane: {count}.")


@admin.register(OwnerLink)
class OwnerLinkAdmin(OwnersAdmin):
    """Links of owners. An editor may revoke one; the owner then has to claim the depot again."""

    list_display = ("entry", "email", "granted_at", "used_at", "replaced_at", "revoked_at")
    ordering = ("-granted_at", "-pk")
    actions = ("revoke",)

    @bulk_action(description="Odwołaj odnośnik", obstacles=each(lambda row: "już odwołany" if row.revoked_at else ""))
    def revoke(self, request: HttpRequest, keys: list[int]) -> None:
        ended = owner_links.revoke_links(OwnerLink.objects.filter(pk__in=keys), merged=True, on=timezone.now())
        self.message_user(request, f"Odwołano odnośniki: {ended}.", messages.WARNING)
