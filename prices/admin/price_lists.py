"""Import of price lists of depots in the admin: rows of a file to approved prices.

One row, one price: `depot` (id), `fuel`, `unit`, `day`, and either `price` or `bag_price` and `bag_kg`, under these
names or those of `prices.admin.uploads.POLISH`; fuels and units by slug or name. The preview runs the same checks as
the import and writes nothing. Confirming it approves the prices; doubtful rows only where ticked one by one. Faulty
rows are listed and left out, unless no row is left. Editors have a row limit, as in bulk actions.
`prices.admin.uploads` parses the files; `prices.services` writes the prices.
"""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.crypto import salted_hmac
from import_export import fields, resources, widgets

from catalog.admin.bulk import row_limit
from catalog.depots import fuels
from catalog.models import Depot
from catalog.text import fold
from fueldepot.http.params import AmbiguousNumber, read_decimal
from prices import queries, services, validation
from prices.admin.uploads import POLISH, Table
from prices.descriptions import deviation, exact
from prices.models import DepotPrice
from prices.snapshot import read_ranges

COLUMNS = ("depot", "fuel", "unit", "day", "price", "bag_price", "bag_kg")
AMOUNTS = ("price", "bag_price", "bag_kg")

MOST_TICKS = 500
"""Most doubtful rows of a file that can be ticked. More suggest a wrong file and would make its form too large."""

FUEL_OF = {fold(name): fuel.slug for fuel in fuels.FUELS for name in (fuel.slug, fuel.name)}
UNIT_OF = {fold(name): unit for unit, word in fuels.UNIT_NAMES.items() for name in (unit, word)}
"""Fuels and units by their spellings, folded."""

FUTURE = "dzień jeszcze nie nadszedł; takiej ceny nie można wczytać"

Cell = TypeVar("Cell")


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row of the preview. number: in the file. Amounts in zł.

    median: of the country today, None without one. age_days: negative for a future day. reasons: why the row is
    doubtful, in Polish; empty for an ordinary row. can_be_taken: whether a tick includes a doubtful row.
    """

    number: int
    depot: str
    fuel: str
    price: Decimal
    unit: str
    bag: str
    day: date
    age_days: int
    plausible: str
    median: Decimal | None
    reasons: tuple[str, ...]
    can_be_taken: bool

    @property
    def deviation(self) -> str:
        """The difference from the median in per cent, "" without a median."""
        return "" if self.median is None else f"{deviation(self.price, self.median)}%"

    @property
    def age(self) -> str:
        """The age of the price, in Polish."""
        if self.age_days < 0:
            return "dzień nie nadszedł"
        return "dziś" if not self.age_days else "1 dzień" if self.age_days == 1 else f"{self.age_days} dni"


class PriceListResource(resources.ModelResource):  # type: ignore[misc] # the library has no types
    """Reads rows and hands them to `prices.services`. editor, moment: of the decision.

    ticked: numbers of the doubtful rows to include, as text. seen: `digest` of the rows that the preview left out.
    """

    depot = fields.Field("depot", "depot", widgets.ForeignKeyWidget(Depot), readonly=True)

    class Meta:
        model = DepotPrice
        fields = COLUMNS
        import_order = COLUMNS
        import_id_fields = ()
        use_transactions = True
        use_bulk = True  # no savepoint per row: `after_import` writes all rows
        skip_diff = True  # every row is new; comparing took half of the time
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
        self.rows: list[PreviewRow] = []
        self.medians: dict[str, Decimal] = {}
        self.quotes: list[tuple[Depot, validation.PriceInput]] = []

    def before_import(self, dataset: Table, **kwargs: Any) -> None:
        """Look up depots, ranges, medians and stored prices, in three queries and from the snapshot of prices.

        Raises ValidationError for a file without a required column.
        """
        self.numbers = dataset.numbers
        missing = {"depot", "fuel", "unit", "day"} - set(dataset.headers or ())
        if missing:
            lacking, wanted = (
                ", ".join(POLISH[name] for name in COLUMNS if name in some) for some in (missing, POLISH)
            )
            raise ValidationError(f"brak kolumn: {lacking}. Potrzebne są: {wanted}.")
        published = Depot.objects.published().only("name", "publication")
        self.depots = published.in_bulk(readable(dataset["depot"], read_number))
        self.ranges = read_ranges()
        self.medians = queries.current_medians(self.today)
        self.standing = set(
            DepotPrice.objects.filter(
                depot__in=self.depots, day__in=readable(dataset["day"], read_day), origin=DepotPrice.Origin.PRICE_LIST
            )
            .exclude(status=DepotPrice.Status.REJECTED)
            .values_list("depot", "fuel", "day")
        )

    def before_import_row(self, row: dict[str, Any], **kwargs: Any) -> None:
        """Convert the cells of a row: text, decimal commas, dates of Excel."""
        self.number = self.numbers[kwargs["row_number"] - 1]
        for name, value in row.items():
            row[name] = stripped(value)
        row["depot"] = self.read_depot(row["depot"])
        row["day"] = read_day(row["day"])
        row["fuel"] = FUEL_OF.get(fold(str(row["fuel"])), row["fuel"])
        row["unit"] = UNIT_OF.get(fold(str(row["unit"])), row["unit"])
        for name in AMOUNTS:
            row[name] = read_amount(name, row.get(name))

    def read_depot(self, value: Any) -> int:
        """Return the id of a published depot. Raises ValidationError."""
        number = read_number(value)
        if number not in self.depots:
            raise ValidationError({"depot": f"nie ma opublikowanego składu o numerze {value}"})
        return number

    def after_init_instance(self, instance: DepotPrice, new: bool, row: dict[str, Any], **kwargs: Any) -> None:
        instance.depot = self.depots[row["depot"]]

    def skip_row(self, instance: DepotPrice, original: Any, row: Any, import_validation_errors: Any = None) -> bool:
        """Check the price of a row. Returns whether to leave it out: doubtful and not ticked, or of a future day."""
        if import_validation_errors:
            return False
        quote = validation.PriceInput(
            fuel=instance.fuel,
            day=instance.day,
            unit=instance.unit,
            price=instance.price,
            bag_price=instance.bag_price,
            bag_kg=instance.bag_kg,
        )
        is_future = quote.day > self.today
        try:
            instance.price = validation.unit_price(quote, quote.day if is_future else self.today)
        except validation.InvalidPrice as error:
            raise ValidationError(str(error)) from error
        instance.origin = DepotPrice.Origin.PRICE_LIST
        reasons = validation.find_doubts(quote.fuel, instance.price, quote.day, self.ranges, self.today)
        if is_future:
            reasons = (*reasons, FUTURE)
        place = (instance.depot_id, quote.fuel, quote.day)
        if not is_future:
            if place in self.standing:
                raise ValidationError(services.describe_duplicate(quote.day))
            self.standing.add(place)
        self.rows.append(self.preview(instance, quote, reasons, can_be_taken=not is_future))
        if is_future or (reasons and str(self.number) not in self.ticked):
            return True
        self.quotes.append((instance.depot, quote))
        return False

    def preview(
        self, price: DepotPrice, quote: validation.PriceInput, reasons: tuple[str, ...], *, can_be_taken: bool
    ) -> PreviewRow:
        """Return a row of the preview."""
        limits = self.ranges.get(quote.fuel)
        bag = ""
        if quote.bag_price is not None and quote.bag_kg is not None:
            bag = f"worek {exact(quote.bag_kg)} kg: {exact(quote.bag_price)} zł"
        return PreviewRow(
            number=self.number,
            depot=str(price.depot),
            fuel=fuels.BY_SLUG[quote.fuel].name,
            price=price.price,
            unit=quote.unit,
            bag=bag,
            day=quote.day,
            age_days=(self.today - quote.day).days,
            plausible="" if limits is None else f"{exact(limits.low)}–{exact(limits.high)} zł",
            median=self.medians.get(quote.fuel),
            reasons=reasons,
            can_be_taken=can_be_taken,
        )

    def save_instance(self, instance: DepotPrice, is_create: bool, row: Any, **kwargs: Any) -> None:
        """Do nothing: `after_import` writes all rows."""

    def after_import_row(self, row: Any, row_result: Any, **kwargs: Any) -> None:
        row_result.number = self.number
        row_result.diff = None  # the preview shows `PreviewRow`s

    def after_import(self, dataset: Any, result: Any, **kwargs: Any) -> None:
        """Publish the accepted rows. Not in the preview, beyond the row limit, or if other rows are left out since."""
        for refused in (*result.invalid_rows, *result.error_rows):
            refused.number = self.numbers[refused.number - 1]
        result.faulty = result.invalid_rows
        if self.rows:
            result.invalid_rows = []  # the library refuses the whole file for one of them
        result.doubtful = [row for row in self.rows if row.reasons]
        result.ordinary = [row for row in self.rows if not row.reasons]
        result.seen = digest(result.doubtful, result.faulty)
        result.can_be_ticked = sum(row.can_be_taken for row in result.doubtful) <= MOST_TICKS
        result.columns = [POLISH.get(name, name) for name in dataset.headers or ()]
        limit = row_limit(self.editor)
        result.limit = limit if limit is not None and len(self.quotes) > limit else None
        result.count = len(self.quotes)
        result.is_outdated = False
        if kwargs.get("dry_run") or result.has_errors() or result.has_validation_errors():
            return
        result.is_outdated = result.seen != self.seen
        if result.is_outdated or result.limit is not None:
            return
        try:
            result.batch = services.publish_price_list(quotes=self.quotes, by=self.editor, on=self.moment)
        except validation.InvalidPrice as error:
            raise ValidationError(str(error)) from error


def digest(doubtful: Collection[PreviewRow], faulty: Collection[Any]) -> str:
    """Return a keyed hash of the doubtful and the faulty rows of a preview with their reasons; "" for none.

    The median is left out: it changes with every price and makes no row doubtful.
    """
    rows: list[Any] = [replace(row, median=None) for row in doubtful]
    rows += [(row.number, row.error.messages) for row in faulty]
    return salted_hmac("prices.admin.price_lists", repr(rows)).hexdigest() if rows else ""


def stripped(value: Any) -> Any:
    """Strip a text cell; return any other unchanged."""
    return value.strip() if isinstance(value, str) else value


def readable(cells: Iterable[Any], read: Callable[[Any], Cell]) -> set[Cell]:
    """Return the valid values of the cells of a column."""
    found = set()
    for cell in cells:
        with suppress(ValidationError):
            found.add(read(stripped(cell)))
    return found


def read_number(value: Any) -> int:
    """Return the id of a depot, which a spreadsheet may hold as a float. Raises ValidationError."""
    try:
        number = Decimal(str(value))
        depot_id = int(number)
    except (InvalidOperation, ValueError, OverflowError):
        raise ValidationError({"depot": f"„{value}” nie jest numerem składu"}) from None
    if depot_id != number or not 0 < depot_id < 10**18:
        raise ValidationError({"depot": f"nie ma opublikowanego składu o numerze {value}"})
    return depot_id


def read_day(value: Any) -> date:
    """Return a day: a date of a spreadsheet, 2026-11-21 or 21.11.2026. Raises ValidationError."""
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
    """Return złoty or kilograms, None for an empty cell. Raises ValidationError, with both readings of `1.640` as text.

    A number of a spreadsheet has decimals only; text is read by `read_decimal`.
    """
    if value is None or value == "":
        return None
    try:
        # From text, since a spreadsheet holds 24.99 as a float.
        amount = read_decimal(str(value), "refused" if isinstance(value, str) else "decimals")
    except AmbiguousNumber as error:
        decimal = error.decimal.replace(".", ",")
        raise ValidationError({name: f"„{value}” to {error.thousands} albo {decimal}; wpisz jedno z nich"}) from None
    except ValueError:
        raise ValidationError({name: f"„{value}” nie jest liczbą"}) from None
    if abs(amount) >= validation.PRICE_LIMIT:
        raise ValidationError({name: f"„{value}” nie jest kwotą ani wagą poniżej {validation.PRICE_LIMIT}"})
    return amount
