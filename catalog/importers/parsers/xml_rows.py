"""Reading of registers in XML as a stream, in constant memory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar
from xml.parsers import expat  # `XmlReader` refuses document types

from catalog.importers.parsers.files import OpenFile
from catalog.importers.records import BadInput

CHUNK_BYTES = 1 << 16

T = TypeVar("T")

MAX_VALUE = 10_000
"""Maximum length of a field, in characters."""


class XmlReader(Generic[T]):
    """Base of readers: a subclass handles the start of elements, collects fields, and appends what it reads to `ready`.

    Document types enable entity expansion and references to other files; no register has one, so they are refused.

    count: rows so far, for messages. field: name of the element whose text is collected, "" for none.
    """

    def __init__(self, source: OpenFile, *, namespace_separator: str | None = None) -> None:
        self.source = source
        self.ready: list[T] = []
        self.count = 0
        self.field = ""
        self.text: list[str] = []
        self.length = 0
        self.parser = expat.ParserCreate(namespace_separator=namespace_separator)
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype
        self.parser.EntityDeclHandler = self.refuse_doctype
        self.parser.StartElementHandler = self.start

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        raise NotImplementedError

    def refuse(self, reason: str) -> BadInput:
        return BadInput(self.source.label, reason, row=self.count or None)

    def refuse_doctype(self, *_: object) -> None:
        raise self.refuse("has a document type (DOCTYPE), which registers have not; refused as unsafe")

    def begin_field(self, name: str) -> None:
        self.field, self.text, self.length = name, [], 0

    def characters(self, text: str) -> None:
        if not self.field:
            return
        self.length += len(text)
        if self.length > MAX_VALUE:
            # With namespaces, the local name is the last part.
            raise self.refuse(f"<{self.field.rpartition(' ')[2]}> is longer than {MAX_VALUE} characters")
        self.text.append(text)

    def end_field(self) -> str:
        """Return the stripped text of the field."""
        self.field = ""
        return "".join(self.text).strip()

    def read(self) -> Iterator[T]:
        """Yield what the handlers append to `ready`. Raises BadInput for malformed XML, and as they do."""
        while True:
            chunk = self.source.stream.read(CHUNK_BYTES)
            try:
                self.parser.Parse(chunk, not chunk)
            # LookupError and ValueError are of an unknown or multi-byte encoding in the declaration.
            except (expat.ExpatError, LookupError, ValueError) as error:
                raise BadInput(self.source.label, f"is not complete XML, is it cut off? {error}") from error
            yield from self.ready
            self.ready.clear()
            if not chunk:
                return


class _Rows(XmlReader[tuple[int, dict[str, str]]]):
    """Reader of <row> elements."""

    def __init__(self, source: OpenFile, columns: Sequence[str]) -> None:
        super().__init__(source)
        self.columns = columns
        self.row: dict[str, str] | None = None
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self.row is None:
            if name == "row":
                self.count += 1
                self.row = {}
            return
        if self.field or name == "row":
            raise self.refuse(f"<{name}> does not belong inside a field")
        if name in self.row:
            raise self.refuse(f"has <{name}> twice")
        self.begin_field(name)

    def end(self, name: str) -> None:
        if self.row is None:
            return
        if self.field:
            self.row[name] = self.end_field()
            return
        missing = [column for column in self.columns if column not in self.row]
        if missing:
            raise self.refuse(f"lacks {', '.join(missing)}; expected {', '.join(self.columns)}")
        self.ready.append((self.count, self.row))
        self.row = None


def xml_rows(source: OpenFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the <row> elements of a document, numbered from 1, with stripped fields; empty elements are "".

    columns: required fields.

    Raises BadInput for a document type, a row without a column, a nested field, and malformed XML.
    """
    return _Rows(source, columns).read()
