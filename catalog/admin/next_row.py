"""Navigation to the next row of a filtered list, to work through a queue without returning to it."""

import copy

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path

from catalog.admin.desk import AnyModelAdmin, page_url

END_OF_LIST = "To był ostatni wpis na tej liście."


class NextRowMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: finds the next row of the list from which a page was opened, and redirects to it."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.next_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_next"
        return [path("<int:row_id>/nastepny/", view, name=name), *super().get_urls()]

    def next_view(self, request: HttpRequest, row_id: int) -> HttpResponse:
        """Go to the next row without changing this one."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return self.to_row(request, self.find_next(request, row_id))

    def find_next(self, request: HttpRequest, row_id: int) -> int | None:
        """Return the key of the next row in the list of `_changelist_filters`; None at its end.

        For a row outside the list, the first one. Call it before saving: saving may take the row off the list.
        """
        inner = copy.copy(request)
        filters = QueryDict(request.GET.get("_changelist_filters", ""), mutable=True)
        filters.pop("p", None)
        inner.GET = filters  # type: ignore[assignment] # a QueryDict as well
        try:
            rows = self.get_changelist_instance(inner).queryset
        except IncorrectLookupParameters:
            rows = self.get_queryset(request)
        keys = list(rows.values_list("pk", flat=True))
        place = keys.index(row_id) + 1 if row_id in keys else 0
        return keys[place] if place < len(keys) else None

    def to_row(self, request: HttpRequest, key: int | None) -> HttpResponse:
        """Redirect to a row, or for None to the list; both keep the filters."""
        if key is None:
            self.message_user(request, END_OF_LIST, messages.INFO)
            url = page_url(self.opts, "changelist")
        else:
            url = page_url(self.opts, "change", key)
        return HttpResponseRedirect(self.with_filters(request, url))

    def with_filters(self, request: HttpRequest, url: str) -> str:
        """Return a URL with the filters of the list."""
        found: str = add_preserved_filters(
            {"opts": self.opts, "preserved_filters": self.get_preserved_filters(request)}, url
        )
        return found
