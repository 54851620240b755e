"""The page of a submission: its values, the entry, what is related or similar, and the form that replaces values."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import Case, Q, Value, When
from django.utils import timezone
from django.utils.text import capfirst

from catalog.admin import evidence
from catalog.admin.depot_form import MISTAKES, FuelsField
from catalog.depots import fuels
from catalog.depots.duplicates import PROPOSED_NEAR_M
from catalog.models import Depot, Municipality, Submission, max_length
from catalog.models.depots import READERS, TYPED_LENGTHS, clean_field
from catalog.parsing.contacts_and_names import FREE_MAIL, is_personal_name
from catalog.parsing.opening_hours import weekly_hours
from catalog.services.editing import edit_version
from catalog.submissions import field_groups, objections
from catalog.submissions.limits import LETTERS_PER_MAILBOX
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE, distance_m
from catalog.territory.snapshot import territory

POSITION = {"lat": LAT_RANGE, "lon": LON_RANGE}
"""Coordinates that can be replaced, with their limits."""


def names_in(group: str) -> tuple[str, ...]:
    if group == "lat":
        return tuple(POSITION)
    return ("opening_hours",) if group == "hours" else (group,)


class ProposalForm(forms.Form):
    """The proposed values of a submission as form fields.

    suffix: of the names of its fields, where a page has several. groups_name: of the checkboxes of field groups.
    ticked: names of the groups that the POST accepts, None without a POST.
    """

    def __init__(self, submission: Submission, data: Any = None, suffix: str = "") -> None:
        super().__init__(data, prefix=f"value{suffix}")
        self.proposed = submission.proposed
        self.groups_name = f"groups{suffix}"
        self.ticked: list[str] | None = None if data is None else data.getlist(self.groups_name)
        self.may_choose = submission.kind == Submission.Kind.CORRECT
        for group in field_groups.groups_in(self.proposed):
            names = names_in(group.name)
            # A field missing from the POST keeps the proposed value.
            if data is None or all(self.add_prefix(name) in data for name in names):
                self.fields |= {name: self._field(name, capfirst(group.label)) for name in names}

    def _field(self, name: str, label: str) -> forms.Field:
        if name in POSITION:
            low, high = POSITION[name]
            label = "szerokość" if name == "lat" else "długość"
            return forms.FloatField(label=label, min_value=low, max_value=high, initial=self.proposed[name])
        if name == "fuels":
            widget, initial = forms.CheckboxSelectMultiple, self.proposed["fuels"]
            return FuelsField(label=label, choices=fuels.choices, required=False, initial=initial, widget=widget)
        return forms.CharField(
            label=label,
            required=name == "name",
            max_length=TYPED_LENGTHS["nip"] if name == "nip" else max_length(Depot, name),
            initial=self.proposed.get(name) or "",
            widget=forms.TextInput(attrs={"aria-label": label}),
        )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        for name in [name for name in READERS if name in data]:
            # Proposed values were cleaned at submission.
            if data[name] == (self.proposed.get(name) or ""):
                data[name] = self.proposed.get(name)
                continue
            try:
                data[name] = clean_field(name, data[name], MISTAKES)
                Depot.validate_value(name, data[name])
            except forms.ValidationError as error:
                self.add_error(name, error)
        is_moved = data.keys() >= POSITION.keys() and any(data[name] != self.proposed[name] for name in POSITION)
        if is_moved and territory.get().boundaries.find(data["lat"], data["lon"]) is None:
            self.add_error("lat", "To miejsce nie leży w żadnej gminie.")
        # What is not accepted need not be valid: a value may have been proposed before its limit was checked.
        for group in field_groups.groups_in(self.proposed):
            if self.may_choose and group.name not in (self.ticked or ()):
                for name in names_in(group.name):
                    self.errors.pop(name, None)
        return data

    def values(self) -> dict[str, Any]:
        """Return the values that differ from the proposal, with hours their week. The decision locates a position."""
        changed = {name: value for name, value in self.cleaned_data.items() if value != self.proposed.get(name)}
        if "opening_hours" in changed:
            changed["hours"] = weekly_hours(changed["opening_hours"])
        if changed.keys() & POSITION.keys():
            changed["location_approximate"] = False
        return changed

    def fields_of(self, group: str) -> list[Any]:
        """Return the bound fields of a group, none if its value cannot be changed here."""
        return [self[name] for name in names_in(group) if name in self.fields]


Kind = Submission.Kind
State = Submission.State


def page_context(submission: Submission, parts: Sequence[Submission]) -> dict[str, Any]:
    """Template context of a submission and the other parts of its visit. At most twelve queries besides these rows."""
    depot, proposed = submission.depot, submission.proposed
    is_new = depot is None and "lat" in proposed and submission.state in Submission.OPEN
    near = evidence.find_near(proposed["lat"], proposed["lon"], PROPOSED_NEAR_M) if is_new else []
    is_removed = depot is not None and depot.publication == Depot.Publication.REMOVED
    keys = {part.pk for part in parts}
    return {
        **evidence.evidence_of(field_groups.values_of(depot) if depot else proposed, depot, submission),
        "submission": submission,
        "depot": depot,
        "others": [row for row in others(submission) if row["row"].pk not in keys],
        "near": near,
        "live": live_map_of(next((part for part in parts if "lat" in part.proposed), submission), near),
        "same_contact": same_contact(*parts),
        "removed": is_removed and (len(parts) > 1 or submission.kind != Kind.RESTORE),
        "private": is_personal_name(str(proposed.get("name", ""))),
        "opened": edit_version(depot) if depot else 0,
        "letters_an_hour": LETTERS_PER_MAILBOX,
    }


def part_context(submission: Submission, form: ProposalForm) -> dict[str, Any]:
    """Template context of one submission among those of a visit. At most four queries; prefetch its questions."""
    questions = sorted(submission.questions.all(), key=lambda question: question.asked_at)
    is_open = submission.state in Submission.OPEN
    rows = rows_of(submission, form) if submission.kind in {Kind.CORRECT, Kind.ADD} else []
    owners = list(objections.other_owners(submission)) if submission.kind in objections.CONTESTABLE else []
    return {
        "submission": submission,
        "rows": rows,
        "form": form,
        "changed": is_open and any(row["changed"] for row in rows),
        "correction": submission.kind == Kind.CORRECT,
        "comparisons": compare(submission),
        "owners": owners,
        "has_owners": bool(owners) and submission.kind == Kind.CLAIM,  # who may be replaced
        "objection_ends": objections.objection_ends(submission),
        "owners_heard": objections.is_owner_heard(submission, timezone.now()),
        "is_open": is_open,
        "questions": questions,
    }


def rows_of(submission: Submission, form: ProposalForm) -> list[dict[str, Any]]:
    """The field groups of a correction or new depot: their values now, at the submission, and as proposed."""
    depot = submission.depot
    now = {} if depot is None else field_groups.values_of(depot)
    names = field_groups.municipalities(now, submission.stored, submission.proposed)
    rows = []
    for group in field_groups.groups_in(submission.proposed):
        fields = form.fields_of(group.name)
        changed_since = any(now[name] != submission.stored.get(name) for name in group.fields) if now else False
        rows.append(
            {
                "group": group,
                "now": field_groups.group_in_words(group, now, names),
                "then": field_groups.group_in_words(group, submission.stored, names),
                "proposed": field_groups.group_in_words(group, submission.proposed, names),
                "changed": changed_since and submission.kind == Kind.CORRECT,
                "fields": fields,
                "is_typed": form.is_bound and any(field.errors or field.name in form.changed_data for field in fields),
                "moved_m": moved_m(now, submission.proposed) if group.name == "lat" and now else None,
            }
        )
    return rows


def live_map_of(submission: Submission, near_rows: Sequence[tuple[Depot, int]] = ()) -> dict[str, str] | None:
    """Return the stored and the proposed position with the neighbours, None without a position. One query.

    near_rows: neighbours of a new depot.
    """
    proposed, depot = submission.proposed, submission.depot
    position = (proposed["lat"], proposed["lon"]) if "lat" in proposed else None
    if depot is not None:
        present, others = (depot.lat, depot.lon), evidence.find_neighbours(depot)
        return evidence.live_map(depot.municipality, present if position else None, position or present, others)
    if position is None:
        return None
    units = Municipality.objects.select_related("voivodeship")
    municipality = units.filter(pk=proposed.get("municipality")).first()
    return evidence.live_map(municipality, None, position, near_rows)


def others(submission: Submission) -> list[dict[str, Any]]:
    """The others of the same visit, open ones about the entry, and confirmed ones of the author that were superseded.

    At most 20; those of the visit first, then waiting ones, so that unconfirmed ones cannot hide them. At most one
    query; a proposed depot has no others.
    """
    if submission.depot_id is None:
        return []
    visit = submission.visit_number
    of_visit = Q(pk=visit) | Q(visit=visit)
    replaced = Q(state=State.SUPERSEDED, confirmed_at__isnull=False, email_hash=submission.email_hash, erased_at=None)
    of_depot = Q(Q(state__in=Submission.OPEN) | replaced, depot=submission.depot_id)
    visit_first = Case(When(of_visit, then=Value(0)), default=Value(1))
    rows = Submission.objects.filter(of_visit | of_depot).exclude(pk=submission.pk).oldest_waiting_first(visit_first)
    return [
        {"row": row, "fields": field_groups.labels(row.proposed), "same_visit": row.visit_number == visit}
        for row in rows[:20]
    ]


def undecided_together(submission: Submission) -> list[Submission]:
    """Return the undecided submissions of the same visit, or of the same author about the same depot, with this one.

    In the order sent; only this one if it is decided, or about a missing depot. One query.
    """
    if not submission.is_undecided or submission.depot_id is None:
        return [submission]
    about_depot = Submission.objects.undecided().filter(depot=submission.depot_id)
    of_author = about_depot.filter(email_hash=submission.email_hash)
    parts = list((about_depot.of_visits([submission.visit_number]) | of_author).order_by("pk"))
    for part in parts:
        part.depot = submission.depot
    return parts


def moved_m(now: Mapping[str, Any], then: Mapping[str, Any]) -> int:
    return round(distance_m(now["lat"], now["lon"], then["lat"], then["lon"]))


def same_contact(*submissions: Submission) -> list[tuple[Depot, str]]:
    """Other depots with the tax number, telephone or website of submissions about one depot. At most one query."""
    stated: dict[str, Any] = {}
    for row in submissions:
        claimed = {"nip": row.claimant_nip, "phone": row.claimant_phone}
        stated |= {name: value for name, value in claimed.items() if value} | dict(row.proposed)
    return evidence.find_same_contact(stated, besides=submissions[0].depot_id)


SAME_PHONE = "numer jest we wpisie: publiczny, więc niczego nie dowodzi, ale można zadzwonić"
NUMBERS = (
    ("Telefon", "phone", "numer", "numeru", SAME_PHONE),
    ("NIP", "nip", "NIP", "NIP-u", "zgadza się z publicznym, więc niczego nie dowodzi"),
)
"""Compared numbers: label, field, noun, its genitive, and what is written where it is that of the entry."""


def compare(submission: Submission) -> list[dict[str, str]]:
    """Compare e-mail domain, telephone and NIP of an author with the entry; empty without an entry.

    What only a claimant is asked for is left out where it is not given.
    verdict: "same", "different" or "unknown"; also for the same number, which is public: anybody could have copied it.
    No query if the depot is loaded.
    """
    depot = submission.depot
    if depot is None or not submission.email:
        return []
    domain = submission.email.rpartition("@")[2].lower()
    host = evidence.host_of(depot.website)
    if domain in FREE_MAIL:
        verdict, text = "unknown", "bezpłatna poczta: adres nie mówi nic o firmie"
    elif not host:
        verdict, text = "unknown", "wpis nie ma strony do porównania"
    elif _within(domain, host) or _within(host, domain):
        verdict, text = "same", "ta sama domena co strona wpisu"
    else:
        verdict, text = "different", "inna domena niż strona wpisu"
    rows = [{"label": "Domena adresu e-mail", "said": domain, "entry": host, "verdict": verdict, "text": text}]
    for label, name, noun, genitive, same in NUMBERS:
        typed, entry = getattr(submission, f"claimant_{name}"), getattr(depot, name) or ""
        claimed, published = _numbers(typed), _numbers(entry)
        verdict, text = "unknown", same
        if not claimed or not published:
            text = f"brak {genitive} we wpisie" if claimed else f"zgłaszający nie podał {genitive}"
        elif not claimed & published:
            verdict, text = "different", f"inny {noun} niż we wpisie"
        rows.append({"label": label, "said": typed, "entry": entry, "verdict": verdict, "text": text})
    return rows if submission.kind == Submission.Kind.CLAIM else [row for row in rows if row["said"]]


def _within(name: str, other: str) -> bool:
    return name == other or name.endswith(f".{other}")


def _numbers(phones: str) -> set[str]:
    return {number.strip() for number in phones.split(",") if number.strip()}
