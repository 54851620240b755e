"""Price lists of depots from CSV and XLSX, as the admin imports them.

One row, one price: `depot` (id), `fuel` (slug), `unit`, `day`, and either `price` or `bag_price` and `bag_kg`. The
preview checks every row as the import does, and writes nothing. An editor who confirms the preview has decided: the
prices are approved. Doubtful rows are left out unless they were ticked one by one. Everything goes through
`prices.actions`. How a file becomes rows is in `prices.uploads`.
"""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.crypto import salted_hmac
from import_export import fields, resources, widgets

from catalog import fuels
from catalog.models import Depot
from prices import actions
from prices.models import DepotPrice
from prices.snapshot import read_ranges
from prices.uploads import Table

COLUMNS = ("depot", "fuel", "unit", "day", "price", "bag_price", "bag_kg")
AMOUNTS = ("price", "bag_price", "bag_kg")

MOST_TICKS = 500
"""Doubtful rows of a file that can be ticked. With more of them the file is wrong, and its form would be too large."""

FUTURE = "dzień jeszcze nie nadszedł; takiej ceny nie można wczytać"

Cell = TypeVar("Cell")


@dataclass(frozen=True, slots=True)
class DoubtfulRow:
    """A row that is not published unseen. reasons: in Polish. can_be_taken: a tick lets it in."""

    number: int
    depot: str
    fuel: str
    price: Decimal
    unit: str
    day: date
    reasons: tuple[str, ...]
    can_be_taken: bool


class PriceListResource(resources.ModelResource):  # type: ignore[misc] # the library has no types
    """Reads rows and hands them to the actions. editor: who decides. moment: when.

    ticked: numbers of the doubtful rows to take, as text. seen: `digest` of the doubtful rows that were shown.
    """

    depot = fields.Field("depot", "depot", widgets.ForeignKeyWidget(Depot), readonly=True)

    class Meta:
        model = DepotPrice
        fields = COLUMNS
        import_order = COLUMNS
        import_id_fields = ()
        use_transactions = True
        use_bulk = True  # no savepoint for each row: rows are written at the end, all at once
        skip_diff = True  # every row is new: comparing it with nothing took half of the time
        store_instance = True  # for the cells of the preview

    def __init__(
        self, editor: AbstractBaseUser, moment: datetime, ticked: Collection[str] = (), seen: str = ""
    ) -> None:
        super().__init__()
        self.editor, self.moment, self.today = editor, moment, timezone.localdate(moment)
        self.ticked, self.seen = ticked, seen
        self.numbers: tuple[int, ...] = ()
        self.depots: dict[int, Depot] = {}
        self.standing: set[tuple[int, str, date]] = set()
        self.doubtful: list[DoubtfulRow] = []
        self.quotes: list[tuple[Depot, actions.Quote]] = []

    def before_import(self, dataset: Table, **kwargs: Any) -> None:
        """Look up what all rows need, in three queries. Refuse a file without the columns that every row needs."""
        self.numbers = dataset.numbers
        missing = {"depot", "fuel", "unit", "day"} - set(dataset.headers or ())
        if missing:
            raise ValidationError(f"brak kolumn: {', '.join(sorted(missing))}. Potrzebne są: {', '.join(COLUMNS)}.")
        published = Depot.objects.published().only("name", "publication")
        self.depots = published.in_bulk(readable(dataset["depot"], read_number))
        self.ranges = read_ranges()
        self.standing = set(
            DepotPrice.objects.filter(
                depot__in=self.depots, day__in=readable(dataset["day"], read_day), origin=DepotPrice.Origin.PRICE_LIST
            )
            .exclude(status=DepotPrice.Status.REJECTED)
            .values_list("depot", "fuel", "day")
        )

    def before_import_row(self, row: dict[str, Any], **kwargs: Any) -> None:
        """Bring cells to one form: text of a spreadsheet, decimal commas, dates of Excel."""
        self.number = self.numbers[kwargs["row_number"] - 1]
        for name, value in row.items():
            row[name] = stripped(value)
        row["depot"] = self.read_depot(row["depot"])
        row["day"] = read_day(row["day"])
        for name in AMOUNTS:
            row[name] = read_amount(name, row.get(name))

    def read_depot(self, value: Any) -> int:
        """The id of a published depot."""
        number = read_number(value)
        if number not in self.depots:
            raise ValidationError({"depot": f"nie ma opublikowanego składu o numerze {value}"})
        return number

    def after_init_instance(self, instance: DepotPrice, new: bool, row: dict[str, Any], **kwargs: Any) -> None:
        instance.depot = self.depots[row["depot"]]

    def skip_row(self, instance: DepotPrice, original: Any, row: Any, import_validation_errors: Any = None) -> bool:
        """Check the price of a row; return whether it is left out, being doubtful and not ticked."""
        if import_validation_errors:
            return False
        quote = actions.Quote(
            fuel=instance.fuel,
            day=instance.day,
            unit=instance.unit,
            price=instance.price,
            bag_price=instance.bag_price,
            bag_kg=instance.bag_kg,
        )
        is_future = quote.day > self.today
        try:
            instance.price = actions.price_of(quote, quote.day if is_future else self.today)
        except actions.PriceRefused as error:
            raise ValidationError(str(error)) from error
        instance.origin = DepotPrice.Origin.PRICE_LIST
        reasons = actions.find_doubts(quote.fuel, instance.price, quote.day, self.ranges, self.today)
        if is_future:
            reasons = (*reasons, FUTURE)
        if reasons:
            self.doubtful.append(
                DoubtfulRow(
                    self.number,
                    str(instance.depot),
                    fuels.BY_SLUG[quote.fuel].name,
                    instance.price,
                    quote.unit,
                    quote.day,
                    reasons,
                    not is_future,
                )
            )
        if is_future:
            return True
        place = (instance.depot_id, quote.fuel, quote.day)
        if place in self.standing:
            raise ValidationError(f"skład ma już cenę tego paliwa z dnia {quote.day}")
        self.standing.add(place)
        if reasons and str(self.number) not in self.ticked:
            return True
        self.quotes.append((instance.depot, quote))
        return False

    def save_instance(self, instance: DepotPrice, is_create: bool, row: Any, **kwargs: Any) -> None:
        """Nothing: `after_import` writes all rows at once."""

    def after_import_row(self, row: Any, row_result: Any, **kwargs: Any) -> None:
        row_result.number = self.number
        if row_result.instance is not None:
            row_result.diff = [str(value) for value in self.export_resource(row_result.instance)]

    def after_import(self, dataset: Any, result: Any, **kwargs: Any) -> None:
        """Publish what was taken, unless this is the preview, some row was refused, or other rows are doubtful now."""
        for refused in (*result.invalid_rows, *result.error_rows):
            refused.number = self.numbers[refused.number - 1]
        numbers = {row.number for row in self.doubtful}
        result.doubtful, result.seen = self.doubtful, digest(self.doubtful)
        result.can_be_ticked = sum(row.can_be_taken for row in self.doubtful) <= MOST_TICKS
        result.ordinary = [row for row in result.valid_rows() if row.number not in numbers]
        result.is_outdated = False
        if kwargs.get("dry_run") or result.has_errors() or result.has_validation_errors():
            return
        if result.seen != self.seen:
            result.is_outdated = True
            return
        try:
            actions.publish_price_list(quotes=self.quotes, by=self.editor, on=self.moment)
        except actions.PriceRefused as error:
            raise ValidationError(str(error)) from error


def digest(doubtful: Collection[DoubtfulRow]) -> str:
    """What the form keeps of the doubtful rows that a preview showed, with their content and reasons; "" for none."""
    return salted_hmac("prices.price_lists", repr(doubtful)).hexdigest() if doubtful else ""


def stripped(value: Any) -> Any:
    """A cell, text without blanks around it."""
    return value.strip() if isinstance(value, str) else value


def readable(cells: Iterable[Any], read: Callable[[Any], Cell]) -> set[Cell]:
    """What can be read of the cells of a column."""
    found = set()
    for cell in cells:
        with suppress(ValidationError):
            found.add(read(stripped(cell)))
    return found


def read_number(value: Any) -> int:
    """The id of a depot; a spreadsheet may give it as a float."""
    try:
        number = Decimal(str(value))
        depot_id = int(number)
    except (InvalidOperation, ValueError, OverflowError):
        raise ValidationError({"depot": f"„{value}” nie jest numerem składu"}) from None
    if depot_id != number or not 0 < depot_id < 10**18:
        raise ValidationError({"depot": f"nie ma opublikowanego składu o numerze {value}"})
    return depot_id


def read_day(value: Any) -> date:
    """A date, as a spreadsheet's own or as 2026-11-21 or 21.11.2026."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        try:
            return datetime.strptime(str(value), form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    raise ValidationError({"day": f"„{value}” nie jest dniem; podaj na przykład 2026-11-21"})


def read_amount(name: str, value: Any) -> Decimal | None:
    """Złoty or kilograms, with a comma or a point; None for an empty cell."""
    if value is None or value == "":
        return None
    text = str(value).replace("\N{NO-BREAK SPACE}", "").replace(" ", "").replace(",", ".")
    try:
        amount = Decimal(text)  # a spreadsheet's 24.99 is a float, whose text is 24.99
    except InvalidOperation:
        raise ValidationError({name: f"„{value}” nie jest liczbą"}) from None
    if not amount.is_finite() or abs(amount) >= actions.LARGEST:
        raise ValidationError({name: f"„{value}” nie jest kwotą ani wagą poniżej {actions.LARGEST}"})
    return amount
