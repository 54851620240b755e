"""Price lists of depots from CSV and XLSX, as the admin imports them.

One row, one price: `depot` (id), `fuel` (slug), `unit`, `day`, and either `price` or `bag_price` and `bag_kg`. The
preview takes every row in and undoes it, so it tells the same troubles as the import itself. An editor who confirms
the preview has decided: the prices are approved. Everything goes through `prices.actions`. How a file becomes rows is
in `prices.uploads`.
"""

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from import_export import fields, resources, widgets

from catalog.models import Depot
from prices import actions
from prices.models import DepotPrice

COLUMNS = ("depot", "fuel", "unit", "day", "price", "bag_price", "bag_kg")
AMOUNTS = ("price", "bag_price", "bag_kg")


class PriceListResource(resources.ModelResource):  # type: ignore[misc] # the library has no types
    """Reads rows and hands them to the actions. editor: who decides. moment: when."""

    depot = fields.Field("depot", "depot", widgets.ForeignKeyWidget(Depot))

    class Meta:
        model = DepotPrice
        fields = COLUMNS
        import_order = COLUMNS
        import_id_fields = ()
        use_transactions = True

    def __init__(self, editor: AbstractBaseUser, moment: datetime) -> None:
        super().__init__()
        self.editor, self.moment = editor, moment
        self.taken: list[DepotPrice] = []

    def before_import(self, dataset: Any, **kwargs: Any) -> None:
        """Refuse a file without the columns that every row needs."""
        missing = {"depot", "fuel", "unit", "day"} - set(dataset.headers or ())
        if missing:
            raise ValidationError(f"brak kolumn: {', '.join(sorted(missing))}. Potrzebne są: {', '.join(COLUMNS)}.")

    def before_import_row(self, row: dict[str, Any], **kwargs: Any) -> None:
        """Bring cells to one form: text of a spreadsheet, decimal commas, dates of Excel."""
        for name, value in row.items():
            row[name] = value.strip() if isinstance(value, str) else value
        row["depot"] = read_depot(row["depot"])
        row["day"] = read_day(row["day"])
        for name in AMOUNTS:
            row[name] = read_amount(name, row.get(name))

    def do_instance_save(self, instance: DepotPrice, is_create: bool) -> None:
        """Submit the price of a row."""
        quote = actions.Quote(
            fuel=instance.fuel,
            day=instance.day,
            unit=instance.unit,
            price=instance.price,
            bag_price=instance.bag_price,
            bag_kg=instance.bag_kg,
        )
        try:
            taken = actions.submit_price(
                depot=instance.depot,
                quote=quote,
                origin=DepotPrice.Origin.PRICE_LIST,
                by=self.editor,
                on=self.moment,
            )
        except actions.PriceRefused as error:
            raise ValidationError(str(error)) from error
        instance.pk, instance.price, instance.origin = taken.pk, taken.price, taken.origin
        self.taken.append(taken)

    def after_import(self, dataset: Any, result: Any, **kwargs: Any) -> None:
        """Approve what was taken in, unless this is the preview or some row was refused."""
        if not kwargs.get("dry_run") and not result.has_errors() and not result.has_validation_errors():
            actions.approve_prices(prices=self.taken, by=self.editor, on=self.moment)


def read_depot(value: Any) -> int:
    """The id of a published depot; a spreadsheet may give it as a float."""
    try:
        number = Decimal(str(value))
        depot_id = int(number)
    except (InvalidOperation, ValueError, OverflowError):
        raise ValidationError({"depot": f"„{value}” nie jest numerem składu"}) from None
    if depot_id != number or not 0 < depot_id < 10**18 or not Depot.objects.published().filter(pk=depot_id).exists():
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
