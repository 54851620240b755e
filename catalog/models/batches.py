"""Decisions about many depots or prices at once, stored so that they can be undone."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class DepotBatch(models.Model):
    """A bulk decision about depots, or about prices.

    label: the action, in Polish. lines: `history_id` of the history rows that it wrote, one per depot or price.
    closed_submissions: ids of the submissions that it closed: waiting ones about removed depots, and those whose last
    price it decided.
    """

    class About(models.TextChoices):
        DEPOTS = "depots", "składy"
        PRICES = "prices", "ceny"

    about = models.CharField(
        "czego dotyczy", max_length=6, choices=About.choices, default=About.DEPOTS, db_default=About.DEPOTS
    )
    label = models.CharField("co zrobiono", max_length=100)
    reason = models.CharField("powód", max_length=300)
    decided_at = models.DateTimeField("zdecydowano")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, verbose_name="zdecydował", related_name="+"
    )
    lines = ArrayField(models.BigIntegerField(), verbose_name="wiersze historii")
    closed_submissions = ArrayField(
        models.BigIntegerField(), verbose_name="zamknięte zgłoszenia", default=list, db_column="closed_requests"
    )
    undone_at = models.DateTimeField("cofnięto", null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="cofnął", related_name="+"
    )

    class Meta:
        verbose_name = "decyzja zbiorcza"
        verbose_name_plural = "decyzje zbiorcze"
        constraints = (
            models.CheckConstraint(
                name="depotbatch_undone_by_somebody_some_day",
                condition=Q(undone_at__isnull=True, undone_by__isnull=True)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.label} (nr {self.pk})"
