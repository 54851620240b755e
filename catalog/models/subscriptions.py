"""Letters that readers ask for, by their address."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from catalog.depots import fuels


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    """Filters on subscriptions. The default manager hides none."""

    def confirmed(self) -> Self:
        return self.filter(confirmed_at__isnull=False)


class Subscription(models.Model):
    """Letters of one reader about the rules of a municipality, the median of a fuel in a voivodeship, or both.

    It is deleted as a whole when the reader ends it; nothing is kept of it.

    teryt: of the municipality, "" for none. fuel, voivodeship: slug and 2 digits, "" for none. Codes instead of foreign
    keys, as a municipality may be merged into another.

    email_hash, mailbox_hash, client_hash, mailed_at, links_at, letter_tried_at: as in `Submission`. confirmed_at: also
    when it was last prolonged. asked_at: when the reader was asked whether to go on.

    content: what the last letter said, or the pages on confirming; see `pages.alerts`. sent_at: of that letter.
    """

    email = models.EmailField("e-mail")
    email_hash = models.CharField("skrót adresu e-mail", max_length=64, db_index=True)
    mailbox_hash = models.CharField("skrót skrzynki", max_length=64)
    client_hash = models.CharField("skrót adresu sieciowego", max_length=64, blank=True)
    teryt = models.CharField("gmina", max_length=7, blank=True)
    fuel = models.CharField("paliwo", max_length=30, choices=fuels.CHOICES, blank=True)
    voivodeship = models.CharField("województwo", max_length=2, blank=True)
    created_at = models.DateTimeField("zamówiono")
    mailed_at = models.DateTimeField("wysłano odnośnik", null=True, blank=True)
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)
    links_at = ArrayField(models.DateTimeField(), verbose_name="kiedy wysłano odnośniki", default=list, blank=True)
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
