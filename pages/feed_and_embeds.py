"""What other sites and programs take: a feed of changes, small pages to be framed, and charts as pictures.

The Atom feed `/zmiany.atom` (RFC 4287) runs no query. Ids and days of entries are stable as long as their content does
not change. The small pages alone allow any frame. They have no script, set no cookie, and link to their pages.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.formats import date_format
from django.utils.html import escape
from django.views.decorators.clickjacking import xframe_options_exempt

from catalog.depots import fuels
from catalog.depots.fuels import PER_UNIT
from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from catalog.text import full_sentence, short_zloty
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import route_path, route_url, site_url
from fueldepot.http.views import read_only
from pages.depot_filters import DepotCard
from pages.depots import depot_page, find_gone_depot, removed_page
from pages.fuel_and_official_prices import fuel_prices_page, voivodeship_prices_page
from pages.home_and_voivodeship import voivodeships_by_name
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.polish import change, counted, date_digits, day
from pages.rendering import PageMoved, cached, cached_by_status, redirect
from prices.api.price_answers import all_fuel_prices
from prices.medians import FEWEST_FOR_MEDIAN, WINDOW_MONTHS, is_plausible, months_before
from prices.snapshot import RESTS_ON as PRICE_DATA
from prices.snapshot import prices
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
    """An entry. key: unique and stable. on: the day of publication."""

    key: str
    title: str
    text: str
    path: str
    on: date


class DayPrice(NamedTuple):
    """A price of a depot. day: ordinal. area: 2 digits as a number. demonstration: it is invented."""

    day: int
    grosze: int
    area: int
    demonstration: bool


class Feed(Atom1Feed):
    """Atom with a media type that browsers show as XML."""

    content_type = "application/atom+xml; charset=utf-8"

    def root_attributes(self) -> dict[str, Any]:
        return super().root_attributes() | {"xml:lang": "pl"}


@read_only
@conditional(Dataset.Slug.REGULATIONS, *PRICE_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
def changes(request: HttpRequest) -> HttpResponse:
    feed = Feed(
        title=f"{settings.SITE_NAME}: zmiany",
        link=site_url("/"),
        feed_url=route_url("changes"),
        description="Zmiany uchwał antysmogowych, najbliższe terminy, mediany cen opału i ceny w składach warte uwagi.",
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
        if entry.on <= deadline.date <= entry.on + AHEAD:
            title = f"{name}: od {day(deadline.date)} {deadline.applies_to}"
            text = f"{deadline.description} Gdzie: {full_sentence(deadline.scope)}"
            yield Entry(f"termin-{deadline.uid}-{deadline.date}", title, text, path, deadline.date - AHEAD)


def of_months(today: date) -> Iterator[Entry]:
    """Yield one entry with the medians of all fuels for each past month; none of invented prices."""
    months: dict[str, list[str]] = {}
    for answer in all_fuel_prices(today).values():
        if "demonstration" in answer:
            continue
        for row in answer["months"]:
            behind = counted(row["n"], "cena", "ceny", "cen")
            sentence = f"{answer['name']}: {short_zloty(row['median'])} {PER_UNIT[answer['unit']]} ({behind})"
            months.setdefault(row["month"], []).append(sentence)
    present = today.isoformat()[:7]
    for month in sorted(month for month in months if month < present)[-MONTHS:]:
        first = date.fromisoformat(f"{month}-01")
        title = f"Ceny opału: mediany, {date_format(first, 'F Y').lower()}"
        over = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        yield Entry(f"ceny-{month}", title, ". ".join(months[month]) + ".", reverse("prices"), over)


def of_prices(today: date) -> Iterator[Entry]:
    """Yield depots' newest prices of a fuel that are of note and of NEWS, the newest first.

    Of note: the lowest of FEWEST_FOR_MEDIAN or more in its voivodeship within the window of medians, or MOVED since the
    depot's last price.
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
    rivals: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for (_, kind), price in newest.items():
        if price.day >= months_before(today, WINDOW_MONTHS).toordinal():
            rivals[price.area, kind].append(price.grosze)
    for (depot_id, kind), price in sorted(newest.items(), key=lambda item: (-item[1].day, item[0])):
        on, former, others = date.fromordinal(price.day), before.get((depot_id, kind)), rivals[price.area, kind]
        row, fuel = depots.get().find(depot_id), fuels.BY_SLUG[columns.names[kind]]
        notes = []
        if len(others) >= FEWEST_FOR_MEDIAN and price.grosze == min(others):
            name = territory.get().voivodeships[f"{price.area:02}"].name
            notes.append(f"Najniższa z {len(others)} cen z {WINDOW_MONTHS} miesięcy, województwo {name}.")
        if former and abs(price.grosze - former.grosze) >= MOVED * former.grosze:
            last = f"{short_zloty(former.grosze / 100)}, {day(date.fromordinal(former.day))}"
            notes.append(f"Zmiana o {change(Decimal(price.grosze) / former.grosze - 1)}, poprzednio {last}")
        if on > today - NEWS and row and notes:
            notes += ["Cena i skład są zmyślone, służą tylko do wypróbowania serwisu."] * price.demonstration
            title = f"{fuel.name}: {short_zloty(price.grosze / 100)} {PER_UNIT[fuel.unit]}, {row.name}"
            yield Entry(f"cena-{fuel.slug}-{on}", title, " ".join(notes), depot_path(row.id, row.name), on)


POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
"""The content security policy: a style sheet of this site, in any frame."""

DRAWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of a picture, which has its styles within."""

MOST_DEPOTS = 5


class EmbedLine(NamedTuple):
    """A depot or a fuel of an embed. url: absolute. value: a price, "" for none. description: state, day or number."""

    name: str
    url: str
    value: str
    description: str


class Embed(NamedTuple):
    """A page in short. note: what the lines are, "" for nothing. empty: said without lines."""

    page: Page
    heading: str
    lines: tuple[EmbedLine, ...]
    note: str = ""
    empty: str = "Nie ma jeszcze czego pokazać."


def embed_view(*slugs: str, **validity: Any) -> Callable[[Callable[..., Embed]], Callable[..., HttpResponse]]:
    """Turn a function that builds an embed, or raises PageMoved, into its view. slugs, validity: see `conditional`."""

    def decorate(build: Callable[..., Embed]) -> Callable[..., HttpResponse]:
        @wraps(build)
        def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            try:
                embed = build(request, **kwargs)
            except PageMoved as moved:
                return cached(redirect(request, moved.path), cache_control.NO_STORE)
            response = render(request, "pages/embed.html", {"embed": embed}, status=embed.page.status)
            response = cached_by_status(request, response)
            response["Content-Security-Policy"] = POLICY
            response["X-Robots-Tag"] = "noindex"
            return response

        validated = conditional(*slugs, cache_control=cache_control.CATALOG, changes_daily=True, **validity)
        return xframe_options_exempt(read_only(validated(answer)))

    return decorate


@embed_view(*Dataset.Slug, period=opening_period)
def municipality(request: HttpRequest, teryt: str) -> Embed:
    unit = find_municipality(teryt)
    if unit.teryt != teryt:
        raise PageMoved(reverse("embed-municipality", args=[unit.teryt]))
    page = municipality_page(unit, "", timezone.now())
    cards = [card for section in page.content["sections"] for card in section.cards][:MOST_DEPOTS]
    return Embed(page, page.title, tuple(map(card_line, cards)))


def card_line(card: DepotCard) -> EmbedLine:
    price = f"{short_zloty(card.price.price)}/{card.price.kind.unit}" if card.price else ""
    of_price = f"{card.price.kind.name}, {date_digits(card.price.day)}; " if card.price else ""
    return EmbedLine(card.row.name, site_url(card.facts.path), price, of_price + card.opening.sentence)


@embed_view(*Dataset.Slug, period=opening_period, in_outage=False)
def depot(request: HttpRequest, depot_id: int) -> Embed:
    row = depots.get().find(depot_id)
    if row is None:
        gone = find_gone_depot(depot_id)
        if gone.merged_into is not None:
            raise PageMoved(reverse("embed-depot", args=[gone.merged_into.pk]))
        removed = removed_page(gone)
        return Embed(removed, removed.title, (), empty=f"{removed.description} Powód: {removed.content['reason']}.")
    page = depot_page(row, timezone.now())
    lines = tuple(
        EmbedLine(
            price.kind.name, page.canonical, f"{short_zloty(price.price)}/{price.kind.unit}", date_digits(price.day)
        )
        for price, _ in page.content["price_list"]
    )
    note = f"{row.address}. {page.content['opening'].sentence.capitalize()}."
    return Embed(page, row.name, lines, note, "Cen jeszcze nie znamy.")


@embed_view(*PRICE_DATA)
def fuel(request: HttpRequest, fuel: str) -> Embed:
    page = fuel_prices_page(fuel, "", timezone.localdate())
    unit = fuels.BY_SLUG[fuel].unit
    country = page.content["country"]
    poland = {"name": "Polska", "path": page.path, "median": country.median, "n": country.n}
    lines = tuple(
        EmbedLine(
            area["name"],
            site_url(area["path"]),
            f"{short_zloty(area['median'])}/{unit}",
            counted(area["n"], "cena", "ceny", "cen"),
        )
        for area in (poland, *page.content["areas"])
        if area["median"] is not None
    )
    answer = page.content["answer"]
    first, last = (date_digits(answer[end]) for end in ("window_from", "window_to"))
    return Embed(page, answer["name"], lines, f"Mediany cen w składach od {first} do {last}.")


@read_only
@conditional(*PRICE_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
def chart(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the chart of a page of prices as an SVG file with its source and day. Raises Http404 without one."""
    when = request.META["QUERY_STRING"], timezone.localdate()
    page = voivodeship_prices_page(fuel, voivodeship, *when) if voivodeship else fuel_prices_page(fuel, *when)
    drawing = page.content["draw_chart"]()
    if drawing is None:
        raise Http404
    values = {**page.content, "page": page, "chart": drawing}
    response = cached(render(request, "pages/svg/months_file.html", values, content_type="image/svg+xml"))
    response["Content-Security-Policy"] = DRAWN_POLICY
    return response
