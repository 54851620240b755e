"""Integrity checks of downloaded files."""

import os
import re
import zipfile
from pathlib import Path

from catalog.importers.parsers.files import MAX_BYTES, MAX_RATIO, SMALL_BYTES, load_json, open_zip
from catalog.importers.parsers.values import tidy
from catalog.importers.records import BadInput
from catalog.importers.source import DataSource, identify

HEAD_BYTES = 2048

_HTML = re.compile(rb"\s*(<!--.{0,500}?-->\s*)?<(!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


def check(path: Path, source: DataSource) -> None:
    """Raise BadInput, with a remedy, unless a file is complete and in the source's format.

    Reads all of it: zip members against their checksums, JSON to its end. CSV has no end marker; only its last row is
    checked.
    """
    if path.stat().st_size == 0:
        raise BadInput(path, "is empty; try again later")
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    kind = Path(source.file).suffix
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        raise BadInput(
            path,
            f"is a web page instead of {kind[1:]}; open it in a browser: the publisher is closed or the file has moved",
        )
    CHECKS[kind](path)
    recognised = identify(path)
    names = [format_.name for format_ in source.formats]
    if recognised is None or recognised[1].name not in names:
        kind = f"looks like {recognised[1].name}" if recognised else "is of no known form"
        raise BadInput(path, f"{kind} instead of {' or '.join(names)}; the publisher may have changed it, look at it")


def _check_zip(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        raise BadInput(path, "is no zip, or one without its end; try again later")
    with open_zip(path) as archive:
        for member in archive.infolist():
            if member.file_size > SMALL_BYTES and member.file_size > MAX_RATIO * max(member.compress_size, 1):
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
        said = tidy(str(document["remark"]))[:200]
        raise BadInput(path, f"is not whole, the server says: {said}; try again later")


def _check_csv(path: Path) -> None:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        if stream.read() != b"\n":
            raise BadInput(path, "ends in the middle of a row; try again later")


CHECKS = {".zip": _check_zip, ".json": _check_json, ".csv": _check_csv}
"""Checks by the suffix of the file."""
