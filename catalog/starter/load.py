"""Loading the starter data: each part only into what is still empty, so real data are never mixed with it."""

from collections.abc import Iterator
from datetime import date

import shapely

from catalog import history
from catalog.importers.records import BoundaryRecord, Extract
from catalog.importers.run import Step
from catalog.importers.sync import Options, Report
from catalog.importers.sync.boundaries import sync_boundaries
from catalog.importers.sync.depots import plain_values
from catalog.importers.sync.places import sync_places
from catalog.importers.sync.postcodes import sync_postcodes
from catalog.importers.sync.units import sync_units
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from catalog.starter import boundaries, demo, reader


class RealDepotsExist(Exception):
    """Demonstration depots are refused beside real ones."""


def missing_steps() -> Iterator[Step]:
    """A step for every data set that is still empty. Later steps read what earlier ones have written."""
    if not Municipality.objects.exists():
        yield Step(Dataset.Slug.UNITS, reader.UNITS_CREDIT, load_units)
    if not Place.objects.exists():
        yield Step(Dataset.Slug.PLACES, reader.PLACES_CREDIT, load_places)
    if not Postcode.objects.exists():
        yield Step(Dataset.Slug.POSTCODES, reader.POSTCODES_CREDIT, load_postcodes)
    if not Boundary.objects.exists():
        yield Step(Dataset.Slug.BOUNDARIES, reader.BOUNDARIES_CREDIT, load_boundaries)
    # Where demonstration depots were removed on purpose the data set is known, and they stay away.
    if not Depot.objects.exists() and not Dataset.objects.filter(slug=Dataset.Slug.DEPOTS).exists():
        yield Step(Dataset.Slug.DEPOTS, demo.CREDIT, load_demonstration)


def dated(report: Report, as_of: date) -> Report:
    """A report that says which day its source is current to."""
    report.as_of = as_of
    return report


def load_units(options: Options) -> Report:
    """Names and codes of every unit."""
    return dated(sync_units(Extract(tuple(reader.read_units())), options), reader.UNITS_AS_OF)


def load_places(options: Options) -> Report:
    """Towns and villages with their positions."""
    return dated(sync_places(Extract(tuple(reader.read_places())), options), reader.PLACES_AS_OF)


def load_postcodes(options: Options) -> Report:
    """Postcodes with centres."""
    return dated(sync_postcodes(Extract(tuple(reader.read_postcodes())), options), reader.POSTCODES_AS_OF)


def load_boundaries(options: Options) -> Report:
    """Boundaries guessed from the points of places and postcodes, and flagged as approximate."""
    areas = boundaries.approximate(reader.read_places(), reader.read_postcodes(), reader.read_abroad())
    rows = tuple(BoundaryRecord(code, "", area) for code, area in sorted(areas.items()))
    return dated(sync_boundaries(Extract(rows), options, approximate=True), reader.PLACES_AS_OF)


def load_demonstration(options: Options) -> Report:
    """Invented depots, marked as such in name, description and origin, in municipalities that have a boundary.

    Raises RealDepotsExist.
    """
    if Depot.objects.real().exists():
        raise RealDepotsExist
    areas = {row.municipality_id: shapely.from_wkb(bytes(row.area)) for row in Boundary.objects.all()}
    units = [unit for unit in reader.read_units() if unit.teryt in areas]
    found = demo.demonstration_depots(units, reader.read_places(), areas, reader.read_postcodes())
    rows = [
        Depot(
            **plain_values(record),
            municipality_id=code,
            source=Depot.Source.DEMO,
            source_id=record.source_id,
            updated_at=options.today,
        )
        for code, record in found
    ]
    if options.write:
        added = Depot.objects.bulk_create(rows, batch_size=1000)
        history.record(
            Depot,
            [depot.pk for depot in added],
            by=None,
            reason=f"{history.IMPORTED}: {Depot.Source.DEMO.label}",
            kind=history.ADDED,
        )
    return Report("depots (demonstration)", added=len(rows))
