"""The page of one depot: its form, its history, and the buttons that decide about it."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from catalog import actions, findings, links, models
from catalog.admin.depots import position_map
from catalog.admin.depots.form import EXTRAS, DepotForm
from catalog.admin.depots.story import Story, story
from catalog.admin.desk import editor_of, read_number, read_text

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

REFUSALS: dict[type[Exception], str] = {
    actions.DepotIsRemoved: "wpis jest usunięty; najpierw go przywróć",
    actions.DepotIsPublished: "wpis jest już opublikowany",
    actions.DepotIsUnverified: "wpis nie ma statusu, który można cofnąć",
    actions.RestoringNeedsReason: "podaj powód przywrócenia",
    actions.DepotChangedMeanwhile: "ktoś zmienił wpis po otwarciu tej strony; obejrzyj go jeszcze raz",
}


class DepotPage(admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """The page; it costs a handful of queries."""

    form = DepotForm
    autocomplete_fields = ("municipality",)
    readonly_fields = cast("tuple[str, ...]", STATE[1]["fields"])
    change_form_template = "admin/catalog/depot/page.html"

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

    def _story(self, depot: Any) -> Story:
        """The history of a depot, read once per request."""
        if not hasattr(depot, "story"):
            depot.story = story(depot)
        found: Story = depot.story
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
            "followed": what_followed(depot) if depot.merged_into_id else None,
            "twins": [(pair, key) for key, pair in pairs_of.items()],
            "reasons": REASONS,
            "opened": getattr(depot, "opened", 0),
            "removed": depot.publication == models.Depot.Publication.REMOVED,
            "needs_reason": actions.needs_reason(depot),
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
        note = " ".join(read_text(request, "note").split())[:80]
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


def what_followed(depot: models.Depot) -> list[str] | None:
    """What followed a depot into the one that absorbed it, counted; None where that was not remembered. One query."""
    merge = models.DepotMerge.objects.filter(loser=depot).first()
    if merge is None:
        return None
    counts = {"zgłoszenia": len(merge.open_requests) + len(merge.closed_requests)}
    counts |= {one.label: len(merge.followers.get(one.name, [])) for one in actions.FOLLOWERS}
    return [f"{label}: {number}" for label, number in counts.items()]


def origin_url(depot: models.Depot) -> str:
    """Where the source shows the depot, "" without such a place."""
    if depot.source != models.Depot.Source.OSM:
        return ""
    return f"https://www.openstreetmap.org/{depot.source_id}"
