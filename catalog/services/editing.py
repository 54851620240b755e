"""Editing and adding depots, at once or as a draft that a second person approves if there is one.

Values that pass these functions satisfy every database constraint. The form and the admin of a drafted row know what
its change means; these services know who may decide and when.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from catalog.models import Decision, Depot, Draft, max_length
from catalog.parsing.opening_hours import weekly_hours
from catalog.services import Refusal, journal
from catalog.services.moderation import locked, save, verify_depot
from catalog.text import one_line
from fueldepot.data import history

EDITABLE = (*(name for name in Depot.PUBLIC_FIELDS if name != "hours"), "featured")
"""Fields that editors set. `hours` is derived from `opening_hours`; `featured` is no public field."""

CONTACT = ("nip", "phone", "website")
"""Fields that a demonstration depot must not have."""

REPEAT = timedelta(minutes=10)
"""The same form sent again within this time is a repeated click; also of submissions."""


class NothingToChange(Refusal):
    reason = "żadne pole nie zmieniło wartości"


class ValueRefused(Refusal):
    """A validator of the model refuses a value, for example a text longer than its column."""


class DepotEditConflict(Refusal):
    """Somebody else changed the depot after it was opened.

    clashes: by name of a field that differs now, its value in the form and the present one; None if the opened version
    is not in the history of the depot.
    """

    reason = "ktoś zmienił wpis po otwarciu tej strony; obejrzyj go jeszcze raz"

    def __init__(self, clashes: Mapping[str, tuple[Any, Any]] | None) -> None:
        self.clashes = clashes
        super().__init__(", ".join(clashes or ()))


def edit_version(depot: Depot) -> int:
    """Version of a depot, stored in a form to detect later changes. One query."""
    return history.latest_id(Depot.history.model, depot.pk)


def check_edit_version(depot: Depot, opened: int) -> None:
    """Raise DepotEditConflict if a locked depot has another version than `opened`. One query, two when it raises."""
    if edit_version(depot) == opened:
        return
    line = Depot.history.filter(history_id=opened, id=depot.pk).first()
    if line is None:
        raise DepotEditConflict(None)
    columns = {name: Depot.column(name) for name in (*EDITABLE, "publication", "data_status")}
    pairs = ((name, getattr(line, column), getattr(depot, column)) for name, column in columns.items())
    raise DepotEditConflict({name: (old, now) for name, old, now in pairs if old != now})


@transaction.atomic
def edit_depot(
    *, depot: Depot, values: Mapping[str, Any], by: AbstractBaseUser, on: date, verify: bool = False
) -> Depot:
    """Set fields of a depot. Changed fields count as confirmed by a person; the data status stays.

    values: clean values by names of `EDITABLE`; `municipality` is a TERYT code. A new `opening_hours` replaces the
    week. verify: also verify the whole depot, see `verify_depot`.

    Raises NothingToChange unless `verify`, ValueRefused, with `verify` what `verify_depot` raises, and ValueError for a
    name that is not in `EDITABLE`.
    """
    stored = locked(depot)
    changed = apply(stored, values)
    if not changed:
        if verify:
            return verify_depot(depot=stored, by=by, on=on)
        raise NothingToChange(stored.pk)
    facts = set(changed) - {"featured"}
    stored.confirm(facts)
    if facts:
        stored.updated_at = on
    labels = ", ".join(Depot.label(name) for name in changed)
    with journal.recording(Decision.Kind.EDIT, by=by, title=f"Zmieniono: {stored.name} – {labels}"):
        save(stored, by=by, reason=f"zmieniono: {labels}")
        return verify_depot(depot=stored, by=by, on=on) if verify else stored


@transaction.atomic
def add_depot(*, values: Mapping[str, Any], by: AbstractBaseUser, on: date, verify: bool = False) -> Depot:
    """Add a depot. Published at once, unverified unless `verify`.

    values: as in `edit_depot`; name, lat, lon and municipality are required. If the same editor sends the same values
    again within `REPEAT`, the depot of the first call is returned, unless it was removed since. Raises ValueRefused.
    """
    # Serialise concurrent clicks of an editor by their user row.
    get_user_model().objects.select_for_update(of=("self",), no_key=True).get(pk=by.pk)
    if (repeated := find_repeated(values, by)) is not None:
        return repeated
    depot = Depot(source=Depot.Source.EDITOR, updated_at=on)
    apply(depot, values)
    depot.confirm(values)
    with journal.recording(Decision.Kind.ADD, by=by, title=f"Dodano: {depot.name}"):
        save(depot, by=by, reason="dodano")
        return verify_depot(depot=depot, by=by, on=on) if verify else depot


def find_repeated(values: Mapping[str, Any], by: AbstractBaseUser) -> Depot | None:
    """Return the published depot that an editor has just added with these values, or None. One query."""
    recent = Depot.history.filter(history_type=history.CREATED, history_date__gt=timezone.now() - REPEAT)
    columns = {Depot.column(name): value for name, value in values.items()}
    rows = Depot.objects.published().filter(pk__in=recent.filter(history_user=by.pk).values("id"), **columns)
    return rows.filter(source=Depot.Source.EDITOR).order_by("pk").first()


def apply(depot: Depot, values: Mapping[str, Any]) -> list[str]:
    """Set values on a depot without saving it. Returns the names of changed fields, in the model's order.

    Raises ValueRefused with nothing set, and ValueError for names that are not in `EDITABLE`.
    """
    names = sorted(values, key=EDITABLE.index)
    changed = [name for name in names if getattr(depot, Depot.column(name)) != values[name]]
    set_values(depot, values, changed)
    if "opening_hours" in changed:
        depot.hours = weekly_hours(depot.opening_hours)
    return changed


def set_values(depot: Depot, values: Mapping[str, Any], names: Collection[str]) -> None:
    """Set named values on a depot without saving it. Raises ValueRefused with nothing set."""
    for name in names:
        try:
            Depot.validate_value(name, values[name])
        except ValidationError as error:
            text = " ".join(error.messages)
            reason = f"{Depot.label(name)}: {text[:1].lower()}{text[1:].removesuffix('.')}"
            raise ValueRefused(name, reason=reason) from error
    for name in names:
        setattr(depot, Depot.column(name), values[name])


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


def is_outdated(draft: Draft, row: Model | None) -> bool:
    """Whether a row has changed since its draft. A column that a release has added since then had its default."""
    if row is None:
        return bool(draft.before)
    former = {**stored_values(type(row)()), **draft.before}
    return stored_values(row) != former


def find_approvers(draft: Draft) -> Sequence[AbstractBaseUser]:
    """Return the other active users who may change such rows, by name. One query.

    An invited account without a password does not count: nobody can log in by it.
    """
    kind = draft.content_type
    right = f"{kind.app_label}.{'delete' if draft.deletion else 'change'}_{kind.model}"
    people = get_user_model().objects.with_perm(right, backend="django.contrib.auth.backends.ModelBackend")
    others = people.filter(is_staff=True).exclude(pk=draft.drafted_by_id)
    return list(others.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX).order_by("username"))


@transaction.atomic
def submit_draft(*, draft: Draft, reason: str, by: AbstractBaseUser) -> None:
    """Submit one's own draft for approval, once: its reason stays. Raises Refusal."""
    stored = lock_draft(draft)
    if stored.state != Draft.State.PREPARED or stored.drafted_by_id != by.pk:
        raise Refusal(reason="do zatwierdzenia wysyła szkic jego autor, jeden raz")
    stored.reason = clean_reason(reason)
    stored.state = Draft.State.WAITING
    stored.save(update_fields=["reason", "state"])


@transaction.atomic
def approve_draft(
    *, draft: Draft, reason: str, write: Callable[[Draft, Model | None], None], by: AbstractBaseUser, on: datetime
) -> None:
    """Carry out a draft.

    reason: required of an author who approves alone; a waiting draft has its own. write: called with the draft and the
    locked row (None for a new one) to write the change; an exception rolls everything back.

    Raises DraftOutdated, and Refusal without a reason, if it is decided, or its author approves it and another could.
    """
    stored = lock_draft(draft)
    if stored.drafted_by_id == by.pk and find_approvers(stored):
        raise Refusal(reason="zatwierdzić musi druga osoba")
    stored.reason = clean_reason(stored.reason or reason)
    rows = stored.content_type.get_all_objects_for_this_type(pk=stored.object_id or None)
    row = rows.select_for_update(of=("self",)).first()
    if is_outdated(stored, row):
        raise DraftOutdated(stored.pk)
    stored.state, stored.decided_at, stored.decided_by_id = Draft.State.APPROVED, on, by.pk
    stored.save(update_fields=["reason", "state", "decided_at", "decided_by"])
    title = f"{'Usunięto' if stored.deletion else 'Wprowadzono'}: {stored.title}"
    reason_of = history_reason(stored)
    with journal.recording(Decision.Kind.DRAFT, by=by, on=on, title=title, reason=reason_of) as record:
        write(stored, row)
        record.concern(Draft, [stored.pk])
        record.waiting_since.append(stored.drafted_at)


@transaction.atomic
def withdraw_draft(*, draft: Draft, reason: str, by: AbstractBaseUser, on: datetime) -> None:
    """Withdraw a draft, one's own or another's; of the latter the reason becomes a comment on it.

    Raises Refusal if it is decided, or for another's without a reason.
    """
    stored = lock_draft(draft)
    if stored.drafted_by_id != by.pk:
        stored.comments.create(text=f"Odrzucono: {clean_reason(reason)}", written_at=on, written_by_id=by.pk)
    else:
        stored.reason = one_line(reason, max_length(Draft, "reason")) or stored.reason
    stored.state, stored.decided_at, stored.decided_by_id = Draft.State.WITHDRAWN, on, by.pk
    stored.save(update_fields=["reason", "state", "decided_at", "decided_by"])


def lock_draft(draft: Draft) -> Draft:
    """Return the draft, locked. Raises Refusal if it is decided."""
    stored = Draft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
    if stored.state not in Draft.OPEN:
        raise Refusal(reason="ktoś już zdecydował o tym szkicu")
    return stored


def clean_reason(reason: str) -> str:
    """Return a reason on one line. Raises Refusal if it is blank."""
    text = one_line(reason, max_length(Draft, "reason"))
    if not text:
        raise Refusal(reason="podaj powód zmiany albo odrzucenia")
    return text


def history_reason(draft: Draft) -> str:
    """Return the reason for the history, with the draft's author if another person approved it."""
    if draft.drafted_by_id == draft.decided_by_id:
        return draft.reason
    return f"szkic {draft.drafted_by}: {draft.reason}"
