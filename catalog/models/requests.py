"""What strangers ask for: to correct, claim, delete or add an entry, or to note a price. Nothing of it is public."""

from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from catalog.models.depots import Depot


class DepotRequestQuerySet(models.QuerySet["DepotRequest"]):
    """Filters on requests; the default manager hides none."""

    def waiting(self) -> Self:
        """Keep what an editor has to decide."""
        return self.filter(state=DepotRequest.State.WAITING)

    def open(self) -> Self:
        """Keep what may still change: not yet confirmed, or waiting for an editor."""
        return self.filter(state__in=DepotRequest.OPEN)

    def untold(self) -> Self:
        """Keep what was decided and its author does not know of, as long as there is an address to write to."""
        return self.filter(letter_owed=True, erased_at__isnull=True)

    def oldest_waiting_first(self) -> Self:
        """The queue: what waits, longest first; then all else, newest first."""
        waiting = models.Case(
            models.When(state=DepotRequest.State.WAITING, then=models.Value(0)), default=models.Value(1)
        )
        since = models.Case(models.When(state=DepotRequest.State.WAITING, then="confirmed_at"))
        return self.order_by(waiting, since, "-created_at", "-pk")


class DepotRequest(models.Model):
    """One request of a stranger. It counts only once its author has confirmed it by the link in the e-mail.

    subject: what tells two requests of one author, entry and kind apart: the fuel of a price, the folded name and
    place of a missing depot; "" elsewhere.
    proposed: for a price the quote, else wanted values by name of `Depot.PUBLIC_FIELDS`, of changed fields only.
    stored: the values of the same fields when the request was made, so that a later change is seen.
    email_hash, mailbox_hash, client_hash: keyed hashes, made by `catalog.requests.secrecy`, of the author's address, of
    the mailbox that it leads to and of the network. The first tells authors apart, the others count against limits.
    token_hash: of the link that was sent last. links_at: when links were sent, oldest first, as long as limits count
    them; a letter that did not leave is not among them, though `mails_sent` counts it.
    erased_at: since when nothing personal is left.
    decided_at: when it was closed, by an editor (`decided_by`) or by the course of things.
    letter_owed: whether the letter about that has not left yet.
    """

    class Kind(models.TextChoices):
        CORRECT = "correct", "poprawka"
        CLAIM = "claim", "przejęcie wpisu"
        DELETE = "delete", "usunięcie wpisu"
        ADD = "add", "brakujący skład"
        PRICE = "price", "cena"

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed", "e-mail niepotwierdzony"
        WAITING = "waiting", "czeka na decyzję"
        ACCEPTED = "accepted", "przyjęte"
        REJECTED = "rejected", "odrzucone"
        SUPERSEDED = "superseded", "nieaktualne"
        PASSED_ON = "passed_on", "przekazane do kolejki cen"

    class Role(models.TextChoices):
        OWNER = "owner", "właściciel lub wspólnik"
        EMPLOYEE = "employee", "pracownik"
        READER = "reader", "klient lub czytelnik"

    OPEN = (State.UNCONFIRMED, State.WAITING)

    depot = models.ForeignKey(
        Depot, models.CASCADE, null=True, blank=True, verbose_name="skład", related_name="requests"
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
    links_at = ArrayField(
        models.DateTimeField(), verbose_name="kiedy wysłano odnośniki", default=list, db_default=[], blank=True
    )
    confirmed_at = models.DateTimeField("potwierdzono", null=True, blank=True)
    decided_at = models.DateTimeField("zamknięto", null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="zdecydował", related_name="+"
    )
    accepted_fields = ArrayField(
        models.CharField(max_length=30), verbose_name="przyjęte pola", default=list, blank=True
    )
    reason = models.CharField("powód odrzucenia", max_length=500, blank=True)
    letter_owed = models.BooleanField("list o decyzji nie wyszedł", default=False, db_default=False)
    erased_at = models.DateTimeField("dane osobowe usunięto", null=True, blank=True)

    objects = DepotRequestQuerySet.as_manager()

    class Meta:
        verbose_name = "zgłoszenie"
        verbose_name_plural = "zgłoszenia"
        indexes = (
            models.Index(fields=["confirmed_at"], name="depotrequest_waiting", condition=Q(state="waiting")),
            models.Index(fields=["client_hash", "created_at"], name="depotrequest_of_a_client"),
            models.Index(fields=["mailbox_hash", "created_at"], name="depotrequest_of_a_mailbox"),
            models.Index(fields=["depot", "created_at"], name="depotrequest_of_a_depot"),
            models.Index(fields=["decided_at"], name="depotrequest_to_erase", condition=Q(erased_at__isnull=True)),
            models.Index(fields=["decided_at"], name="depotrequest_untold", condition=Q(letter_owed=True)),
        )
        constraints = (
            models.UniqueConstraint(
                name="depotrequest_one_waiting",
                # Corrections add up, so that one never stands for another. Before the link in the e-mail is used a
                # request may be anybody's who knows the address, and must not stand in the way of its owner.
                fields=["depot", "kind", "subject", "email_hash"],
                condition=Q(state="waiting", kind__in=["claim", "delete", "add"]),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="depotrequest_decided_by_somebody_some_day",
                condition=Q(state__in=["accepted", "rejected"], decided_at__isnull=False, decided_by__isnull=False)
                | Q(state__in=["superseded", "passed_on"], decided_at__isnull=False, decided_by__isnull=True)
                | Q(state__in=["unconfirmed", "waiting"], decided_at__isnull=True, decided_by__isnull=True),
            ),
            models.CheckConstraint(
                name="depotrequest_counts_once_confirmed",
                condition=Q(state="unconfirmed", confirmed_at__isnull=True)
                | Q(state__in=["waiting", "accepted", "rejected", "passed_on"], confirmed_at__isnull=False)
                | Q(state="superseded"),
            ),
            models.CheckConstraint(
                name="depotrequest_rejected_with_reason",
                condition=(Q(state="rejected") & ~Q(reason="")) | (~Q(state="rejected") & Q(reason="")),
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
                    state__in=["accepted", "rejected", "superseded", "passed_on"],
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
