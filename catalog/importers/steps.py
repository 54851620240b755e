"""From files to steps of an import: which parser reads a file, and in which order data sets build on one another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from django.db.models import Model, QuerySet

from catalog.importers import age
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
from catalog.importers.run import Step, require
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.importers.sync.boundaries import sync_boundaries
from catalog.importers.sync.depots import sync_depots
from catalog.importers.sync.places import sync_places
from catalog.importers.sync.postcodes import sync_postcodes
from catalog.importers.sync.units import sync_units
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from catalog.starter import reader


def read_prng(path: Path) -> Extract[Any]:
    """PRNG names units instead of giving codes, so the stored units are needed to read it."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return prng.parse(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


@dataclass(frozen=True, slots=True)
class Importer:
    """How one format is imported. publisher: stands beside the data set from then on.

    parse: takes one file, or, where it is published in parts, all that are given. dated: whether its days can be
    compared with those of what is stored, so that an older file does not undo a newer one. rows: what the catalog
    holds of this publisher, where others publish rows of the same data set; None where the file is the whole of it.
    starter: credit and day of such rows when they came with the starter data.
    """

    dataset: Dataset.Slug
    publisher: str
    parse: Callable[..., Extract[Any]]
    sync: Callable[[Extract[Any], Options], Report]
    in_parts: bool = False
    dated: bool = False
    rows: Callable[[], QuerySet[Any]] | None = None
    starter: tuple[str, date] | None = None


def depots_of(origin: Depot.Source) -> QuerySet[Depot]:
    """The depots of one origin that are not removed."""
    return Depot.objects.filter(source=origin).exclude(publication=Depot.Publication.REMOVED)


def places_of(register: str) -> QuerySet[Place]:
    """The places of one register."""
    return Place.objects.filter(id__startswith=f"{register}:")


def postcodes_of(*sources: Postcode.Source) -> QuerySet[Postcode]:
    """The postcodes of some sources."""
    return Postcode.objects.filter(source__in=sources)


OSM = "OpenStreetMap, ODbL 1.0"
sync_osm_depots = partial(sync_depots, origin=Depot.Source.OSM)
osm_depots_stored = partial(depots_of, Depot.Source.OSM)

PRG = "GUGiK, punkty adresowe PRG"
prg_postcodes_stored = partial(postcodes_of, *(s for s in Postcode.Source if s != Postcode.Source.GEONAMES))

IMPORTERS = {
    Format.TERC: Importer(Dataset.Slug.UNITS, "GUS, rejestr TERYT (TERC)", terc.parse, sync_units, dated=True),
    Format.SIMC: Importer(
        Dataset.Slug.PLACES, "GUS, rejestr TERYT (SIMC)", simc.parse, sync_places, rows=partial(places_of, "simc")
    ),
    Format.PLACES_JSON: Importer(
        Dataset.Slug.PLACES,
        "GUGiK, PRNG",
        read_prng,
        sync_places,
        rows=partial(places_of, "prng"),
        starter=(reader.PLACES_CREDIT, reader.PLACES_AS_OF),
    ),
    Format.BOUNDARIES: Importer(
        Dataset.Slug.BOUNDARIES, "GUGiK, Państwowy Rejestr Granic", boundaries.parse, sync_boundaries
    ),
    Format.BOUNDARIES_GEOJSON: Importer(
        Dataset.Slug.BOUNDARIES, "GUGiK, Państwowy Rejestr Granic", boundaries.parse, sync_boundaries
    ),
    Format.PRG_POSTCODES: Importer(
        Dataset.Slug.POSTCODES, PRG, prg_postcodes.parse, sync_postcodes, rows=prg_postcodes_stored
    ),
    Format.PRG_ADDRESSES: Importer(
        Dataset.Slug.POSTCODES, PRG, prg_addresses.parse, sync_postcodes, in_parts=True, rows=prg_postcodes_stored
    ),
    Format.GEONAMES: Importer(
        Dataset.Slug.POSTCODES,
        "GeoNames, CC BY 4.0",
        geonames.parse,
        sync_postcodes,
        rows=partial(postcodes_of, Postcode.Source.GEONAMES),
        starter=(reader.POSTCODES_CREDIT, reader.POSTCODES_AS_OF),
    ),
    Format.OVERPASS: Importer(
        Dataset.Slug.DEPOTS, OSM, overpass.parse, sync_osm_depots, dated=True, rows=osm_depots_stored
    ),
    Format.OSM_PBF: Importer(
        Dataset.Slug.DEPOTS, OSM, osm_pbf.parse, sync_osm_depots, dated=True, rows=osm_depots_stored
    ),
}
"""Every format that can be imported, in the order in which they build on one another."""

NEEDS: dict[Dataset.Slug, tuple[type[Model], str, str]] = {
    Dataset.Slug.PLACES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.POSTCODES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.BOUNDARIES: (Municipality, "municipalities", "import_teryt"),
    Dataset.Slug.DEPOTS: (Boundary, "boundaries", "import_boundaries"),
}
"""What must be in the database before a data set can be read: model, name, and the command that brings it."""


def stored_day(importer: Importer, format_: Format) -> date | None:
    """The day of what is stored of a publisher. Another's day says nothing of it where several share a data set."""
    if importer.rows is None:
        return age.day_of_dataset(importer.dataset)
    return age.day_of_publication(publication_of(format_.value), importer.dataset, publisher=importer.publisher)


def beside(importer: Importer) -> dict[str, date | None]:
    """Who else published rows of an importer's data set, as it credits them, with the day they are current to."""
    row = Dataset.objects.filter(slug=importer.dataset).first()
    credited = row.sources if row else []
    found: dict[str, date | None] = {}
    for format_, other in IMPORTERS.items():
        if other.dataset != importer.dataset or other.publisher in {importer.publisher, *found}:
            continue
        if other.rows is None or not other.rows().exists():
            continue
        if other.starter and other.starter[0] in credited:
            found[other.starter[0]] = other.starter[1]
        else:
            found[other.publisher] = stored_day(other, format_)
    return found


class NothingToImport(BadInput):
    """A directory without a file that the catalog can import."""


def step(paths: Sequence[Path], format_: Format, *, pass_over_older: bool = False) -> Step:
    """The step that imports one file, or the parts of a source. They are read only when their turn comes.

    pass_over_older: whether a file that is older than what is stored is passed over; else it raises ImportRefused.
    """
    importer = IMPORTERS[format_]

    def sync(options: Options) -> Report:
        if importer.dataset in NEEDS:
            require(*NEEDS[importer.dataset])
        extract = importer.parse(*paths)
        names = ", ".join(path.name for path in paths)
        comparable = importer.dated and extract.as_of and not options.allow_older
        newer = age.newer_day(extract.as_of, stored_day(importer, format_)) if comparable else None
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

    return Step(
        importer.dataset,
        importer.publisher,
        sync,
        form=format_.value,
        files=tuple(paths),
        beside=partial(beside, importer),
    )


def steps_of(known: Iterable[tuple[Path, Format]], *, pass_over_older: bool = False) -> list[Step]:
    """Steps for recognised files, in their order; the parts of a source are one step, where the first stands."""
    together: dict[tuple[Format, Path | None], list[Path]] = {}
    for path, format_ in known:
        together.setdefault((format_, None if IMPORTERS[format_].in_parts else path), []).append(path)
    return [step(paths, format_, pass_over_older=pass_over_older) for (format_, _), paths in together.items()]


def steps_for(paths: Iterable[Path], dataset: Dataset.Slug) -> list[Step]:
    """Steps that import files of one data set. Raises BadInput for a file of another, and for one given twice."""
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


def directory_steps(directory: Path) -> tuple[list[Step], list[str]]:
    """Steps for every file of a directory that can be imported, in order, and the names of the other files.

    Of several files of one format the names decide the order, so dated registers come oldest first.
    Raises BadInput when the directory is missing or a file called like a known one is broken, NothingToImport when it
    holds nothing of the catalog's.
    """
    if not directory.is_dir():
        raise BadInput(directory, "is not a directory")
    # A link that leads nowhere is a file that somebody misses.
    files = sorted(path for path in directory.iterdir() if path.is_file() or (path.is_symlink() and not path.exists()))
    formats = {path: recognise(path) for path in files}
    order = list(IMPORTERS)
    known = [(order.index(format_), path, format_) for path, format_ in formats.items() if format_ is not None]
    if not known:
        raise NothingToImport(directory, "holds no file that can be imported")
    ordered = [(path, format_) for _, path, format_ in sorted(known, key=lambda row: row[:2])]
    # A folder keeps old registers beside new ones, and importing it again must change nothing.
    steps = steps_of(ordered, pass_over_older=True)
    return steps, [path.name for path, format_ in formats.items() if format_ is None]
