"""A country of four municipalities in the publishers' forms, for imports that run from beginning to end.

Names, codes and positions are invented, Kraków and Warszawa apart. `day` is the state that a file says it is of.
"""

import io
import json
import zipfile
from collections.abc import Iterable
from functools import cache
from typing import Any

UNITS = {
    "1206912": ("Żabia Wola Próbna", 50.0, 19.0),
    "1206923": ("Dolna Próba", 50.0, 19.2),
    "1261011": ("Kraków", 50.0, 19.9),
    "1465011": ("Warszawa", 52.2, 21.0),
}
"""Code → name, and the south-western corner of a square whose sides are a tenth of a degree."""

COUNTIES = {"1206": "krakowski", "1261": "Kraków", "1465": "Warszawa"}
VOIVODESHIPS = {"12": "MAŁOPOLSKIE", "14": "MAZOWIECKIE"}
KINDS = {"1": "gmina miejska", "2": "gmina wiejska", "3": "gmina miejsko-wiejska"}


def zipped(name: str, content: bytes) -> bytes:
    """A zip with one member, the same bytes every time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def terc(codes: Iterable[str] = UNITS, day: str = "2021-01-01") -> bytes:
    lines = ["WOJ;POW;GMI;RODZ;NAZWA;NAZWA_DOD;STAN_NA"]
    lines += [f"{code};;;;{name};województwo;{day}" for code, name in VOIVODESHIPS.items()]
    lines += [f"{code[:2]};{code[2:]};;;{name};powiat;{day}" for code, name in COUNTIES.items()]
    lines += [f"{code[:2]};{code[2:4]};{code[4:6]};{code[6]};{UNITS[code][0]};{KINDS[code[6]]};{day}" for code in codes]
    return zipped("TERC_Urzedowy.csv", ("\ufeff" + "\r\n".join(lines) + "\r\n").encode())


def simc(names: Iterable[str] = ("Zagórze", "Podlesie", "Zawodzie"), day: str = "2021-01-01") -> bytes:
    """The register of places: one in each municipality called like it, and some more."""
    lines = ["WOJ;POW;GMI;RODZ_GMI;RM;MZ;NAZWA;SYM;SYMPOD;STAN_NA"]
    placed = [(code, name) for code, (name, _, _) in UNITS.items()] + [("1206912", f"{name} Próbne") for name in names]
    for number, (code, name) in enumerate(placed, start=9900001):
        lines.append(f"{code[:2]};{code[2:4]};{code[4:6]};{code[6]};01;1;{name};{number};{number};{day}")
    return zipped("SIMC_Urzedowy.csv", ("\ufeff" + "\r\n".join(lines) + "\r\n").encode())


def boundaries(codes: Iterable[str] = UNITS) -> bytes:
    """A square for each municipality."""
    features = []
    for code in codes:
        name, lat, lon = UNITS[code]
        ring = [[lon, lat], [lon + 0.1, lat], [lon + 0.1, lat + 0.1], [lon, lat + 0.1], [lon, lat]]
        geometry = {"type": "Polygon", "coordinates": [ring]}
        properties = {"JPT_KOD_JE": code, "JPT_NAZWA_": name}
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    document = {"type": "FeatureCollection", "features": features}
    return zipped("A03_Granice_gmin.geojson", json.dumps(document).encode())


def postcodes(numbers: Iterable[int] = range(12)) -> bytes:
    """Postcodes of GeoNames, dealt out over the municipalities."""
    rows = []
    for number in numbers:
        code = list(UNITS)[number % len(UNITS)]
        name, lat, lon = UNITS[code]
        rows.append(
            f"PL\t98-7{number:02}\t{name}\tX\t77\tPowiat\t{code[:4]}\t{name}\t{code[:6]}\t{lat + 0.05}\t{lon + 0.05}\t4"
        )
    return zipped("PL.txt", ("\n".join(rows) + "\n").encode())


def depots(numbers: Iterable[int] = range(12), day: str = "2021-10-03", **extra: Any) -> bytes:
    """An answer of Overpass with depots dealt out over the municipalities. extra: further keys, such as remark."""
    elements = []
    for number in numbers:
        _, lat, lon = UNITS[list(UNITS)[number % len(UNITS)]]
        tags = {"shop": "fuel", "name": f"Skład Próbny {number}", "fuel:coal": "yes"}
        place = {"lat": lat + 0.05, "lon": lon + 0.01 + number / 1000}
        elements.append({"type": "node", "id": 1000 + number, **place, "tags": tags})
    head = {"version": 0.6, "generator": "Overpass API", "osm3s": {"timestamp_osm_base": f"{day}T21:04:02Z"}}
    return json.dumps({**head, "elements": elements, **extra}).encode()


def files() -> dict[str, bytes]:
    """Everything that `tests.publisher_server` publishes, by the names that it knows, to be changed at will."""
    return dict(_files())


@cache
def _files() -> dict[str, bytes]:
    return {
        "terc.zip": terc(),
        "simc.zip": simc(),
        "granice.zip": boundaries(),
        "PL.zip": postcodes(),
        "depots.json": depots(),
    }


SMALL: dict[str, dict[str, Any]] = {
    name: {"min_rows": 1}
    for name in ("teryt_terc", "teryt_simc", "prg_boundaries", "geonames_postcodes", "osm_depots", "gus_bdl")
}
"""Changes of the file of sources: this country has fewer rows than a real one must."""
