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
from import_export.results import RowResult

from catalog import fuels
from catalog.admin.desk import editor_of
from prices.price_lists import PriceListResource
from prices.uploads import FORMATS, SignedUpload


class PriceListImport(ImportMixin):  # type: ignore[misc] # the library has no types
    """For the admin of prices. What the library says in English, or says wrongly, is said here."""

    resource_classes = (PriceListResource,)
    formats = FORMATS
    tmp_storage_class = SignedUpload
    skip_admin_log = True  # the history of each price says who imported it

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request) and self.has_add_permission(request))

    def get_import_resource_kwargs(self, request: HttpRequest, **kwargs: Any) -> dict[str, Any]:
        return {"editor": editor_of(request), "moment": timezone.now()}

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
        if not result.has_errors() and not result.has_validation_errors():
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
        return TemplateResponse(request, [self.import_template_name], context)

    def add_success_message(self, result: Any, request: HttpRequest) -> None:
        messages.success(request, f"Wczytano i zatwierdzono ceny: {result.totals[RowResult.IMPORT_TYPE_NEW]}.")
