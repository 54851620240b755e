"""Data of public registers, written by imports only, and the log of imports."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from catalog import models
from catalog.admin.desk import FixedRowsAdmin


class RegisterAdmin(FixedRowsAdmin):
    """Rows that the desk only shows: public registers, logs, records of decisions."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.Municipality)
class MunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "kind", "county", "voivodeship")
    list_filter = ("kind", "voivodeship")
    list_select_related = ("county", "voivodeship")
    search_fields = ("teryt", "name")


@admin.register(models.FormerMunicipality)
class FormerMunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "successor", "others", "left_on")
    list_select_related = ("successor",)
    search_fields = ("teryt", "name")


@admin.register(models.Postcode)
class PostcodeAdmin(RegisterAdmin):
    list_display = ("code", "places", "source")
    list_filter = ("source",)
    search_fields = ("code",)


@admin.register(models.Dataset)
class DatasetAdmin(RegisterAdmin):
    list_display = ("slug", "row_count", "as_of", "changed_at", "source", "version")


@admin.register(models.ImportRun)
class ImportRunAdmin(RegisterAdmin):
    """Log of imports and purges, to see which one is overdue."""

    list_display = ("started", "source", "dataset", "outcome", "rows", "added", "changed", "removed", "message")
    list_filter = ("outcome", "source", "dataset")
    search_fields = ("source", "message", "checksum")
    date_hierarchy = "started"
    ordering = ("-started", "-pk")
