"""Submissions of readers and owners, never public; questions of editors to their authors; reports of closed depots."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Substr

from catalog.models.depots import Depot, person


def sent_moments(**options: Any) -> "ArrayField[list[datetime], list[datetime]]":
    """Return the column of when letters were sent, oldest first, as long as limits count them."""
    moments = models.DateTimeField()
    label = "kiedy wysłano odnośniki"
    return ArrayField(moments, verbose_name=label, default=list, blank=True, db_column="links_at", **options)


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def waiting(self) -> Self:
        return self.filter(state=Submission.State.WAITING)

    def undecided(self) -> Self:
        """Keep submissions that an editor has yet to decide, prices in their queue included."""
        state = Submission.State
        return self.filter(Q(state=state.WAITING) | Q(state=state.PASSED_ON, answered_at__isnull=True))

    def of_visits(self, numbers: Collection[int]) -> Self:
        """Keep submissions and those that were sent together with them."""
        return self.filter(Q(pk__in=numbers) | Q(visit__in=numbers))

    def open(self) -> Self:
        """Keep submissions that may still change: unconfirmed or waiting."""
        return self.filter(state__in=Submission.OPEN)

    def unnotified(self) -> Self:
        """Keep decided submissions whose author was not notified, unless their address is erased."""
        return self.filter(notification_pending=True, erased_at__isnull=True)

    def left_behind(self, on: datetime) -> Self:
        """Keep the unnotified ones but those decided within the last minute, whose letters are about to leave."""
        just_now = on - timedelta(minutes=1)
        return self.unnotified().exclude(Q(decided_at__gt=just_now) | Q(answered_at__gt=just_now))

    def oldest_waiting_first(self, *before: Any) -> Self:
        """Order waiting ones first, longest waiting first; then the others, newest first. before: comes first."""
        waiting = models.Case(
            models.When(state=Submission.State.WAITING, then=models.Value(0)), default=models.Value(1)
        )
        since = models.Case(models.When(state=Submission.State.WAITING, then="confirmed_at"))
        return self.order_by(*before, waiting, since, "-created_at", "-pk")


class Submission(models.Model):
    """A submission of a reader or owner. It counts once its author confirms it by the link in the e-mail.

    subject: what distinguishes it from others of the same author, depot and kind: fuels of prices, name and place of a
    missing depot; else "". proposed: for prices `prices` (inputs), `refused` (at confirmation), `outcomes` and those of
    the last letter (`told`); else the wanted values of changed fields, by names of `Depot.PUBLIC_FIELDS`. stored: the
    values at submission.

    email_hash, mailbox_hash, client_hash: keyed hashes (`catalog.submissions.tokens`). The first identifies the author,
    the others, of mailbox and network, count against limits. token_hash: of the last link. mailed_at: None while it is
    still to be sent. letters_at: when letters were sent, oldest first, as long as limits count them or it is
    unconfirmed. letter_tried_at: None once it has left; meanwhile `letters_at` has the same moment, unless the letter
    could not be sent.

    expiry_letter_at: when the author was warned of deletion. decided_at: when it was closed, by whomever. reason: of a
    rejection, or of omitted fields. answered_at: when the last of its prices was decided. owner_told_at: when the last
    owner was told of a claim or deletion; owners_told: ids of links of those told. objected_at, objection: the answer.
    notification_pending, reopening_pending: letters about the decision, and its undoing, still to be sent. visit: the
    submission that carries the link of the same form, None for that one.
    """

    class Kind(models.TextChoices):
        CORRECT = "correct", "poprawka"
        CLAIM = "claim", "przejęcie wpisu"
        DELETE = "delete", "usunięcie wpisu"
        ADD = "add", "brakujący skład"
        PRICE = "price", "cena"
        RESTORE = "restore", "przywrócenie wpisu"

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed", "e-mail niepotwierdzony"
        WAITING = "waiting", "czeka na decyzję"
        ACCEPTED = "accepted", "przyjęte"
        REJECTED = "rejected", "odrzucone"
        SUPERSEDED = "superseded", "nieaktualne"
        PASSED_ON = "passed_on", "przekazane do kolejki cen"
        WITHDRAWN = "withdrawn", "wycofane przez autora"

    class Role(models.TextChoices):
        OWNER = "owner", "właściciel lub wspólnik"
        EMPLOYEE = "employee", "pracownik"
        READER = "reader", "klient lub czytelnik"

    OPEN = (State.UNCONFIRMED, State.WAITING)
    VOIVODESHIP = Coalesce("depot__municipality__voivodeship", Substr(KT("proposed__municipality"), 1, 2))
    """Code of the voivodeship of the entry, or of the proposed depot."""

    depot = models.ForeignKey(
        Depot, models.CASCADE, null=True, blank=True, verbose_name="skład", related_name="submissions"
    )
    # Unconfirmed submissions of a visit are deleted together; confirmed ones are closed one by one.
    visit = models.ForeignKey(
        "self",
        models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        verbose_name="wysłane razem z",
        related_name="companions",
    )
    kind = models.CharField("rodzaj", max_length=10, choices=Kind.choices)
    state = models.CharField("stan", max_length=12, choices=State.choices, default=State.UNCONFIRMED)
    subject = models.CharField("czego dotyczy", max_length=330, blank=True)
    proposed = models.JSONField("proponowane", default=dict, blank=True)
    stored = models.JSONField("zapisane w chwili zgłoszenia", default=dict, blank=True)
    message = models.TextField("wiadomość", max_length=2000, blank=True)

    email = models.EmailField("e-mail", blank=True)
    email_hash = models.CharField("skrót adresu e-mail", max_length=64, blank=True)
    claimant_role = models.CharField("kim jest zgłaszający", max_length=10, choices=Role.choices, blank=True)
    claimant_nip = models.CharField("NIP zgłaszającego", max_length=10, blank=True)
    claimant_phone = models.CharField("telefon zgłaszającego", max_length=120, blank=True)
    mailbox_hash = models.CharField("skrót skrzynki", max_length=64, blank=True, default="", db_default="")
    client_hash = models.CharField("skrót adresu sieciowego", max_length=64, blank=True)
    token_hash = models.CharField("skrót odnośnika", max_length=64, blank=True)

    created_at = models.DateTimeField("zgłoszono")
    mailed_at = models.DateTimeField("wysłano odnośnik", null=True, blank=True)
    mails_sent = models.PositiveSmallIntegerField("wysłane odnośniki", default=0)
    letters_at = sent_moments(db_default=[])
    confirmed_at = models.DateTimeField("potwierdzono", null=True, blank=True)
    decided_at = models.DateTimeField("zamknięto", null=True, blank=True)
    decided_by = person("zdecydował", null=True, blank=True)
    accepted_fields = ArrayField(
        models.CharField(max_length=30), verbose_name="przyjęte pola", default=list, blank=True
    )
    reason = models.CharField("powód odrzucenia", max_length=500, blank=True)
    answered_at = models.DateTimeField("zdecydowano o cenach", null=True, blank=True)
    notification_pending = models.BooleanField(
        "list o decyzji nie wyszedł", default=False, db_default=False, db_column="letter_owed"
    )
    reopening_pending = models.BooleanField("list o cofnięciu decyzji nie wyszedł", default=False, db_default=False)
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania listu", null=True, blank=True)
    owner_told_at = models.DateTimeField("napisano do właściciela wpisu", null=True, blank=True)
    owners_told = ArrayField(
        models.BigIntegerField(), verbose_name="powiadomieni właściciele", default=list, blank=True, db_default=[]
    )
    objected_at = models.DateTimeField("sprzeciw właściciela wpisu", null=True, blank=True)
    objection = models.TextField("treść sprzeciwu", max_length=2000, blank=True, default="", db_default="")
    expiry_letter_at = models.DateTimeField("uprzedzono o usunięciu", null=True, blank=True)
    erased_at = models.DateTimeField("dane osobowe usunięto", null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        db_table = "catalog_depotrequest"
        verbose_name = "zgłoszenie"
        verbose_name_plural = "zgłoszenia"
        indexes = (
            models.Index(fields=["confirmed_at"], name="depotrequest_waiting", condition=Q(state="waiting")),
            models.Index(fields=["client_hash", "created_at"], name="depotrequest_of_a_client"),
            models.Index(fields=["mailbox_hash", "created_at"], name="depotrequest_of_a_mailbox"),
            models.Index(fields=["depot", "created_at"], name="depotrequest_of_a_depot"),
            models.Index(fields=["decided_at"], name="depotrequest_to_erase", condition=Q(erased_at__isnull=True)),
            models.Index(fields=["decided_at"], name="depotrequest_untold", condition=Q(notification_pending=True)),
        )
        constraints = (
            models.UniqueConstraint(
                name="depotrequest_one_waiting",
                # Corrections accumulate, so none replaces another. Unconfirmed submissions are not constrained: anybody
                # who knows the address could send one, which must not block its owner.
                fields=["depot", "kind", "subject", "email_hash"],
                condition=Q(state="waiting", kind__in=["claim", "delete", "add"]),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="depotrequest_decided_by_somebody_some_day",
                condition=Q(state__in=["accepted", "rejected"], decided_at__isnull=False, decided_by__isnull=False)
                | Q(
                    state__in=["superseded", "withdrawn", "passed_on"],
                    decided_at__isnull=False,
                    decided_by__isnull=True,
                )
                | Q(state__in=["unconfirmed", "waiting"], decided_at__isnull=True, decided_by__isnull=True),
            ),
            models.CheckConstraint(
                name="depotrequest_counts_once_confirmed",
                condition=Q(state="unconfirmed", confirmed_at__isnull=True)
                | Q(state__in=["waiting", "accepted", "rejected", "passed_on"], confirmed_at__isnull=False)
                | Q(state__in=["superseded", "withdrawn"]),
            ),
            models.CheckConstraint(
                name="depotrequest_rejected_with_reason",
                condition=(Q(state="rejected") & ~Q(reason=""))
                | Q(state="accepted")
                | (~Q(state__in=["rejected", "accepted"]) & Q(reason="")),
            ),
            models.CheckConstraint(
                name="depotrequest_of_a_depot_or_a_new_one",
                condition=(~Q(kind="add") & Q(depot__isnull=False))
                | (Q(kind="add") & (Q(depot__isnull=True) | Q(state="accepted"))),
            ),
            models.CheckConstraint(
                name="depotrequest_price_is_passed_on",
                condition=(Q(kind="price") & ~Q(state__in=["waiting", "accepted", "rejected"]))
                | (~Q(kind="price") & ~Q(state="passed_on")),
            ),
            models.CheckConstraint(
                name="depotrequest_erased_whole",
                condition=(Q(erased_at__isnull=True) & ~Q(email="") & ~Q(email_hash=""))
                | Q(
                    state__in=["accepted", "rejected", "superseded", "withdrawn", "passed_on"],
                    erased_at__isnull=False,
                    email="",
                    email_hash="",
                    mailbox_hash="",
                    client_hash="",
                    message="",
                    claimant_nip="",
                    claimant_phone="",
                ),
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} (#{self.pk})"

    @property
    def visit_number(self) -> int:
        """Number of the submission whose link is that of its visit; authors know the visit by it."""
        return self.visit_id or self.pk

    @property
    def is_undecided(self) -> bool:
        """Whether `undecided` keeps it."""
        return self.state == self.State.WAITING or (self.state == self.State.PASSED_ON and self.answered_at is None)


class SubmissionQuestionQuerySet(models.QuerySet["SubmissionQuestion"]):
    def open(self) -> Self:
        return self.filter(answered_at__isnull=True, submission__in=Submission.objects.undecided())

    def answered(self) -> Self:
        """Keep answered questions whose submission is undecided and has no open question."""
        undecided = self.filter(answered_at__isnull=False, submission__in=Submission.objects.undecided())
        return undecided.exclude(submission__in=SubmissionQuestion.objects.open().values("submission"))


class SubmissionQuestion(models.Model):
    """A question to the author of an undecided submission, at most one open; sent_at: None while its letter waits."""

    submission = models.ForeignKey(Submission, models.CASCADE, verbose_name="zgłoszenie", related_name="questions")
    text = models.TextField("pytanie", max_length=1000)
    asked_at = models.DateTimeField("zapytano")
    asked_by = person("zapytał")
    sent_at = models.DateTimeField("wysłano", null=True, blank=True)
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)
    answer = models.TextField("odpowiedź", max_length=2000, blank=True)
    answered_at = models.DateTimeField("odpowiedziano", null=True, blank=True)

    objects = SubmissionQuestionQuerySet.as_manager()

    class Meta:
        verbose_name = "pytanie do autora"
        verbose_name_plural = "pytania do autorów"
        constraints = (
            models.UniqueConstraint(
                name="submissionquestion_one_open", fields=["submission"], condition=Q(answered_at__isnull=True)
            ),
            models.CheckConstraint(
                name="submissionquestion_answered_some_day",
                condition=Q(answered_at__isnull=True, answer="") | (Q(answered_at__isnull=False) & ~Q(answer="")),
            ),
        )

    def __str__(self) -> str:
        return f"pytanie nr {self.pk}"


class GoneReport(models.Model):
    """A report that a depot is gone, for editors. email: "" for none. client_hash: keyed hash of the network."""

    class Reason(models.TextChoices):
        CLOSED = "closed", "zamknięto go na stałe"
        MOVED = "moved", "przeniósł się"
        NEVER = "never", "nigdy go tu nie było"
        NO_FUEL = "no_fuel", "nie sprzedaje opału"

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="gone_reports")
    reason = models.CharField("powód", max_length=10, choices=Reason.choices)
    email = models.EmailField("e-mail", blank=True)
    client_hash = models.CharField("skrót adresu sieciowego", max_length=64)
    created_at = models.DateTimeField("zgłoszono", db_index=True)

    class Meta:
        verbose_name = "zgłoszenie, że składu nie ma"
        verbose_name_plural = "zgłoszenia, że składu nie ma"
        constraints = (models.UniqueConstraint(name="gonereport_once_a_network", fields=["depot", "client_hash"]),)

    def __str__(self) -> str:
        return f"#{self.depot_id}: {self.reason}"
