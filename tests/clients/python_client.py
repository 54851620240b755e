"""Every operation by what openapi-python-client generates. Argument: the address of the site."""

import sys
from datetime import date

from fuelclient import models
from fuelclient.api.depots import find_store_points, find_stores, get_store
from fuelclient.api.heating import compare_heating_costs
from fuelclient.api.places import (
    find_locations,
    get_municipality,
    get_municipality_area,
    get_postcode,
    list_municipalities,
    locate,
)
from fuelclient.api.prices import get_fuel_prices, get_official_prices
from fuelclient.api.regulations import find_deadlines, find_regulations, get_deadline_calendar
from fuelclient.api.service import get_index
from fuelclient.api.subsidy import calculate_subsidy, calculate_subsidy_by_post, get_subsidy_limits
from fuelclient.client import Client

client = Client(base_url=f"{sys.argv[1]}/api/v1")
assert get_index.sync(client=client).operations[0].operation == "getIndex"
assert find_locations.sync(client=client, q="zakopane")[0].label == "Zakopane"
unit = locate.sync(client=client, lat=49.2992, lon=19.9496)
town = get_municipality.sync(unit.teryt, client=client)
code = get_postcode.sync("34-500", client=client)
assert (town.name, code.municipalities[0].teryt) == ("Zakopane", unit.teryt)
assert unit.teryt in [row.teryt for row in list_municipalities.sync(client=client, county=town.county.teryt)]
area = get_municipality_area.sync(unit.teryt, client=client)
assert (area.properties.name, area.geometry.type_) == ("Zakopane", "Polygon")
near = find_stores.sync(client=client, lat=code.lat, lon=code.lon, fuel=models.FindStoresFuel.PELLET, limit=3)
depot = get_store.sync(near[0].id, client=client)
assert near[0].distance_km is not None and depot.name == near[0].name
pellet = models.FindStorePointsFuel.PELLET
points = find_store_points.sync(client=client, lat=code.lat, lon=code.lon, fuel=pellet, limit=3)
assert [point.id for point in points.features] == [row.id for row in near]
assert find_regulations.sync(client=client, teryt=unit.teryt)[0].resolution.deadlines
binding = find_regulations.sync(client=client, teryt=unit.teryt, binding=True)[0]
assert binding.requested_unit.next_deadline.date == binding.resolution.deadlines[-1].date
coming = find_deadlines.sync(client=client, from_=date(2027, 1, 1), limit=2)
assert [row.date.year >= 2027 for row in coming] == [True, True]
assert get_deadline_calendar.sync("malopolskie", client=client).startswith("BEGIN:VCALENDAR")
assert get_official_prices.sync(client=client).wegiel_kamienny.poland["2018"] == 887.3
assert get_fuel_prices.sync(models.GetFuelPricesFuel.PELLET, client=client, values=True).values
heat = compare_heating_costs.sync(client=client, teryt=unit.teryt, price_pellet=1640)
assert [row.price.amount for row in heat.rows if row.source == "pellet"] == [1640]
household = {"people": 4, "income": 2000, "walls": 150, "audit": True}
by_query = calculate_subsidy.sync(client=client, **household)
for body in (models.SubsidyJson(**household), models.SubsidyForm(**household)):
    assert calculate_subsidy_by_post.sync(client=client, body=body) == by_query
assert get_subsidy_limits.sync(client=client, about=models.GetSubsidyLimitsAbout.LEVELS).limits
refused = find_stores.sync(client=client, limit=500)
assert isinstance(refused, models.Error) and refused.errors[0].parameter == "limit"
unknown = get_postcode.sync_detailed("00-000", client=client)
assert (unknown.status_code, unknown.parsed.code) == (404, "not_found")
