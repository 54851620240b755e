"""Drafts: a change is saved, reviewed, given a reason, and approved by a second person if there is one.

The form and the admin of the row know what a change means; these services know who may decide and when.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.contenttypes.models import ContentType
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Model

from catalog.models import Decision, Draft
from catalog.services import journal
from catalog.services.refusal import Refusal

MAX_REASON = 300

BACKEND = "django.contrib.auth.backends.ModelBackend"


class DraftAlreadyDecided(Refusal):
    """The draft was approved or withdrawn before."""

    reason = "ktoś już zdecydował o tym szkicu"


class DraftNeedsReason(Refusal):
    """A draft needs a reason."""

    reason = "podaj powód zmiany"


class DraftNeedsSecondPerson(Refusal):
    """The author must not approve the draft: another person could."""

    reason = "zatwierdzić musi druga osoba"


class DraftOutdated(Refusal):
    """The row, or one that it refers to, has changed since the draft was made, or no longer exists."""

    reason = "wpis zmienił się od czasu szkicu. Przygotuj nowy"


def stored_values(row: Model | None) -> dict[str, Any]:
    """Return the columns of a row as JSON values; {} for None."""
    if row is None:
        return {}
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    plain: dict[str, Any] = json.loads(json.dumps(values, cls=DjangoJSONEncoder))
    return plain


def keep_draft(
    *,
    model: type[Model],
    row: Model | None,
    title: str,
    data: Mapping[str, Sequence[str]],
    by: AbstractBaseUser,
    on: datetime,
    deletion: bool = False,
) -> Draft:
    """Save a change as a draft. row: the stored row, None for a new one. data: submitted form fields."""
    return Draft.objects.create(
        content_type=ContentType.objects.get_for_model(model, for_concrete_model=False),
        object_id="" if row is None else str(row.pk),
        title=title[:300],
        deletion=deletion,
        data={name: list(values) for name, values in data.items()},
        before=stored_values(row),
        drafted_at=on,
        drafted_by_id=by.pk,
    )


def find_approvers(draft: Draft) -> Sequence[AbstractBaseUser]:
    """Return the other active users who may change such rows, by name. One query.

    An invited account without a password does not count: nobody can log in by it.
    """
    model = draft.content_type.model_class()
    assert model is not None  # noqa: S101 - every drafted model is installed
    right = f"{model._meta.app_label}.{'delete' if draft.deletion else 'change'}_{model._meta.model_name}"
    people = get_user_model().objects.with_perm(right, backend=BACKEND)
    others = people.filter(is_staff=True).exclude(pk=draft.drafted_by_id)
    return list(others.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX).order_by("username"))


@transaction.atomic
def submit_draft(*, draft: Draft, reason: str) -> Draft:
    """Submit a draft for approval. Raises DraftAlreadyDecided and DraftNeedsReason."""
    stored = lock_draft(draft)
    stored.reason = clean_reason(reason)
    stored.state = Draft.State.WAITING
    stored.save(update_fields=["reason", "state"])
    return stored


@transaction.atomic
def approve_draft(
    *, draft: Draft, reason: str, write: Callable[[Draft, Model | None], None], by: AbstractBaseUser, on: datetime
) -> Draft:
    """Carry out a draft.

    reason: required of an author who approves alone; a waiting draft has its own. write: called with the draft and the
    locked row (None for a new one) to write the change; an exception rolls everything back.

    Raises DraftAlreadyDecided, DraftNeedsReason, DraftNeedsSecondPerson, DraftOutdated.
    """
    stored = lock_draft(draft)
    if stored.drafted_by_id == by.pk and find_approvers(stored):
        raise DraftNeedsSecondPerson(stored.pk)
    stored.reason = clean_reason(stored.reason or reason)
    row = locked_row(stored)
    if stored_values(row) != stored.before:
        raise DraftOutdated(stored.pk)
    stored.state, stored.decided_at, stored.decided_by_id = Draft.State.APPROVED, on, by.pk
    stored.save(update_fields=["reason", "state", "decided_at", "decided_by"])
    title = f"{'Usunięto' if stored.deletion else 'Wprowadzono'}: {stored.title}"
    with journal.recording(Decision.Kind.DRAFT, by=by, on=on, title=title, reason=history_reason(stored)):
        write(stored, row)
    return stored


@transaction.atomic
def withdraw_draft(*, draft: Draft, reason: str = "", by: AbstractBaseUser, on: datetime) -> Draft:
    """Withdraw a draft, one's own or another's. Raises DraftAlreadyDecided."""
    stored = lock_draft(draft)
    stored.reason = " ".join(reason.split())[:MAX_REASON] or stored.reason
    stored.state, stored.decided_at, stored.decided_by_id = Draft.State.WITHDRAWN, on, by.pk
    stored.save(update_fields=["reason", "state", "decided_at", "decided_by"])
    return stored


def lock_draft(draft: Draft) -> Draft:
    """Return the draft, locked. Raises DraftAlreadyDecided."""
    stored = Draft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
    if stored.state not in {Draft.State.PREPARED, Draft.State.WAITING}:
        raise DraftAlreadyDecided(stored.pk)
    return stored


def locked_row(draft: Draft) -> Model | None:
    """Return the row of a draft, locked; None for a new or missing one."""
    model = draft.content_type.model_class()
    if model is None or not draft.object_id:
        return None
    return model._default_manager.select_for_update(of=("self",)).filter(pk=draft.object_id).first()


def clean_reason(reason: str) -> str:
    """Return a reason on one line. Raises DraftNeedsReason if it is blank."""
    text = " ".join(reason.split())[:MAX_REASON]
    if not text:
        raise DraftNeedsReason
    return text


def history_reason(draft: Draft) -> str:
    """Return the reason for the history, with the draft's author if another person approved it."""
    if draft.drafted_by_id == draft.decided_by_id:
        return draft.reason
    return f"szkic {draft.drafted_by}: {draft.reason}"
