"""What other sites and programs take: a feed of changes, and small pages to be framed.

The Atom feed `/zmiany.atom` (RFC 4287): changed legal states, near deadlines, monthly medians.

It runs no query. Ids and days of entries are stable as long as their content does not change.

What other sites show: small pages to be framed, of a municipality, a depot or a fuel, and charts as pictures.

The pages alone allow any frame. They have no script, set no cookie, and link to their pages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.formats import date_format
from django.utils.html import escape
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from catalog.depots import fuels
from catalog.depots.fuels import PER_UNIT
from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from catalog.text import full_sentence, short_zloty, zloty
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import route_path, site_url
from pages.choices import Choices, DepotCard
from pages.dates import day
from pages.depots import depot_page
from pages.fuel_prices import fuel_prices_page, voivodeship_prices_page
from pages.home import voivodeships_by_name
from pages.municipality import municipality_page
from pages.page import Page
from pages.polish import counted, date_digits
from pages.rendering import cached, read_only
from pages.requested_point import read_origin
from prices.api.price_answers import all_fuel_prices
from prices.queries import RESTS_ON
from prices.queries import RESTS_ON as PRICE_DATA
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


POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
"""The content security policy: a style sheet of this site, in any frame."""

DRAWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of a picture, which has its styles within."""

MOST_DEPOTS = 5


@dataclass(frozen=True, slots=True)
class EmbedLine:
    """A depot or a fuel of an embed. url: absolute. value: a price, "" for none. description: state, day or number."""

    name: str
    url: str
    value: str
    description: str


@dataclass(frozen=True, slots=True)
class Embed:
    """A page in short. note: what the lines are, "" for nothing. empty: said without lines."""

    page: Page
    heading: str
    lines: tuple[EmbedLine, ...]
    note: str = ""
    empty: str = "Nie ma jeszcze czego pokazać."


def embed_view(*slugs: str, **validity: Any) -> Callable[[Callable[..., Embed]], Callable[..., HttpResponse]]:
    """Turn a function that builds an embed into its view. slugs, validity: as of `conditional`."""

    def decorate(build: Callable[..., Embed]) -> Callable[..., HttpResponse]:
        @wraps(build)
        def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            response = cached(render(request, "pages/embed.html", {"embed": build(request, **kwargs)}))
            response["Content-Security-Policy"] = POLICY
            response["X-Robots-Tag"] = "noindex"
            return response

        validated = conditional(*slugs, cache_control=cache_control.CATALOG, changes_daily=True, **validity)
        return xframe_options_exempt(read_only(validated(answer)))

    return decorate


@embed_view(*Dataset.Slug, period=opening_period)
def municipality(request: HttpRequest, teryt: str) -> Embed:
    unit = territory.get().municipalities.get(teryt)
    if unit is None:
        raise Http404
    page = municipality_page(unit, read_origin(""), Choices(), timezone.now())
    cards = [card for section in page.sections for card in section.cards][:MOST_DEPOTS]
    return Embed(page, page.title, tuple(map(card_line, cards)))


def card_line(card: DepotCard) -> EmbedLine:
    price = f"{short_zloty(card.price.amount)}/{card.price.unit}" if card.price else ""
    of_price = f"{card.price.fuel}, {date_digits(card.price.day)}; " if card.price else ""
    return EmbedLine(card.facts.name, site_url(card.facts.path), price, of_price + card.opening.sentence)


@embed_view(*Dataset.Slug, period=opening_period, in_outage=False)
def depot(request: HttpRequest, depot_id: int) -> Embed:
    row = depots.get().find(depot_id)
    if row is None:
        raise Http404
    page = depot_page(row, timezone.now())
    lines = tuple(
        EmbedLine(price.name, page.canonical, f"{short_zloty(price.price)}/{price.unit}", date_digits(price.day))
        for price in page.price_list
    )
    return Embed(
        page, row.name, lines, f"{page.facts.address}. {page.opening.sentence.capitalize()}.", "Cen jeszcze nie znamy."
    )


@embed_view(*PRICE_DATA)
def fuel(request: HttpRequest, fuel: str) -> Embed:
    page = fuel_prices_page(fuel, "", timezone.localdate())
    unit = fuels.BY_SLUG[fuel].unit
    lines = [
        EmbedLine(area["name"], site_url(area["path"]), f"{short_zloty(area['median'])}/{unit}", f"{area['n']} cen")
        for area in page.areas
        if area["median"] is not None
    ]
    if page.country.median is not None:
        poland = f"{short_zloty(page.country.median)}/{unit}"
        lines.insert(0, EmbedLine("Polska", page.canonical, poland, f"{page.country.n} cen"))
    note = f"Mediany cen w składach od {date_digits(page.start)} do {date_digits(page.end)}."
    return Embed(page, page.answer["name"], tuple(lines), note)


@read_only
@conditional(*PRICE_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
def chart(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the chart of a page of prices as an SVG file with its source and day. Raises Http404 without one."""
    when = request.META["QUERY_STRING"], timezone.localdate()
    page = voivodeship_prices_page(fuel, voivodeship, *when) if voivodeship else fuel_prices_page(fuel, *when)
    drawing = page.draw_chart()
    if drawing is None:
        raise Http404
    values = {"page": page, "chart": drawing}
    response = cached(render(request, "pages/svg/months_file.html", values, content_type="image/svg+xml"))
    response["Content-Security-Policy"] = DRAWN_POLICY
    return response
