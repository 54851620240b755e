"""Import of the legal state from YAML files: a three-way merge of file, last import and database.

A stored value equal to that of the last import (`LegalState.file`) follows the file; a different one is an editor's and
stays. Rows that an editor deleted do not come back.
"""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils.translation import override

from catalog.depots.attribution import QUOTING
from catalog.importers import freshness, import_steps
from catalog.importers.parsers.files import FileStart
from catalog.importers.records import BadInput, Extract, ImportRefused, Note, Options, Report
from catalog.importers.runner import ImportStep, check_removals
from catalog.importers.sources import DataSource, FileFormat
from catalog.models import Dataset, Voivodeship
from fueldepot.data import history
from regulations import state_files
from regulations.models import CALENDAR_NAMESPACE, Amendment, Deadline, FuelBan, LegalState, Resolution
from regulations.services import Register, follow_codes, follow_scope
from regulations.state_files import StateRecord, Values

REASON = "import"


class StatePart(NamedTuple):
    """One list of a file. identity: columns that match a row of the file with one entered by an editor.

    state: lookup of the legal state of its rows.
    """

    name: str
    model: type[Any]
    identity: tuple[str, ...]
    state: str = "state"

    def rows_of(self, state: LegalState) -> QuerySet[Any]:
        """Return the stored rows, locked until the import ends."""
        rows: QuerySet[Any] = self.model._default_manager.filter(**{self.state: state}).order_by("pk")
        rows = rows.select_related("resolution") if self.model is Amendment else rows
        return rows.select_for_update(of=("self",))


PARTS = (
    StatePart("resolutions", Resolution, ("number",)),
    StatePart("amendments", Amendment, ("number",), "resolution__state"),
    StatePart("deadlines", Deadline, ("date", "applies_to", "scope")),
    StatePart("bans", FuelBan, ("fuel", "scope")),
)


def sync_regulations(extract: Extract[StateRecord], options: Options) -> Report:
    """Merge files into the legal state. Always writes; the runner rolls a dry run back.

    Raises BadInput and ImportRefused.
    """
    if not Voivodeship.objects.exists():
        raise ImportRefused("there are no voivodeships in the database yet; run import_teryt first")
    report = Report("regulations")
    codes = [record.teryt for record in extract.rows]
    latest = freshness.last_valid_day(options.today)
    for number, record in enumerate(extract.rows):
        if record.teryt in codes[:number]:
            raise BadInput(record.path, f"is about voivodeship {record.teryt}, as another file is")
        if record.values["as_of"] > latest:
            raise BadInput(record.path, f"as_of is {record.values['as_of']}, and may be {latest} at the latest")
    # Rows of the voivodeships in the files: against the whole country one truncated file would go unnoticed.
    of_files = (part.model._default_manager.filter(**{f"{part.state}__in": codes}) for part in PARTS)
    stored = sum(rows.exclude(key="").count() for rows in of_files)
    register = Register.load()
    # Updates codes stored before the register knew their successors; `StateSync` does the same for the files.
    report.lines += follow_codes(register.heirs, replace(options, write=True))
    report.changed += len(report.lines)
    for record in options.progress(extract.rows, "regulations"):
        StateSync(record, report, register).run()
    check_removals(report.title, removed=report.removed, stored=stored, options=options)
    return report


def plain(values: Mapping[str, Any]) -> Values:
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}


class StateSync:
    """Merges one file into the state of its voivodeship. Codes that left the register become their successors."""

    def __init__(self, record: StateRecord, report: Report, register: Register) -> None:
        self.record, self.report, self.register = record, report, register
        self.name = record.path.stem
        self.parts = {name: self.followed(rows) for name, rows in record.parts.items()}

    def followed(self, rows: Mapping[str, Values]) -> dict[str, Values]:
        return {path: {**values, **follow_scope(values, self.register)} for path, values in rows.items()}

    def run(self) -> None:
        voivodeship = Voivodeship.objects.filter(pk=self.record.teryt).first()
        if voivodeship is None:
            self.report.rejected.append(Note(self.name, f"no voivodeship has the code: '{self.record.teryt}'"))
            return
        state = LegalState.objects.select_for_update().filter(pk=voivodeship.pk).first()
        if state is None:
            state = LegalState(voivodeship=voivodeship, **self.record.values)
            self.save(self.name, state)
            self.added(self.name)
        else:
            self.merge(self.name, state, state.file.get("state", {}), self.record.values)
        for part in PARTS:
            self.sync_part(part, state, self.followed(state.file.get(part.name, {})))
        file = {"state": plain(self.record.values)}
        file |= {part: {key: plain(values) for key, values in rows.items()} for part, rows in self.parts.items()}
        # Without history: the values of the file are bookkeeping, not law.
        LegalState.objects.filter(pk=state.pk).update(file=file)

    def sync_part(self, part: StatePart, state: LegalState, base: Mapping[str, Values]) -> None:
        """Sync one list: add new rows, merge changed ones, remove those that left the file."""
        stored = {path_of(row): row for row in part.rows_of(state).exclude(key="")}
        for path, values in self.parts[part.name].items():
            label = f"{self.name}, {part.name}/{path}"
            if path in stored:
                self.merge(label, stored[path], base.get(path, {}), values)
            elif path in base:
                self.report.skipped.append(Note(label, "deleted by an editor; it stays away"))
            else:
                self.add(part, state, path, values, label)
        for path in sorted(base.keys() - self.parts[part.name].keys()):
            if path in stored:
                self.remove(f"{self.name}, {part.name}/{path}", stored[path], base[path])

    def add(self, part: StatePart, state: LegalState, path: str, values: Values, label: str) -> None:
        """Add a row that is new in the file, or adopt the same row of an editor."""
        parent: dict[str, Model] = {"state": state}
        act, _, key = path.rpartition("/")
        if act:
            resolution = Resolution.objects.filter(state=state, key=act).first()
            if resolution is None:
                self.report.skipped.append(Note(label, "its resolution was deleted by an editor"))
                return
            parent = {"resolution": resolution}
        identity = {name: values[name] for name in part.identity}
        own = part.rows_of(state).filter(key="", **identity).first() if all(identity.values()) else None
        if own is not None:
            own.key = key
            self.save(label, own)
            self.report.changed += 1
            self.report.lines.append(f"{label}: an editor had entered it; it is known to be the file's from now on")
            self.keep_edits(label, own, values)
            return
        row = part.model(**parent, key=key, **values)
        if isinstance(row, Deadline):
            # The same in every database, and when its day moves.
            row.uid = uuid.uuid5(CALENDAR_NAMESPACE, f"{self.record.teryt}/{key}")
        self.save(label, row)
        self.added(label)

    def merge(self, label: str, row: Any, base: Values, values: Values) -> None:
        if base:
            # A column added since the last import had its default then.
            base = plain({name: row._meta.get_field(name).get_default() for name in values}) | base
        current = plain({name: getattr(row, name) for name in values})
        incoming = plain(values)
        differing = [name for name in values if current[name] != incoming[name]]
        followed = [name for name in differing if name in base and current[name] == base[name]]
        for name in followed:
            self.report.lines.append(f"{label}: {name} {brief(current[name])} → {brief(incoming[name])}")
            setattr(row, name, values[name])
        if followed:
            self.save(label, row)
            self.report.changed += 1
        else:
            self.report.unchanged += 1
        self.keep_edits(label, row, values)

    def keep_edits(self, label: str, row: Any, values: Values) -> None:
        for name, value in plain(values).items():
            current = plain({name: getattr(row, name)})[name]
            if current != value:
                reason = f"{name} was changed by an editor and stays {brief(current)}, the file says: '{brief(value)}'"
                self.report.skipped.append(Note(label, reason))

    def remove(self, label: str, row: Any, base: Values) -> None:
        """Delete a row that left the file, unless an editor has changed it."""
        edited = plain({name: getattr(row, name) for name in base}) != base
        if edited or (isinstance(row, Resolution) and row.amendments.filter(key="").exists()):
            self.report.skipped.append(Note(label, "no longer in the file, but changed by an editor; it stays"))
            return
        row._change_reason = REASON
        row.delete()
        self.report.removed += 1
        self.report.lines.append(f"{label}: removed")

    def save(self, label: str, row: Any) -> None:
        """Save a row. Raises BadInput for a value that the desk would refuse, such as a text too long."""
        relations = {field.name for field in row._meta.fields if field.is_relation}
        try:
            row.clean_fields(exclude={"file", *relations})
        except ValidationError as error:
            with override("en"):
                reasons = (f"{name}: {' '.join(messages)}" for name, messages in error.message_dict.items())
                raise BadInput(self.record.path, f"{label}: {'; '.join(reasons)}") from error
        history.save(row, by=None, reason=REASON)

    def added(self, label: str) -> None:
        self.report.added += 1
        self.report.lines.append(f"{label}: added")


def path_of(row: Any) -> str:
    return f"{row.resolution.key}/{row.key}" if isinstance(row, Amendment) else str(row.key)


def brief(value: Any) -> str:
    """Return a value for a report, at most 80 characters on one line."""
    text = "nothing" if value in (None, "", []) else str(value)
    return " ".join(text.split()) if len(text) <= 80 else " ".join(text[:80].split()) + "…"


GAZETTES = "https://dziennikiurzedowe.gov.pl/"


def recognises(start: FileStart) -> bool:
    return start.path.suffix.lower() in state_files.YAML_SUFFIXES


def parse(*paths: Path) -> Extract[StateRecord]:
    """Parse files, one a voivodeship. Raises BadInput."""
    return Extract(tuple(state_files.parse(path) for path in paths))


FORMAT = FileFormat("regulations", recognises, parse, r".*\.ya?ml", in_parts=True, named=False)

SOURCE = DataSource(
    id="regulations",
    order=70,
    dataset=Dataset.Slug.REGULATIONS,
    title="Uchwały antysmogowe",
    publisher="dzienniki urzędowe województw",
    credit="dzienniki urzędowe województw i źródła podane przy każdym akcie",
    licence=QUOTING,
    terms=GAZETTES,
    formats=(FORMAT,),
    write=sync_regulations,
    model=Resolution,
    # The common entrance to the gazettes; each act names its own address in regulations/data.
    url=GAZETTES,
    rhythm_days=180,
)

SOURCES = (SOURCE,)


def file_step(paths: list[Path]) -> ImportStep:
    return import_steps.step(paths, SOURCE, FORMAT)


def missing_steps() -> Iterator[ImportStep]:
    if not LegalState.objects.exists():
        yield file_step(state_files.find_files([state_files.DATA]))
