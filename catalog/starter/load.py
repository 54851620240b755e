"""Loading of the starter data: only into empty data sets, so real data are never mixed with it."""

from collections.abc import Iterator
from datetime import date

from catalog.importers.records import BoundaryRecord, Extract
from catalog.importers.runner import ImportStep
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.importers.sync.depots import plain_values
from catalog.importers.sync.places import sync_boundaries, sync_places, sync_postcodes
from catalog.importers.sync.units import sync_units
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from catalog.starter import reader
from catalog.territory.boundaries import BoundaryIndex
from fueldepot.data import history


def missing_steps() -> Iterator[ImportStep]:
    """Yield a step for every empty data set. Later steps depend on earlier ones."""
    if not Municipality.objects.exists():
        yield ImportStep(Dataset.Slug.UNITS, reader.UNITS_CREDIT, load_units)
    if not Place.objects.exists():
        yield ImportStep(Dataset.Slug.PLACES, reader.PLACES_CREDIT, load_places)
    if not Postcode.objects.exists():
        yield ImportStep(Dataset.Slug.POSTCODES, reader.POSTCODES_CREDIT, load_postcodes)
    if not Boundary.objects.exists():
        yield ImportStep(Dataset.Slug.BOUNDARIES, reader.BOUNDARIES_CREDIT, load_boundaries)
    # If demonstration depots were removed on purpose, the data set exists and they stay removed.
    if not Depot.objects.exists() and not Dataset.objects.filter(slug=Dataset.Slug.DEPOTS).exists():
        yield ImportStep(Dataset.Slug.DEPOTS, reader.DEMONSTRATION_CREDIT, load_demonstration)


def dated(report: Report, as_of: date) -> Report:
    """Set the day of a report."""
    report.as_of = as_of
    return report


def load_units(options: Options) -> Report:
    """Load names and codes of all units."""
    return dated(sync_units(Extract(tuple(reader.read_units())), options), reader.UNITS_AS_OF)


def load_places(options: Options) -> Report:
    """Load towns and villages with positions, and districts without."""
    places = (*reader.read_places(), *reader.read_districts())
    return dated(sync_places(Extract(places), options), reader.PLACES_AS_OF)


def load_postcodes(options: Options) -> Report:
    """Load postcodes with centres."""
    return dated(sync_postcodes(Extract(tuple(reader.read_postcodes())), options), reader.POSTCODES_AS_OF)


def load_boundaries(options: Options) -> Report:
    """Load boundaries approximated from places and postcodes, marked as approximate."""
    areas = reader.approximate(reader.read_places(), reader.read_postcodes(), reader.read_abroad())
    rows = tuple(BoundaryRecord(code, "", area) for code, area in sorted(areas.items()))
    return dated(sync_boundaries(Extract(rows), options, approximate=True), reader.PLACES_AS_OF)


def load_demonstration(options: Options) -> Report:
    """Load demonstration depots into the municipalities that they lie in. Raises ImportRefused beside real depots."""
    if Depot.objects.exclude(source=Depot.Source.DEMO).exists():
        raise ImportRefused("there are real depots, which invented ones must not stand beside")
    index = BoundaryIndex.load()
    rows = [
        Depot(
            **plain_values(record),
            municipality_id=unit.teryt,
            source=Depot.Source.DEMO,
            source_id=record.source_id,
            updated_at=options.today,
        )
        for record in reader.read_demonstration()
        if (unit := index.find(record.lat, record.lon))
    ]
    if options.write:
        added = Depot.objects.bulk_create(rows, batch_size=1000)
        history.record_bulk(
            Depot,
            [depot.pk for depot in added],
            by=None,
            reason=f"{history.IMPORTED}: {Depot.Source.DEMO.label}",
            kind=history.CREATED,
        )
    return Report("depots (demonstration)", added=len(rows))
