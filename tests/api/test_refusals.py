"""What each address refuses: the parameters and their codes, all at once, in the one body of errors."""

import pytest

from tests import factories
from tests.client import errors_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays", "the_day")]

REFUSED = {
    "locations?": (
        ("q missing", [""]),
        ("q empty", ["q=", "q=%20%20"]),
        ("q too_short", ["q=a"]),
        ("q too_long", ["q=" + "a" * 101]),
        ("q repeated", ["q=ab&q=cd"]),
        ("q malformed", ["q=%FF%FE", "q=ab%00", "q=ab%0A"]),
    ),
    "locate?": (
        ("lat missing, lon missing", [""]),
        ("lat missing", ["lon=20"]),
        ("lon missing", ["lat=50"]),
        ("lat malformed", ["lat=nan&lon=20", "lat=5e1&lon=20", "lat=50,06&lon=20", "lat=50.06%0A&lon=20"]),
        ("lat malformed", ["lat=%D9%A5%D9%A0&lon=20"]),
    ),
    "stores?": (
        ("teryt missing", ["", "county=1217", "=x"]),
        ("lon missing", ["lat=50", "teryt=12&lat=50", "=x&lat=50"]),
        ("lat missing", ["lon=20"]),
        ("lat repeated, lon missing", ["lat=50&lat=50"]),
        ("lat out_of_range", ["teryt=12&lat=1&lon=20"]),
        ("teryt malformed", ["teryt=126", "teryt=1261011%0a"]),
        ("postcode malformed", ["teryt=12&postcode=x"]),
        ("format not_a_choice", ["teryt=12&format=xml"]),
        ("limit out_of_range", ["teryt=12&limit=101.0"]),
        ("offset out_of_range", ["teryt=12&offset=10001"]),
        ("teryt malformed, radius out_of_range, fuel not_a_choice", ["teryt=1&radius=0&fuel=uran"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("teryt unknown", ["teryt=9999&county=1217"]),
    ),
    "stores/": (
        ("id out_of_range", ["0", "-1"]),
        ("id malformed", ["1.5", "abc", "1e3", "%00", "%D9%A1", "1%0A", "9" * 101]),
    ),
    "municipalities?": (
        ("voivodeship missing", [""]),
        ("county malformed", ["county=12"]),
        ("county unknown", ["county=1299", "county=9999", "county=9999&teryt=12"]),
        ("voivodeship unknown", ["voivodeship=atlantyda"]),
    ),
    "municipalities/": (
        ("teryt malformed", ["126101", "12", "126101.geojson"]),
        ("format not_a_choice", ["1261011?format=xml"]),
        ("teryt unknown", ["1299011", "1299011.geojson"]),
    ),
    "postcodes/": (
        ("code unknown", ["00-000", "00-000?postcode=30-001"]),
        ("code malformed", ["3000", "30-0011", "30 001"]),
    ),
    "prices?": (
        ("series not_a_choice", ["series=ropa"]),
        ("year out_of_range", ["year=1998"]),
        ("year malformed", ["year=x"]),
        ("voivodeship malformed", ["voivodeship=_"]),
        ("voivodeship unknown", ["voivodeship=narnia"]),
    ),
    "prices/pellet?": (
        ("on out_of_range", ["on=2026-11-22", "on=2024-11-20", "on=2026-02-30"]),
        ("on malformed", ["on=21.11.2026"]),
        ("voivodeship unknown", [f"voivodeship={name}" for name in ("99", "atlantyda", "00", "male-polskie") * 2]),
    ),
    "regulations?": (
        ("teryt malformed", ["teryt=1"]),
        ("postcode malformed", ["postcode=30--001", "teryt=12&postcode=x"]),
        ("voivodeship malformed", ["voivodeship=malo_polskie", "voivodeship=1", "teryt=12&voivodeship=1"]),
        ("voivodeship malformed", ["postcode=30-001&voivodeship=1"]),
        ("teryt missing", ["binding=1", "binding=1&voivodeship=12"]),
        ("teryt unknown", ["teryt=99", "teryt=1299", "teryt=1261012"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("voivodeship unknown", ["voivodeship=nigdzie", "voivodeship=99"]),
        ("appliance not_a_choice", ["teryt=1217011&appliance=kopciuch"]),
        ("teryt missing", ["appliance=boiler_class_3", "voivodeship=malopolskie&appliance=boiler_class_3"]),
        ("teryt out_of_range", ["teryt=12&appliance=boiler_class_3"]),
    ),
    "regulations/": (
        ("voivodeship unknown", ["nigdzie.ics", "99.ics"]),
        ("voivodeship malformed", ["Mało_polskie.ics"]),
        ("teryt malformed", ["malopolskie.ics?teryt=1"]),
        ("teryt unknown", ["malopolskie.ics?teryt=9999999"]),
        ("teryt out_of_range", ["malopolskie.ics?teryt=2461011"]),
        ("on malformed", ["malopolskie.ics?on=x"]),
    ),
    "deadlines?": (("to out_of_range", ["from=2027-01-02&to=2027-01-01", "to=2020-01-01"]),),
    "heating-costs?": (
        ("price_pellet ambiguous", ["price_pellet=1.640"]),
        ("efficiency_pellet out_of_range", ["efficiency_pellet=85"]),
        ("area out_of_range", ["area=10"]),
        ("kwh malformed", ["kwh=dużo"]),
        ("teryt unknown", ["teryt=9999999"]),
        ("postcode unknown", ["postcode=00-000"]),
        ("voivodeship unknown", ["voivodeship=nigdzie"]),
    ),
    "subsidy?": (
        ("people missing", ["income=1000"]),
        ("people out_of_range", ["people=0", "people=21"]),
        ("people malformed", ["people=2.5"]),
        ("people repeated", ["people=2&people=2"]),
        ("income malformed", ["people=2&income=nan", "people=2&income=1e3", "people=2&income=1%2000"]),
        ("income ambiguous", ["people=2&income=140.000"]),
        ("annual_income ambiguous", ["annual_income=140,000"]),
        ("income out_of_range", ["people=2&income=-0.01", "people=2&income=10000000.01"]),
        ("income too_long", ["people=2&income=" + "9" * 3000]),
        ("annual_income out_of_range", ["annual_income=10000001"]),
        ("walls out_of_range", ["walls=5000.01", "walls=-1"]),
        ("walls malformed", ["walls=.5"]),
        ("cost_gates out_of_range", ["cost_gates=10000000,01"]),
        ("cost_ventilation malformed", ["cost_ventilation=x"]),
        ("audit not_a_choice", ["audit=ja"]),
        ("eu not_a_choice", ["eu=4"]),
        ("new_source not_a_choice", ["new_source=gas_boiler", "new_source=ground_source_loop"]),
        ("current_heating not_a_choice", ["current_heating=coal"]),
        ("income_type not_a_choice", ["income_type=family"]),
        ("income_type repeated", ["income_type=person&dochod_typ=osoba"]),
        ("on out_of_range", ["on=2025-03-30", "on=2026-02-29"]),
        ("on malformed", ["on=20260720"]),
    ),
    "subsidy/limits?": (("on out_of_range", ["on=2025-03-30"]), ("about not_a_choice", ["about=x"])),
}
"""By address, what is refused of each query; every parameter that is wrong is named at once."""


@pytest.mark.parametrize("address", REFUSED)
def test_what_is_wrong_is_named_by_its_parameter_and_code(client, address):
    factories.zakopane(), factories.bielsko_biala()
    for errors, queries in REFUSED[address]:
        for query in queries:
            answer = client.get(f"/api/v1/{address}{query}")
            assert ", ".join(map(" ".join, errors_of(answer, 404 if "unknown" in errors else 400))) == errors, query
            assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/json", "no-store")
