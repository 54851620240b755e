"""Registers in XML, read as a stream in constant memory: rows of TERYT, and address points of the PRG in two layouts.

Model of 2012 (`PRG_PunktAdresowy`): the address contains the names of units and locality; `komponent` refers to the
municipality, an object after the addresses. Positions are northing, easting.

Model of 2021 (`AD_PunktAdresowy`): the address refers to its locality, an object of the same file with name and
municipality. Positions are easting, northing.

Sources: Rozporządzenie z 9 stycznia 2012 r. and z 21 lipca 2021 r. w sprawie ewidencji miejscowości, ulic i adresów.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from xml.parsers import expat  # `XmlReader` refuses document types

from catalog.importers.parsers.files import OpenFile
from catalog.importers.records import BadInput

CHUNK_BYTES = 1 << 16

T = TypeVar("T")

MAX_VALUE = 10_000


class XmlReader(Generic[T]):
    """Base of readers: a subclass handles elements and appends to `ready`. Document types are refused as unsafe."""

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


class RowReader(XmlReader[tuple[int, dict[str, str]]]):
    """Reader of the <row> elements, numbered from 1, with stripped fields. Refuses one without a column."""

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


MAX_REFERENCES = 100
"""Maximum number of references. An address has six: country, voivodeship, county, municipality, locality, street."""

MAX_DEPTH = 100
"""Maximum nesting of elements. Addresses need eight."""

REFERENCES = {
    "PRG_PunktAdresowy": "komponent",
    "PRG_JednostkaAdministracyjnaNazwa": "komponent",
    "AD_PunktAdresowy": "miejscowosc",
    "AD_Miejscowosc": "miejscowosc",
}
"""Elements of addresses, units and localities; inside each the element that refers to others."""


class Feature(NamedTuple):
    """An address, or a unit or locality that addresses refer to. number: in its file. kind: a key of `REFERENCES`.

    values: texts of the elements `_FIELDS`, `id`, and `srsName` of its point. references: ids of other features.
    """

    number: int
    kind: str
    values: Mapping[str, str]
    references: tuple[str, ...]


_FIELDS = frozenset(
    {
        *("lokalnyId", "wersjaId", "koniecWersjiObiektu", "waznyDo", "kodPocztowy", "miejscowosc"),
        *("status", "pos", "nazwa", "idTERYT", "TERYTGminy"),
    }
)
_VERSION = re.compile(r"_[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9_]+$")
"""Version suffix of ids in the model of 2021. References may name another version of the same object."""


class AddressReader(XmlReader[Feature]):
    """Reader of addresses and the objects they refer to, in order.

    Text and end handlers are attached only where needed: most of a file is skipped.
    """

    def __init__(self, source: OpenFile) -> None:
        super().__init__(source, namespace_separator=" ")
        self.locals: dict[str, str] = {}
        self.feature = ""
        self.depth = 0
        self.values: dict[str, str] = {}
        self.references: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        local = self.locals.get(name)
        if local is None:
            local = name.rpartition(" ")[2]
            # A file has some dozens of names; a hostile one may have millions.
            if len(self.locals) < 1000:
                self.locals[name] = local
        if not self.feature:
            if local in REFERENCES:
                self.begin(local, attributes)
            return
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse(f"has elements nested more than {MAX_DEPTH} deep")
        if local in REFERENCES:
            raise self.refuse(f"has <{local}> inside <{self.feature}>")
        if local == "Point":
            self.values.setdefault("srsName", _attribute(attributes, "srsName"))
        elif local == REFERENCES[self.feature] and (reference := _attribute(attributes, "href")):
            self.references.append(object_id(reference))
            if len(self.references) > MAX_REFERENCES:
                raise self.refuse(f"has more than {MAX_REFERENCES} references")
        if local in _FIELDS and not self.field and local not in self.values:
            self.begin_field(name)
            self.parser.CharacterDataHandler = self.characters

    def begin(self, local: str, attributes: Mapping[str, str]) -> None:
        self.count += 1
        self.feature, self.depth = local, 0
        self.values, self.references, self.field = {"id": _attribute(attributes, "id")}, [], ""
        self.parser.EndElementHandler = self.end

    def end(self, name: str) -> None:
        if name == self.field:
            self.values[name.rpartition(" ")[2]] = self.end_field()
            self.parser.CharacterDataHandler = None
        if self.depth:
            self.depth -= 1
            return
        self.ready.append(Feature(self.count, self.feature, self.values, tuple(self.references)))
        self.feature = ""
        self.parser.EndElementHandler = None


def _attribute(attributes: Mapping[str, str], local: str) -> str:
    for name, value in attributes.items():
        if name == local or name.endswith(f" {local}"):
            return value
    return ""


def object_id(reference: str) -> str:
    """Return the id in a reference: its last part, without "#" and version."""
    return _VERSION.sub("", reference.rpartition("/")[2].lstrip("#"))
