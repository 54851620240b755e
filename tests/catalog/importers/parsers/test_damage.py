"""Whatever happens to a file, a parser reads it or raises BadInput with one line."""

from functools import partial

from catalog.importers.parsers import boundaries
from tests.catalog.importers.parsers.helpers import DATA, overwritten, refusals, sniff
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed_parts, shapefile_parts
from tests.catalog.importers.parsers.test_formats import PARSERS


def damaged(content, dice):
    changed = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(changed))
        match dice.randrange(4):
            case 0:
                changed[at] = dice.randrange(256)
            case 1:
                del changed[at : at + dice.randrange(1, 30)]
            case 2:
                changed[at:at] = changed[at : at + dice.randrange(1, 40)]
            case _:
                changed[at:at] = bytes(dice.choices(b'0123456789{}[]",;<>&\n\t|', k=3))
    return bytes(changed)


def test_a_damaged_slice_raises_nothing_but_bad_input(tmp_path):
    for name, parse in PARSERS.items():
        content = (DATA / name).read_bytes()
        assert refusals(lambda path, parse=parse: (sniff(path), parse(path)), tmp_path / name, content, 60, damaged)


def test_a_damaged_shapefile_raises_nothing_but_bad_input(tmp_path):
    parts = shapefile_parts(AREAS)
    size = len(parts[".shp"])

    def parse(path):
        both = path.read_bytes()
        packed = packed_parts(tmp_path, parts | {".shp": both[:size], ".dbf": both[size:]})
        sniff(packed)
        boundaries.parse_shapefile(packed)

    both = parts[".shp"] + parts[".dbf"]
    assert refusals(parse, tmp_path / "both", both, 60, partial(overwritten, most=6))
