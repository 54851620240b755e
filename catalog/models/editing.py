"""What editors are working on: claimed voivodeships, and depots that they have open."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from catalog.models.depots import Depot
from catalog.models.territory import Voivodeship


class VoivodeshipClaimQuerySet(models.QuerySet["VoivodeshipClaim"]):
    """Filters on claims; the default manager hides none."""

    def standing(self) -> Self:
        """Keep claims that are not released."""
        return self.filter(released_at__isnull=True)


class VoivodeshipClaim(models.Model):
    """An editor works on a voivodeship, so that others work elsewhere. Released claims are kept as history."""

    voivodeship = models.ForeignKey(Voivodeship, models.CASCADE, verbose_name="województwo", related_name="claims")
    editor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, verbose_name="kto", related_name="+")
    taken_at = models.DateTimeField("wzięto")
    released_at = models.DateTimeField("oddano", null=True, blank=True)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="oddał", related_name="+"
    )

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
