"""Questions of editors to the authors of submissions before the decision."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from catalog.models.submissions import Submission


class SubmissionQuestionQuerySet(models.QuerySet["SubmissionQuestion"]):
    """Filters on questions; the default manager hides none."""

    def open(self) -> Self:
        """Keep unanswered questions whose submission is undecided."""
        return self.filter(answered_at__isnull=True, submission__in=Submission.objects.undecided())

    def answered(self) -> Self:
        """Keep answered questions whose submission is undecided and has no open question."""
        undecided = self.filter(answered_at__isnull=False, submission__in=Submission.objects.undecided())
        return undecided.exclude(submission__in=SubmissionQuestion.objects.open().values("submission"))

    def unsent(self) -> Self:
        """Keep open questions whose letter is pending."""
        return self.open().filter(sent_at__isnull=True)


class SubmissionQuestion(models.Model):
    """A question to the author of an undecided submission, with the answer. At most one question of it is open.

    Deleted when the personal data of the submission are erased. sent_at: when the letter was sent, None while pending.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, verbose_name="zgłoszenie", related_name="questions")
    text = models.TextField("pytanie", max_length=1000)
    asked_at = models.DateTimeField("zapytano")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, verbose_name="zapytał", related_name="+")
    sent_at = models.DateTimeField("wysłano", null=True, blank=True)
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
