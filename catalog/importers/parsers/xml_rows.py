"""Rows of a register in XML, in constant memory.

Document types enable entity expansion and references to other files; no register has one, so they are refused.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar
from xml.parsers import expat  # the handlers below refuse document types

from catalog.importers.parsers.files import OpenFile
from catalog.importers.records import BadInput

CHUNK_BYTES = 1 << 16

T = TypeVar("T")

MAX_VALUE = 10_000
"""Maximum length of a field, in characters."""


class _Rows:
    """Collects the rows of a chunk."""

    def __init__(self, source: OpenFile, columns: Sequence[str]) -> None:
        self.source, self.columns = source, columns
        self.ready: list[tuple[int, dict[str, str]]] = []
        self.count = 0
        self.row: dict[str, str] | None = None
        self.field: str | None = None
        self.text: list[str] = []
        self.length = 0

    def refuse(self, reason: str) -> BadInput:
        return BadInput(self.source.label, reason, row=self.count)

    def refuse_doctype(self, *_: object) -> None:
        raise BadInput(self.source.label, "has a document type (DOCTYPE), which registers have not; refused as unsafe")

    def start(self, name: str, _: object) -> None:
        if self.row is None:
            if name == "row":
                self.count += 1
                self.row = {}
            return
        if self.field is not None or name == "row":
            raise self.refuse(f"<{name}> does not belong inside a field")
        if name in self.row:
            raise self.refuse(f"has <{name}> twice")
        self.field, self.text, self.length = name, [], 0

    def characters(self, text: str) -> None:
        if self.field is None:
            return
        self.length += len(text)
        if self.length > MAX_VALUE:
            raise self.refuse(f"<{self.field}> is longer than {MAX_VALUE} characters")
        self.text.append(text)

    def end(self, name: str) -> None:
        if self.row is None:
            return
        if self.field is not None:
            self.row[self.field] = "".join(self.text).strip()
            self.field = None
            return
        missing = [column for column in self.columns if column not in self.row]
        if missing:
            raise self.refuse(f"lacks {', '.join(missing)}; expected {', '.join(self.columns)}")
        self.ready.append((self.count, self.row))
        self.row = None


def parsed(parser: expat.XMLParserType, source: OpenFile, ready: list[T]) -> Iterator[T]:
    """Yield what the handlers of a parser append to `ready` while it reads a document.

    Raises BadInput for malformed XML.
    """
    while True:
        chunk = source.stream.read(CHUNK_BYTES)
        try:
            parser.Parse(chunk, not chunk)
        # LookupError and ValueError are of an unknown or multi-byte encoding in the declaration.
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise BadInput(source.label, f"is not complete XML, is it cut off? {error}") from error
        yield from ready
        ready.clear()
        if not chunk:
            return


def xml_rows(source: OpenFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the <row> elements of a document, numbered from 1, with stripped fields; empty elements are "".

    columns: required fields.

    Raises BadInput for a document type, a row without a column, a nested field, and malformed XML.
    """
    rows = _Rows(source, columns)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = rows.refuse_doctype
    parser.EntityDeclHandler = rows.refuse_doctype
    parser.StartElementHandler = rows.start
    parser.EndElementHandler = rows.end
    parser.CharacterDataHandler = rows.characters
    yield from parsed(parser, source, rows.ready)
