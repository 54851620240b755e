"""The list of depots: work queues, which are named filters with counts; search, columns, filters, bulk actions."""

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import date, timedelta
from functools import partial, reduce
from operator import and_
from typing import Any, cast

import django_filters
from django.contrib import admin, messages
from django.db.models import Count, Exists, F, Func, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Lower, Replace
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from catalog import models
from catalog.admin.bulk import Action, bulk_action, each, undo_button
from catalog.admin.desk import (
    CsvMixin,
    DeskMixin,
    OptionsFilter,
    columns_of,
    current_editor,
    read_text,
    send_closing_letters,
)
from catalog.admin.evidence import having_address
from catalog.admin.registers_and_history import UnitFilter
from catalog.depots import duplicates, fuels
from catalog.depots.duplicates import DataQualityReport
from catalog.models.depots import READERS
from catalog.parsing.contacts_and_names import typed_digits
from catalog.services import moderation
from catalog.services.journal import Outcome
from catalog.services.merging import FOLLOWERS
from catalog.services.moderation import (
    why_fuels_not_confirmed,
    why_not_published,
    why_not_removed,
    why_not_verified,
)
from catalog.submissions.gone_reports_and_subscriptions import open_reports
from catalog.text import counted, fold, lasting, normalise_postcode, one_line, plain
from fueldepot.data.history import among
from fueldepot.http.csv_table import Code

VERIFIED_FOR = timedelta(days=365)
"""A verification older than this is due again."""

ALIVE = ~Q(publication=models.Depot.Publication.REMOVED)


Condition = Callable[[DataQualityReport], Q]


def ids_in(keys: Collection[int]) -> Q:
    return Q(pk__in=among(keys))


def having(rows: QuerySet[Any]) -> Q:
    return Q(Exists(rows.filter(depot=OuterRef("pk"))))


QUEUES: Mapping[str, tuple[str, Condition]] = {
    "requests": ("zgłoszenie czeka", lambda _: having(models.Submission.objects.waiting())),
    "gone": ("podobno już ich nie ma", lambda _: having(open_reports())),
    "held": ("wstrzymane", lambda _: Q(publication=models.Depot.Publication.HELD)),
    "never": ("nigdy niesprawdzone", lambda _: Q(verified_at=None)),
    "old": (
        f"sprawdzone ponad {lasting(VERIFIED_FOR)} temu",
        lambda _: Q(verified_at__lt=timezone.localdate() - VERIFIED_FOR),
    ),
    "duplicates": ("możliwe powtórzenie", lambda report: ids_in(report.with_duplicates())),
    "outside": ("poza swoją gminą", lambda report: ids_in(report.outside)),
    "nip": ("błędny NIP", lambda report: ids_in(report.bad_nip)),
    "fuels": (
        "paliwa według nazwy",
        lambda _: Q(fuels__overlap=F("fuels_in_name")) & ~Q(confirmed_fields__contains=["fuels"]),
    ),
    "hours": ("bez godzin", lambda _: Q(hours__isnull=True)),
    "review": ("z uwagą importu", lambda _: ~Q(review="")),
}
"""Label and condition by the value in the query string. Removed depots are in none."""


def count_queues(report: DataQualityReport) -> list[tuple[str, str, int]]:
    """Return every queue with its label and its number of depots. Two queries."""
    counts = models.Depot.objects.filter(ALIVE).aggregate(
        **{slug: Count("pk", filter=condition(report)) for slug, (_, condition) in QUEUES.items()}
    )
    return [(slug, label, counts[slug]) for slug, (label, _) in QUEUES.items()]


def in_queue(condition: Condition) -> Callable[[Any], QuerySet[Any]]:
    return lambda depots: depots.filter(ALIVE, condition(duplicates.get_report()))


class QueueFilter(OptionsFilter):
    """The chosen queue. The list shows all queues with counts above it, so the sidebar only names the chosen one."""

    title = "do zrobienia"
    parameter_name = "queue"
    options = {slug: (label, in_queue(condition)) for slug, (label, condition) in QUEUES.items()}


class DepotFilter(django_filters.FilterSet):  # type: ignore[misc] # the library has no types
    """Depots with a fuel; coal stands for its assortments too."""

    fuel = django_filters.ChoiceFilter(choices=fuels.choices, method=lambda depots, _name, fuel: depots.offering(fuel))


class FuelFilter(admin.SimpleListFilter):
    title = "paliwo"
    parameter_name = "fuel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return fuels.choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        return cast("models.DepotQuerySet", DepotFilter({"fuel": self.value()}, queryset=queryset).qs)


class VoivodeshipFilter(UnitFilter):
    path = ""


FOLDED = {letter: plain(letter) for letter in map(chr, range(ord("ß"), ord("ƀ"))) if letter.islower()}
ACCENTED = {base: "".join(letter for letter in FOLDED if FOLDED[letter] == base) for base in FOLDED.values()}
"""Letters by what `fold` makes of them in typed words. PostgreSQL folds only those of two base letters, in the rows."""

NAMED = ("name", "street", "house_number", "postcode", "place", "municipality__name", "website")
"""Fields that are searched together for words."""

HELP = "nazwa, ulica, miejscowość, gmina, NIP, telefon, strona, kod pocztowy, TERYT, numer wpisu"


def search_depots(rows: QuerySet[Any], typed: str, prefix: str = "", besides: Q | None = None) -> QuerySet[Any]:
    """Keep rows whose depot matches every typed word, or the typed number.

    prefix: lookup from the rows to their depot, such as "depot__". A number is a tax number, postcode, TERYT code or
    its prefix, at least six digits of a telephone, or a depot id; after "#" a depot id alone. besides: further rows to
    include.
    """
    words, text = dict.fromkeys(fold(typed).split()), typed.strip()
    if not text:
        return rows
    condition = besides or Q()
    if own := re.fullmatch(r"(?:.*\s)?\(?#([0-9]{1,18})\)?", text):  # also after the name, as the desk writes it
        return rows.filter(condition | Q(**{f"{prefix}pk": int(own[1])}))
    rows = rows.annotate(searched=searched_text(prefix))
    condition |= Q(**{f"{prefix}source_id": text})
    if text.startswith("+"):  # several telephones, or one with an extension, as stored
        condition |= Q(**{f"{prefix}phone__contains": text})
    if words:
        condition |= reduce(and_, (Q(searched__regex=in_any_spelling(word)) for word in words))
    with suppress(ValueError):
        condition |= Q(**{f"{prefix}postcode": normalise_postcode(text)})
    if digits := typed_digits(text):
        rows = rows.annotate(phone_digits=only_digits(f"{prefix}phone"))
        condition |= number_condition(digits, prefix)
    return rows.filter(condition)


def number_condition(digits: str, prefix: str) -> Q:
    condition = Q(**{f"{prefix}nip": digits})
    if len(digits) in {2, 4, 6, 7}:
        condition |= Q(**{f"{prefix}municipality__teryt__startswith": digits})
    if len(number := digits.lstrip("0")) >= 6:  # without the trunk 0
        condition |= Q(phone_digits__contains=number)
    if len(digits) < 19:
        condition |= Q(**{f"{prefix}pk": int(digits)})
    return condition


def in_any_spelling(word: str) -> str:
    """Return a regular expression of a folded word. To fold every row instead takes the database ten times as long."""
    return "".join(f"[{letter}{ACCENTED.get(letter, '')}]" for letter in word)


def searched_text(prefix: str) -> Func:
    joined = Func(Value(" "), *(F(f"{prefix}{name}") for name in NAMED), function="concat_ws", output_field=TextField())
    text: Any = Lower(joined)
    for letter in "ßæœ":
        text = Replace(text, Value(letter), Value(FOLDED[letter]), output_field=TextField())
    return cast("Func", text)


def only_digits(field: str) -> Func:
    return Func(F(field), Value(r"[^0-9,]"), Value(""), Value("g"), function="regexp_replace", output_field=TextField())


REASON_LENGTH = 200
"""Maximum length of the reason of a bulk decision; the history of each depot keeps the first 100 characters."""

MOST_NAMED = 20
"""Entries listed in a message; of further ones only the count."""


def attached(depots: Collection[models.Depot]) -> dict[str, int]:
    """Counts of rows that are hidden with depots, or come back with them. One query for each kind."""
    keys = [depot.pk for depot in depots]
    waiting = models.Submission.objects.waiting().filter(depot__in=among(keys)).count()
    return {"czekające zgłoszenia": waiting} | {follower.label: follower.count(keys) for follower in FOLLOWERS}


def with_fuels(depot: models.Depot) -> str:
    return f"{depot}: {', '.join(fuels.labels(depot.fuels, depot.fuels_by_name))}"


hiding = partial(bulk_action, attached=attached, reason_length=REASON_LENGTH)


def reason_of(request: HttpRequest) -> str:
    return one_line(read_text(request, "reason"), REASON_LENGTH)


def removal(description: str, reason: models.Depot.RemovalReason) -> Action:

    @hiding(description=description, obstacles=each(why_not_removed))
    def remove(depots: "DepotListAdmin", request: HttpRequest, keys: list[int]) -> None:
        editor, today = current_editor(request), timezone.localdate()
        decided = moderation.remove_depots(keys=keys, reason=reason, by=editor, on=today, note=reason_of(request))
        depots.tell(request, decided)
        send_closing_letters(depots, request, [depot.pk for depot in decided.changed])

    return remove


class DepotListAdmin(CsvMixin, DeskMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """List of depots. The number of queries does not depend on the number of rows."""

    list_display = ("name", "municipality", "checked", "fuel_names", "submissions_open", "published")
    list_filter = (
        *(QueueFilter, "data_status", "publication", "removal_reason", "source"),
        *(VoivodeshipFilter, FuelFilter),
    )
    list_select_related = ("municipality",)
    list_per_page = 100
    list_max_show_all = 500
    # The total without filters would cost one more query per page.
    show_full_result_count = False
    ordering = ("name_key", "pk")
    search_fields = ("name",)  # that there is a search; `get_search_results` looks at more
    search_help_text = f"{HELP}, e-mail właściciela lub zgłaszającego"
    csv_columns = {
        "numer": lambda depot: depot.pk,
        **columns_of(models.Depot, *READERS),
        "gmina": lambda depot: depot.municipality.name,
        "TERYT": lambda depot: Code(depot.municipality_id),
        "szerokość": lambda depot: depot.lat,
        "długość": lambda depot: depot.lon,
        "paliwa": lambda depot: ", ".join(fuels.labels(depot.fuels)),
        **columns_of(models.Depot, "data_status", "verified_at", "publication", "removal_reason"),
        **columns_of(models.Depot, "source", "source_id", "review"),
    }
    actions = (
        *("verify", "confirm_fuels", "reset", "publish"),
        *("remove_closed", "remove_duplicate", "remove_not_a_depot", "remove_private"),
    )
    change_list_template = "admin/catalog/depot/list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Depot]:
        submissions = models.Submission.objects.open().filter(depot=OuterRef("pk")).order_by().values("depot")
        rows: QuerySet[models.Depot] = super().get_queryset(request).defer("position", "name_key")
        return rows.annotate(open_submissions=submissions.annotate(number=Count("pk")).values("number"))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        report = duplicates.get_report()
        queues, pairs = count_queues(report), len(report.unresolved_pairs())
        return super().changelist_view(request, {"queues": queues, "pairs": pairs, **(extra_context or {})})

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        return search_depots(queryset, search_term, besides=having_address(search_term)), False

    # Related values share a column: more columns do not fit beside menu and filters.
    @admin.display(description="status i sprawdzenie", ordering=F("verified_at").asc(nulls_first=True))
    def checked(self, depot: Any) -> SafeString:
        when = age(depot.verified_at, timezone.localdate())
        return format_html('{}<br><span class="quiet">sprawdzono: {}</span>', depot.get_data_status_display(), when)

    @admin.display(description="paliwa")
    def fuel_names(self, depot: models.Depot) -> str:
        return ", ".join(fuels.labels(depot.fuels, depot.fuels_by_name))

    @admin.display(description="zgłoszenia")
    def submissions_open(self, depot: Any) -> Any:
        return depot.open_submissions or ""

    @admin.display(description="publikacja i pochodzenie", ordering="publication")
    def published(self, depot: models.Depot) -> SafeString:
        lines = [depot.get_publication_display(), depot.get_source_display(), depot.review]
        return format_html_join(mark_safe("<br>"), "{}", ((line,) for line in lines if line))

    @bulk_action(description="Oznacz jako sprawdzone przez redakcję", obstacles=each(why_not_verified), versioned=True)
    def verify(self, request: HttpRequest, keys: list[int]) -> None:
        editor, today = current_editor(request), timezone.localdate()
        self.tell(request, moderation.verify_depots(keys=keys, by=editor, on=today))

    @bulk_action(
        description="Potwierdź paliwa według nazwy",
        obstacles=each(why_fuels_not_confirmed),
        named=with_fuels,
        versioned=True,
    )
    def confirm_fuels(self, request: HttpRequest, keys: list[int]) -> None:
        self.tell(request, moderation.confirm_fuels(keys=keys, by=current_editor(request)))

    @hiding(description="Cofnij do nieweryfikowanych", obstacles=each(moderation.why_not_reset))
    def reset(self, request: HttpRequest, keys: list[int]) -> None:
        self.tell(request, moderation.reset_depots(keys=keys, by=current_editor(request), note=reason_of(request)))

    @hiding(description="Opublikuj lub przywróć", obstacles=each(why_not_published))
    def publish(self, request: HttpRequest, keys: list[int]) -> None:
        editor, today = current_editor(request), timezone.localdate()
        self.tell(request, moderation.publish_depots(keys=keys, by=editor, on=today, note=reason_of(request)))

    remove_closed = removal("Usuń: zakończył działalność", models.Depot.RemovalReason.CLOSED)
    remove_duplicate = removal("Usuń: powtórzony wpis", models.Depot.RemovalReason.DUPLICATE)
    remove_not_a_depot = removal("Usuń: to nie jest skład opału", models.Depot.RemovalReason.NOT_A_DEPOT)
    remove_private = removal("Usuń: osoba prywatna", models.Depot.RemovalReason.PRIVATE_PERSON)

    def tell(self, request: HttpRequest, decided: Outcome[models.Depot]) -> None:
        undo = undo_button(request, decided.decision)
        self.message_user(request, format_html("Zmieniono: {}. {}", len(decided.changed), undo))
        if decided.unchanged:
            more = len(decided.unchanged) - MOST_NAMED
            named = ", ".join(str(depot) for depot, _ in decided.unchanged[:MOST_NAMED])
            named += f" i jeszcze {more}" if more > 0 else ""
            self.message_user(request, f"Bez zmian (stan wpisu na to nie pozwala): {named}", messages.WARNING)


def age(checked: date | None, today: date) -> str:
    if checked is None:
        return "nigdy"
    days = (today - checked).days
    if days < 1:
        return "dziś"
    if days < 61:
        return f"{days} dni temu" if days > 1 else "wczoraj"
    if days < 730:
        return f"{days // 30} mies. temu"
    return f"{counted(days // 365, 'rok', 'lata', 'lat')} temu"
