"""Import of price lists of depots in the admin: upload, preview, confirmation; `prices.price_lists` reads the files.

Confirming the preview approves the prices; doubtful rows only where ticked one by one. Editors have a row limit, as in
bulk actions.
"""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from catalog.admin.bulk import row_limit, undo_button
from catalog.admin.desk import current_editor, desk_page, desk_view
from catalog.depots import fuels
from catalog.models import Decision
from prices import services, validation
from prices.price_lists import ConfirmForm, Preview, UploadForm, preview_price_list

MOST_NUMBERS = 50
"""Numbers of faulty rows in the message after an import."""


class PriceListImport(admin.ModelAdmin):  # type: ignore[type-arg] # a mixin for the admin of prices
    """Mixin for the admin of prices: upload and preview of a price list, and its confirmation."""

    change_list_template = "admin/prices/depotprice/change_list.html"

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request) and self.has_add_permission(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        can_import = {"has_import_permission": self.has_import_permission(request)}
        return super().changelist_view(request, {**(extra_context or {}), **can_import})

    @desk_view("import/", "import", needs="import")
    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Show the upload form, or the preview of a file."""
        form = UploadForm(request.POST or None, request.FILES or None)
        if not form.is_valid():
            return self.render_price_list(request, form=form)
        preview = preview_price_list(form.table, limit=row_limit(current_editor(request)), today=timezone.localdate())
        context: dict[str, Any] = {"form": form, "preview": preview}
        if preview.too_many:
            messages.error(request, preview.too_many)
        elif not preview.is_refused:
            context["confirm_form"] = ConfirmForm(initial={"packed": form.packed, "seen": preview.seen})
        return self.render_price_list(request, **context)

    @desk_view("process_import/", "process_import", needs="import")
    def confirm_view(self, request: HttpRequest) -> HttpResponse:
        """Publish the previewed prices, unless other rows are left out now; an expired preview leads to the upload."""
        form = ConfirmForm(request.POST)
        if not form.is_valid():
            messages.error(request, "Podgląd wygasł. Wczytaj plik jeszcze raz.")
            return HttpResponseRedirect(reverse("admin:prices_depotprice_import"))
        moment, editor = timezone.now(), current_editor(request)
        today, ticked = timezone.localdate(moment), form.cleaned_data["ticked"] or ()
        preview = preview_price_list(form.table, limit=row_limit(editor), today=today, ticked=ticked)
        if not (preview.is_refused or preview.too_many) and preview.seen == form.cleaned_data["seen"]:
            try:
                decision = services.publish_price_list(quotes=preview.quotes, by=editor, on=moment)
            except validation.InvalidPrice as error:
                preview.error = str(error)
            else:
                self.tell(request, preview, decision)
                return HttpResponseRedirect(reverse("admin:prices_depotprice_changelist"))
        messages.error(request, preview.too_many or "Niczego nie wczytano: od czasu podglądu coś się zmieniło.")
        context: dict[str, Any] = {"form": UploadForm(), "preview": preview}
        if not preview.is_refused:
            # Preview the same file again: other rows are left out now, or fewer have to be ticked.
            context["confirm_form"] = ConfirmForm(initial={"packed": form.cleaned_data["packed"], "seen": preview.seen})
        return self.render_price_list(request, **context)

    def tell(self, request: HttpRequest, preview: Preview, decision: Decision | None) -> None:
        undo = undo_button(request, decision)
        messages.success(request, format_html("Wczytano i zatwierdzono ceny: {}. {}", len(preview.quotes), undo))
        left_out = len(preview.ordinary) + len(preview.doubtful) - len(preview.quotes)
        if left_out:
            messages.warning(request, f"Pominięto wątpliwe wiersze, których nie zaznaczono: {left_out}.")
        if preview.faulty:
            numbers = ", ".join(str(row.number) for row in preview.faulty[:MOST_NUMBERS])
            more = ", …" if len(preview.faulty) > MOST_NUMBERS else ""
            messages.warning(request, f"Pominięto błędne wiersze: {len(preview.faulty)} (w pliku: {numbers}{more}).")

    def render_price_list(self, request: HttpRequest, **context: Any) -> TemplateResponse:
        """Return the page of the upload, with a preview if there is one."""
        common = {"title": "Cennik z pliku", "media": self.media}
        words = {"fuels": fuels.CHOICES, "units": list(fuels.UNIT_NAMES.items())}
        return desk_page(self, request, "prices/depotprice/price_list", common | words | context)
