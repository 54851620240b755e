"""Effects of a drafted deadline or ban, as Polish sentences for the editor who approves it."""

from datetime import date
from typing import Any

from django.utils.formats import date_format

from catalog.models import Municipality
from regulations.applicability import binds_municipality
from regulations.models import DAY, Deadline, Provision


def describe_change(before: Provision | None, after: Provision | None, moved: dict[str, Any], today: date) -> list[str]:
    """Return where the rule would bind, and from which day. At most three queries.

    before: the stored rule, None for a new one. after: the drafted rule, None for a deletion. moved: `moved_to` and
    `moved_by` of the form of a deadline.
    """
    rule = after or before
    assert rule is not None  # noqa: S101 - a change has at least one of them
    codes = list(Municipality.objects.filter(voivodeship=rule.state_id).values_list("pk", flat=True))
    said = [f"Dotyczy: {where(rule, codes)}."]
    if before is not None and after is not None and where(before, codes) != where(after, codes):
        said[0] = f"Dotyczy: {where(after, codes)}. Dotychczas: {where(before, codes)}."
    to, amendment = moved.get("moved_to"), moved.get("moved_by")
    if to and amendment and isinstance(before, Deadline):
        since = date_format(amendment.adopted, DAY)
        said.append(
            f"Odpowiedzi na dni od {since} podadzą termin {date_format(to, DAY)}, "
            f"na dni wcześniejsze nadal {date_format(before.date, DAY)}."
        )
    said.extend(next_deadlines(before, after, to, today))
    return said


def where(rule: Provision, codes: list[str]) -> str:
    """Return the number of municipalities that a rule binds, in words. codes: of the voivodeship."""
    answers = [binds_municipality(rule, code) for code in codes]
    whole, partly = answers.count(True), answers.count(None)
    said = f"gminy województwa w całości: {whole} z {len(codes)}"
    return f"{said}, w części albo niepewnie: {partly}" if partly else said


def next_deadlines(before: Provision | None, after: Provision | None, to: date | None, today: date) -> list[str]:
    """Return a sentence if the next deadline of the voivodeship changes. One query for a deadline, none for a ban."""
    rule = after or before
    if not isinstance(rule, Deadline):
        return []
    standing = [row for row in Deadline.objects.filter(state=rule.state_id) if row.stands_on(today)]
    others = [row.date for row in standing if before is None or row.pk != before.pk]
    own = [after] if isinstance(after, Deadline) and after.stands_on(today) else []
    now = min((row.date for row in standing if row.date >= today), default=None)
    then = min((day for day in [*others, *(to or row.date for row in own)] if day >= today), default=None)
    if now == then:
        return []
    return [f"Najbliższy termin województwa: teraz {shown(now)}, po zmianie {shown(then)}."]


def shown(day: date | None) -> str:
    """Return a day in words, "brak" for None."""
    return "brak" if day is None else date_format(day, DAY)
