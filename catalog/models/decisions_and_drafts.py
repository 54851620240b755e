"""What editors do: decisions with their lines, drafts, comments, claims of voivodeships, open depots, daily letters."""

from typing import Self

from django.conf import settings
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q

from catalog.models.depots import Depot, person
from catalog.models.submissions import Submission
from catalog.models.territory_and_datasets import Voivodeship


class DecisionQuerySet(models.QuerySet["Decision"]):
    def about(self, row: models.Model) -> Self:
        lines = DecisionLine.objects.filter(model=row._meta.label_lower, key=str(row.pk))
        return self.filter(Exists(lines.filter(decision=OuterRef("pk"))))


class Decision(models.Model):
    """A decision of an editor, or a change that an owner made by the link, about one row or thousands.

    title: what was decided, in Polish. reason: of the editor.

    decided_by: None for an owner. waiting_since: since when the oldest of the decided submissions and prices waited.

    details: of a merge, what `catalog.services.merging` needs to bring it back: `loser`, `absorbed` (ids of depots that
    the loser had absorbed before), `open_submissions`, `closed_submissions` (ids, by their state after it) and
    `followers` (ids of the rows of `FOLLOWERS`, by the name of their handler); of an owner's change `links` (ids of the
    owners' links whose addresses are told, and can undo it); of accepted claims `replaced` (by id of an owner's link
    that had ended, and works again, when it had).

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
    decided_by = person("kto", null=True, blank=True)
    waiting_since = models.DateTimeField("czekało od", null=True, blank=True)
    details = models.JSONField("szczegóły", default=dict, blank=True)
    undone_at = models.DateTimeField("cofnięto", null=True, blank=True)
    undone_by = person("cofnął", null=True, blank=True)
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
    """A row that a decision changed or concerned, such as "catalog.depot" and its primary key as text.

    first, last: `history_id` of what the decision wrote for it; the line before the first tells its values before. None
    for a row that it only concerned, or of a model without a history.

    vouches: fields of a depot that a person set or checked by the decision, also if they had that value: some of
    `Depot.PUBLIC_FIELDS`, all of `Depot.CHECKED`, or `Depot.NOBODY`. Emptied once the decision is undone, unless the
    depot stays as it is.
    """

    decision = models.ForeignKey(Decision, models.CASCADE, verbose_name="decyzja", related_name="lines")
    model = models.CharField("tabela", max_length=60)
    key = models.CharField("klucz", max_length=60)
    first = models.BigIntegerField("pierwszy wiersz historii", null=True)
    last = models.BigIntegerField("ostatni wiersz historii", null=True)
    vouches = ArrayField(models.CharField(max_length=30), verbose_name="ręczy za", default=list, db_default=[])

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


class Draft(models.Model):
    """A change of a row that is not approved yet. object_id: "" for a new one. title: in Polish.

    data: form fields, each a list of strings; empty for a deletion. before: stored columns, to detect later changes.
    """

    class State(models.TextChoices):
        PREPARED = "prepared", "szkic"
        WAITING = "waiting", "czeka na zatwierdzenie"
        APPROVED = "approved", "wprowadzone"
        WITHDRAWN = "withdrawn", "wycofane"

    OPEN = (State.PREPARED, State.WAITING)

    content_type = models.ForeignKey(ContentType, models.CASCADE, verbose_name="rodzaj", related_name="+")
    object_id = models.CharField("klucz", max_length=40, blank=True)
    title = models.CharField("czego dotyczy", max_length=300)
    deletion = models.BooleanField("usunięcie", default=False)
    data = models.JSONField("wpisane", default=dict)
    before = models.JSONField("stan w chwili szkicu", default=dict)
    reason = models.CharField("powód", max_length=300, blank=True)
    state = models.CharField("stan", max_length=10, choices=State.choices, default=State.PREPARED)
    drafted_at = models.DateTimeField("przygotowano")
    drafted_by = person("przygotował")
    decided_at = models.DateTimeField("zdecydowano", null=True, blank=True)
    decided_by = person("zdecydował", null=True, blank=True)

    class Meta:
        verbose_name = "szkic zmiany"
        verbose_name_plural = "szkice zmian"
        constraints = (
            models.CheckConstraint(
                name="draft_decided_by_somebody_some_day",
                condition=Q(state__in=["prepared", "waiting"], decided_at__isnull=True, decided_by__isnull=True)
                | Q(state__in=["approved", "withdrawn"], decided_at__isnull=False, decided_by__isnull=False),
            ),
            models.CheckConstraint(
                name="draft_sent_with_reason", condition=Q(state__in=["prepared", "withdrawn"]) | ~Q(reason="")
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} (szkic nr {self.pk})"

    @property
    @admin.display(description="stan", ordering="state")
    def state_in_words(self) -> str:
        """The state, "odrzucone" for a draft that another than its author withdrew."""
        is_rejected = self.state == self.State.WITHDRAWN and self.decided_by_id != self.drafted_by_id
        return "odrzucone" if is_rejected else self.get_state_display()


class VoivodeshipClaimQuerySet(models.QuerySet["VoivodeshipClaim"]):
    def standing(self) -> Self:
        return self.filter(released_at__isnull=True)


class VoivodeshipClaim(models.Model):
    """An editor works on a voivodeship, so that others work elsewhere. Released claims are kept as history."""

    voivodeship = models.ForeignKey(Voivodeship, models.CASCADE, verbose_name="województwo", related_name="claims")
    editor = person("kto")
    taken_at = models.DateTimeField("wzięto")
    released_at = models.DateTimeField("oddano", null=True, blank=True)
    released_by = person("oddał", null=True, blank=True)

    objects = VoivodeshipClaimQuerySet.as_manager()

    class Meta:
        verbose_name = "wzięte województwo"
        verbose_name_plural = "wzięte województwa"
        constraints = (
            models.UniqueConstraint(
                name="voivodeshipclaim_one_editor", fields=["voivodeship"], condition=Q(released_at__isnull=True)
            ),
            models.CheckConstraint(
                name="voivodeshipclaim_released_by_somebody",
                condition=Q(released_at__isnull=True, released_by__isnull=True)
                | Q(released_at__isnull=False, released_by__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.voivodeship_id}: {self.editor_id}"


class DepotViewer(models.Model):
    """An editor who has the page of a depot open. seen_at: the last signal of the page, sent every 30 seconds."""

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name="redaktor", related_name="+")
    seen_at = models.DateTimeField("ostatnio", db_index=True)

    class Meta:
        verbose_name = "otwarty wpis"
        verbose_name_plural = "otwarte wpisy"
        constraints = (models.UniqueConstraint(name="depotviewer_once", fields=["depot", "user"]),)

    def __str__(self) -> str:
        return f"#{self.depot_id}: {self.user_id}"


class CaseComment(models.Model):
    """What an editor leaves for the others about one case: a depot, a submission of a new depot, or a draft."""

    depot = models.ForeignKey(Depot, models.CASCADE, null=True, verbose_name="skład", related_name="comments")
    submission = models.ForeignKey(
        Submission, models.CASCADE, null=True, verbose_name="zgłoszenie", related_name="comments"
    )
    draft = models.ForeignKey(Draft, models.CASCADE, null=True, verbose_name="szkic", related_name="comments")
    text = models.CharField("komentarz", max_length=1000)
    written_at = models.DateTimeField("kiedy")
    written_by = person("kto")

    class Meta:
        verbose_name = "komentarz redakcji"
        verbose_name_plural = "komentarze redakcji"
        constraints = (
            models.CheckConstraint(
                name="casecomment_of_one_case",
                condition=Q(depot__isnull=False, submission__isnull=True, draft__isnull=True)
                | Q(depot__isnull=True, submission__isnull=False, draft__isnull=True)
                | Q(depot__isnull=True, submission__isnull=True, draft__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"komentarz nr {self.pk}"


class DailyLetter(models.Model):
    """An editor wants a letter each day that something waits. sent_on: the day of the last one."""

    editor = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, verbose_name="redaktor", related_name="daily_letter"
    )
    sent_on = models.DateField("ostatni list", null=True, blank=True)

    class Meta:
        verbose_name = "codzienny list"
        verbose_name_plural = "codzienne listy"

    def __str__(self) -> str:
        return f"codzienny list nr {self.pk}"
