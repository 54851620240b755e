"""From files to steps of an import: which parser reads a file, and in which order data sets build on one another."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import Model

from catalog.importers import boundaries, geonames, overpass, prg_postcodes, prng, simc, terc
from catalog.importers.formats import Format, identify, recognise
from catalog.importers.records import BadInput, Extract
from catalog.importers.run import Step, require
from catalog.importers.sync import Options, Report
from catalog.importers.sync_boundaries import sync_boundaries
from catalog.importers.sync_depots import sync_depots
from catalog.importers.sync_places import sync_places
from catalog.importers.sync_postcodes import sync_postcodes
from catalog.importers.sync_units import sync_units
from catalog.models import Boundary, Dataset, Municipality


def read_prng(path: Path) -> Extract[Any]:
    """PRNG names units instead of giving codes, so the stored units are needed to read it."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return prng.parse(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


@dataclass(frozen=True, slots=True)
class Source:
    """How one format is imported. publisher: stands beside the data set from then on."""

    dataset: Dataset.Slug
    publisher: str
    parse: Callable[[Path], Extract[Any]]
    sync: Callable[[Extract[Any], Options], Report]


SOURCES = {
    Format.TERC: Source(Dataset.Slug.UNITS, "GUS, rejestr TERYT (TERC)", terc.parse, sync_units),
    Format.SIMC: Source(Dataset.Slug.PLACES, "GUS, rejestr TERYT (SIMC)", simc.parse, sync_places),
    Format.PLACES_JSON: Source(Dataset.Slug.PLACES, "GUGiK, PRNG", read_prng, sync_places),
    Format.BOUNDARIES: Source(
        Dataset.Slug.BOUNDARIES, "GUGiK, Państwowy Rejestr Granic", boundaries.parse, sync_boundaries
    ),
    Format.BOUNDARIES_GEOJSON: Source(
        Dataset.Slug.BOUNDARIES, "GUGiK, Państwowy Rejestr Granic", boundaries.parse, sync_boundaries
    ),
    Format.PRG_POSTCODES: Source(
        Dataset.Slug.POSTCODES, "GUGiK, punkty adresowe PRG", prg_postcodes.parse, sync_postcodes
    ),
    Format.GEONAMES: Source(Dataset.Slug.POSTCODES, "GeoNames, CC BY 4.0", geonames.parse, sync_postcodes),
    Format.OVERPASS: Source(Dataset.Slug.DEPOTS, "OpenStreetMap, ODbL 1.0", overpass.parse, sync_depots),
}
"""Every format that can be imported, in the order in which they build on one another."""

NEEDS: dict[Dataset.Slug, tuple[type[Model], str, str]] = {
    Dataset.Slug.PLACES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.POSTCODES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.BOUNDARIES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.DEPOTS: (Boundary, "boundaries", "import_boundaries"),
}
"""What must be in the database before a data set can be read: model, name, and the command that brings it."""


class NothingToImport(BadInput):
    """A directory without a file that the catalog can import."""


def step(path: Path, format_: Format) -> Step:
    """The step that imports one file. It is read only when its turn comes."""
    source = SOURCES[format_]

    def sync(options: Options) -> Report:
        if source.dataset in NEEDS:
            require(*NEEDS[source.dataset])
        extract = source.parse(path)
        report = source.sync(extract, options)
        report.title = f"{source.dataset} from {path.name}"
        report.as_of = extract.as_of
        return report

    return Step(source.dataset, source.publisher, sync, form=format_.value, files=(path,))


def steps_for(paths: Iterable[Path], dataset: Dataset.Slug) -> list[Step]:
    """Steps that import files of one data set. Raises BadInput for a file of another."""
    steps = []
    for path in paths:
        format_ = identify(path)
        if format_ is None or SOURCES[format_].dataset != dataset:
            known = ", ".join(f.value for f in SOURCES if SOURCES[f].dataset == dataset)
            found = f"looks like {format_.value}" if format_ else "is of no known form"
            raise BadInput(path, f"{found}; this command reads: {known}")
        steps.append(step(path, format_))
    return steps


def directory_steps(directory: Path) -> tuple[list[Step], list[str]]:
    """Steps for every file of a directory that can be imported, in order, and the names of the other files.

    Of several files of one format the names decide the order, so dated registers come oldest first.
    Raises BadInput when the directory is missing or a file called like a known one is broken, NothingToImport when it
    holds nothing of the catalog's.
    """
    if not directory.is_dir():
        raise BadInput(directory, "is not a directory")
    files = sorted(path for path in directory.iterdir() if path.is_file())
    formats = {path: recognise(path) for path in files}
    order = list(SOURCES)
    known = [(order.index(format_), path, format_) for path, format_ in formats.items() if format_ is not None]
    if not known:
        raise NothingToImport(directory, "holds no file that can be imported")
    steps = [step(path, format_) for _, path, format_ in sorted(known)]
    return steps, [path.name for path, format_ in formats.items() if format_ is None]
