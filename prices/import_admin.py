"""The desk's import of price lists: upload, preview, confirmation, in Polish."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from import_export.admin import ImportMixin
from import_export.forms import ConfirmImportForm
from import_export.results import RowResult

from catalog import fuels
from catalog.admin.desk import editor_of
from prices.price_lists import PriceListResource
from prices.uploads import FORMATS, SignedUpload


class ConfirmPriceListForm(ConfirmImportForm):  # type: ignore[misc] # the library has no types
    """What goes from a preview to its confirmation. seen: which doubtful rows were shown. ticked: those to take."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    ticked = forms.Field(widget=forms.MultipleHiddenInput, required=False)


class PriceListImport(ImportMixin):  # type: ignore[misc] # the library has no types
    """For the admin of prices. What the library says in English, or says wrongly, is said here."""

    resource_classes = (PriceListResource,)
    formats = FORMATS
    confirm_form_class = ConfirmPriceListForm
    tmp_storage_class = SignedUpload
    skip_admin_log = True  # the history of each price says who imported it

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request) and self.has_add_permission(request))

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs: Any) -> dict[str, Any]:
        given = getattr(kwargs.get("form"), "cleaned_data", {})
        return {
            "editor": editor_of(request),
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
        """Say what is wrong with a file. Our formats make a ValidationError of everything a file can cause."""
        if not isinstance(e, forms.ValidationError):
            raise e
        form.add_error("import_file", e)

    def import_action(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """The upload, or the preview, whose form keeps which doubtful rows it shows."""
        response: TemplateResponse = super().import_action(request, **kwargs)
        context = response.context_data or {}
        if "confirm_form" in context:
            context["confirm_form"].initial["seen"] = context["result"].seen
        return response

    def process_import(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Import what was previewed; an upload that cannot be told from a forged one is asked for again."""
        try:
            response: HttpResponse = super().process_import(request, **kwargs)
        except BadSignature:
            messages.error(request, "Podgląd wygasł. Wczytaj plik jeszcze raz.")
            return HttpResponseRedirect(reverse("admin:prices_depotprice_import"))
        return response

    def process_result(self, result: Any, request: HttpRequest) -> HttpResponse:
        """What became of it. The library reports success also where rows were refused and nothing was kept."""
        is_refused = result.has_errors() or result.has_validation_errors()
        if not is_refused and not result.is_outdated:
            response: HttpResponse = super().process_result(result, request)
            return response
        messages.error(request, "Niczego nie wczytano: od czasu podglądu coś się zmieniło.")
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
            # The same file, to be looked at once more: other rows are doubtful now.
            sent = {
                name: request.POST.get(name, "") for name in self.confirm_form_class.base_fields if name != "ticked"
            }
            context["confirm_form"] = self.confirm_form_class(initial={**sent, "seen": result.seen})
        return TemplateResponse(request, [self.import_template_name], context)

    def add_success_message(self, result: Any, request: HttpRequest) -> None:
        messages.success(request, f"Wczytano i zatwierdzono ceny: {result.totals[RowResult.IMPORT_TYPE_NEW]}.")
        if left_out := result.totals[RowResult.IMPORT_TYPE_SKIP]:
            messages.warning(request, f"Pominięto wątpliwe wiersze, których nie zaznaczono: {left_out}.")
