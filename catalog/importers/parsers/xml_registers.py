"""Registers in XML, read as a stream in constant memory: rows of TERYT, and address points of the PRG in two layouts.

Model of 2012 (`PRG_PunktAdresowy`): the address contains the names of units and locality; `komponent` refers to the
municipality, an object after the addresses. Positions are northing, easting.

Model of 2021 (`AD_PunktAdresowy`): the address refers to its locality, an object of the same file with name and
municipality. Positions are easting, northing.

Sources: Rozporządzenie z 9 stycznia 2012 r. and z 21 lipca 2021 r. w sprawie ewidencji miejscowości, ulic i adresów.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast
from xml.etree import ElementTree

from catalog.importers.parsers.files import OpenFile
from catalog.importers.records import BadInput

CHUNK_BYTES = 1 << 16


def elements(source: OpenFile, names: Collection[str]) -> Iterator[tuple[int, ElementTree.Element]]:
    """Yield the elements of some local names, numbered from 1, each valid until the next one.

    A local name is the part of a tag after "{namespace}". Raises BadInput for malformed XML, and for a document type:
    it may define entities that expand to gigabytes.
    """
    parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(("start", "end"))
    ancestors: list[ElementTree.Element] = []
    count = inside = 0
    end = b""
    try:
        for chunk in iter(partial(source.stream.read, CHUNK_BYTES), b""):
            # Also where it begins in the chunk before, or is in UTF-16.
            if b"<!DOCTYPE" in (end + chunk).replace(b"\0", b""):
                reason = "has a document type (DOCTYPE), which registers have not; refused as unsafe"
                raise BadInput(source.label, reason)
            end = chunk[-20:]
            parser.feed(chunk)
            for event, element in cast("Iterator[tuple[str, ElementTree.Element]]", parser.read_events()):
                is_named = element.tag.rpartition("}")[2] in names
                if event == "start":
                    ancestors.append(element)
                    inside += is_named
                    continue
                ancestors.pop()
                inside -= is_named
                if is_named:
                    count += 1
                    yield count, element
                if ancestors and not inside:
                    ancestors[-1].clear()
        parser.close()
    # LookupError and ValueError are of an unknown or multi-byte encoding in the declaration.
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise BadInput(source.label, f"is not complete XML, is it cut off? {error}") from error


def read_rows(source: OpenFile, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the <row> elements, numbered from 1, with stripped fields. Raises BadInput, also for a missing field."""
    for number, element in elements(source, {"row"}):
        row = {field.tag: (field.text or "").strip() for field in element}
        if len(row) < len(element) or any(map(len, element)):
            raise BadInput(source.label, "has a field twice, or elements within a field", row=number)
        missing = [column for column in columns if column not in row]
        if missing:
            reason = f"lacks {', '.join(missing)}; expected {', '.join(columns)}"
            raise BadInput(source.label, reason, row=number)
        yield number, row


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


def read_features(source: OpenFile) -> Iterator[Feature]:
    """Yield addresses and the objects they refer to, in order. Raises BadInput."""
    for number, element in elements(source, REFERENCES):
        kind = element.tag.rpartition("}")[2]
        values, references = {"id": _attribute(element, "id")}, []
        for part in element.iter():
            name = part.tag.rpartition("}")[2]
            if name in _FIELDS:
                values.setdefault(name, (part.text or "").strip())
            elif name == "Point":
                values.setdefault("srsName", _attribute(part, "srsName"))
            if name == REFERENCES[kind] and (reference := _attribute(part, "href")):
                references.append(object_id(reference))
        yield Feature(number, kind, values, tuple(references))


def _attribute(element: ElementTree.Element, local: str) -> str:
    return next((value for name, value in element.items() if name.rpartition("}")[2] == local), "")


def object_id(reference: str) -> str:
    """Return the id in a reference: its last part, without "#" and version."""
    return _VERSION.sub("", reference.rpartition("/")[2].lstrip("#"))
