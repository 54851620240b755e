"""Preview of a price list: rows to prices, for the desk and for owners.

The preview runs the same checks as the import and writes nothing. Faulty rows are listed and left out, unless no row is
left. `prices.price_list_files` and `price_list_cells` parse the files; `prices.services` writes the prices.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature
from django.utils.crypto import salted_hmac

from catalog.depots import fuels
from catalog.models import Depot
from catalog.text import fold, short_zloty, zloty_range
from prices import price_list_cells, services, validation
from prices import price_list_files as files
from prices.models import DepotPrice
from prices.snapshot import current_medians, read_ranges
from prices.validation import deviation, exact

MOST_TICKS = 500
"""Most doubtful rows of a file that can be ticked. More suggest a wrong file and would make its form too large."""

FUTURE = "dzień jeszcze nie nadszedł; takiej ceny nie można wczytać"


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
        return "" if self.median is None else f"{deviation(self.price, self.median)}%"


@dataclass(frozen=True, slots=True)
class FaultyRow:
    """A row that cannot be a price. number: in the file. reasons: in Polish. cells: as read."""

    number: int
    reasons: tuple[str, ...]
    cells: tuple[Any, ...]


@dataclass
class Preview:
    """What a price list would bring in.

    error: why the whole file is refused, "" if it is not. quotes: accepted prices. unread: columns that mean nothing.
    """

    columns: list[str]
    unread: Collection[str] = ()
    ordinary: list[PreviewRow] = field(default_factory=list)
    doubtful: list[PreviewRow] = field(default_factory=list)
    faulty: list[FaultyRow] = field(default_factory=list)
    quotes: list[tuple[Depot, validation.PriceInput]] = field(default_factory=list)
    error: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the file has a mistake as a whole, or no row that is not faulty."""
        return bool(self.error) or not (self.ordinary or self.doubtful)

    @property
    def can_be_ticked(self) -> bool:
        """Whether doubtful rows may be ticked: a file with too many is probably a wrong one."""
        return sum(row.can_be_taken for row in self.doubtful) <= MOST_TICKS

    @cached_property
    def seen(self) -> str:
        """A keyed hash of the doubtful and the faulty rows with their reasons; "" for none.

        Median and age are left out: one changes with every price, the other at midnight, and neither is a doubt.
        """
        rows = [replace(row, median=None, age_days=0) for row in self.doubtful], self.faulty
        # A former name of this module, so that previews stay valid while a release is installed.
        return salted_hmac("prices.price_lists", repr(rows)).hexdigest() if any(rows) else ""


class PriceListReader:
    """Reads the rows of a file. Looks up depots, ranges and stored prices in three queries, medians in the snapshot."""

    def __init__(self, table: files.Table, today: date, own: Mapping[int, Depot] | None) -> None:
        """Raises ValidationError for a file without a required column.

        own: the depots of an owner, by id; None for an editor. The file of an owner names the fuel: the depot is the
        first one, the unit the fuel's and the day today unless they are stated. Its prices replace those of the day,
        and doubtful ones are left out.
        """
        self.own = own
        required = files.REQUIRED if own is None else files.OWNERS_REQUIRED
        lacking = [name for name in required if name not in table.columns and not (name == "unit" and table.unit)]
        if not any(name in table.columns for name in files.PRICES):
            lacking.append("price")
        if lacking:
            absent, needed, amounts = (
                ", ".join(files.POLISH[name] for name in names) for names in (lacking, required, files.PRICES)
            )
            raise ValidationError(
                f"Brak kolumn: {absent}. Pierwszy wiersz to nazwy kolumn. Potrzebne są: {needed} i jedna z: {amounts}."
            )
        self.table, self.today = table, today
        self.ranges, self.medians = read_ranges(), current_medians(today)
        self.depots: Mapping[int, Depot] = own or {}
        self.standing: set[tuple[int, str, date]] = set()
        self.rows: dict[tuple[int, str, date], int] = {}
        if own is None:
            numbers = files.readable((cells["depot"] for _, cells in table.rows), price_list_cells.read_number)
            self.depots = Depot.objects.published().only("name", "publication").in_bulk(numbers)
            days = files.readable((cells["day"] for _, cells in table.rows), price_list_cells.read_day)
            stored = DepotPrice.objects.standing().filter(origin=DepotPrice.Origin.PRICE_LIST, day__in=days)
            self.standing |= set(stored.filter(depot__in=self.depots).values_list("depot", "fuel", "day"))

    def preview(self, ticked: Collection[str]) -> Preview:
        """Return the rows with their doubts and faults. ticked: numbers of the doubtful rows to include, as text."""
        preview = Preview([files.POLISH.get(name, name) for name in self.table.columns], self.table.unread)
        for number, cells in self.table.rows:
            try:
                depot, quote = self.read(cells)
                row = self.check(number, depot, quote)
            except (ValidationError, validation.InvalidPrice) as error:
                reasons = error.messages if isinstance(error, ValidationError) else [str(error)]
                preview.faulty.append(FaultyRow(number, tuple(reasons), tuple(cells.values())))
                continue
            (preview.doubtful if row.reasons else preview.ordinary).append(row)
            if row.can_be_taken and (not row.reasons or str(number) in ticked):
                preview.quotes.append((depot, quote))
        return preview

    def read(self, cells: dict[str, Any]) -> tuple[Depot, validation.PriceInput]:
        """Return the depot and the price of a row: text, decimal commas, dates of Excel. Raises ValidationError."""
        if self.own is not None:
            cells = {"depot": next(iter(self.own)), "day": self.today} | {k: v for k, v in cells.items() if v != ""}
        number = price_list_cells.read_number(cells["depot"])
        if number not in self.depots:
            whose = "opublikowanego" if self.own is None else "Twojego"
            raise ValidationError(f"nie ma {whose} składu o numerze {cells['depot']}")
        described, unit = str(cells.get("fuel") or ""), str(cells.get("unit") or self.table.unit)
        if not described:
            raise ValidationError("nie ma nazwy paliwa")
        fuel = price_list_cells.read_fuel(described)
        if self.own is not None and not unit and fuel in fuels.BY_SLUG:
            unit = fuels.BY_SLUG[fuel].unit
        unit = price_list_cells.UNIT_OF.get(fold(unit), unit)
        per = {"price": unit, "bag_price": price_list_cells.BAG}
        day = price_list_cells.read_day(cells["day"])
        amounts = {
            name: price_list_cells.read_amount(cells.get(name), kind, per.get(name, ""))
            for name, kind in files.AMOUNTS.items()
        }
        if amounts["bag_price"] is not None and amounts["bag_kg"] is None:
            amounts["bag_kg"] = price_list_cells.read_bag_weight(described, self.table.bag)
        return self.depots[number], validation.PriceInput(fuel, day, unit, **amounts)

    def check(self, number: int, depot: Depot, quote: validation.PriceInput) -> PreviewRow:
        """Return a row of the preview. Raises InvalidPrice."""
        is_future = quote.day > self.today
        price = validation.unit_price(quote, quote.day if is_future else self.today)
        reasons = validation.find_doubts(quote.fuel, price, quote.day, self.ranges, self.today)
        if is_future:
            reasons = (*reasons, FUTURE)
        can_be_taken = not is_future and not (self.own is not None and reasons)
        if can_be_taken:
            place = (depot.pk, quote.fuel, quote.day)
            if place in self.rows:
                raise services.DuplicatePrice(f"ten sam skład, paliwo i dzień co w wierszu {self.rows[place]}")
            if place in self.standing:
                raise services.DuplicatePrice(services.describe_duplicate(quote.day))
            self.rows[place] = number
        limits = self.ranges.get(quote.fuel)
        bag = ""
        if quote.bag_price is not None and quote.bag_kg is not None:
            bag = f"worek {exact(quote.bag_kg)} kg: {short_zloty(quote.bag_price)}"
        return PreviewRow(
            number=number,
            depot=str(depot),
            fuel=fuels.BY_SLUG[quote.fuel].name,
            price=price,
            unit=quote.unit,
            bag=bag,
            day=quote.day,
            age_days=(self.today - quote.day).days,
            plausible="" if limits is None else zloty_range(limits.low, limits.high),
            median=self.medians.get(quote.fuel),
            reasons=reasons,
            can_be_taken=can_be_taken,
        )


def preview_price_list(
    table: files.Table, *, today: date, ticked: Collection[str] = (), own: Mapping[int, Depot] | None = None
) -> Preview:
    """Return the preview of a file; of one without a required column only the error. own: see `PriceListReader`."""
    try:
        return PriceListReader(table, today, own).preview(ticked)
    except ValidationError as error:
        return Preview([], error=" ".join(error.messages))


EXPIRED = "Podgląd wygasł. Wczytaj plik jeszcze raz."


class UploadForm(forms.Form):
    """A file. After validation `table` has its rows, and `packed` of the data is the file for the confirmation."""

    import_file = forms.FileField(label="Plik do importu", error_messages={"required": "Wybierz plik."})

    def clean_import_file(self) -> Any:
        file = self.cleaned_data["import_file"]
        content = file.read()
        self.table, self.cleaned_data["packed"] = files.read_table(content), files.pack(content)
        return file


class ConfirmForm(forms.Form):
    """Hidden fields of the preview. packed: the file. seen: digest of the rows left out. ticked: rows to include."""

    packed = forms.CharField(widget=forms.HiddenInput)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    ticked = forms.Field(widget=forms.MultipleHiddenInput, required=False)

    def clean_packed(self) -> str:
        packed: str = self.cleaned_data["packed"]
        try:
            self.table = files.read_table(files.unpack(packed))
        except BadSignature as error:
            raise ValidationError("expired") from error
        return packed
