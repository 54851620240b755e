"""Registry of importable formats: parser, publisher and order of imports."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from django.db.models import Model, QuerySet

from catalog.importers import as_of
from catalog.importers.parsers import (
    boundaries,
    geonames,
    osm_pbf,
    overpass,
    prg_addresses,
    prg_postcodes,
    prng,
    simc,
    terc,
)
from catalog.importers.parsers.formats import Format, identify, recognise
from catalog.importers.publications import publication_of
from catalog.importers.records import BadInput, Extract, Note
from catalog.importers.runner import ImportStep, require
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.importers.sync.boundaries import sync_boundaries
from catalog.importers.sync.depots import sync_depots
from catalog.importers.sync.places import sync_places
from catalog.importers.sync.postcodes import sync_postcodes
from catalog.importers.sync.units import sync_units
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from catalog.starter import reader


def read_prng(path: Path) -> Extract[Any]:
    """PRNG has names of units instead of codes, so parsing it needs the stored units."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return prng.parse(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


@dataclass(frozen=True, slots=True)
class Importer:
    """How one format is imported. publisher: recorded with the data set.

    parse: takes one file, or several if the format is published in parts. dated: whether its day is compared with the
    stored one, so that an older file does not undo a newer one. rows: stored rows of this publisher, if the data set
    has several publishers; None if the file is all of it. starter: publisher and day of such rows in the starter data.
    """

    dataset: Dataset.Slug
    publisher: str
    parse: Callable[..., Extract[Any]]
    sync: Callable[[Extract[Any], Options], Report]
    in_parts: bool = False
    dated: bool = False
    rows: QuerySet[Any] | None = None
    starter: tuple[str, date] | None = None


sync_osm_depots = partial(sync_depots, origin=Depot.Source.OSM)

OSM = "OpenStreetMap, ODbL 1.0"
OSM_DEPOTS = Depot.objects.filter(source=Depot.Source.OSM).exclude(publication=Depot.Publication.REMOVED)

PRG = "GUGiK, punkty adresowe PRG"
PRG_POSTCODES = Postcode.objects.exclude(source=Postcode.Source.GEONAMES)

BOUNDARIES = Importer(Dataset.Slug.BOUNDARIES, "GUGiK, Państwowy Rejestr Granic", boundaries.parse, sync_boundaries)

IMPORTERS = {
    Format.TERC: Importer(Dataset.Slug.UNITS, "GUS, rejestr TERYT (TERC)", terc.parse, sync_units, dated=True),
    Format.SIMC: Importer(
        Dataset.Slug.PLACES,
        "GUS, rejestr TERYT (SIMC)",
        simc.parse,
        sync_places,
        rows=Place.objects.filter(id__startswith="simc:"),
    ),
    Format.PLACES_JSON: Importer(
        Dataset.Slug.PLACES,
        "GUGiK, PRNG",
        read_prng,
        sync_places,
        rows=Place.objects.filter(id__startswith="prng:"),
        starter=(reader.PLACES_CREDIT, reader.PLACES_AS_OF),
    ),
    Format.BOUNDARIES: BOUNDARIES,
    Format.BOUNDARIES_GEOJSON: BOUNDARIES,
    Format.PRG_POSTCODES: Importer(
        Dataset.Slug.POSTCODES, PRG, prg_postcodes.parse, sync_postcodes, rows=PRG_POSTCODES
    ),
    Format.PRG_ADDRESSES: Importer(
        Dataset.Slug.POSTCODES, PRG, prg_addresses.parse, sync_postcodes, in_parts=True, rows=PRG_POSTCODES
    ),
    Format.GEONAMES: Importer(
        Dataset.Slug.POSTCODES,
        "GeoNames, CC BY 4.0",
        geonames.parse,
        sync_postcodes,
        rows=Postcode.objects.filter(source=Postcode.Source.GEONAMES),
        starter=(reader.POSTCODES_CREDIT, reader.POSTCODES_AS_OF),
    ),
    Format.OVERPASS: Importer(Dataset.Slug.DEPOTS, OSM, overpass.parse, sync_osm_depots, dated=True, rows=OSM_DEPOTS),
    Format.OSM_PBF: Importer(Dataset.Slug.DEPOTS, OSM, osm_pbf.parse, sync_osm_depots, dated=True, rows=OSM_DEPOTS),
}
"""Importers by format, in the order of their dependencies."""

NEEDS: dict[Dataset.Slug, tuple[type[Model], str, str]] = {
    Dataset.Slug.PLACES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.POSTCODES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.BOUNDARIES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.DEPOTS: (Boundary, "boundaries", "import_boundaries"),
}
"""Prerequisites of a data set: model, name, and the command that imports it."""


def stored_day(importer: Importer, format_: Format, *, until: date = date.max) -> date | None:
    """Return the stored day of a publisher, not counting days later than `until`.

    That of another publisher does not count where several share a data set.
    """
    if importer.rows is None:
        return as_of.day_of_dataset(importer.dataset, until=until)
    source = publication_of(format_.value)
    return as_of.day_of_publication(source, importer.dataset, publisher=importer.publisher, until=until)


def other_publishers(importer: Importer) -> dict[str, date | None]:
    """Return other publishers of an importer's data set, with the day their rows are current to."""
    row = Dataset.objects.filter(slug=importer.dataset).first()
    credited = row.sources if row else []
    found: dict[str, date | None] = {}
    for format_, other in IMPORTERS.items():
        if other.dataset != importer.dataset or other.publisher in {importer.publisher, *found}:
            continue
        if other.rows is None or not other.rows.exists():
            continue
        if other.starter and other.starter[0] in credited:
            found[other.starter[0]] = other.starter[1]
        else:
            found[other.publisher] = stored_day(other, format_)
    return found


class NoKnownFiles(BadInput):
    """A directory without importable files."""


def step(paths: Sequence[Path], format_: Format, *, pass_over_older: bool = False) -> ImportStep:
    """Return a step that imports one file, or the parts of a source, which are parsed when the step runs.

    pass_over_older: whether an older file than stored is skipped; else the step raises ImportRefused.
    """
    importer = IMPORTERS[format_]

    def sync(options: Options) -> Report:
        if importer.dataset in NEEDS:
            require(*NEEDS[importer.dataset])
        extract = importer.parse(*paths)
        names = ", ".join(path.name for path in paths)
        comparable = importer.dated and extract.as_of and not options.allow_older
        until = as_of.last_valid_day(options.today)
        newer = as_of.newer_day(extract.as_of, stored_day(importer, format_, until=until)) if comparable else None
        if newer and not pass_over_older:
            raise ImportRefused(
                f"{names} is of {extract.as_of}, and what is stored of {newer}: it would undo newer changes; "
                "give a newer file, or add --allow-older"
            )
        if newer:
            reason = f"of {extract.as_of}, older than what is stored ({newer})"
            return Report(f"{importer.dataset} from {names}", skipped=[Note(names, reason)])
        report = importer.sync(extract, options)
        report.title = f"{importer.dataset} from {names}"
        report.as_of = extract.as_of
        return report

    return ImportStep(
        importer.dataset,
        importer.publisher,
        sync,
        form=format_.value,
        files=tuple(paths),
        other_publishers=partial(other_publishers, importer),
    )


def steps_of(known: Iterable[tuple[Path, Format]], *, pass_over_older: bool = False) -> list[ImportStep]:
    """Return steps for recognised files, in order; the parts of a source are one step, in the place of the first."""
    together: dict[tuple[Format, Path | None], list[Path]] = {}
    for path, format_ in known:
        together.setdefault((format_, None if IMPORTERS[format_].in_parts else path), []).append(path)
    return [step(paths, format_, pass_over_older=pass_over_older) for (format_, _), paths in together.items()]


def steps_for(paths: Iterable[Path], dataset: Dataset.Slug) -> list[ImportStep]:
    """Return steps that import files of one data set. Raises BadInput for other files and repeated ones."""
    known = []
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise BadInput(path, "is given twice")
        seen.add(path.resolve())
        format_ = identify(path)
        if format_ is None or IMPORTERS[format_].dataset != dataset:
            forms = ", ".join(f.value for f in IMPORTERS if IMPORTERS[f].dataset == dataset)
            found = f"looks like {format_.value}" if format_ else "is of no known form"
            raise BadInput(path, f"{found}; this command reads: {forms}")
        known.append((path, format_))
    return steps_of(known)


def directory_steps(directory: Path) -> tuple[list[ImportStep], list[str]]:
    """Return steps for the importable files of a directory, in order, and the names of the other files.

    Files of one format are ordered by name, so dated registers are imported oldest first.

    Raises BadInput if the directory is missing or a file with the name of a known format is damaged, NoKnownFiles if
    nothing is importable.
    """
    if not directory.is_dir():
        raise BadInput(directory, "is not a directory")
    # A dangling symlink is a missing file.
    files = sorted(path for path in directory.iterdir() if path.is_file() or (path.is_symlink() and not path.exists()))
    formats = {path: recognise(path) for path in files}
    # In the order of `IMPORTERS`; within a format by name, as `formats` is.
    known = [(path, wanted) for wanted in IMPORTERS for path, format_ in formats.items() if format_ == wanted]
    if not known:
        raise NoKnownFiles(directory, "holds no file that can be imported")
    # A directory may keep old registers beside new ones, and importing it again must change nothing.
    steps = steps_of(known, pass_over_older=True)
    return steps, [path.name for path, format_ in formats.items() if format_ is None]
