"""Whatever happens to a file, a parser reads it or raises BadInput with one line."""

from catalog.importers.parsers import boundaries
from catalog.importers.records import BadInput
from catalog.importers.sources import formats, gugik
from tests.catalog.importers.parsers.helpers import DATA, chance, sniff, write
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed_parts, shapefile_parts
from tests.catalog.importers.parsers.test_formats import SLICES
from tests.catalog.importers.parsers.test_prng import UNITS

PARSE = {form.name: form.parse for _, form in formats()}
PARSE["places_json"] = lambda path: gugik.parse_places(path, UNITS)  # reads the units of the database otherwise
PARSERS = {name: PARSE[form] for name, form in SLICES.items()}


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


def check(parse, path):
    try:
        parse(path)
    except BadInput as error:
        return str(error).isprintable() and len(str(error)) < 1000
    return None


def test_a_damaged_slice_raises_nothing_but_bad_input(tmp_path):
    for name in PARSERS:
        outcomes = []
        for seed in range(60):
            path = write(tmp_path / name, damaged((DATA / name).read_bytes(), chance(seed)))
            outcomes.append(check(PARSERS[name], path))
            sniff(path)
        assert True in outcomes, name
        assert False not in outcomes


def test_a_damaged_shapefile_raises_nothing_but_bad_input(tmp_path):
    parts = shapefile_parts(AREAS)
    outcomes = []
    for seed in range(150):
        dice = chance(seed)
        changed = {suffix: bytearray(content) for suffix, content in parts.items()}
        for _ in range(dice.randint(1, 6)):
            part = changed[dice.choice([".shp", ".dbf"])]
            part[dice.randrange(len(part))] = dice.choice([0, 255, dice.randrange(256)])
        path = packed_parts(tmp_path, changed)
        outcomes.append(check(boundaries.parse, path))
        sniff(path)
    assert True in outcomes
    assert False not in outcomes
