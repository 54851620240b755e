"""Every operation by what openapi-generator makes for Python. Argument: the address of the site."""

import sys
from datetime import date

from fuelclient2 import ApiClient, Configuration, SubsidyJson
from fuelclient2.api import DepotsApi, HeatingApi, PlacesApi, PricesApi, RegulationsApi, ServiceApi, SubsidyApi
from fuelclient2.exceptions import BadRequestException, NotFoundException
from fuelclient2.models import Error

client = ApiClient(Configuration(host=f"{sys.argv[1]}/api/v1"))
places, depots, prices, subsidy = PlacesApi(client), DepotsApi(client), PricesApi(client), SubsidyApi(client)
regulations = RegulationsApi(client)
assert ServiceApi(client).get_index().operations[0].operation == "getIndex"
assert places.find_locations(q="zakopane")[0].label == "Zakopane"
unit = places.locate(lat=49.2992, lon=19.9496)
town, code = places.get_municipality(unit.teryt), places.get_postcode("34-500")
assert (town.name, code.municipalities[0].teryt) == ("Zakopane", unit.teryt)
assert unit.teryt in [row.teryt for row in places.list_municipalities(county=town.county.teryt)]
assert places.get_municipality_area(unit.teryt).properties.name == "Zakopane"
near = depots.find_stores(lat=code.lat, lon=code.lon, fuel="pellet", limit=3)
points = depots.find_store_points(lat=code.lat, lon=code.lon, fuel="pellet", limit=3)
assert [point.id for point in points.features] == [row.id for row in near]
assert depots.get_store(near[0].id).name == near[0].name
assert regulations.find_regulations(teryt=unit.teryt)[0].resolution.deadlines
binding = regulations.find_regulations(teryt=unit.teryt, binding=True)[0]
assert binding.requested_unit.next_deadline.var_date == binding.resolution.deadlines[-1].var_date
assert [row.var_date.year >= 2027 for row in regulations.find_deadlines(var_from=date(2027, 1, 1), limit=1)] == [True]
assert regulations.get_deadline_calendar("malopolskie").startswith("BEGIN:VCALENDAR")
assert prices.get_official_prices().wegiel_kamienny.poland["2018"] == 887.3
assert prices.get_fuel_prices("pellet", values=True).values
heat = HeatingApi(client).compare_heating_costs(teryt=unit.teryt, price_pellet=1640)
assert [row.price.amount for row in heat.rows if row.source == "pellet"] == [1640]
by_query = subsidy.calculate_subsidy(people=4, income=2000, walls=150, audit=True)
by_post = subsidy.calculate_subsidy_by_post(SubsidyJson(people=4, income=2000, walls=150, audit=True))
assert by_query == by_post
assert subsidy.get_subsidy_limits(about="levels").limits
try:
    depots.find_stores(teryt="99")
except NotFoundException as error:
    assert Error.from_json(error.body).errors[0].parameter == "teryt"
try:
    depots.find_stores()
except BadRequestException as error:
    assert Error.from_json(error.body).code == "missing_parameter"
