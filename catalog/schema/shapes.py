"""What the location endpoints answer, field by field, in the order of the specification."""

from catalog import fuels
from catalog.models import Depot, SearchEntry
from catalog.params import LAT_RANGE, LON_RANGE
from catalog.reading.hours import DAYS
from catalog.schema.forms import (
    Schema,
    address,
    array,
    boolean,
    choice,
    day,
    integer,
    nullable,
    number,
    record,
    ref,
    text,
)

SITE = "https://sklady.example.pl"
"""Stands for the service's own address in examples."""

TERYT_2: Schema = text("TERYT code of the voivodeship, 2 digits.", "12", pattern="^[0-9]{2}$")
TERYT_7: Schema = text("TERYT code of the municipality, 7 digits.", "1261011", pattern="^[0-9]{7}$")
SLUG: Schema = text("Slug of the voivodeship: its name in lower case without diacritics.", "malopolskie")
FUEL_SLUG: Schema = choice("Slug of the fuel.", fuels.BY_SLUG, "pellet")
FUEL_NAME: Schema = choice("Display name of the fuel.", [fuel.name for fuel in fuels.FUELS], "Pellet")
UNIT: Schema = choice("What a price is per: `t` a tonne, `mp` a stacked cubic metre.", fuels.UNIT_NAMES)
UNIT_NAME: Schema = choice("Polish name of the unit.", fuels.UNIT_NAMES.values())

MUNICIPALITY = f"{SITE}/sklady/malopolskie/krakow-1261011/"
HOURS = r"^([0-9]|1[0-9]|2[0-3]):[0-5][0-9]-([0-9]|1[0-9]|2[0-4]):[0-5][0-9]$|^nieczynne$|^$"


def degrees(description: str, example: float, ends: tuple[float, float]) -> Schema:
    """A coordinate. Entries lie in Poland; the ends are those of what may be asked."""
    return number(f"{description}, WGS84, in decimal degrees ({ends[0]} to {ends[1]}).", example)


STORE_FIELDS: dict[str, Schema] = {
    "id": integer("Identifier of the depot.", 2371, minimum=1),
    "name": text("Name of the company or depot.", "Skład opału Przykład"),
    "url": address("Page of the depot. Name it when you quote the entry.", f"{SITE}/sklad/2371-sklad-opalu-przyklad/"),
    "address": text(
        "Address in one line. Without a street it is the postcode and place, or the municipality.",
        "ul. Węglowa 1, 30-001 Kraków",
    ),
    "nip": nullable(text("Tax number, 10 digits; null when not known.", "1234563218", pattern="^[0-9]{10}$")),
    "phone": nullable(text("Telephone; null when not known.", "+48 12 345 67 89")),
    "website": nullable(address("Web site; null when not known.", "https://example.pl/")),
    "lat": degrees("Latitude", 50.07182, LAT_RANGE),
    "lon": degrees("Longitude", 19.94051, LON_RANGE),
    "location_approximate": boolean("True when the position is approximate."),
    "distance_km": nullable(
        number(
            "Great-circle distance from the reference point in km, one decimal; null when asked by `teryt` and in "
            "`/stores/{id}`.",
            0.7,
            minimum=0,
        )
    ),
    "municipality": ref("StoreMunicipality"),
    "fuels": array(FUEL_NAME, "Display names of the fuels offered (not the slugs), in the order of the catalog."),
    "hours": nullable(ref("Hours")),
    "opening_hours": nullable(
        text(
            "Hours as the source writes them, in the grammar of OpenStreetMap; null when not known.",
            "Mo-Fr 08:00-16:00",
        )
    ),
    "featured": boolean("Marked by the editors. It never changes the order."),
    "source": ref("StoreSource"),
}

COMPONENTS: dict[str, Schema] = {
    "Location": record(
        "A suggestion of `/locations`.",
        {
            "type": choice(
                "Kind of match: a municipality, a locality (town, village or part of one) or a postcode.",
                SearchEntry.Kind.values,
                "municipality",
            ),
            "label": text(
                "Text to show. For a postcode the code and its places, cut short with an ellipsis when there are many.",
                "Kraków",
                "30-001 Kraków",
            ),
            "name": text("Name of the municipality or locality; absent for a postcode.", "Kraków"),
            "description": text(
                "Kind, county and voivodeship, so that namesakes can be told apart.",
                "gmina miejska, miasto na prawach powiatu, województwo małopolskie",
            ),
            "url": address(
                "Page of the municipality. For a postcode it carries the code in the query parameter `kod`.",
                f"{MUNICIPALITY}?kod=30-001",
            ),
        },
        optional=["name"],
    ),
    "LocatedMunicipality": record(
        "The municipality of a point.",
        {
            "municipality": text("Name of the municipality.", "Kraków"),
            "teryt": TERYT_7,
            "description": text(
                "Kind, county and voivodeship.",
                "gmina miejska, miasto na prawach powiatu, województwo małopolskie",
            ),
            "url": address(
                "Page of the municipality; the query parameter `p` carries the point as latitude,longitude.",
                f"{MUNICIPALITY}?p=50.0614,19.9366",
            ),
            "approximate": boolean(
                "True while the boundary is approximated from places; false with the boundary of the national "
                "register, which is accurate to about 100 m.",
            ),
        },
    ),
    "StoreMunicipality": record(
        "The municipality that a depot is assigned to.",
        {
            "name": text("Name of the municipality.", "Kraków"),
            "teryt": TERYT_7,
            "url": address("Page of the municipality.", MUNICIPALITY),
        },
    ),
    "Hours": record(
        "Opening hours by day of the week; null when unknown. Confirm them at the depot.",
        {
            day_of_week: text(
                "A range `H:MM-H:MM` (round the clock is `0:00-24:00`), `nieczynne` (closed), or an empty string when "
                "the day has more than one range (see `opening_hours`).",
                "8:00-16:00",
                pattern=HOURS,
            )
            for day_of_week in DAYS
        },
    ),
    "StoreSource": record(
        "Where an entry comes from and how sure it is. Quote the status together with the entry.",
        {
            "data_status": choice(
                "`unverified`: from an open source, confirmed by nobody; `verified`: checked by the editors; `owner`: "
                "confirmed by the depot's owner.",
                Depot.DataStatus.values,
            ),
            "description": text(
                "The status in a Polish sentence; demonstration entries say so here.",
                "Dane z otwartego źródła, niepotwierdzone przez redakcję ani właściciela.",
            ),
            "origin": text(
                "Attribution of the origin. Repeat it wherever the entry is shown.",
                "© autorzy OpenStreetMap, licencja ODbL 1.0 (https://www.openstreetmap.org/copyright)",
            ),
            "licence": text("Licence of the entry.", "ODbL-1.0"),
            "verified_at": nullable(
                day("Day of the last check by the editors or the owner; null before.", "2026-10-01")
            ),
            "updated_at": day("Day on which the public content last changed.", "2026-10-03"),
        },
    ),
    "Store": record("A fuel depot.", STORE_FIELDS),
    "StoreFeature": record(
        "A depot as a GeoJSON feature.",
        {
            "type": {"type": "string", "const": "Feature", "description": "Always `Feature`.", "examples": ["Feature"]},
            "id": integer("Identifier of the depot.", 2371, minimum=1),
            "geometry": record(
                "Position of the depot.",
                {
                    "type": {
                        "type": "string",
                        "const": "Point",
                        "description": "Always `Point`.",
                        "examples": ["Point"],
                    },
                    "coordinates": {
                        **array({"type": "number", "examples": [19.94]}, "Longitude, then latitude, WGS84."),
                        "minItems": 2,
                        "maxItems": 2,
                        "examples": [[19.94051, 50.07182]],
                    },
                },
            ),
            "properties": ref("Store"),
        },
    ),
    "StoreFeatureCollection": record(
        "Depots as GeoJSON (RFC 7946).",
        {
            "type": {
                "type": "string",
                "const": "FeatureCollection",
                "description": "Always `FeatureCollection`.",
                "examples": ["FeatureCollection"],
            },
            "features": array(ref("StoreFeature"), "The depots, in the order of the JSON answer."),
        },
    ),
}
