"""Claims of editors on voivodeships: one editor at a time. A claim does not restrict other editors."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog.models import Decision, Voivodeship, VoivodeshipClaim
from catalog.services import journal
from catalog.services.refusal import Refusal


class VoivodeshipTaken(Refusal):
    """Another editor has claimed the voivodeship."""

    def __init__(self, claim: VoivodeshipClaim) -> None:
        self.reason = f"Województwo {claim.voivodeship.name} ma już {claim.editor}."
        super().__init__(claim.pk)


@transaction.atomic
def take_voivodeship(*, voivodeship: Voivodeship, by: AbstractBaseUser, on: datetime) -> VoivodeshipClaim:
    """Claim a voivodeship for an editor; idempotent. Raises VoivodeshipTaken."""
    Voivodeship.objects.select_for_update().get(pk=voivodeship.pk)  # serializes concurrent claims
    standing = (
        VoivodeshipClaim.objects.standing()
        .select_related("editor", "voivodeship")
        .filter(voivodeship=voivodeship)
        .first()
    )
    if standing is None:
        claim = VoivodeshipClaim.objects.create(voivodeship=voivodeship, editor_id=by.pk, taken_at=on)
        _record("Wzięto", claim, by, on)
        return claim
    if standing.editor_id != by.pk:
        raise VoivodeshipTaken(standing)
    return standing


@transaction.atomic
def release_voivodeship(*, claim: VoivodeshipClaim, by: AbstractBaseUser, on: datetime) -> bool:
    """Release a voivodeship. Returns False if it was released before."""
    standing = VoivodeshipClaim.objects.standing().filter(pk=claim.pk)
    if not standing.update(released_at=on, released_by_id=by.pk):
        return False
    _record("Oddano", claim, by, on)
    return True


def _record(done: str, claim: VoivodeshipClaim, by: AbstractBaseUser, on: datetime) -> None:
    title = f"{done} województwo {claim.voivodeship.name}"
    with journal.recording(Decision.Kind.VOIVODESHIP, by=by, on=on, title=title) as record:
        record.concern(VoivodeshipClaim, [claim.pk])


def claimed_codes(editor: AbstractBaseUser) -> list[str]:
    """Return the codes of the voivodeships that an editor has claimed. One query."""
    return list(VoivodeshipClaim.objects.standing().filter(editor_id=editor.pk).values_list("voivodeship", flat=True))
