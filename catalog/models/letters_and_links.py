"""Letters that wait, the permanent links of owners with the changes made by them, and letters that readers ask for."""

from typing import Self

from django.db import models
from django.db.models import Q

from catalog.depots import fuels
from catalog.models.decisions_and_drafts import Decision
from catalog.models.depots import Depot, person
from catalog.models.submissions import sent_moments
from catalog.text import masked_address


class PendingLetter(models.Model):
    """A letter to an owner or an editor that has not left yet; deleted with its address once it has.

    One for any address, so that a request costs the same for all. depot: of an owner. decision: the first of the
    owner's changes that the letter tells of. letter_tried_at: as in `Submission`.
    """

    class Kind(models.TextChoices):
        OWNER_LINK = "owner_link", "nowy odnośnik właściciela"
        OWNER_REPLACED = "owner_replaced", "koniec odnośnika właściciela"
        OWNER_RESTORED = "owner_restored", "powrót odnośnika właściciela"
        OWNER_CHANGED = "owner_changed", "zmiana odnośnikiem właściciela"
        PASSWORD = "password", "odnośnik do hasła"
        INVITATION = "invitation", "zaproszenie do redakcji"

    kind = models.CharField("rodzaj", max_length=20, choices=Kind.choices)
    email = models.EmailField("e-mail")
    depot = models.ForeignKey(Depot, models.CASCADE, null=True, blank=True, verbose_name="skład", related_name="+")
    decision = models.ForeignKey(
        Decision, models.CASCADE, null=True, blank=True, verbose_name="zmiana", related_name="+"
    )
    requested_at = models.DateTimeField("zamówiono")
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)

    class Meta:
        verbose_name = "list do wysłania"
        verbose_name_plural = "listy do wysłania"

    def __str__(self) -> str:
        return f"list nr {self.pk}"


class OwnerLinkQuerySet(models.QuerySet["OwnerLink"]):
    def in_force(self) -> Self:
        """Keep links neither revoked nor replaced."""
        return self.filter(revoked_at__isnull=True, replaced_at__isnull=True)

    def working(self) -> Self:
        """Keep links in force of depots that are published and confirmed by their owner."""
        return self.in_force().filter(OwnerLink.OWNED)


class OwnerLink(models.Model):
    """A permanent link by which one owner updates hours and prices of one depot. Addresses as in `Submission`.

    serial: of the valid link; renewing it invalidates the former one. letters_at: for the limits. used_at: the last
    change. replaced_at: when another owner's claim ended it; its data are kept for some days, in case that is undone.
    loss_told_at: when its owner was told that its depot was removed or no longer counts as the owner's, None once told
    that it is back. letter_tried_at: of that letter, as in `Submission`.
    """

    OWNED = Q(depot__publication=Depot.Publication.PUBLISHED, depot__data_status=Depot.DataStatus.OWNER)
    """Of depots that are published and confirmed by their owner."""

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="owner_links")
    email = models.EmailField("e-mail", blank=True)
    email_hash = models.CharField("skrót adresu e-mail", max_length=64, blank=True)
    mailbox_hash = models.CharField("skrót skrzynki", max_length=64, blank=True)
    serial = models.PositiveIntegerField("numer odnośnika", default=1)
    letters_at = sent_moments()
    granted_at = models.DateTimeField("przyznano")
    used_at = models.DateTimeField("ostatnia zmiana", null=True, blank=True)
    replaced_at = models.DateTimeField("zastąpiono", null=True, blank=True)
    loss_told_at = models.DateTimeField("powiadomiono o utracie wpisu", null=True, blank=True)
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)
    revoked_at = models.DateTimeField("odwołano", null=True, blank=True)

    objects = OwnerLinkQuerySet.as_manager()

    class Meta:
        verbose_name = "odnośnik właściciela"
        verbose_name_plural = "odnośniki właścicieli"
        indexes = (models.Index(fields=["mailbox_hash"], name="ownerlink_of_a_mailbox"),)
        constraints = (
            models.UniqueConstraint(
                name="ownerlink_one_of_an_address", fields=["depot", "email_hash"], condition=Q(revoked_at__isnull=True)
            ),
            models.CheckConstraint(
                name="ownerlink_revoked_without_address",
                condition=Q(revoked_at__isnull=True) & ~Q(email="") & ~Q(email_hash="")
                | Q(revoked_at__isnull=False, email="", email_hash="", mailbox_hash=""),
            ),
        )

    def __str__(self) -> str:
        return f"odnośnik nr {self.pk}"

    @property
    def masked_email(self) -> str:
        return masked_address(self.email)


class OwnerChange(models.Model):
    """A change made by an owner, already public, for review by editors. text: one line per value.

    decision: in the journal, None for older changes.
    """

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="owner_changes")
    made_at = models.DateTimeField("zmieniono")
    text = models.TextField("co się zmieniło")
    decision = models.ForeignKey(
        Decision, models.SET_NULL, null=True, blank=True, verbose_name="decyzja", related_name="owner_changes"
    )
    seen_at = models.DateTimeField("obejrzano", null=True, blank=True)
    seen_by = person("obejrzał", null=True, blank=True)

    class Meta:
        verbose_name = "zmiana właściciela"
        verbose_name_plural = "zmiany właścicieli"
        indexes = (models.Index(fields=["made_at"], name="ownerchange_unseen", condition=Q(seen_at__isnull=True)),)

    def __str__(self) -> str:
        return f"zmiana nr {self.pk}"


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def confirmed(self) -> Self:
        return self.filter(confirmed_at__isnull=False)


class Subscription(models.Model):
    """Letters of one reader about the rules of a municipality, the median of a fuel in a voivodeship, or both.

    Deleted as a whole when the reader ends it. teryt, fuel, voivodeship: codes or slug, "" for none: a municipality may
    be merged into another. Hashes and moments as in `Submission`. confirmed_at: also when prolonged. asked_at: whether
    to go on. content: what the last letter said, or the pages on confirming; see `pages.alerts`. sent_at: of that
    letter.
    """

    email = models.EmailField("e-mail")
    email_hash = models.CharField("skrót adresu e-mail", max_length=64, db_index=True)
    mailbox_hash = models.CharField("skrót skrzynki", max_length=64)
    client_hash = models.CharField("skrót adresu sieciowego", max_length=64, blank=True)
    teryt = models.CharField("gmina", max_length=7, blank=True)
    fuel = models.CharField("paliwo", max_length=30, choices=fuels.choices, blank=True)
    voivodeship = models.CharField("województwo", max_length=2, blank=True)
    created_at = models.DateTimeField("zamówiono")
    mailed_at = models.DateTimeField("wysłano odnośnik", null=True, blank=True)
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)
    letters_at = sent_moments()
    confirmed_at = models.DateTimeField("potwierdzono", null=True, blank=True)
    asked_at = models.DateTimeField("zapytano o przedłużenie", null=True, blank=True)
    content = models.JSONField("o czym już napisano", default=dict, blank=True)
    sent_at = models.DateTimeField("ostatni list", null=True, blank=True)

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        verbose_name = "powiadomienia"
        verbose_name_plural = "powiadomienia"
        constraints = (
            models.CheckConstraint(
                name="subscription_of_something",
                condition=~Q(teryt="") & Q(fuel="", voivodeship="") | ~Q(fuel="") & ~Q(voivodeship=""),
            ),
        )
        indexes = (models.Index(fields=["mailbox_hash"], name="subscription_of_a_mailbox"),)

    def __str__(self) -> str:
        return f"powiadomienia nr {self.pk}"
