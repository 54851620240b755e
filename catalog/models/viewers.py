"""Editors who have a depot open at the desk."""

from django.conf import settings
from django.db import models

from catalog.models.depots import Depot


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
