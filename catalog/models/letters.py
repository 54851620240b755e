"""Letters that no other row waits for: to owners and editors, by their address."""

from django.db import models

from catalog.models.depots import Depot


class PendingLetter(models.Model):
    """A letter to an owner or an editor that has not left yet; deleted with its address once it has.

    A new link is requested for any address, so that the request costs the same for all: one of an owner is found when
    the letter leaves, see `catalog.submissions.letter_kinds`.

    depot: of an owner. letter_tried_at: as in `Submission`.
    """

    class Kind(models.TextChoices):
        OWNER_LINK = "owner_link", "nowy odnośnik właściciela"
        OWNER_REPLACED = "owner_replaced", "koniec odnośnika właściciela"
        OWNER_RESTORED = "owner_restored", "powrót odnośnika właściciela"
        PASSWORD = "password", "odnośnik do hasła"
        INVITATION = "invitation", "zaproszenie do redakcji"

    kind = models.CharField("rodzaj", max_length=20, choices=Kind.choices)
    email = models.EmailField("e-mail")
    depot = models.ForeignKey(Depot, models.CASCADE, null=True, blank=True, verbose_name="skład", related_name="+")
    requested_at = models.DateTimeField("zamówiono")
    letter_tried_at = models.DateTimeField("ostatnia próba wysłania", null=True, blank=True)

    class Meta:
        verbose_name = "list do wysłania"
        verbose_name_plural = "listy do wysłania"

    def __str__(self) -> str:
        return f"list nr {self.pk}"
