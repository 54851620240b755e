"""The editors' desk. Register data can be looked at only; depots change through the actions of `catalog.actions`."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from catalog import actions, fuels, models
from catalog.filters import DepotFilter

admin.site.site_header = "Składy opału: redakcja"
admin.site.site_title = "Redakcja"
admin.site.index_title = "Katalog"


class RegisterAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Data of public registers: an import writes them, nobody else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.Municipality)
class MunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "kind", "county", "voivodeship")
    list_filter = ("kind", "voivodeship")
    list_select_related = ("county", "voivodeship")
    search_fields = ("teryt", "name")


@admin.register(models.FormerMunicipality)
class FormerMunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "successor", "left_on")
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
    """What every import did; the place to look when a source is overdue."""

    list_display = ("started", "source", "dataset", "outcome", "rows", "added", "changed", "removed", "message")
    list_filter = ("outcome", "source", "dataset")
    search_fields = ("source", "message", "checksum")
    date_hierarchy = "started"
    ordering = ("-started", "-pk")


class FuelFilter(admin.SimpleListFilter):
    title = "paliwo"
    parameter_name = "fuel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(fuel.slug, fuel.name) for fuel in fuels.FUELS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        found: QuerySet[models.Depot] = DepotFilter({"fuel": self.value()}, queryset=queryset).qs
        return found


class VoivodeshipFilter(admin.SimpleListFilter):
    title = "województwo"
    parameter_name = "unit"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(models.Voivodeship.objects.order_by("teryt").values_list("teryt", "name"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        found: QuerySet[models.Depot] = DepotFilter({"unit": self.value()}, queryset=queryset).qs
        return found


@admin.register(models.Depot)
class DepotAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Looking after depots: find, check, publish, remove. Nothing is ever deleted here."""

    list_display = ("name", "municipality", "data_status", "publication", "verified_at", "source", "review")
    list_filter = ("data_status", "publication", "source", VoivodeshipFilter, FuelFilter)
    list_select_related = ("municipality",)
    search_fields = ("name", "nip", "place", "postcode", "municipality__name")
    search_help_text = "nazwa, NIP, miejscowość, kod pocztowy, gmina"
    actions = (
        "verify",
        "reset",
        "publish",
        "remove_closed",
        "remove_duplicate",
        "remove_not_a_depot",
        "remove_private",
    )
    readonly_fields = [f.name for f in models.Depot._meta.fields if f.name != "featured"]
    exclude = ("position", "name_key")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: models.Depot | None = None) -> list[str]:
        return [name for name in self.readonly_fields if name not in self.exclude]

    @admin.action(description="Oznacz jako sprawdzone przez redakcję", permissions=["change"])
    def verify(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        editor, today = cast("AbstractBaseUser", request.user), timezone.localdate()
        self._each(request, queryset, lambda depot: actions.verify_depot(depot=depot, by=editor, on=today))

    @admin.action(description="Cofnij do nieweryfikowanych", permissions=["change"])
    def reset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._each(request, queryset, lambda depot: actions.reset_depot(depot=depot))

    @admin.action(description="Opublikuj lub przywróć", permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        today = timezone.localdate()
        self._each(request, queryset, lambda depot: actions.publish_depot(depot=depot, on=today))

    @admin.action(description="Usuń: zakończył działalność", permissions=["change"])
    def remove_closed(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._remove(request, queryset, models.Depot.RemovalReason.CLOSED)

    @admin.action(description="Usuń: powtórzony wpis", permissions=["change"])
    def remove_duplicate(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._remove(request, queryset, models.Depot.RemovalReason.DUPLICATE)

    @admin.action(description="Usuń: to nie jest skład opału", permissions=["change"])
    def remove_not_a_depot(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._remove(request, queryset, models.Depot.RemovalReason.NOT_A_DEPOT)

    @admin.action(description="Usuń: osoba prywatna", permissions=["change"])
    def remove_private(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._remove(request, queryset, models.Depot.RemovalReason.PRIVATE_PERSON)

    def _remove(
        self, request: HttpRequest, queryset: QuerySet[models.Depot], reason: models.Depot.RemovalReason
    ) -> None:
        today = timezone.localdate()
        self._each(request, queryset, lambda depot: actions.remove_depot(depot=depot, reason=reason, on=today))

    def _each(
        self,
        request: HttpRequest,
        queryset: QuerySet[models.Depot],
        act: Callable[[models.Depot], models.Depot],
    ) -> None:
        """Do something to every chosen depot, and say which ones it could not be done to."""
        refused = []
        for depot in queryset:
            try:
                act(depot)
            except (actions.DepotIsRemoved, actions.DepotIsPublished, actions.DepotIsUnverified):
                refused.append(str(depot))
        self.message_user(request, f"Zmieniono: {queryset.count() - len(refused)}.")
        if refused:
            self.message_user(
                request, f"Bez zmian (stan wpisu na to nie pozwala): {', '.join(refused)}", messages.WARNING
            )
