"""Answers of `/prices/{fuel}`, computed when something changes instead of when somebody asks.

Every answer is kept as JSON in one row, with the day and the stamp that it holds for. The stamp names the versions of
all data sets that an answer rests on, so whatever changes depots, prices, ranges or official averages makes the rows
out of date in the same transaction, for every worker. Whoever changes prices makes the rows anew before committing.
A reader who finds none that holds (the first after midnight, or after an import of depots) computes the answer, keeps
it in the memory of the process under the same day and stamp, and writes nothing; where there is a shared cache, the
other processes and machines take it from there. A process also holds the answers it has given until one of those data
sets changes, and asks the database for none of them again.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import date
from threading import Lock
from typing import NamedTuple

import orjson
from django.conf import settings
from django.db import connection, transaction

from catalog import databases, fuels, shared_cache, versions
from catalog.bulk import insert
from catalog.held import Held
from catalog.importers.run import record_change
from catalog.models import Dataset, Voivodeship
from catalog.queries import get_voivodeship
from catalog.release import release
from prices import medians, queries, serializers
from prices.models import DepotPrice, Figure

logger = logging.getLogger(__name__)

FORM = 4
"""Raise it with every change of what an answer says, so that rows kept by an older release are not served."""

RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES)

SHARED_S = 26 * 60 * 60
"""How long answers stay in the shared cache: they hold for a day at most, and their key is never asked for again."""

PRICES_LOCK = 0x464450524943
"""Key of the advisory lock that whoever changes prices holds: "FDPRIC" in ASCII."""

PUBLISHER = "cenniki składów i zgłoszenia czytelników"

STAMP = f"SELECT %s || {versions.stamp_sql(*RESTS_ON)} AS stamp"

READ = """
    SELECT now.stamp, (
        SELECT f.{column}
        FROM prices_figure f
        WHERE f.fuel = %s AND %s IN (f.area, f.slug) AND f.day = %s AND f.stamp = now.stamp
    )
    FROM ({stamp}) now
"""

READ_BODY = READ.format(column="body", stamp=STAMP)
READ_WITH_VALUES = READ.format(column="with_values", stamp=STAMP)

READ_COUNTRY = f"""
    SELECT now.stamp, f.fuel, f.body
    FROM ({STAMP}) now
    LEFT JOIN prices_figure f ON f.area = '' AND f.day = %s AND f.stamp = now.stamp
"""  # noqa: S608 - constants only


class Answer(NamedTuple):
    """An answer as JSON text, of an area and without or with `values` (only Poland's)."""

    area: str
    slug: str
    body: str
    with_values: str


class Given(NamedTuple):
    """An answer as this process last gave it."""

    day: date
    text: str


Answers = dict[tuple[str, str, str, bool], Given]
"""By database, fuel, voivodeship as asked for, and whether with values. Only known places get in, so it stays small.

By database, because an answer may be newer than the state that it is held for: who reads that database has seen the
newer one and asks again; who reads another has not.
"""


def _nothing_given() -> Answers:
    return {}


_given: Held[Answers] = Held(_nothing_given, *RESTS_ON)

_computed: dict[str, tuple[date, str, dict[str, Answer]]] = {}
_computing = Lock()


def read(fuel: fuels.Fuel, *, voivodeship: str | None, values: bool, today: date) -> str:
    """The answer of `/prices/{fuel}` as JSON text. voivodeship: slug or 2 digits.

    One query, none for what this process has given on the same day and state. Without a kept row that holds, up to six
    more, once per process and state. Raises UnknownVoivodeship.
    """
    asked = voivodeship or ""
    with_values = values and not asked
    # Taken before the rows are read: what is put there is never older than what it is held for.
    given = _given.current()
    key = (databases.alias(), fuel.slug, asked, with_values)
    known = given.get(key)
    if known is not None and known.day == today:
        return known.text
    with databases.connection().cursor() as cursor:
        cursor.execute(READ_WITH_VALUES if with_values else READ_BODY, [fuel.slug, asked, today, stamp_prefix()])
        stamp, body = cursor.fetchone()
    is_present = versions.answered_of(stamp.removeprefix(stamp_prefix()), *RESTS_ON)
    if body is None or not is_whole(body, fuel.slug):
        area = get_voivodeship(asked).teryt if asked else ""
        answers, is_of_stamp = computed(fuel, today, stamp)
        is_present = is_present and is_of_stamp
        body = answers[area].with_values if with_values else answers[area].body
    text = str(body)
    if is_present:
        given[key] = Given(today, text)
    return text


def read_countries(today: date) -> dict[str, str]:
    """The answers for Poland by fuel, in the order of the catalog. One query while every row holds."""
    with databases.connection().cursor() as cursor:
        cursor.execute(READ_COUNTRY, [stamp_prefix(), today])
        rows = cursor.fetchall()
    stamp = rows[0][0]
    kept = {fuel: body for _, fuel, body in rows if fuel is not None and is_whole(body, fuel)}
    return {
        fuel.slug: kept[fuel.slug] if fuel.slug in kept else computed(fuel, today, stamp)[0][""].body
        for fuel in fuels.FUELS
    }


def is_whole(body: str, fuel: str) -> bool:
    """Whether a kept answer is one: a row that somebody damaged is computed anew, not served."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if isinstance(answer, dict) and answer.get("fuel") == fuel:
        return True
    logger.error("the kept figures of %s are damaged; computing them anew", fuel)
    return False


def computed(fuel: fuels.Fuel, today: date, stamp: str) -> tuple[dict[str, Answer], bool]:
    """Answers by area, computed at most once by this process for a day and stamp; and whether they are of that stamp.

    The stamp was read before the rows that they rest on. Where it no longer holds after them they may be newer, and are
    not remembered under it.
    """
    with _computing:
        known = _computed.get(fuel.slug)
        if known is not None and known[:2] == (today, stamp):
            return known[2], True
        answers = _take_shared(fuel, today, stamp)
        if answers is None:
            answers = make(fuel, today)
            if stamp_read() != stamp:
                return _by_area(answers), False
            _share(answers, fuel, today, stamp)
        _computed[fuel.slug] = (today, stamp, _by_area(answers))
        return _computed[fuel.slug][2], True


def _by_area(answers: Iterable[Answer]) -> dict[str, Answer]:
    return {answer.area: answer for answer in answers}


def _shared_key(fuel: fuels.Fuel, today: date, stamp: str) -> str:
    return f"fueldepot:figures:{release()}:{today}:{fuel.slug}:{stamp}"


def _take_shared(fuel: fuels.Fuel, today: date, stamp: str) -> list[Answer] | None:
    """The answers that another process has put into the shared cache."""
    found = shared_cache.ask(lambda client: client.get(_shared_key(fuel, today, stamp)))
    return _read_shared(found, fuel.slug) if isinstance(found, bytes) else None


def _share(answers: list[Answer], fuel: fuels.Fuel, today: date, stamp: str) -> None:
    text = orjson.dumps([tuple(row) for row in answers])
    shared_cache.ask(lambda client: client.set(_shared_key(fuel, today, stamp), text, ex=SHARED_S))


def _read_shared(text: bytes, fuel: str) -> list[Answer] | None:
    """What `_share` put into the cache; None for anything else."""
    try:
        answers = [Answer(*row) for row in orjson.loads(text)]
    except (orjson.JSONDecodeError, TypeError):
        return None
    return answers if answers and all(is_whole(answer.body, fuel) for answer in answers) else None


def forget() -> None:
    """Drop what this process remembers."""
    with _computing:
        _computed.clear()
    _given.forget()


def make(fuel: fuels.Fuel, today: date) -> list[Answer]:
    """Compute the answers of a fuel for Poland and every voivodeship. Three queries, four for coal."""
    ranges = queries.find_ranges(fuels.assortments(fuel.slug))
    figures = medians.compute(queries.find_approved(fuel.slug, today), ranges, today)
    units = list(Voivodeship.objects.order_by("teryt"))
    country = serializers.country(
        fuel,
        figures,
        ranges=ranges,
        units={unit.teryt: unit for unit in units},
        official=queries.find_latest_official() if fuel.slug in fuels.COALS else None,
    )
    with_values = _json({**country, "values": serializers.values(figures)})
    answers = [Answer("", "", _json(country), with_values)]
    for unit in units:
        body = _json(serializers.voivodeship(fuel, figures, unit, ranges=ranges))
        answers.append(Answer(unit.teryt, unit.slug, body, ""))
    return answers


def lock() -> None:
    """Let nobody else change prices until the end of the transaction. Take it before any row lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [PRICES_LOCK])


def record_prices(changed: Collection[str], *, today: date) -> None:
    """Note that prices of some fuels changed, and make their answers anew. Part of the transaction of the change.

    changed: slugs of fuels; `wegiel` follows its assortments. Answers of other fuels that held go on holding.
    """
    lock()
    before = current_stamp()
    record_change(Dataset.Slug.PRICES, {PUBLISHER: today}, model=DepotPrice)
    after = current_stamp()
    untouched = [fuel.slug for fuel in fuels.FUELS if not set(fuels.assortments(fuel.slug)) & set(changed)]
    Figure.objects.filter(fuel__in=untouched, day=today, stamp=before).update(stamp=after)
    _keep_missing(today, after)


@transaction.atomic
def refresh(*, today: date) -> list[str]:
    """Make every answer anew that does not hold. Returns the slugs of their fuels."""
    lock()
    return _keep_missing(today, current_stamp())


def current_stamp() -> str:
    """The stamp of what is in the database now, as this transaction sees it."""
    with connection.cursor() as cursor:
        cursor.execute(STAMP, [stamp_prefix()])
        stamp: str = cursor.fetchone()[0]
    return stamp


def stamp_read() -> str:
    """The stamp of the database that this request reads."""
    with databases.connection().cursor() as cursor:
        cursor.execute(STAMP, [stamp_prefix()])
        stamp: str = cursor.fetchone()[0]
    return stamp


def _keep_missing(today: date, stamp: str) -> list[str]:
    """Compute and store the answers of fuels that have none for this day and stamp. Call it under the lock."""
    kept = set(Figure.objects.filter(area="", day=today, stamp=stamp).values_list("fuel", flat=True))
    missing = [fuel for fuel in fuels.FUELS if fuel.slug not in kept]
    Figure.objects.filter(fuel__in=[fuel.slug for fuel in missing]).delete()
    for fuel in missing:
        _store(fuel.slug, make(fuel, today), today, stamp)
    return [fuel.slug for fuel in missing]


def _store(fuel: str, answers: Iterable[Answer], today: date, stamp: str) -> None:
    columns = ("fuel", "day", "stamp", *Answer._fields)
    insert(Figure, columns, ((fuel, today, stamp, *answer) for answer in answers))


def stamp_prefix() -> str:
    """What the stamp says beside the state of the database: the form of the answers, and the site they link to."""
    return f"{FORM} {settings.SITE_URL} "


def _json(answer: dict[str, object]) -> str:
    return orjson.dumps(answer).decode()
