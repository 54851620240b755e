from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import orjson
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from openpyxl import Workbook

from catalog.depots import fuels
from prices.api.price_answers import fuel_prices
from prices.models import DepotPrice
from tests import bulk, factories
from tests.client import build_snapshots, message_of

LIST = "/admin/prices/depotprice/"


def ask(fuel: str, today: Any, *, voivodeship: str | None = None, values: bool = False) -> dict[str, Any]:
    """Return the response of `/prices/{fuel}` on a day, from the current rows."""
    build_snapshots()
    answer = fuel_prices(fuels.BY_SLUG[fuel], on=today, voivodeship=voivodeship, values=values)
    read: dict[str, Any] = orjson.loads(orjson.dumps(answer))
    return read


def csv_of(*rows: str) -> SimpleUploadedFile:
    text = "\n".join(["depot,fuel,unit,day,price,bag_price,bag_kg", *rows])
    return SimpleUploadedFile("cennik.csv", text.encode(), "text/csv")


def xlsx_of(*rows: list[Any], name: str = "cennik.xlsx") -> SimpleUploadedFile:
    book, content = Workbook(), BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(content)
    return SimpleUploadedFile(name, content.getvalue())


def row_of(depot: Any, fuel: str = "pellet", price: Any = 1500, day: Any = None, bag: str = ",") -> str:
    """A line of a price list; bag: price and weight."""
    return f"{depot.pk},{fuel},{fuels.BY_SLUG[fuel].unit},{day or timezone.localdate()},{price},{bag}"


def preview(desk: Client, file: SimpleUploadedFile) -> Any:
    answer = desk.post(f"{LIST}import/", {"import_file": file})
    assert answer.status_code == 200
    return answer


def confirm(desk: Client, answer: Any, *ticked: int) -> Any:
    """Confirm a preview. ticked: numbers of doubtful rows."""
    form = answer.context["confirm_form"]
    return desk.post(f"{LIST}process_import/", {**form.initial, "ticked": ticked})


def waiting(amount: Any, **extra: Any) -> DepotPrice:
    """Create a price from a reader that waits for its decision."""
    values: dict[str, Any] = {"submitted_at": datetime(2026, 11, 1, tzinfo=UTC), "day": timezone.localdate()}
    values |= {"depot": extra.get("depot") or factories.DepotFactory(), "price": Decimal(amount)}
    price: DepotPrice = factories.DepotPriceFactory(pending=True, from_reader=True, **values | extra)
    return price


def approve_three(desk: Client) -> None:
    decide(desk, "approve", *(waiting(amount) for amount in (1400, 1500, 1600)))


def decide(desk: Client, action: str, *prices: DepotPrice, **extra: Any) -> str:
    """Decide on prices in the queue; returns what the desk says of it."""
    return message_of(bulk.act(desk, f"{LIST}?status=all", action, *prices, **extra))
