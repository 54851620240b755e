"""Reports of readers that a depot is gone: evidence for editors."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from catalog.models.depots import Depot


class GoneReportQuerySet(models.QuerySet["GoneReport"]):
    """Filters on reports. The default manager hides none."""

    def open(self) -> Self:
        """Keep reports that no editor has answered: later than the day on which the depot was last verified."""
        verified = F("depot__verified_at")
        return self.filter(Q(depot__verified_at__isnull=True) | Q(created_at__date__gt=verified))


class GoneReport(models.Model):
    """A report that a depot is gone. It never changes the depot: an editor verifies or removes it.

    email: "" where the reader gave none, as most do; deleted with the report.

    client_hash: keyed hash of the network, see `catalog.submissions.tokens`, to tell one reader from several.
    """

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

    objects = GoneReportQuerySet.as_manager()

    class Meta:
        verbose_name = "zgłoszenie, że składu nie ma"
        verbose_name_plural = "zgłoszenia, że składu nie ma"
        constraints = (models.UniqueConstraint(name="gonereport_once_a_network", fields=["depot", "client_hash"]),)

    def __str__(self) -> str:
        return f"#{self.depot_id}: {self.reason}"
