"""Questions to the catalog: one query each, plain values in, plain rows out.

`suggestions`: what somebody may mean. `stores`: depots. `units`: units and postcodes by their codes.

Depots and suggestions are asked for in SQL because building the same statements by the ORM takes longer than the
database takes to answer them.
"""

from catalog.queries.stores import (
    StoreRow,
    Stores,
    UnknownDepot,
    find_point,
    find_stores,
    find_stores_by_id,
    find_stores_in_known_unit,
    find_stores_in_unit,
    find_stores_near,
    get_store,
    get_successor,
)
from catalog.queries.suggestions import (
    MAX_SUGGESTIONS,
    Suggestion,
    suggest_locations,
)
from catalog.queries.units import (
    UnknownPostcode,
    UnknownUnit,
    UnknownVoivodeship,
    check_unit,
    get_postcode_centre,
    get_voivodeship,
    unknown_unit,
    voivodeships,
)

__all__ = [
    "MAX_SUGGESTIONS",
    "StoreRow",
    "Stores",
    "Suggestion",
    "UnknownDepot",
    "UnknownPostcode",
    "UnknownUnit",
    "UnknownVoivodeship",
    "check_unit",
    "find_point",
    "find_stores",
    "find_stores_by_id",
    "find_stores_in_known_unit",
    "find_stores_in_unit",
    "find_stores_near",
    "get_postcode_centre",
    "get_store",
    "get_successor",
    "get_voivodeship",
    "suggest_locations",
    "unknown_unit",
    "voivodeships",
]
