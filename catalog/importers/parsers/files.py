"""Reading of untrusted files, plain or zipped. Functions raise `BadInput`, and nothing else, for a faulty file."""

import csv
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

import orjson

from catalog.importers.records import BadInput, tidy
from catalog.text import one_line

MAX_BYTES = 1 << 30
"""Maximum size of a file, unpacked, in bytes. The largest published one, all boundaries unsimplified, has about 0.4 GB.
"""

MAX_RATIO = 200
"""Maximum compression ratio of a zip member. Registers have 5 to 30; deflate can reach 1032."""

SMALL_BYTES = 10 << 20
"""Members up to this size, unpacked, may have any ratio: they do no harm."""

MAX_LINE_BYTES = 1_000_000
"""Maximum length of a line. A file without line ends would otherwise be read at once."""

ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

HEAD_BYTES = 1 << 16

FAR_BYTES = 1 << 22
"""Bytes read on for a GeoJSON whose first geometry precedes its properties. A municipality has less than 1 MB."""

LARGEST = 64 << 30
"""Maximum size of a file whose format is recognised, unpacked, in bytes. Each parser has its own, lower limit."""

TEXT_SUFFIXES = (".csv", ".xml", ".gml", ".txt", ".json", ".geojson")
MAX_MEMBERS = 20

_HTML = re.compile(rb"\s*(<!--.{0,500}?-->\s*)?<(!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_JSON_KEY = re.compile(rb'"([A-Za-z0-9_]{1,30})"\s*:')

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)
# Exceptions that zipfile raises for a crafted central directory.
_UNREADABLE = (*_DAMAGED, NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError, struct.error)


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file. label: path, with the member of a zip, for messages."""

    stream: IO[bytes]
    label: str


@dataclass(frozen=True, slots=True)
class FileStart:
    """The beginning of a file, or of a member of a zip, by which its format is recognised. path: of the whole file."""

    path: Path
    name: str
    head: bytes
    source: OpenFile

    @property
    def text(self) -> bytes:
        """The beginning without byte order mark and leading blanks."""
        return self.head.removeprefix(b"\xef\xbb\xbf").lstrip()

    @property
    def line(self) -> str:
        """The first line with its blanks: the last column may be empty."""
        return self.text.split(b"\n", 1)[0].decode("utf-8", "replace")

    def has_columns(self, names: Iterable[str], *, delimiter: str) -> bool:
        return {column.strip() for column in self.line.split(delimiter)} >= set(names)

    def read_on(self) -> bytes:
        """Return a longer beginning. Raises BadInput."""
        with _reading(self.source.label):
            return self.head + self.source.stream.read(FAR_BYTES)


def starts(path: Path) -> Iterator[FileStart]:
    """Yield the beginning of a file, or of a zip's shapefile and first texts, to be read on. Raises BadInput."""
    if not is_zip(path, max_bytes=LARGEST):
        with open_source(path, (), max_bytes=LARGEST) as source:
            yield FileStart(path, path.name, source.stream.read(HEAD_BYTES), source)
        return
    with open_zip(path) as archive:
        data = members(archive)
        shapes = [member for member in data if member.filename.lower().endswith(".shp")]
        texts = [member for member in data if member.filename.lower().endswith(TEXT_SUFFIXES)]
        for member in [*shapes[:1], *texts[:MAX_MEMBERS]]:
            with open_member(path, archive, member, max_bytes=LARGEST) as source:
                yield FileStart(path, member.filename, source.stream.read(HEAD_BYTES), source)


@contextmanager
def open_source(path: Path, suffixes: Sequence[str], *, max_bytes: int = MAX_BYTES) -> Iterator[OpenFile]:
    """Open a plain file, or the zip member with the first suffix that occurs; errors while reading are BadInput too."""
    if is_zip(path, max_bytes=max_bytes):
        with open_zip(path) as archive:
            member = pick(path, archive, suffixes)
            with open_member(path, archive, member, max_bytes=max_bytes) as source:
                yield source
    else:
        with _reading(str(path)), path.open("rb") as stream:
            yield OpenFile(stream, str(path))


def is_zip(path: Path, *, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a regular file within limits is a zip by its first bytes; raises BadInput for any other file."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadInput(path, "is a directory; give the file inside it")
        # Opening a pipe would block.
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(path, "is not an ordinary file")
        if status.st_size == 0:
            raise BadInput(path, "is empty")
        with path.open("rb") as stream:
            start = stream.read(4)
    except FileNotFoundError:
        raise BadInput(path, "does not exist") from None
    except (OSError, ValueError) as error:
        raise BadInput(path, f"cannot be read: {_text_of(error)}") from error
    if start in ZIP_SIGNATURES:
        return True
    if path.suffix.lower() == ".zip":
        raise BadInput(path, "is no zip archive; download it again")
    if status.st_size > max_bytes:
        raise BadInput(path, f"has {status.st_size} bytes, more than the {max_bytes} that are read")
    return False


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip. Raises BadInput if it is damaged, truncated or empty."""
    with _reading(str(path), _UNREADABLE):
        archive = zipfile.ZipFile(path)
    with archive:
        if not archive.infolist():
            raise BadInput(path, "the zip archive is empty")
        yield archive


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members that may be data: no directories, hidden files, system leftovers or read-me files."""
    data = []
    for member in archive.infolist():
        parts = PurePosixPath(member.filename).parts
        # GeoNames packs PL.txt with a readme.txt.
        if parts and not (member.is_dir() or parts[0] == "__MACOSX" or parts[-1].lower().startswith((".", "readme"))):
            data.append(member)
    return data


def pick(path: Path, archive: zipfile.ZipFile, suffixes: Sequence[str]) -> zipfile.ZipInfo:
    """Return the only member with the first suffix that occurs. Raises BadInput for none or several."""
    data = members(archive)
    for suffix in suffixes:
        fitting = [member for member in data if member.filename.lower().endswith(suffix)]
        if len(fitting) > 1:
            names = ", ".join(sorted(member.filename for member in fitting)[:5])
            raise BadInput(path, f"holds more than one {suffix} file ({names}); unpack it and give the right one")
        if fitting:
            return fitting[0]
    names = ", ".join(sorted(member.filename for member in data)[:5]) or "nothing"
    raise BadInput(path, f"holds no {' or '.join(suffixes)} file, only {names}")


def is_bomb(member: zipfile.ZipInfo) -> bool:
    return member.file_size > SMALL_BYTES and member.file_size > MAX_RATIO * max(member.compress_size, 1)


@contextmanager
def open_member(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, max_bytes: int = MAX_BYTES
) -> Iterator[OpenFile]:
    """Open one member. Raises BadInput if it is encrypted, empty, too large unpacked, or compressed too much."""
    label = f"{path}/{member.filename}"
    # The stated size is reliable: zipfile never returns more bytes, and then checks their CRC.
    if member.flag_bits & 0x1:
        raise BadInput(label, "is encrypted; unpack it and give the file inside")
    if member.file_size == 0:
        raise BadInput(label, "is empty")
    if member.file_size > max_bytes:
        raise BadInput(label, f"unpacks to {member.file_size} bytes, more than the {max_bytes} that are read")
    if is_bomb(member):
        raise BadInput(label, f"unpacks to more than {MAX_RATIO} times its size, as a zip bomb does")
    with _reading(label, _UNREADABLE):
        stream = archive.open(member)
    with _reading(label), stream:
        yield OpenFile(stream, label)


def json_keys(start: FileStart) -> set[str]:
    return {key.decode() for key in _JSON_KEY.findall(start.text[:2000])}


def load_json(path: Path) -> object:
    """Parse a JSON document, with or without a byte order mark."""
    with open_source(path, (".json", ".geojson")) as source:
        try:
            return orjson.loads(source.stream.read().removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise BadInput(source.label, f"is not complete JSON, is it cut off? {_text_of(error)}") from error


def text_lines(source: OpenFile) -> Iterator[str]:
    """Yield the lines of a text with their ends, decoded from UTF-8 with or without a byte order mark."""
    for row, line in enumerate(iter(partial(source.stream.readline, MAX_LINE_BYTES + 1), b""), 1):
        if len(line) > MAX_LINE_BYTES:
            raise BadInput(source.label, f"the line is longer than {MAX_LINE_BYTES} bytes; is this a text?", row=row)
        if b"\0" in line:
            raise BadInput(source.label, "contains a NUL character; is this a text?", row=row)
        try:
            yield (line.removeprefix(b"\xef\xbb\xbf") if row == 1 else line).decode()
        except UnicodeDecodeError:
            raise BadInput(source.label, "is not UTF-8 text; save it as UTF-8", row=row) from None


def csv_rows(source: OpenFile, columns: Sequence[str], *, delimiter: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows with line numbers, values stripped. columns: required ones, in any order. Raises BadInput."""
    reader = csv.reader(text_lines(source), delimiter=delimiter)
    header: list[str] = []
    try:
        for row in reader:
            values = [value.strip() for value in row]
            if not any(values):
                continue
            if not header:
                header = values
                _check_columns(source, header, columns, reader.line_num)
            elif len(values) != len(header):
                reason = f"has {len(values)} columns, expected {len(header)}; is the file cut off?"
                raise BadInput(source.label, reason, row=reader.line_num)
            else:
                yield reader.line_num, dict(zip(header, values, strict=True))
    except csv.Error as error:
        raise BadInput(source.label, f"is not readable as a table: {error}", row=reader.line_num) from error
    if not header:
        raise BadInput(source.label, f"has no header; expected the columns {', '.join(columns)}")


def _check_columns(source: OpenFile, header: list[str], columns: Sequence[str], row: int) -> None:
    if missing := [column for column in columns if column not in header]:
        stated = f"expected {', '.join(columns)}, found {', '.join(header)[:200]}"
        raise BadInput(source.label, f"the header lacks {', '.join(missing)}; {stated}", row=row)
    twice = sorted({column for column in columns if header.count(column) > 1})
    if twice:
        raise BadInput(source.label, f"the header has {', '.join(twice)} more than once", row=row)


@contextmanager
def _reading(label: str, damage: tuple[type[Exception], ...] = _DAMAGED) -> Iterator[None]:
    """Turn read and decompression errors into BadInput with the name of the file. damage: what a zip raises."""
    try:
        yield
    except damage as error:
        raise BadInput(label, f"the zip archive is damaged or cut off: {_text_of(error)}") from error
    except OSError as error:
        raise BadInput(label, f"cannot be read: {_text_of(error)}") from error


def _text_of(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return one_line(text, 200) or type(error).__name__


def check_whole(path: Path, suffix: str) -> None:
    """Raise BadInput, with a remedy, unless a fetched file of a suffix is whole. Reads all of it."""
    if path.stat().st_size == 0:
        raise BadInput(path, "is empty; try again later")
    with path.open("rb") as stream:
        head = stream.read(2048)
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        remedy = "open it in a browser: the publisher is closed or the file has moved"
        raise BadInput(path, f"is a web page instead of {suffix[1:]}; {remedy}")
    CHECKS[suffix](path)


def _check_zip(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        raise BadInput(path, "is no zip, or one without its end; try again later")
    with open_zip(path) as archive:
        for member in archive.infolist():
            if is_bomb(member):
                raise BadInput(path, f"{member.filename} unpacks to more than {MAX_RATIO} times its size")
        if sum(member.file_size for member in archive.infolist()) > 4 * MAX_BYTES:
            raise BadInput(path, f"unpacks to more than {4 * MAX_BYTES} bytes")
        try:
            damaged = archive.testzip()
        except Exception as error:  # a damaged archive makes zipfile raise a dozen exception types
            raise BadInput(path, f"the zip is damaged ({error}); try again later") from error
        if damaged is not None:
            raise BadInput(path, f"the zip is damaged at {damaged}; try again later")


def _check_json(path: Path) -> None:
    document = load_json(path)
    if isinstance(document, dict) and "remark" in document:
        remark = tidy(str(document["remark"]))[:200]
        raise BadInput(path, f"is not whole, the server says: {remark}; try again later")


CHECKS = {".zip": _check_zip, ".json": _check_json}
"""Checks of fetched files by suffix; no source is fetched as another."""
