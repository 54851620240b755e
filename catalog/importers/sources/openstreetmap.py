"""Fuel depots of OpenStreetMap: answers of the Overpass API, and extracts in PBF."""

from functools import partial

from catalog.importers.parsers import osm, osm_pbf
from catalog.importers.sources import DataSource, FileFormat
from catalog.importers.sync_depots import sync_depots
from catalog.models import Dataset, Depot

QUERY = f"""\
[out:json][timeout:180][maxsize:268435456];
area["ISO3166-1"="PL"]["admin_level"="2"]->.poland;
(
  nwr["shop"~"(^|;) *({"|".join(sorted(osm.SHOPS))}) *(;|$)",i](area.poland);
  nwr["shop"~"(^|;) *({"|".join(sorted(osm.TRADES))}) *(;|$)",i][~"^(fuel|sells)(:|$)"~"."](area.poland);
);
out center;
"""

SOURCES = (
    DataSource(
        id="osm-depots",
        order=50,
        dataset=Dataset.Slug.DEPOTS,
        title="OpenStreetMap, składy opału",
        publisher="autorzy OpenStreetMap",
        credit="OpenStreetMap, ODbL 1.0",
        licence="ODbL 1.0",
        terms="https://www.openstreetmap.org/copyright",
        formats=(
            FileFormat("overpass", osm.recognises_overpass, osm.parse_overpass, r".*overpass.*\.json"),
            FileFormat("osm_pbf", osm_pbf.recognises, osm_pbf.parse, r".*\.osm\.pbf"),
        ),
        write=partial(sync_depots, origin=Depot.Source.OSM),
        needs=Dataset.Slug.BOUNDARIES,
        built_on=(Dataset.Slug.UNITS,),
        dated=True,
        rows=Depot.objects.filter(source=Depot.Source.OSM).exclude(publication=Depot.Publication.REMOVED),
        method="overpass",
        # The main public instance, documented at https://wiki.openstreetmap.org/wiki/Overpass_API. It gives an address
        # two slots and asks for a contact in the User-Agent; one query a week is far below its limits.
        url="https://overpass-api.de/api/interpreter",
        query=QUERY,
        file="depots.overpass.json",
        rhythm_days=7,
        min_rows=100,
        max_megabytes=100,
        confirmed=True,
    ),
)
