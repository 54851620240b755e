"""The journal: decisions about what is published, stored so that they can be read and undone."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q


class DecisionQuerySet(models.QuerySet["Decision"]):
    """Filters on decisions. The default manager hides none."""

    def about(self, row: models.Model) -> Self:
        """Keep decisions that changed a row, or concerned it."""
        lines = DecisionLine.objects.filter(model=row._meta.label_lower, key=str(row.pk))
        return self.filter(Exists(lines.filter(decision=OuterRef("pk"))))


class Decision(models.Model):
    """A decision of an editor, or a change that an owner made by the link, about one row or thousands.

    title: what was decided, in Polish. reason: of the editor.

    decided_by: None for an owner. waiting_since: since when the oldest of the decided submissions and prices waited.

    details: of a merge, what `catalog.services.merging` needs to bring it back: `loser`, `absorbed` (ids of depots that
    the loser had absorbed before), `open_submissions`, `closed_submissions` (ids, by their state at the merge) and
    `followers` (ids of the rows of `FOLLOWERS`, by the name of their handler).

    undone_at, undone_by: when the decision was undone; `undoing` is the decision that did so.
    """

    class Kind(models.TextChoices):
        VERIFY = "verify", "sprawdzenie"
        EDIT = "edit", "zmiana danych"
        ADD = "add", "dodanie wpisu"
        PUBLISH = "publish", "publikacja lub przywrócenie"
        REMOVE = "remove", "usunięcie"
        MERGE = "merge", "scalenie"
        DISTINCT = "distinct", "rozróżnienie składów"
        SUBMISSION = "submission", "zgłoszenie"
        PRICES = "prices", "ceny"
        PRICE_LIST = "price_list", "cennik z pliku"
        DRAFT = "draft", "szkic"
        VOIVODESHIP = "voivodeship", "województwo"
        OWNER = "owner", "zmiana właściciela"
        UNDO = "undo", "cofnięcie decyzji"

    kind = models.CharField("rodzaj", max_length=12, choices=Kind.choices)
    title = models.CharField("co zdecydowano", max_length=300)
    reason = models.CharField("powód", max_length=500, blank=True)
    decided_at = models.DateTimeField("kiedy")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="kto", related_name="+"
    )
    waiting_since = models.DateTimeField("czekało od", null=True, blank=True)
    details = models.JSONField("szczegóły", default=dict, blank=True)
    undone_at = models.DateTimeField("cofnięto", null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="cofnął", related_name="+"
    )
    undoing = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, verbose_name="cofnięta decyzją", related_name="undone"
    )

    objects = DecisionQuerySet.as_manager()

    class Meta:
        verbose_name = "decyzja"
        verbose_name_plural = "dziennik decyzji"
        indexes = (
            models.Index(fields=["-decided_at", "-id"], name="decision_newest"),
            models.Index(fields=["decided_by", "-decided_at"], name="decision_of_a_person"),
        )
        constraints = (
            models.CheckConstraint(
                name="decision_undone_some_day",
                condition=Q(undone_at__isnull=True, undone_by__isnull=True, undoing__isnull=True)
                | Q(undone_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} (decyzja nr {self.pk})"


class DecisionLine(models.Model):
    """A row that a decision changed or concerned.

    model: "catalog.depot". key: its primary key as text. first, last: `history_id` of the first and the last history
    row that the decision wrote for it; the one before the first tells its values before. None for a row that the
    decision only concerned, or of a model without a history.
    """

    decision = models.ForeignKey(Decision, models.CASCADE, verbose_name="decyzja", related_name="lines")
    model = models.CharField("tabela", max_length=60)
    key = models.CharField("klucz", max_length=60)
    first = models.BigIntegerField("pierwszy wiersz historii", null=True)
    last = models.BigIntegerField("ostatni wiersz historii", null=True)

    class Meta:
        verbose_name = "wiersz decyzji"
        verbose_name_plural = "wiersze decyzji"
        indexes = (models.Index(fields=["model", "key"], name="decisionline_of_a_row"),)
        constraints = (
            models.CheckConstraint(
                name="decisionline_first_and_last",
                condition=Q(first__isnull=True, last__isnull=True) | Q(first__isnull=False, last__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} {self.key}"
