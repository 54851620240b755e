"""Statistics of decisions by day and editor, over all audited histories."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from fueldepot.desk.audit import AUDITED, AuditedModel, AuditQuery

DAYS_SHOWN = 14
MOST_DAYS = 366

EARLIEST = date(2000, 1, 1)
"""Lower limit of dates."""


@dataclass(frozen=True, slots=True)
class DayOfEditor:
    """Decisions of an editor on a day. kinds: counts by the Polish name of their subject. last: the newest."""

    day: date
    who: str
    kinds: dict[str, int]
    last: datetime

    @property
    def count(self) -> int:
        """Number of decisions of the day."""
        return sum(self.kinds.values())


def count_decisions(audited: Collection[AuditedModel], question: AuditQuery) -> list[DayOfEditor]:
    """Return decisions by day, newest first, then by editor. One query per history."""
    kinds: dict[tuple[date, str], Counter[str]] = {}
    last: dict[tuple[date, str], datetime] = {}
    for one in audited:
        rows, at, person = one.decisions()
        found = (
            rows.filter(question.condition(at, person))
            .order_by()
            .values_list(TruncDate(at), f"{person}__username")
            .annotate(number=Count("pk"), newest=Max(at))
        )
        for day, name, number, newest in found:
            kinds.setdefault((day, name), Counter())[one.label] += number
            last[day, name] = max(newest, last.get((day, name), newest))
    days = sorted(kinds, key=lambda key: (-key[0].toordinal(), key[1]))
    return [DayOfEditor(day, name, dict(kinds[day, name]), last[day, name]) for day, name in days]


def decision_statistics(request: HttpRequest) -> HttpResponse:
    """Show decisions by day and editor, by default of the last two weeks."""
    audited = [one for one in AUDITED if request.user.has_perm(one.permission)]
    if not audited:
        raise PermissionDenied
    question = AuditQuery.read(request.GET)
    until = min(max(question.until or timezone.localdate(), EARLIEST), timezone.localdate())
    since = question.since or until - timedelta(days=DAYS_SHOWN - 1)
    since = max(since, until - timedelta(days=MOST_DAYS - 1))
    context = {
        **admin.site.each_context(request),
        "title": "Decyzje według dni i osób",
        "since": since,
        "until": until,
        "rows": count_decisions(audited, AuditQuery(who=question.who, since=since, until=until)),
    }
    return render(request, "admin/decision_statistics.html", context)
