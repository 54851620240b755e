"""What must never be false is refused by the database: one test breaks each constraint."""

import pytest
from django.db import IntegrityError, connection, transaction

from catalog import models
from catalog.territory import coordinates
from prices.models import Observation, Series
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_depot_and_a_code_cannot_be():
    depot = factories.DepotFactory
    depot(source_id="node/1")
    for constraint, factory, values in (
        ("depot_nip_ten_digits", depot, {"nip": "123"}),
        ("depot_within_poland", depot, {"lat": 60.0}),
        ("depot_within_poland", depot, {"lon": 5.0}),
        ("depot_checked_by_somebody_some_day", depot, {"data_status": "verified"}),
        ("depot_checked_by_somebody_some_day", depot, {"verified_at": "2026-01-01"}),
        ("depot_removed_with_day_and_reason", depot, {"publication": "removed"}),
        ("depot_removed_with_day_and_reason", depot, {"removal_reason": "owner"}),
        ("depot_demonstration_without_contact", depot, {"source": "demo", "phone": "+48 12 345 67 89"}),
        ("depot_source_identifier", depot, {"source_id": "node/1"}),
        ("municipality_teryt_seven_digits", factories.MunicipalityFactory, {"teryt": "1261014", "kind": 1}),
        ("postcode_form", factories.PostcodeFactory, {"code": "30001"}),
    ):
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            factory(**values)


def test_the_database_projects_like_the_plane_module():
    for place in ((50.0617, 19.9373), (48.8, 13.9), (55.1, 24.3), (52.0, 19.0)):
        depot = factories.DepotFactory(lat=place[0], lon=place[1])
        with connection.cursor() as cursor:
            cursor.execute("SELECT position[0], position[1] FROM catalog_depot WHERE id = %s", [depot.pk])
            assert cursor.fetchone() == pytest.approx(coordinates.project(*place), abs=1e-6), place


def test_polish_letters_sort_after_their_base():
    for name in ["Ż", "Ź", "Z", "ą", "B", "A", "Łoś", "Lz"]:
        factories.DepotFactory(name=name)
    found = models.Depot.objects.order_by("name_key").values_list("name", flat=True)
    assert list(found) == ["A", "ą", "B", "Lz", "Łoś", "Z", "Ź", "Ż"]


def test_what_an_editor_or_a_log_is_told_of_a_row():
    unit, electricity = factories.krakow(), "Energia elektryczna dla gospodarstw domowych, taryfa G11"
    told = [
        (models.Dataset(slug="depots", version=3), "depots v3"),
        (models.FormerMunicipality(teryt="1206043", name="Skała", successor=unit), "Skała (1206043) → 1261011"),
        (models.Boundary(municipality=unit), "boundary of 1261011"),
        (models.Place(id="prng:1", name="Waksmund"), "Waksmund (prng:1)"),
        (models.Postcode(code="30-001"), "30-001"),
        (models.PostcodeMunicipality(postcode_id="30-001", municipality=unit), "30-001 in 1261011"),
        (models.SearchEntry(label="Kraków", kind="municipality"), "Kraków (municipality)"),
        (models.NotDuplicate(first_id=3, second_id=4), "#3 ≠ #4"),
        (models.ImportRun(source="prng", started=factories.NOW, outcome="ok"), "prng 21.11.2026 13:00 ok"),
        (Series(slug="prad-g11"), electricity),
        (Observation(series_id="prad-g11", year=2024), f"{electricity}, Polska, 2024"),
    ]
    assert [str(row) for row, _ in told] == [words for _, words in told]
