"""Where the slices lie, and making the files that cannot be written by hand."""

import random
import zipfile
from pathlib import Path

import pytest

from catalog.importers.records import BadInput
from catalog.importers.sources import identify
from tests import ROOT, SHARED

DATA = ROOT / "tests" / "data"


def shared(name: str = "") -> Path:
    """A publisher's file beside the checkout, or all in their folder. Skips the test where it is missing."""
    path = SHARED / "data" / name
    if not path.exists():
        pytest.skip(f"no publishers' files beside the checkout: ../shared/data/{name} is missing")
    return path


def text(name: str) -> str:
    """A slice as text, its byte order mark and line ends as they are."""
    return (DATA / name).read_bytes().decode("utf-8")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def chance(seed: int) -> random.Random:
    """Repeatable randomness, for bytes that do not compress and for damage."""
    return random.Random(seed)  # noqa: S311 - nothing secret


def damaged(content: bytes, dice: random.Random, most: int = 4) -> bytes:
    """A file with bytes changed, seldom lost, repeated or put in, not the first four, which a zip is recognised by."""
    changed = bytearray(content)
    for _ in range(dice.randint(1, most)):
        at, size = dice.randrange(4, len(changed)), dice.randrange(1, 30)
        part = bytes(changed[at : at + size])
        inserted = bytes(dice.choices(b'0123456789{}[]",;<>&\n\t|', k=3)) + part
        overwritten = bytes([dice.randrange(256)]) + part[1:]
        changed[at : at + size] = dice.choice((b"", part * 2, inserted, *[overwritten] * 4))
    return bytes(changed)


def refusals(parse, path: Path, content: bytes, count: int, change=damaged) -> list[str]:
    """What a parser says of damaged variants of a file: it reads them or raises BadInput, on one line."""
    said = []
    for seed in range(count):
        try:
            parse(write(path, change(content, chance(seed))))
        except BadInput as error:
            said.append(str(error))
    assert all(line.isprintable() and len(line) < 1000 for line in said)
    return said


def assert_refused(message, parse, *args, **options):
    """A parser refuses a file with a message, a regular expression, on one line."""
    with pytest.raises(BadInput, match=message) as refused:
        parse(*args, **options)
    assert str(refused.value).isprintable()


def format_of(path, look=identify):
    """Name of the format of a file, None if it is unknown. Raises BadInput. look: identify or recognise."""
    recognised = look(path)
    return recognised and recognised[1].name


def sniff(path):
    """Name of the format of a file, or None when it is unknown, missing or damaged."""
    try:
        return format_of(path)
    except BadInput:
        return None
