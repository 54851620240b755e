"""Rows for tests: fixed values, states as traits, known places as functions."""

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import factory
import numpy as np
import shapely
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.utils import timezone

from catalog import models
from catalog.depots.fuels import BY_SLUG
from catalog.depots.snapshot import DepotRow
from catalog.parsing.opening_hours import DAYS
from catalog.starter import read_units
from catalog.submissions.limits import hash_mailbox
from catalog.submissions.tokens import hash_email
from catalog.territory import coordinates
from catalog.text import slug
from prices.models import DepotPrice, Observation, Series
from tests.client import ReadOnlyClient

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()
"""The day of the tests, a Saturday."""


@cache
def names_of_units() -> dict[str, str]:
    return {unit.teryt: unit.name for unit in read_units()}


class VoivodeshipFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Voivodeship
        django_get_or_create = ("teryt",)

    teryt = "12"
    name = factory.LazyAttribute(lambda row: names_of_units()[row.teryt])
    slug = factory.LazyAttribute(lambda row: slug(row.name))


class CountyFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.County
        django_get_or_create = ("teryt",)

    teryt = "1261"
    name = factory.LazyAttribute(lambda row: names_of_units()[row.teryt])
    voivodeship = factory.LazyAttribute(lambda row: VoivodeshipFactory(teryt=row.teryt[:2]))


class MunicipalityFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Municipality
        django_get_or_create = ("teryt",)

    teryt = "1261011"
    name = "Kraków"
    kind = factory.LazyAttribute(lambda row: int(row.teryt[6]))
    slug = factory.LazyAttribute(lambda row: slug(row.name))
    county = factory.LazyAttribute(lambda row: CountyFactory(teryt=row.teryt[:4]))
    voivodeship = factory.LazyAttribute(lambda row: row.county.voivodeship)


class FormerMunicipalityFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.FormerMunicipality

    teryt = "1261999"
    name = "Dawna"
    successor = factory.LazyFunction(lambda: krakow())
    left_on = date(2025, 1, 1)


def fresh(row: Any) -> Any:
    row.refresh_from_db()
    return row


def depot_row(number: int, **values: Any) -> DepotRow:
    """Return a row of the snapshot of depots. values: those that the test is about; the others are neutral."""
    required = [name for name in DepotRow._fields if name not in DepotRow._field_defaults]
    neutral = {"lat": 50.0, "lon": 20.0, "location_approximate": False, "featured": False, "source": "osm"}
    neutral |= {"fuels": [], "teryt": "1261011", "updated_at": date(2026, 1, 1)}
    neutral |= dict.fromkeys(["nip", "hours", "verified_at"])
    return DepotRow(**{**dict.fromkeys(required, ""), **neutral, "id": number, **values})


def municipality(teryt: str, name: str) -> models.Municipality:
    """The municipality, made where missing: one query where it is there, since every depot asks for one.

    Nearly every test makes one, so the units are written as they come, without a savepoint and a look before each.
    """
    stored = models.Municipality.objects.select_related("county__voivodeship", "voivodeship").filter(pk=teryt).first()
    if stored:
        return stored
    voivodeship = VoivodeshipFactory.build(teryt=teryt[:2])
    county = CountyFactory.build(teryt=teryt[:4], voivodeship=voivodeship)
    made = MunicipalityFactory.build(teryt=teryt, name=name, county=county)
    for unit in (voivodeship, county, made):
        type(unit)._default_manager.bulk_create([unit], ignore_conflicts=True)
    return made


def krakow() -> models.Municipality:
    return municipality("1261011", "Kraków")


def zakopane() -> models.Municipality:
    return municipality("1217011", "Zakopane")


def nowy_targ_town() -> models.Municipality:
    return municipality("1211011", "Nowy Targ")


def nowy_targ_rural() -> models.Municipality:
    return municipality("1211092", "Nowy Targ")


def warszawa() -> models.Municipality:
    return municipality("1465011", "Warszawa")


def bielsko_biala() -> models.Municipality:
    return municipality("2461011", "Bielsko-Biała")


def square(lat: float, lon: float, side_km: float) -> shapely.Polygon:
    """A square on the plane around a WGS84 point."""
    x, y = coordinates.project(lat, lon)
    half = side_km * 500
    return shapely.box(x - half, y - half, x + half, y + half)


def unproject(x: float, y: float) -> tuple[float, float]:
    """Undo `coordinates.project`. Returns (lat, lon) in degrees."""
    ((lon, lat),) = coordinates.unproject_array(np.array([[x, y]])).tolist()
    return lat, lon


class BoundaryFactory(factory.django.DjangoModelFactory):
    """A square of 20 km around the market place of Kraków, unless told otherwise."""

    class Meta:
        model = models.Boundary

    class Params:
        lat = 50.0617
        lon = 19.9373
        side_km = 20.0

    municipality = factory.LazyFunction(krakow)
    area = factory.LazyAttribute(lambda row: shapely.to_wkb(square(row.lat, row.lon, row.side_km)))
    approximate = False


class PlaceFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Place

    id = factory.Sequence(lambda n: f"simc:{n:07}")
    name = "Łopuszna"
    kind = "wieś"
    main = True
    municipality = factory.LazyFunction(nowy_targ_rural)


class PostcodeFactory(factory.django.DjangoModelFactory):
    """shares: pairs of municipality and number of addresses."""

    class Meta:
        model = models.Postcode
        skip_postgeneration_save = True

    code = "30-001"
    places = ["Kraków"]
    lat = 50.07585
    lon = 19.941
    source = "prg"

    @factory.post_generation
    def shares(row, create, extracted, **kwargs):  # noqa: N805 - factory-boy's own form
        for municipality, addresses in extracted or [(krakow(), 8)]:
            models.PostcodeMunicipality.objects.create(postcode=row, municipality=municipality, addresses=addresses)


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = get_user_model()
        django_get_or_create = ("username",)

    username = "redaktorka"
    is_staff = True
    is_superuser = True


def staff(name: str, *rights: str) -> Any:
    """A user of the desk with these rights alone."""
    user = get_user_model().objects.create(username=name, is_staff=True)
    if rights:
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


def member(role: str, name: str = "ewa") -> Any:
    """A user of a group alone."""
    user = staff(name)
    user.groups.add(Group.objects.get(name=role))
    return user


def desk_of(user: Any) -> ReadOnlyClient:
    """A browser in which the user is logged in at the desk."""
    browser = ReadOnlyClient()
    browser.force_login(user)
    return browser


class DepotFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = models.Depot

    class Params:
        verified = factory.Trait(
            data_status="verified",
            verified_at=date(2026, 9, 1),
            verified_by=factory.SubFactory(UserFactory),
            confirmed_fields=list(models.Depot.PUBLIC_FIELDS),
        )
        approximate = factory.Trait(location_approximate=True)
        removed = factory.Trait(publication="removed", removed_at=date(2026, 9, 2), removal_reason="owner")
        held = factory.Trait(publication="held")
        whole = factory.Trait(
            name="Opał „Żar” & Syn",
            street="ul. Długa",
            house_number="5",
            postcode="30-001",
            place="Kraków",
            nip="5260250274",
            phone="+48 12 345 67 89, +48 601 234 567",
            website="https://www.example.pl/opal",
            fuels=["ekogroszek", "pellet"],
            hours=dict.fromkeys(DAYS, "7:00-15:00") | {"tue": "", "sat": "0:00-24:00", "sun": "nieczynne"},
            opening_hours="Mo-Fr 07:00-15:00; Tu 07:00-10:00,12:00-15:00; Sa 24/7",
        )
        demonstration = factory.Trait(
            source="demo", name="DEMO Skład opału", source_id=factory.Sequence(lambda n: f"demo/{n + 1}")
        )

    name = "Skład opału Nowak"
    lat = 50.0617
    lon = 19.9373
    municipality = factory.LazyFunction(krakow)
    fuels = ["wegiel"]
    source = "osm"
    source_id = factory.Sequence(lambda n: f"node/{10**6 + n}")  # beyond those that tests choose
    updated_at = date(2026, 10, 3)


class SubmissionFactory(factory.django.DjangoModelFactory):
    """A correction of the telephone that waits for an editor."""

    class Meta:
        model = models.Submission

    class Params:
        claim = factory.Trait(kind="claim", claimant_role="owner", claimant_nip="5260250274", proposed={}, stored={})
        add = factory.Trait(kind="add", depot=None, proposed={"name": "Nowy"}, stored={})
        delete = factory.Trait(kind="delete", claimant_role="owner", proposed={}, stored={})
        passed_on = factory.Trait(kind="price", state="passed_on", decided_at=NOW, proposed={"prices": [{}]}, stored={})
        unconfirmed = factory.Trait(state="unconfirmed", confirmed_at=None)
        decided = factory.Trait(
            state="rejected",
            reason="Nie.",
            decided_at=datetime(2026, 11, 21, 11, tzinfo=UTC),
            decided_by=factory.SubFactory(UserFactory),
        )
        erased = factory.Trait(
            decided=True, proposed={}, stored={}, email="", email_hash="", erased_at=datetime(2027, 3, 1, tzinfo=UTC)
        )

    depot = factory.SubFactory(DepotFactory)
    kind = "correct"
    state = "waiting"
    proposed = {"phone": "+48 601 234 567"}
    stored = {"phone": ""}
    email = factory.Sequence(lambda n: f"jan{n}@opal-nowak.pl")
    email_hash = factory.LazyAttribute(lambda row: hash_email(row.email))
    created_at = datetime(2026, 11, 20, 11, tzinfo=UTC)
    mailed_at = datetime(2026, 11, 20, 11, tzinfo=UTC)
    confirmed_at = datetime(2026, 11, 20, 12, tzinfo=UTC)


class SubscriptionFactory(factory.django.DjangoModelFactory):
    """A confirmed subscription to the rules of Kraków."""

    class Meta:
        model = models.Subscription

    email = factory.Sequence(lambda n: f"ewa{n}@example.pl")
    email_hash = factory.LazyAttribute(lambda row: hash_email(row.email))
    mailbox_hash = factory.LazyAttribute(lambda row: hash_mailbox(row.email))
    teryt = "1261011"
    created_at = mailed_at = confirmed_at = datetime(2026, 11, 1, 12, tzinfo=UTC)


def average(year, value, slug="wegiel-kamienny", **values: Any) -> Observation:
    """An official average of a series; of Poland unless told otherwise."""
    series, _ = Series.objects.get_or_create(slug=slug)
    return Observation.objects.create(series=series, year=year, value=Decimal(value), **{"source": "GUS"} | values)


def price_depots(*amounts: int | str, day: date | None = None, **values: Any) -> list[DepotPrice]:
    """Give a new depot each its price of pellet, of today unless told otherwise."""
    on = day or timezone.localdate()
    return [DepotPriceFactory(price=Decimal(amount), day=on, **values) for amount in amounts]


class DepotPriceFactory(factory.django.DjangoModelFactory):
    """An approved price of a price list."""

    class Meta:
        model = DepotPrice

    class Params:
        pending = factory.Trait(status="pending", decided_at=None)
        rejected = factory.Trait(status="rejected", reason="zła jednostka")
        from_reader = factory.Trait(origin="submission")

    depot = factory.SubFactory(DepotFactory)
    fuel = "pellet"
    price = Decimal(1500)
    unit = factory.LazyAttribute(lambda row: BY_SLUG[row.fuel].unit)
    day = date(2026, 11, 1)
    origin = "price_list"
    submitted_at = datetime(2026, 11, 1, 12, tzinfo=UTC)
    status = "approved"
    decided_at = datetime(2026, 11, 2, 12, tzinfo=UTC)
