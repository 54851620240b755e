from datetime import date

from tests import factories
from tests.client import shared_rows
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory


@shared_rows
def acts():
    wide = ResolutionFactory(excluded=["1261011"], scope="województwo bez Krakowa")
    ResolutionFactory(krakow=True, number="", adopted=date(2016, 1, 15), publication="", text_url="")
    AmendmentFactory(resolution=wide, adopted=date(2022, 9, 26), publication="Dz. Urz. z 2022 r. poz. 2")
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), kind="solid_fuel_ban", applies_to="wszystkie paliwa stałe")
    DeadlineFactory(outside_krakow=True, date=date(2027, 1, 1), applies_to="kotły klasy 3 i 4")
    DeadlineFactory(outside_krakow=True, date=date(2024, 5, 1), applies_to="kotły bezklasowe")
    FuelBanFactory(from_date=None)
    factories.krakow()
    factories.zakopane()
