"""The Atom feed of changes, `/zmiany.atom` (RFC 4287).

Ids and days of entries are stable as long as their content does not change.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.formats import date_format
from django.utils.html import escape

from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from catalog.text import counted, full_sentence, out_of, short_zloty, writable
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import route_path, route_url, site_url
from fueldepot.http.views import read_only
from pages.depot_filters import status_of
from pages.home_and_voivodeship import voivodeships_by_name
from pages.polish import change, day
from prices.api.price_answers import all_fuel_prices
from prices.medians import WINDOW_MONTHS, is_plausible, zloty
from prices.snapshot import PRICE_DATA, prices
from regulations.queries import Regulation, regulations_of

AHEAD = timedelta(days=90)
"""Time before a deadline at which its entry appears."""

MONTHS = 12
"""Number of past months with an entry of medians."""

NEWS = timedelta(days=30)
"""Time for which a price is news."""

MOST_PRICES = 20
"""Most prices of depots; older ones are left out."""

MOVED = 0.1
"""Relative change of a depot's price that is of note."""


class Entry(NamedTuple):
    """An entry. key: unique and stable. on: the day of publication. until: the last day on which it is listed."""

    key: str
    title: str
    text: str
    path: str
    on: date
    until: date = date.max


class DayPrice(NamedTuple):
    """A price of a depot. day: ordinal. area: 2 digits as a number. demonstration: it is invented."""

    day: int
    grosze: int
    area: int
    demonstration: bool


class Feed(Atom1Feed):
    """Atom with a media type that browsers show as XML. updated: day of the newest entry, which may have left."""

    content_type = "application/atom+xml; charset=utf-8"

    def latest_post_date(self) -> datetime:
        return start_of(self.feed["updated"])


@read_only
@conditional(Dataset.Slug.REGULATIONS, *PRICE_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
def changes(request: HttpRequest) -> HttpResponse:
    today = timezone.localdate()
    rows = sorted(entries(today), key=lambda entry: (entry.on, entry.key), reverse=True)
    feed = Feed(
        title=f"{settings.SITE_NAME}: zmiany",
        link=site_url("/"),
        feed_url=route_url("changes"),
        description="Zmiany uchwał antysmogowych, najbliższe terminy, mediany cen opału i ceny w składach warte uwagi.",
        language="pl",
        author_name=settings.OPERATOR_NAME,
        updated=rows[0].on if rows else today,
    )
    for entry in rows:
        if entry.until < today:
            continue
        moment = start_of(entry.on)
        link = site_url(entry.path)
        feed.add_item(
            title=writable(entry.title),
            link=link,
            description=escape(writable(entry.text)),  # the type of a summary is HTML
            unique_id=f"{link}#{entry.key}",
            pubdate=moment,
            updateddate=moment,
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def start_of(on: date) -> datetime:
    return timezone.make_aware(datetime.combine(on, time()))


def entries(today: date) -> Iterator[Entry]:
    """Yield the entries of a day, and those that have left before."""
    for state in regulations_of(voivodeships_by_name(), on=today):
        yield from of_state(state)
    yield from of_months(today)
    yield from islice(of_prices(today), MOST_PRICES)


def of_state(entry: Regulation) -> Iterator[Entry]:
    """Yield the last confirmation of a legal state, its amendments, and its deadlines within AHEAD."""
    if entry.state is None:
        return
    name = f"Województwo {entry.voivodeship.name}"
    path = route_path("regulation", entry.voivodeship.slug)
    words = entry.state.summary or entry.state.note
    yield Entry(
        f"stan-{entry.state.as_of}", f"{name}: stan prawny na {day(entry.state.as_of)}", words, path, entry.state.as_of
    )
    for law in entry.laws:
        for row in law.amendments:
            if row.adopted:
                title = f"{name}: zmiana uchwały z {day(row.adopted)}"
                yield Entry(f"zmiana-{row.pk}", title, row.changes, path, row.adopted)
    for deadline in entry.deadlines:
        if deadline.date <= entry.on + AHEAD:
            title = f"{name}: od {day(deadline.date)} {deadline.applies_to}"
            texts = deadline.description, f"Gdzie: {full_sentence(deadline.scope)}", entry.caveat_of(deadline)
            text = " ".join(filter(None, texts))
            key = f"termin-{deadline.uid}-{deadline.date}"
            yield Entry(key, title, text, path, deadline.date - AHEAD, until=deadline.date)


def of_months(today: date) -> Iterator[Entry]:
    """Yield one entry with the medians of all fuels for each past month; none of invented prices."""
    months: dict[str, list[str]] = {}
    for fuel, answer in zip(fuels.FUELS, all_fuel_prices(today).values(), strict=True):
        for row in () if "demonstration" in answer else answer["months"]:
            behind = counted(row["n"], "cena", "ceny", "cen")
            sentence = f"{fuel.name}: {short_zloty(row['median'])} {fuel.per_unit} ({behind})"
            months.setdefault(row["month"], []).append(sentence)
    present = today.isoformat()[:7]
    for month in sorted(month for month in months if month < present)[-MONTHS:]:
        first = date.fromisoformat(f"{month}-01")
        title = f"Ceny opału: mediany, {date_format(first, 'F Y').lower()}"
        over = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        yield Entry(f"ceny-{month}", title, ". ".join(months[month]) + ".", reverse("prices"), over)


def of_prices(today: date) -> Iterator[Entry]:
    """Yield depots' newest prices of a fuel that are of note, the newest first. They stay for NEWS.

    Of note: the lowest of those that the median of its voivodeship counts, or MOVED since the depot's last price.
    """
    columns = prices.get().columns
    columns = columns.where((columns.days <= today.toordinal()) & is_plausible(columns, prices.get().ranges))
    newest: dict[tuple[int, int], DayPrice] = {}
    before: dict[tuple[int, int], DayPrice] = {}
    # Rows are by depot and day; the last of a day counts.
    arrays = (columns.depots, columns.fuels, columns.days, columns.grosze, columns.areas, columns.demonstration)
    for depot_id, kind, *figures in zip(*(array.tolist() for array in arrays), strict=True):
        key, price = (depot_id, kind), DayPrice(*figures)
        if key in newest and newest[key].day < price.day:
            before[key] = newest[key]
        newest[key] = price
    for (depot_id, kind), price in sorted(newest.items(), key=lambda item: (-item[1].day, item[0])):
        on, former = date.fromordinal(price.day), before.get((depot_id, kind))
        row, fuel = depots.get().find(depot_id), fuels.BY_SLUG[columns.names[kind]]
        area = territory.get().voivodeships[f"{price.area:02}"]
        summary = prices.get().figures(fuel.slug, today).of_voivodeship(area.teryt)
        notes = []
        if summary.min == zloty(price.grosze):
            notes.append(f"Najniższa {out_of(summary.n)} cen z {WINDOW_MONTHS} miesięcy, województwo {area.name}.")
        if former and abs(price.grosze - former.grosze) >= MOVED * former.grosze:
            last = f"{short_zloty(former.grosze / 100)}, {day(date.fromordinal(former.day))}"
            notes.append(f"Zmiana o {change(Decimal(price.grosze) / former.grosze - 1)}, poprzednio {last}")
        if row and notes:
            invented = "Cena i skład są zmyślone, służą tylko do wypróbowania serwisu."
            notes.append(invented if price.demonstration else f"Status wpisu: {status_of(row).label}.")
            title = f"{fuel.name}: {short_zloty(price.grosze / 100)} {fuel.per_unit}, {row.name}"
            path, until = depot_path(row.id, row.name), on + NEWS - timedelta(days=1)
            yield Entry(f"cena-{fuel.slug}-{on}-{price.grosze}", title, " ".join(notes), path, on, until)
