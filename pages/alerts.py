"""Letters that readers ask for: what there is to write about, and their sending.

Deadlines of a municipality 90, 30 and 7 days before, changes of its rules, and the median of a fuel once it has moved
by 5 %. A subscription keeps what its reader was told, so a letter says what is new, and an interval without letters
loses nothing.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from catalog.depots.fuels import BY_SLUG
from catalog.models import Subscription
from catalog.submissions import retention, tokens
from catalog.submissions.letter_texts import compose
from catalog.submissions.letters import MailServerAway, Sending, hand_over
from catalog.territory.snapshot import territory
from catalog.text import counted, short_zloty
from fueldepot.http.links import route_path, site_url
from pages.municipality import present_municipality
from pages.polish import day
from pages.regulations import state_of
from pages.stove_check import check_path
from prices.snapshot import compare, prices
from regulations.appliance_sentences import in_part
from regulations.models import Deadline, Scope
from regulations.queries import Regulation

logger = logging.getLogger(__name__)

STEPS = (90, 30, 7)
"""Days before a deadline at which a letter tells of it."""

MOVED = Decimal("0.05")
"""Relative change of a median, since the last letter, that is worth a letter."""

WEEK = timedelta(days=7)
"""Shortest time between two letters to one address, in days of the calendar: no two calls come at the same minute."""

INVENTED = "Ceny w tym serwisie są zmyślone i służą tylko do jego wypróbowania."


@dataclass(slots=True)
class Digest:
    """What one letter says, as rows of its sections, and what is then known to the reader by subscription."""

    deadlines: list[dict[str, str]] = field(default_factory=list)
    changes: list[dict[str, str]] = field(default_factory=list)
    medians: list[dict[str, str]] = field(default_factory=list)
    to_ask: list[Subscription] = field(default_factory=list)


def describe_subscription(subscription: Subscription) -> list[tuple[str, str]]:
    """Return what a subscription is about, in Polish, with the paths of the pages that have it."""
    about = []
    if unit := present_municipality(subscription.teryt):
        about.append((f"{unit.name}: terminy i zmiany przepisów", check_path(unit.teryt, "")))
    if subscription.fuel:
        slug = territory.get().voivodeships[subscription.voivodeship].slug
        path = route_path("fuel-prices-voivodeship", subscription.fuel, slug)
        about.append((f"{price_name(subscription)}: mediana ceny", path))
    return about


def price_name(subscription: Subscription) -> str:
    """ "Pellet, małopolskie"."""
    return f"{BY_SLUG[subscription.fuel].name}, {territory.get().voivodeships[subscription.voivodeship].name}"


def rules_of(entry: Regulation) -> dict[str, str]:
    """Return what binds a place by key: resolutions, their amendments, deadlines and bans, a line each.

    A key is made of days and codes, so that another wording is no change of the rules.
    """
    entry = entry.of_unit
    rules = {}
    for law in entry.laws:
        number = law.resolution.number
        rules[f"act {law.resolution.pk}"] = f"Uchwała {number}" if number else law.resolution.title
        for change in law.amendments:
            if change.adopted:
                rules[f"act {law.resolution.pk} {change.adopted}"] = f"Zmiana uchwały z {day(change.adopted)}"
    for row in entry.deadlines:
        rules[key_of(row)] = f"Od {day(row.date)}: {row.applies_to}{doubt_of(entry, row)}"
    for ban in entry.bans:
        rules[f"ban {ban.pk} {ban.from_date} {ban.fuels}"] = f"Nie wolno palić: {ban.fuel}{doubt_of(entry, ban)}"
    return rules


def key_of(row: Deadline) -> str:
    return f"{row.uid} {row.date} {row.appliances}"


def limits_of(entry: Regulation) -> dict[str, str]:
    """Return the codes that limit each deadline of a place, by its key in `rules_of`."""
    return {
        key_of(row): f"{row.unclear_appliances} {row.fuels} {row.conditions} {row.exemptions} {row.started_before}"
        for row in entry.deadlines_of_unit
    }


def doubt_of(entry: Regulation, rule: Scope) -> str:
    """Return what ends the words of a rule that may bind a place, or binds a part of it; "" for one that binds it."""
    if entry.binds(rule) is not None:
        return ""
    return " (niepewne)" if rule.uncertain else in_part(rule.scope)


def coming(entry: Regulation, today: date) -> Iterator[tuple[str, int, date, str]]:
    """Yield the deadlines of a place within the longest of STEPS: key, step reached, day, what it applies to."""
    for row in entry.deadlines_of_unit:
        left = (row.date - today).days
        if 0 <= left <= max(STEPS):
            words = f"{row.applies_to}{doubt_of(entry, row)}"
            yield f"{row.uid} {row.date}", min(step for step in STEPS if left <= step), row.date, words


def present(subscription: Subscription, today: date) -> dict[str, Any]:
    """Return what the pages say on a day, for `Subscription.content`. A deadline has the step reached."""
    content: dict[str, Any] = {}
    if entry := entry_of(subscription, today):
        content["rules"], content["limits"] = rules_of(entry), limits_of(entry)
        content["steps"] = {key: step for key, step, _, _ in coming(entry, today)}
    if subscription.fuel:
        median = compare(BY_SLUG[subscription.fuel], today)[subscription.voivodeship].median
        is_invented = prices.get().figures(subscription.fuel, today).demonstration
        content |= {} if median is None else {"median": str(median), "invented": is_invented}
    return content


def entry_of(subscription: Subscription, today: date) -> Regulation | None:
    """Return the legal state of the municipality on a day, None without one."""
    unit = present_municipality(subscription.teryt)
    entry = state_of(unit, today) if unit else None
    return entry if entry and entry.state else None


def digest_of(rows: Sequence[Subscription], on: datetime) -> Digest:
    """Return what is new to a reader, and set `content` of the subscriptions to what they then know.

    A median that is not published now leaves the former one in place. An invented one is not compared with a real one.
    """
    digest, today = Digest(), timezone.localdate(on)
    for row in rows:
        before, now = row.content, present(row, today)
        row.content = before | now
        if entry := entry_of(row, today):
            add_rules(digest, row, before, now, entry, today)
        if "median" in now and "median" in before and before.get("invented", now["invented"]) == now["invented"]:
            add_median(digest, row, Decimal(before["median"]), Decimal(now["median"]), today)
        if row.asked_at is None and row.confirmed_at is not None and row.confirmed_at <= on - retention.KEPT_SUBSCRIBED:
            digest.to_ask.append(row)
    return digest


def add_rules(
    digest: Digest, row: Subscription, before: dict[str, Any], now: dict[str, Any], entry: Regulation, today: date
) -> None:
    """Add the deadlines of one municipality that have come nearer, and the rules that came or went."""
    unit = entry.unit
    assert unit is not None  # noqa: S101 - see `entry_of`
    address = site_url(check_path(unit.teryt, ""))
    steps, rules = before.get("steps", {}), before.get("rules", now["rules"])
    for key, step, date_of, applies_to in coming(entry, today):
        if step < steps.get(key, max(STEPS) + 1):
            left = (date_of - today).days
            when = f"za {counted(left, 'dzień', 'dni', 'dni')}" if left else "dziś"
            label = f"{unit.name}: {day(date_of)}, {when}"
            add(digest.deadlines, label, applies_to, address)
    came = {line: "nowe" for key, line in now["rules"].items() if key not in rules}
    gone = {line: "już nie" for key, line in rules.items() if key not in now["rules"]}
    limits = before.get("limits", now["limits"])  # 1.2.11 did not keep them
    other = {now["rules"][key] for key, codes in now["limits"].items() if limits.get(key, codes) != codes}
    if changes := came | gone | dict.fromkeys(other | (came.keys() & gone), "zmienione"):
        add(digest.changes, unit.name, "\n".join(f"{how}: {line}" for line, how in changes.items()), address)


def add_median(digest: Digest, row: Subscription, before: Decimal, after: Decimal, today: date) -> None:
    """Add a median that has moved by MOVED; a smaller change is not told, so that changes add up."""
    if abs(after - before) < MOVED * before:
        row.content["median"] = str(before)
        return
    address = site_url(describe_subscription(row)[-1][1])
    note = f"\n{INVENTED}" if prices.get().figures(row.fuel, today).demonstration else ""
    was, now = (f"{short_zloty(value)} {BY_SLUG[row.fuel].per_unit}" for value in (before, after))
    add(digest.medians, price_name(row), now, f"{address}{note}", was)


def add(section: list[dict[str, str]], label: str, after: str, below: str, before: str = "") -> None:
    """Add a row, once where several subscriptions say the same. below: the address of the page, and a note."""
    if (row := {"label": label, "before": before, "after": after, "below": below}) not in section:
        section.append(row)


def write(rows: Sequence[Subscription], digest: Digest, on: datetime) -> EmailMessage:
    """Return the letter with a digest. One click in a mail program ends all letters (RFC 8058)."""
    token = tokens.READER.token(rows[0].email_hash)
    values = {
        "digest": digest,
        "others_go_on": len(digest.to_ask) < len(rows),
        "erased_on": day(timezone.localdate(on + retention.KEPT_ASKED)),
        "link": site_url(tokens.READER.path_of(token)),
    }
    message = compose(rows[0].email, None, ("alerts", values))
    message.extra_headers |= {
        # The same where a letter is sent again after a crash; another where the reader has subscribed anew.
        "Message-ID": f"<{tokens.hash_token(f'{token} {last_letter(rows)} {rows[0].pk}')[:32]}@{settings.SITE_HOST}>",
        "List-Unsubscribe": f"<{site_url(tokens.END.path_of(token))}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return message


def last_letter(rows: Sequence[Subscription]) -> datetime | None:
    return max((row.sent_at for row in rows if row.sent_at), default=None)


def send_alerts(*, on: datetime, commit: bool) -> Sending:
    """Send each reader what is new, or only say to whom; see `Sending`, whose labels are beginnings of hashes.

    A reader is one transaction, whose last step hands the letter over: killed before, nothing is stored and the next
    call sends it. A letter that cannot be sent is tried by the next call; without a mail server the call ends.
    """
    readers = Subscription.objects.confirmed().values("email_hash").annotate(last=Max("sent_at")).order_by("last")
    due = readers.filter(Q(last=None) | Q(last__date__lte=timezone.localdate(on) - WEEK))
    mail_server = get_connection()
    result = Sending()
    for email_hash in list(due.values_list("email_hash", flat=True)):
        try:
            result += send_to(email_hash, mail_server if commit else None, on)
        except (OSError, ValueError) as error:  # an SMTPException is an OSError
            # The error text may contain the address.
            logger.error("letter of reader %s not sent: %s", email_hash[:8], type(error.__cause__ or error).__name__)
            result += Sending(unsent=(email_hash[:8],))
            if isinstance(error, MailServerAway):
                break
        finally:
            mail_server.close()  # the next reader with news may be far
    return result


@transaction.atomic
def send_to(email_hash: str, mail_server: Any, on: datetime) -> Sending:
    """Send one reader's letter, if there is something new. mail_server: None to only say so.

    Their subscriptions are locked meanwhile, so that two calls do not write twice.
    """
    rows = list(Subscription.objects.confirmed().filter(email_hash=email_hash).order_by("pk").select_for_update())
    last = last_letter(rows)
    if not rows or (last is not None and timezone.localdate(last) > timezone.localdate(on) - WEEK):
        return Sending()
    digest = digest_of(rows, on)
    message = None if digest == Digest() else write(rows, digest, on)
    result = Sending(sent=(email_hash[:8],)) if message else Sending()
    if mail_server is None:
        transaction.set_rollback(True)
        return result
    for row in rows:
        row.sent_at = on if message else row.sent_at
        row.asked_at = on if row in digest.to_ask else row.asked_at
    Subscription.objects.bulk_update(rows, ["content", "sent_at", "asked_at"])
    if message:
        hand_over(message, mail_server)
    return result
