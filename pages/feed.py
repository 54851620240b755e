"""The Atom feed `/zmiany.atom` (RFC 4287): changed legal states, near deadlines, monthly medians.

It runs no query. Ids and days of entries are stable as long as their content does not change.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.formats import date_format
from django.utils.html import escape
from django.views.decorators.http import require_safe

from catalog.depots.fuels import PER_UNIT
from catalog.models import Dataset
from catalog.text import full_sentence, zloty
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import route_path, site_url
from pages.dates import day
from pages.polish import counted
from pages.territory import voivodeships_by_name
from prices.api.price_answers import all_fuel_prices
from prices.queries import RESTS_ON
from regulations.queries import Regulation, regulations_of

AHEAD = timedelta(days=90)
"""Time before a deadline at which its entry appears."""

MONTHS = 12
"""Number of past months with an entry of medians."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry. key: unique and stable. on: the day of publication."""

    key: str
    title: str
    text: str
    path: str
    on: date


class Feed(Atom1Feed):
    """Atom with a media type that browsers show as XML."""

    content_type = "application/atom+xml; charset=utf-8"

    def root_attributes(self) -> dict[str, Any]:
        return super().root_attributes() | {"xml:lang": "pl"}


@require_safe
@conditional(Dataset.Slug.REGULATIONS, *RESTS_ON, cache_control=cache_control.CATALOG, changes_daily=True)
def changes(request: HttpRequest) -> HttpResponse:
    """Answer GET /zmiany.atom."""
    feed = Feed(
        title=f"{settings.SITE_NAME}: zmiany",
        link=site_url("/"),
        feed_url=site_url(reverse("changes")),
        description="Zmiany uchwał antysmogowych, najbliższe terminy i mediany cen opału.",
        language="pl",
        author_name=settings.OPERATOR_NAME,
    )
    for entry in sorted(entries(timezone.localdate()), key=lambda entry: (entry.on, entry.key), reverse=True):
        moment = timezone.make_aware(datetime.combine(entry.on, time()))
        link = site_url(entry.path)
        feed.add_item(
            title=entry.title,
            link=link,
            description=escape(entry.text),  # the type of a summary is HTML
            unique_id=f"{link}#{entry.key}",
            pubdate=moment,
            updateddate=moment,
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def entries(today: date) -> Iterator[Entry]:
    """Yield the entries of a day, in no order."""
    for state in regulations_of(voivodeships_by_name(), on=today):
        yield from of_state(state)
    yield from of_months(today)


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
        for change in law.amendments:
            if change.adopted:
                title = f"{name}: zmiana uchwały z {day(change.adopted)}"
                yield Entry(f"zmiana-{change.pk}", title, change.changes, path, change.adopted)
    for row in entry.deadlines:
        if entry.on <= row.date <= entry.on + AHEAD:
            title = f"{name}: od {day(row.date)} {row.applies_to}"
            text = f"{row.description} Gdzie: {full_sentence(row.scope)}"
            yield Entry(f"termin-{row.uid}-{row.date}", title, text, path, row.date - AHEAD)


def of_months(today: date) -> Iterator[Entry]:
    """Yield one entry with the medians of all fuels for each past month; none of invented prices."""
    months: dict[str, list[str]] = {}
    for answer in all_fuel_prices(today).values():
        if "demonstration" in answer:
            continue
        for row in answer["months"]:
            behind = counted(row["n"], "cena", "ceny", "cen")
            sentence = f"{answer['name']}: {zloty(row['median'])} {PER_UNIT[answer['unit']]} ({behind})"
            months.setdefault(row["month"], []).append(sentence)
    present = today.isoformat()[:7]
    for month in sorted(month for month in months if month < present)[-MONTHS:]:
        first = date.fromisoformat(f"{month}-01")
        title = f"Ceny opału: mediany, {date_format(first, 'F Y').lower()}"
        over = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        yield Entry(f"ceny-{month}", title, ". ".join(months[month]) + ".", reverse("prices"), over)
