"""Owners' permanent links, and the changes made by them."""

from typing import Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from catalog.models.depots import Depot


class OwnerLinkQuerySet(models.QuerySet["OwnerLink"]):
    """Filters on links. The default manager hides none."""

    def working(self) -> Self:
        """Keep links neither revoked nor replaced, of depots that are published and confirmed by their owner."""
        return self.filter(
            revoked_at__isnull=True,
            replaced_at__isnull=True,
            depot__publication=Depot.Publication.PUBLISHED,
            depot__data_status=Depot.DataStatus.OWNER,
        )


class OwnerLink(models.Model):
    """A permanent link by which one owner updates hours and prices of one depot.

    serial: of the valid link; renewing it increments the serial and invalidates the former link.

    email, email_hash, mailbox_hash: recipient of a renewed link, as in `Submission`; empty once revoked.

    links_at: when renewed links were sent, for the limits. used_at: the last change.

    replaced_at: when another owner's claim ended it; its data are kept for some days, in case that is undone.
    """

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="owner_links")
    email = models.EmailField("e-mail", blank=True)
    email_hash = models.CharField("skrót adresu e-mail", max_length=64, blank=True)
    mailbox_hash = models.CharField("skrót skrzynki", max_length=64, blank=True)
    serial = models.PositiveIntegerField("numer odnośnika", default=1)
    links_at = ArrayField(models.DateTimeField(), verbose_name="kiedy wysłano odnośniki", default=list, blank=True)
    granted_at = models.DateTimeField("przyznano")
    used_at = models.DateTimeField("ostatnia zmiana", null=True, blank=True)
    replaced_at = models.DateTimeField("zastąpiono", null=True, blank=True)
    revoked_at = models.DateTimeField("odwołano", null=True, blank=True)

    objects = OwnerLinkQuerySet.as_manager()

    class Meta:
        verbose_name = "odnośnik właściciela"
        verbose_name_plural = "odnośniki właścicieli"
        indexes = (models.Index(fields=["mailbox_hash"], name="ownerlink_of_a_mailbox"),)
        constraints = (
            models.UniqueConstraint(
                name="ownerlink_one_of_an_address",
                fields=["depot", "email_hash"],
                condition=Q(revoked_at__isnull=True),
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
        """The address with the first letter of its name only: "j…@opal.pl"."""
        name, _, domain = self.email.rpartition("@")
        return f"{name[:1]}…@{domain}"


class OwnerChange(models.Model):
    """A change made by an owner, for review by editors. It is already public.

    text: one line per value. seen_at, seen_by: the review.
    """

    depot = models.ForeignKey(Depot, models.CASCADE, verbose_name="skład", related_name="owner_changes")
    made_at = models.DateTimeField("zmieniono")
    text = models.TextField("co się zmieniło")
    seen_at = models.DateTimeField("obejrzano", null=True, blank=True)
    seen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="obejrzał", related_name="+"
    )

    class Meta:
        verbose_name = "zmiana właściciela"
        verbose_name_plural = "zmiany właścicieli"
        indexes = (models.Index(fields=["made_at"], name="ownerchange_unseen", condition=Q(seen_at__isnull=True)),)

    def __str__(self) -> str:
        return f"zmiana nr {self.pk}"
