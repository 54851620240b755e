"""Import of price lists in the admin: upload, preview, confirmation, in Polish."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from import_export.admin import ImportMixin
from import_export.forms import ConfirmImportForm
from import_export.results import RowResult

from catalog.admin.batches import UndoWords, undo_button
from catalog.admin.desk import current_editor
from catalog.depots import fuels
from catalog.models import DepotBatch
from prices.admin.price_lists import PriceListResource
from prices.admin.uploads import PriceListFile, SignedUpload
from prices.services import PRICE_LIST

MOST_NUMBERS = 50
"""Numbers of faulty rows in the message after an import."""


class ConfirmPriceListForm(ConfirmImportForm):  # type: ignore[misc] # the library has no types
    """Hidden fields of the preview. seen: digest of the rows left out. ticked: numbers of the rows to include."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    ticked = forms.Field(widget=forms.MultipleHiddenInput, required=False)


class PriceListImport(ImportMixin):  # type: ignore[misc] # the library has no types
    """Mixin for the admin of prices. Replaces English and wrong messages of the library."""

    resource_classes = (PriceListResource,)
    formats = (PriceListFile,)
    confirm_form_class = ConfirmPriceListForm
    tmp_storage_class = SignedUpload
    skip_admin_log = True  # the history of each price names the editor

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request) and self.has_add_permission(request))

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs: Any) -> dict[str, Any]:
        given = getattr(kwargs.get("form"), "cleaned_data", {})
        return {
            "editor": current_editor(request),
            "moment": timezone.now(),
            "ticked": frozenset(given.get("ticked") or ()),
            "seen": given.get("seen", ""),
        }

    def get_import_data_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_import_data_kwargs(**kwargs), "rollback_on_validation_errors": True}

    def get_import_context_data(self, **kwargs: Any) -> dict[str, Any]:
        known = {"fuels": fuels.CHOICES, "units": list(fuels.UNIT_NAMES.items())}
        return {**super().get_import_context_data(**kwargs), **known}

    def add_data_read_fail_error_to_form(self, form: forms.Form, e: Exception) -> None:
        """Add the error of an unreadable file to the form. `PriceListFile` raises ValidationError for all of them."""
        if not isinstance(e, forms.ValidationError):
            raise e
        form.add_error("import_file", e)

    def import_action(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Show the upload form or the preview; its form keeps the digest of the rows left out."""
        response: TemplateResponse = super().import_action(request, **kwargs)
        context = response.context_data or {}
        if "confirm_form" in context:
            context["confirm_form"].initial["seen"] = context["result"].seen
            if context["result"].limit is not None:
                del context["confirm_form"]
                messages.error(request, too_many(context["result"]))
        return response

    def process_import(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Import the previewed file. An expired or forged signature leads back to the upload."""
        try:
            response: HttpResponse = super().process_import(request, **kwargs)
        except BadSignature:
            messages.error(request, "Podgląd wygasł. Wczytaj plik jeszcze raz.")
            return HttpResponseRedirect(reverse("admin:prices_depotprice_import"))
        return response

    def process_result(self, result: Any, request: HttpRequest) -> HttpResponse:
        """Show the result. The library reports success even when it refused rows and rolled back."""
        is_refused = result.has_errors() or result.has_validation_errors()
        if not is_refused and not result.is_outdated and result.limit is None:
            response: HttpResponse = super().process_result(result, request)
            return response
        changed = "Niczego nie wczytano: od czasu podglądu coś się zmieniło."
        messages.error(request, changed if result.limit is None else too_many(result))
        formats, resources = self.get_import_formats(), self.get_import_resource_classes(request)
        form = self.get_import_form_class(request)(formats, resources)
        context = {
            **self.admin_site.each_context(request),
            **self.get_import_context_data(),
            "title": "Cennik z pliku",
            "form": form,
            "opts": self.model._meta,
            "media": self.media + form.media,
            "result": result,
        }
        if not is_refused:
            # Preview the same file again: other rows are left out now, or fewer have to be ticked.
            sent = {
                name: request.POST.get(name, "") for name in self.confirm_form_class.base_fields if name != "ticked"
            }
            context["confirm_form"] = self.confirm_form_class(initial={**sent, "seen": result.seen})
        return TemplateResponse(request, [self.import_template_name], context)

    def add_success_message(self, result: Any, request: HttpRequest) -> None:
        undo = undo_button(request, result.batch) if result.batch else ""
        taken = result.totals[RowResult.IMPORT_TYPE_NEW]
        messages.success(request, format_html("Wczytano i zatwierdzono ceny: {}. {}", taken, undo))
        if left_out := result.totals[RowResult.IMPORT_TYPE_SKIP]:
            messages.warning(request, f"Pominięto wątpliwe wiersze, których nie zaznaczono: {left_out}.")
        if result.faulty:
            numbers = ", ".join(str(row.number) for row in result.faulty[:MOST_NUMBERS])
            more = ", …" if len(result.faulty) > MOST_NUMBERS else ""
            messages.warning(request, f"Pominięto błędne wiersze: {len(result.faulty)} (w pliku: {numbers}{more}).")


def words_of_undoing(batch: DepotBatch) -> UndoWords:
    """Return the words for the undoing of a decision about prices: a price list is withdrawn as a file."""
    if batch.label != PRICE_LIST:
        return UndoWords()
    effect = (
        "Ceny z tego pliku znikną ze stron i z median, a ten sam plik będzie można wczytać jeszcze raz. Zostaną te, "
        "które ktoś od tego czasu zmienił."
    )
    return UndoWords("Wycofaj cały plik", effect, "Wycofane ceny")


def too_many(result: Any) -> str:
    """Return the message about a price list beyond the row limit of its editor."""
    return (
        f"Niczego nie wczytano: plik ma {result.count} cen do wczytania, a redaktor może wczytać naraz najwyżej "
        f"{result.limit}. Podziel plik albo poproś redaktora naczelnego."
    )
