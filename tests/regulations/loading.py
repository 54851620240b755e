from dataclasses import asdict
from datetime import date

from django.utils import timezone

from catalog import starter
from catalog.importers.records import Options
from catalog.importers.runner import run
from catalog.models import County, Municipality, Voivodeship
from catalog.text import slug
from regulations import queries
from regulations.api.params import RegulationsQuery
from regulations.appliance_check import check_appliance
from regulations.sources import file_step
from regulations.state_files import DATA, find_files

OPTIONS = Options(today=timezone.localdate(), write=True)
"""Of the present day: no file may have a later `as_of`, and an amendment moves it."""


def load_units():
    """Load the whole register, since rules name municipalities everywhere."""
    units = starter.read_units()
    level = {length: [unit for unit in units if len(unit.teryt) == length] for length in (2, 4, 7)}
    Voivodeship.objects.bulk_create(Voivodeship(teryt=u.teryt, name=u.name, slug=slug(u.name)) for u in level[2])
    County.objects.bulk_create(County(teryt=u.teryt, name=u.name, voivodeship_id=u.teryt[:2]) for u in level[4])
    Municipality.objects.bulk_create(
        Municipality(**asdict(u), slug=slug(u.name), county_id=u.teryt[:4], voivodeship_id=u.teryt[:2])
        for u in level[7]
    )


def load_files(paths=None):
    load_units()
    return run([file_step(paths or find_files([DATA]))], OPTIONS, recorded=False)[0]


def check(teryt, appliance, on="2026-11-22", **facts):
    query = RegulationsQuery(teryt=teryt, postcode=None, voivodeship=None, on=date.fromisoformat(on))
    (entry,) = queries.find_regulations(query)
    return check_appliance(entry, appliance, facts)
