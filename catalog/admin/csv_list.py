"""CSV export of the filtered lists of the desk."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar
from urllib.parse import quote

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from catalog.admin.desk import AnyModelAdmin
from fueldepot.http.csv_table import write_table

BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def shown(value: Any) -> Any:
    """Return a value of a cell: fractions with a decimal comma, which Polish Excel reads as numbers."""
    return str(value).replace(".", ",") if isinstance(value, float | Decimal) else value


class CsvMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: exports a list with its filters, search and order.

    csv_columns: value of each column by its Polish header. Personal data of people outside the desk have no column.
    """

    csv_columns: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.csv_view)
        return [path("csv/", view, name=f"{self.opts.app_label}_{self.opts.model_name}_csv"), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """Return every row of the list, not only one page, in the CSV dialect of Polish Excel."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = self.get_changelist_instance(request).queryset
        table = ([shown(read(row)) for read in self.csv_columns.values()] for row in rows.iterator(chunk_size=1000))
        text = write_table(list(self.csv_columns), table, separator=";")
        name = f"{self.opts.verbose_name_plural}.csv".replace(" ", "-")
        response = HttpResponse(BYTE_ORDER_MARK + text, content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        return response
