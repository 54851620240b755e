"""Changes that take effect only after review and approval."""

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q


class DraftQuerySet(models.QuerySet["Draft"]):
    """Filters on drafts. The default manager hides none."""

    def open(self) -> "DraftQuerySet":
        """Keep drafts that can be approved or withdrawn."""
        return self.filter(state__in=(Draft.State.PREPARED, Draft.State.WAITING))

    def waiting(self) -> "DraftQuerySet":
        """Keep drafts that wait for a second person."""
        return self.filter(state=Draft.State.WAITING)


class Draft(models.Model):
    """A change of a row that is not approved yet.

    content_type, object_id: the row; no object_id for a new one. title: subject of the change, in Polish.

    data: the submitted form fields, each a list of strings; empty for a deletion. before: stored columns of the row
    when the draft was made, to detect later changes.
    """

    class State(models.TextChoices):
        PREPARED = "prepared", "szkic"
        WAITING = "waiting", "czeka na zatwierdzenie"
        APPROVED = "approved", "wprowadzone"
        WITHDRAWN = "withdrawn", "wycofane"

    content_type = models.ForeignKey(ContentType, models.CASCADE, verbose_name="rodzaj", related_name="+")
    object_id = models.CharField("klucz", max_length=40, blank=True)
    title = models.CharField("czego dotyczy", max_length=300)
    deletion = models.BooleanField("usunięcie", default=False)
    data = models.JSONField("wpisane", default=dict)
    before = models.JSONField("stan w chwili szkicu", default=dict)
    reason = models.CharField("powód", max_length=300, blank=True)
    state = models.CharField("stan", max_length=10, choices=State.choices, default=State.PREPARED)
    drafted_at = models.DateTimeField("przygotowano")
    drafted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, verbose_name="przygotował", related_name="+"
    )
    decided_at = models.DateTimeField("zdecydowano", null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="zdecydował", related_name="+"
    )

    objects = DraftQuerySet.as_manager()

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
                name="draft_sent_with_reason",
                condition=Q(state__in=["prepared", "withdrawn"]) | ~Q(reason=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} (szkic nr {self.pk})"
