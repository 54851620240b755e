"""The list of depots: its columns, filters and queues, and what is decided about many depots at once."""

from collections.abc import Collection
from datetime import date
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db import models as db
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from catalog import actions, findings, models
from catalog.actions import Decided, why_not_published, why_not_removed, why_not_reset
from catalog.admin.bulk import bulk_action, each
from catalog.admin.depots import queues, story
from catalog.admin.desk import MissedMixin, editor_of
from catalog.bulk import among

MOST_NAMED = 20
"""Entries that a message names; of more it says how many."""


def attached(depots: Collection[models.Depot]) -> dict[str, int]:
    """What goes off the site with depots, or comes back with them. One query for each kind."""
    keys = [depot.pk for depot in depots]
    waiting = models.DepotRequest.objects.waiting().filter(depot__in=among(keys)).count()
    return {"czekające zgłoszenia": waiting} | {one.label: one.count(keys) for one in actions.FOLLOWERS}


class DepotChangeList(ChangeList):
    """The list with the number of open requests of each row, and the queues above it."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        counted = (
            models.DepotRequest.objects.open()
            .filter(depot__in=[row.pk for row in self.result_list])
            .values_list("depot")
            .annotate(number=Count("pk"))
        )
        requests = dict(counted)
        today = timezone.localdate()
        for row in self.result_list:
            row.open_requests, row.today = requests.get(row.pk, 0), today


class DepotList(MissedMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """The list; it costs the same queries however many rows it shows."""

    list_display = (
        "name",
        "municipality",
        "checked",
        "fuel_names",
        "requests_open",
        "published",
    )
    list_filter = (
        queues.QueueFilter,
        "data_status",
        "publication",
        "source",
        queues.VoivodeshipFilter,
        queues.FuelFilter,
    )
    list_select_related = ("municipality",)
    list_per_page = 100
    list_max_show_all = 500
    # Counting all rows beside those found would be one more query on every page.
    show_full_result_count = False
    ordering = ("name_key", "pk")
    search_fields = ("name", "nip", "place", "postcode", "municipality__name", "=id", "=source_id")
    search_help_text = "nazwa, NIP, miejscowość, kod pocztowy, gmina, numer wpisu"
    actions = (
        "verify",
        "reset",
        "publish",
        "remove_closed",
        "remove_duplicate",
        "remove_not_a_depot",
        "remove_private",
    )
    change_list_template = "admin/catalog/depot/list.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DepotChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        found = queues.links(timezone.localdate(), request.GET.get(queues.QueueFilter.parameter_name))
        context = {"queues": found, "pairs": len(findings.open_pairs())}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    # What is said together stands in one column: more columns do not fit beside menu and filters.
    @admin.display(description="status i sprawdzenie", ordering=db.F("verified_at").asc(nulls_first=True))
    def checked(self, depot: Any) -> SafeString:
        when = age(depot.verified_at, depot.today)
        return format_html('{}<br><span class="quiet">sprawdzono: {}</span>', depot.get_data_status_display(), when)

    @admin.display(description="paliwa")
    def fuel_names(self, depot: models.Depot) -> str:
        return story.names_of(depot.fuels)

    @admin.display(description="zgłoszenia")
    def requests_open(self, depot: Any) -> str:
        return str(depot.open_requests) if depot.open_requests else ""

    @admin.display(description="publikacja i pochodzenie", ordering="publication")
    def published(self, depot: models.Depot) -> SafeString:
        lines = [depot.get_publication_display(), depot.get_source_display(), depot.review]
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines if line))

    @bulk_action(description="Oznacz jako sprawdzone przez redakcję", obstacles=each(why_not_removed))
    def verify(self, request: HttpRequest, keys: list[int]) -> None:
        editor, today = editor_of(request), timezone.localdate()
        self._tell(request, actions.verify_depots(keys=keys, by=editor, on=today))

    @bulk_action(description="Cofnij do nieweryfikowanych", obstacles=each(why_not_reset))
    def reset(self, request: HttpRequest, keys: list[int]) -> None:
        self._tell(request, actions.reset_depots(keys=keys, by=editor_of(request)))

    @bulk_action(description="Opublikuj lub przywróć", obstacles=each(why_not_published), attached=attached)
    def publish(self, request: HttpRequest, keys: list[int]) -> None:
        editor, today = editor_of(request), timezone.localdate()
        self._tell(request, actions.publish_depots(keys=keys, by=editor, on=today))

    @bulk_action(description="Usuń: zakończył działalność", obstacles=each(why_not_removed), attached=attached)
    def remove_closed(self, request: HttpRequest, keys: list[int]) -> None:
        self._remove(request, keys, models.Depot.RemovalReason.CLOSED)

    @bulk_action(description="Usuń: powtórzony wpis", obstacles=each(why_not_removed), attached=attached)
    def remove_duplicate(self, request: HttpRequest, keys: list[int]) -> None:
        self._remove(request, keys, models.Depot.RemovalReason.DUPLICATE)

    @bulk_action(description="Usuń: to nie jest skład opału", obstacles=each(why_not_removed), attached=attached)
    def remove_not_a_depot(self, request: HttpRequest, keys: list[int]) -> None:
        self._remove(request, keys, models.Depot.RemovalReason.NOT_A_DEPOT)

    @bulk_action(description="Usuń: osoba prywatna", obstacles=each(why_not_removed), attached=attached)
    def remove_private(self, request: HttpRequest, keys: list[int]) -> None:
        self._remove(request, keys, models.Depot.RemovalReason.PRIVATE_PERSON)

    def _remove(self, request: HttpRequest, keys: list[int], reason: models.Depot.RemovalReason) -> None:
        editor, today = editor_of(request), timezone.localdate()
        self._tell(request, actions.remove_depots(keys=keys, reason=reason, by=editor, on=today))

    def _tell(self, request: HttpRequest, decided: Decided) -> None:
        """Say how many were changed, and which could not be."""
        self.message_user(request, f"Zmieniono: {decided.count}.")
        if decided.unchanged:
            more = len(decided.unchanged) - MOST_NAMED
            named = ", ".join(map(str, decided.unchanged[:MOST_NAMED])) + (f" i {more} innych" if more > 0 else "")
            self.message_user(request, f"Bez zmian (stan wpisu na to nie pozwala): {named}", messages.WARNING)


def age(checked: date | None, today: date) -> str:
    """How long ago a check was made."""
    if checked is None:
        return "nigdy"
    days = (today - checked).days
    if days < 1:
        return "dziś"
    if days < 61:
        return f"{days} dni temu" if days > 1 else "wczoraj"
    if days < 730:
        return f"{days // 30} mies. temu"
    years = days // 365
    return f"{years} {'lata' if years % 10 in {2, 3, 4} and years not in {12, 13, 14} else 'lat'} temu"
