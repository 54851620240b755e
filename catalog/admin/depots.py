"""Depots at the editors' desk: find, check, edit, publish, remove, merge. Nothing is ever deleted here."""

from collections.abc import Callable
from datetime import date
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import models as db
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from catalog import actions, findings, links, models, position_map
from catalog.actions import Decided
from catalog.admin import lines, pairs, queues
from catalog.admin.forms import EXTRAS, DepotForm

ADDRESS = ("street", "house_number", ("postcode", "place"))
FIELDSETS = (
    (None, {"fields": ("name", "fuels", "opening_hours")}),
    ("Adres i kontakt", {"fields": (*ADDRESS, "nip", "phone", "website")}),
    ("Położenie", {"fields": (("lat", "lon"), "location_approximate", *EXTRAS, "municipality")}),
    ("Wyświetlanie", {"fields": ("featured",)}),
)
STATE = (
    "Stan wpisu",
    {
        "fields": (
            "data_status",
            "verified_at",
            "verified_by",
            "publication",
            "removed_at",
            "removal_reason",
            "merged_into",
            "review",
            "updated_at",
            "source",
            "source_id",
        )
    },
)

REASONS = [
    reason
    for reason in models.Depot.RemovalReason
    if reason
    not in {
        models.Depot.RemovalReason.GONE_FROM_SOURCE,  # only an import knows that
        models.Depot.RemovalReason.OWNER,  # follows from a request
    }
]

MOST_NAMED = 20
"""Entries that a message names; of more it says how many."""

REFUSALS: dict[type[Exception], str] = {
    actions.DepotIsRemoved: "wpis jest usunięty; najpierw go przywróć",
    actions.DepotIsPublished: "wpis jest już opublikowany",
    actions.DepotIsUnverified: "wpis nie ma statusu, który można cofnąć",
    actions.DepotChangedMeanwhile: "ktoś zmienił wpis po otwarciu tej strony; obejrzyj go jeszcze raz",
}


def editor_of(request: HttpRequest) -> AbstractBaseUser:
    """Who is at the desk; the admin lets nobody in without a login."""
    return cast("AbstractBaseUser", request.user)


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


@admin.register(models.Depot)
class DepotAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """The list costs the same queries however many rows it shows; the page of a depot a handful."""

    form = DepotForm
    list_display = (
        "name",
        "municipality",
        "data_status",
        "age_of_check",
        "fuel_names",
        "requests_open",
        "publication",
        "source",
        "review",
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
    autocomplete_fields = ("municipality",)
    readonly_fields = cast("tuple[str, ...]", STATE[1]["fields"])
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
    change_form_template = "admin/catalog/depot/page.html"

    class Media:
        css = {"all": ("catalog/admin.css",)}

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DepotChangeList

    def get_urls(self) -> list[URLPattern]:
        own = [
            path("powtorzenia/", self.admin_site.admin_view(self.pairs_view), name="catalog_depot_pairs"),
            path(
                "powtorzenia/<int:first>/<int:second>/",
                self.admin_site.admin_view(self.pair_view),
                name="catalog_depot_pair",
            ),
            path(
                "<int:depot_id>/decyzja/",
                self.admin_site.admin_view(require_POST(self.decision_view)),
                name="catalog_depot_decide",
            ),
        ]
        return own + super().get_urls()

    # The list

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        found = queues.links(timezone.localdate(), request.GET.get(queues.QueueFilter.parameter_name))
        context = {"queues": found, "pairs": len(findings.open_pairs())}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    @admin.display(description="sprawdzono", ordering=db.F("verified_at").asc(nulls_first=True))
    def age_of_check(self, depot: Any) -> str:
        return age(depot.verified_at, depot.today)

    @admin.display(description="paliwa")
    def fuel_names(self, depot: models.Depot) -> str:
        return lines.names_of(depot.fuels)

    @admin.display(description="zgłoszenia")
    def requests_open(self, depot: Any) -> str:
        return str(depot.open_requests) if depot.open_requests else ""

    # The page

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> models.Depot | None:
        """The depot, with the state that its form opens. The state is read first, so it is never newer than the row."""
        opened = actions.opened_at(models.Depot(pk=read_number(object_id)))
        found: models.Depot | None = super().get_object(request, object_id, from_field)
        if found is not None:
            found.opened = opened  # type: ignore[attr-defined] # for the form
        return found

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Depot]:
        return models.Depot.objects.defer("position", "name_key")

    def get_fieldsets(self, request: HttpRequest, obj: models.Depot | None = None) -> Any:
        if obj is None:
            return FIELDSETS
        if not self.has_change_permission(request, obj):
            # A page to look at has no questions.
            position = ("Położenie", {"fields": (("lat", "lon"), "location_approximate", "municipality")})
            return (*FIELDSETS[:2], position, FIELDSETS[3], STATE)
        return ((None, {"fields": ("opened",), "classes": ("hidden",)}), *FIELDSETS, STATE)

    def get_form(
        self, request: HttpRequest, obj: models.Depot | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if obj is None or not self.has_change_permission(request, obj):
            return form
        sources = self._story(obj).sources
        opened = getattr(obj, "opened", 0)

        class SourcedForm(form):  # type: ignore[misc, valid-type] # made by the admin at run time
            """The form with the source of each value below its field."""

            def __init__(self, *args: Any, **options: Any) -> None:
                super().__init__(*args, **options)
                self.initial["opened"] = opened
                for name, source in sources.items():
                    if name in self.fields:
                        self.fields[name].help_text = f"{self.fields[name].help_text} {source}".strip()

        return SourcedForm

    def _story(self, depot: Any) -> lines.Story:
        """The history of a depot, read once per request."""
        if not hasattr(depot, "story"):
            depot.story = lines.story(depot)
        found: lines.Story = depot.story
        return found

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        depot = kwargs.get("obj")
        if depot is not None:
            context.update(self._about(depot))
        return super().render_change_form(request, context, *args, **kwargs)

    def _about(self, depot: models.Depot) -> dict[str, Any]:
        """What the page tells beside the form."""
        pairs_of = findings.twins_of(depot.pk, findings.open_pairs())
        return {
            "story": self._story(depot),
            "map": position_map.position_map(depot.municipality_id, depot.lat, depot.lon),
            "public_url": links.depot_url(depot.pk, depot.name),
            "origin_url": origin_url(depot),
            "requests": depot.requests.select_related("decided_by").order_by("-created_at", "-pk")[:50],
            "absorbed": depot.merged.order_by("pk"),
            "twins": [(pair, key) for key, pair in pairs_of.items()],
            "reasons": REASONS,
            "opened": getattr(depot, "opened", 0),
            "removed": depot.publication == models.Depot.Publication.REMOVED,
            "published": depot.publication == models.Depot.Publication.PUBLISHED,
        }

    def save_model(self, request: HttpRequest, obj: models.Depot, form: Any, change: bool) -> None:
        """Write by the actions, which say who, why and what changed."""
        editor, today = editor_of(request), timezone.localdate()
        verify = "_verify" in request.POST
        if not change:
            added = actions.add_depot(values=form.values(), by=editor, on=today, verify=verify)
            obj.__dict__.update(added.__dict__)
            return
        try:
            actions.edit_depot(
                depot=obj,
                values=form.values(),
                by=editor,
                on=today,
                opened=form.cleaned_data["opened"] or 0,
                verify=verify,
            )
        except actions.NothingToChange:
            obj.refusal = "żadne pole nie zmieniło wartości"  # type: ignore[attr-defined] # for response_change
        except actions.DepotIsRemoved as error:
            obj.refusal = REFUSALS[type(error)]  # type: ignore[attr-defined]

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing: the history of the depot says more."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing: the history of the depot says more."""

    def response_change(self, request: HttpRequest, obj: models.Depot) -> HttpResponse:
        refusal = getattr(obj, "refusal", None)
        if refusal:
            self.message_user(request, f"Nic nie zapisano: {refusal}.", messages.WARNING)
            return HttpResponseRedirect(request.get_full_path())
        if "_verify" in request.POST:
            self.message_user(request, f"Zapisano i oznaczono jako sprawdzone: {obj}.")
            return HttpResponseRedirect(request.get_full_path())
        return super().response_change(request, obj)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        depot = get_object_or_404(models.Depot, pk=read_number(object_id))
        if not self.has_view_permission(request, depot):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": f"Historia: {depot}",
            "opts": self.opts,
            "original": depot,
            "lines": self._story(depot).lines,
        }
        return render(request, "admin/catalog/depot/history.html", context)

    def decision_view(self, request: HttpRequest, depot_id: int) -> HttpResponse:
        """Verify, take back, publish, restore or remove one depot, from its page."""
        depot = get_object_or_404(models.Depot, pk=depot_id)
        if not self.has_change_permission(request, depot):
            raise PermissionDenied
        editor, today = editor_of(request), timezone.localdate()
        note = " ".join(request.POST.get("note", "").split())[:80]
        reason = request.POST.get("reason", "")
        decisions: dict[str, Callable[[], models.Depot]] = {
            # Only what was seen can be vouched for.
            "verify": lambda: actions.edit_depot(
                depot=depot, values={}, by=editor, on=today, opened=read_number(request.POST.get("opened")), verify=True
            ),
            "reset": lambda: actions.reset_depot(depot=depot, by=editor),
            "publish": lambda: actions.publish_depot(depot=depot, by=editor, on=today, note=note),
            "remove": lambda: actions.remove_depot(
                depot=depot, reason=models.Depot.RemovalReason(reason), by=editor, on=today, note=note
            ),
        }
        decide = decisions.get(request.POST.get("decision", ""))
        if decide is None or (request.POST.get("decision") == "remove" and reason not in REASONS):
            self.message_user(request, "Nic nie zmieniono: wybierz powód usunięcia.", messages.ERROR)
        else:
            try:
                decide()
                self.message_user(request, f"Zapisano decyzję: {depot}.")
            except tuple(REFUSALS) as error:
                self.message_user(request, f"Nic nie zmieniono: {REFUSALS[type(error)]}.", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:catalog_depot_change", args=[depot.pk]))

    # Likely duplicates

    def pairs_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return pairs.answer_list(request, self)

    def pair_view(self, request: HttpRequest, first: int, second: int) -> HttpResponse:
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if not self.has_change_permission(request):
            raise PermissionDenied
        return pairs.answer_pair(request, self, first, second)

    # Actions on many

    @admin.action(description="Oznacz jako sprawdzone przez redakcję", permissions=["change"])
    def verify(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        editor, today = editor_of(request), timezone.localdate()
        self._tell(request, actions.verify_depots(keys=keys_of(queryset), by=editor, on=today))

    @admin.action(description="Cofnij do nieweryfikowanych", permissions=["change"])
    def reset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        self._tell(request, actions.reset_depots(keys=keys_of(queryset), by=editor_of(request)))

    @admin.action(description="Opublikuj lub przywróć", permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> None:
        editor, today = editor_of(request), timezone.localdate()
        done, refused = 0, []
        # One by one: each has its own reason to be away. There are never many.
        for depot in queryset.order_by("pk"):
            try:
                actions.publish_depot(depot=depot, by=editor, on=today)
                done += 1
            except actions.DepotIsPublished:
                refused.append(depot)
        self._tell(request, Decided(done, tuple(refused)))

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
        editor, today = editor_of(request), timezone.localdate()
        self._tell(request, actions.remove_depots(keys=keys_of(queryset), reason=reason, by=editor, on=today))

    def _tell(self, request: HttpRequest, decided: Decided) -> None:
        """Say how many were changed, and which could not be."""
        self.message_user(request, f"Zmieniono: {decided.count}.")
        if decided.unchanged:
            more = len(decided.unchanged) - MOST_NAMED
            named = ", ".join(map(str, decided.unchanged[:MOST_NAMED])) + (f" i {more} innych" if more > 0 else "")
            self.message_user(request, f"Bez zmian (stan wpisu na to nie pozwala): {named}", messages.WARNING)


def keys_of(depots: QuerySet[models.Depot]) -> list[int]:
    """Primary keys of the chosen depots. One query."""
    return list(depots.order_by().values_list("pk", flat=True))


def read_number(given: str | None) -> int:
    """A number from a form, 0 for anything else."""
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else 0


def age(checked: date | None, today: date) -> str:
    """How long ago a check was made."""
    if checked is None:
        return "nigdy"
    days = (today - checked).days
    if days < 1:
        return "dziś"
    if days < 61:
        return f"{days} dni" if days > 1 else "1 dzień"
    return f"{days // 30} mies." if days < 730 else f"{days // 365} lat(a)"


def origin_url(depot: models.Depot) -> str:
    """Where the source shows the depot, "" without such a place."""
    if depot.source != models.Depot.Source.OSM:
        return ""
    return f"https://www.openstreetmap.org/{depot.source_id}"
