"""Depots, the entries of the catalog, with their generated columns, and the reading of texts that people type."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self, cast

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GistIndex
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import ATan2, Collate, Cos, Lower, Radians, Replace, Sin, Tan
from simple_history.models import HistoricalRecords

from catalog.depots import fuels
from catalog.models.territory_and_datasets import Municipality
from catalog.parsing import contacts_and_names
from catalog.parsing.opening_hours import weekly_hours
from catalog.territory import coordinates
from catalog.territory.coordinates import EARTH_RADIUS_M, LAT_RANGE, LON_RANGE
from catalog.text import format_address, normalise_postcode, one_line


class PositionField(models.Field):  # type: ignore[type-arg] # not subscriptable at run time
    """A native `point`: x and y in metres on the plane. Read by SQL only; in Python it is the text of PostgreSQL."""

    description = "point on the plane"

    def db_type(self, connection: Any) -> str:
        return "point"

    def get_lookup(self, lookup_name: str) -> None:
        """None compares points: `=` of PostgreSQL takes none."""


def plane_point(lat: str, lon: str) -> Func:
    """SQL of `catalog.territory.coordinates.project` over two columns in degrees."""
    radius = Value(EARTH_RADIUS_M * coordinates.SCALE)
    phi = Radians(F(lat))
    delta = Radians(F(lon) - Value(coordinates.CENTRAL_MERIDIAN))
    x = radius * Func(Cos(phi) * Sin(delta), function="atanh", output_field=models.FloatField())
    y = radius * ATan2(Tan(phi), Cos(delta))
    return Func(x, y, function="point", output_field=PositionField())


def polish_sort_key(column: str) -> Collate:
    """SQL of a key in Polish alphabetical order: ą is "a~". The embedded server has no ICU collations."""
    text = models.TextField()
    key: Any = Func(Lower(F(column)), Value("ĄĆĘŁŃÓŚŹŻ"), Value("ąćęłńóśźż"), function="translate", output_field=text)
    for letter, base in zip("ąćęłńóśź", "acelnosz", strict=True):
        key = Replace(key, Value(letter), Value(f"{base}~"), output_field=text)
    key = Replace(key, Value("ż"), Value("z~~"), output_field=text)
    return Collate(key, "C")


class DepotQuerySet(models.QuerySet["Depot"]):
    def published(self) -> Self:
        """Keep published depots: neither held nor removed."""
        return self.filter(publication=Depot.Publication.PUBLISHED)

    def offering(self, fuel: str) -> Self:
        """Keep depots that offer a fuel; `wegiel` includes every assortment of coal."""
        return self.filter(fuels__overlap=list(fuels.assortments(fuel)))

    def demonstration(self) -> Self:
        return self.filter(source=Depot.Source.DEMO)


class Depot(models.Model):
    """A fuel depot.

    Absent contact fields are empty text, except `nip`, which is null.

    `confirmed_fields` names the fields that a person set or verified; imports do not change them.

    `fuels_in_name` lists those of `fuels` that an import derived from the name alone; ignored once a person has
    confirmed the fuels. `fuels_priced` lists those that a published price added; imports keep them.
    """

    class Source(models.TextChoices):
        OSM = "osm", "OpenStreetMap"
        EDITOR = "editor", "redakcja"
        DEMO = "demo", "dane demonstracyjne"

    class DataStatus(models.TextChoices):
        UNVERIFIED = "unverified", "nieweryfikowane"
        VERIFIED = "verified", "zweryfikowane"
        OWNER = "owner", "potwierdzone przez właściciela"

    class Publication(models.TextChoices):
        PUBLISHED = "published", "opublikowany"
        HELD = "held", "wstrzymany do decyzji redaktora"
        REMOVED = "removed", "usunięty"

    class RemovalReason(models.TextChoices):
        OWNER = "owner", "usunięty na wniosek właściciela"
        CLOSED = "closed", "skład zakończył działalność"
        DUPLICATE = "duplicate", "powtórzony wpis"
        NOT_A_DEPOT = "not_a_depot", "to nie jest skład opału"
        PRIVATE_PERSON = "private_person", "osoba prywatna"
        GONE_FROM_SOURCE = "gone_from_source", "zniknął ze źródła danych"
        MISTAKEN = "mistaken", "wpis dodano przez pomyłkę"

    POSITION = ("lat", "lon", "location_approximate", "municipality")
    FUEL_FIELDS = ("fuels", "fuels_in_name", "fuels_priced")
    PUBLIC_FIELDS = (
        *("name", "street", "house_number", "postcode", "place", "nip", "phone", "website", "fuels"),
        *(*POSITION, "hours", "opening_hours"),
    )
    """Fields that a source, an editor or an owner may set, in the order of forms; values of `confirmed_fields`."""

    CHECKED = (*PUBLIC_FIELDS, "data_status", "verified_at", "verified_by")
    """What a person vouches for who checks the whole entry, or claims it."""
    NOBODY = "nobody"
    """Stands alone in `DecisionLine.vouches` where a decision revoked the verification: no earlier one counts."""

    BOUND_FIELDS = (
        # The municipality follows from a confirmed position; an import must not overwrite it.
        ({"lat", "lon", "location_approximate"}, {*POSITION}),
        # `hours` is derived from `opening_hours`.
        ({"hours", "opening_hours"}, {"hours", "opening_hours"}),
    )
    """Dependent fields: setting one of the first sets all of the second."""

    name = models.CharField("nazwa", max_length=200)
    name_key = models.GeneratedField(
        expression=polish_sort_key("name"), output_field=models.TextField(db_collation="C"), db_persist=True
    )
    street = models.CharField("ulica", max_length=120, blank=True)
    house_number = models.CharField("numer domu", max_length=30, blank=True)
    postcode = models.CharField("kod pocztowy", max_length=6, blank=True)
    place = models.CharField("miejscowość", max_length=120, blank=True)
    nip = models.CharField("NIP", max_length=10, null=True, blank=True)  # noqa: DJ001 - see the class
    phone = models.CharField("telefon", max_length=120, blank=True)
    website = models.URLField("strona internetowa", max_length=300, blank=True)
    lat = models.FloatField("szerokość geograficzna")
    lon = models.FloatField("długość geograficzna")
    position = models.GeneratedField(
        expression=plane_point("lat", "lon"), output_field=PositionField(), db_persist=True
    )
    location_approximate = models.BooleanField("położenie przybliżone", default=False)
    municipality = models.ForeignKey(Municipality, models.PROTECT, verbose_name="gmina")
    fuels = ArrayField(
        models.CharField(max_length=20, choices=fuels.choices), verbose_name="paliwa", default=list, blank=True
    )
    # During an upgrade the former release still inserts depots.
    fuels_in_name = ArrayField(
        models.CharField(max_length=20), verbose_name="paliwa według nazwy", default=list, db_default=[], blank=True
    )
    fuels_priced = ArrayField(
        models.CharField(max_length=20), verbose_name="paliwa z cen", default=list, db_default=[], blank=True
    )
    hours = models.JSONField("godziny tygodnia", null=True, blank=True)
    opening_hours = models.CharField("godziny według źródła", max_length=300, blank=True)
    featured = models.BooleanField("wyróżniony", default=False)

    data_status = models.CharField(
        "status danych", max_length=10, choices=DataStatus.choices, default=DataStatus.UNVERIFIED
    )
    verified_at = models.DateField("sprawdzono", null=True, blank=True)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, verbose_name="sprawdził"
    )
    updated_at = models.DateField("treść zmieniono")
    confirmed_fields = ArrayField(
        models.CharField(max_length=30), verbose_name="pola potwierdzone", default=list, blank=True
    )

    source = models.CharField("pochodzenie", max_length=10, choices=Source.choices)
    source_id = models.CharField("identyfikator w źródle", max_length=60, blank=True)
    review = models.CharField("do sprawdzenia", max_length=300, blank=True)
    publication = models.CharField(
        "publikacja", max_length=10, choices=Publication.choices, default=Publication.PUBLISHED
    )
    removed_at = models.DateField("usunięto", null=True, blank=True)
    removal_reason = models.CharField("powód usunięcia", max_length=20, choices=RemovalReason.choices, blank=True)

    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, verbose_name="scalony z", related_name="merged"
    )

    vouches: frozenset[str] = frozenset()
    """What `confirm` has counted since the row was read, for `DecisionLine.vouches`."""

    # Every change writes a history row; bulk changes do so through `data.history`. Generated columns are excluded.
    history = HistoricalRecords(
        verbose_name="historia składu", verbose_name_plural="historia składów", excluded_fields=["position", "name_key"]
    )
    objects = DepotQuerySet.as_manager()

    class Meta:
        verbose_name = "skład opału"
        verbose_name_plural = "składy opału"
        indexes = (
            GistIndex(fields=["position"], name="depot_published_position", condition=Q(publication="published")),
        )
        constraints = (
            models.UniqueConstraint(
                name="depot_source_identifier", fields=["source", "source_id"], condition=~Q(source_id="")
            ),
            models.CheckConstraint(
                name="depot_within_poland",
                condition=Q(lat__gte=LAT_RANGE[0], lat__lte=LAT_RANGE[1], lon__gte=LON_RANGE[0], lon__lte=LON_RANGE[1]),
            ),
            models.CheckConstraint(
                name="depot_nip_ten_digits", condition=Q(nip__isnull=True) | Q(nip__regex=r"^[0-9]{10}$")
            ),
            models.CheckConstraint(
                name="depot_checked_by_somebody_some_day",
                condition=Q(data_status="unverified", verified_at__isnull=True, verified_by__isnull=True)
                | (~Q(data_status="unverified") & Q(verified_at__isnull=False, verified_by__isnull=False)),
            ),
            models.CheckConstraint(
                name="depot_removed_with_day_and_reason",
                condition=(Q(publication="removed", removed_at__isnull=False) & ~Q(removal_reason=""))
                | (~Q(publication="removed") & Q(removed_at__isnull=True, removal_reason="")),
            ),
            models.CheckConstraint(
                name="depot_demonstration_without_contact",
                condition=~Q(source="demo") | Q(nip__isnull=True, phone="", website=""),
            ),
            models.CheckConstraint(
                name="depot_merged_is_a_removed_duplicate",
                condition=Q(merged_into__isnull=True)
                | (Q(publication="removed", removal_reason="duplicate") & ~Q(merged_into=models.F("id"))),
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} (#{self.pk})"

    @property
    def address(self) -> str:
        """On one line. Reads `municipality`; use `select_related`."""
        return format_address(self.street, self.house_number, self.postcode, self.place, self.municipality.name)

    @property
    def fuels_by_name(self) -> list[str]:
        return fuels.by_name_alone(self.fuels, self.fuels_in_name, confirmed="fuels" in self.confirmed_fields)

    @classmethod
    def column(cls, name: str) -> str:
        """Attribute of a field's plain value: a code instead of a municipality."""
        return cast("models.Field[Any, Any]", cls._meta.get_field(name)).attname

    @classmethod
    def label(cls, name: str) -> str:
        return str(cast("models.Field[Any, Any]", cls._meta.get_field(name)).verbose_name)

    @classmethod
    def validate_value(cls, name: str, value: Any) -> None:
        """Raise ValidationError. For writes without `full_clean`: `bulk_update` cuts, `save` fails in the database."""
        cast("models.Field[Any, Any]", cls._meta.get_field(name)).run_validators(value)

    @classmethod
    def stated(cls, names: Iterable[str]) -> set[str]:
        """Return the given fields with their dependent ones."""
        fields = set(names)
        return fields.union(*(bound for some, bound in cls.BOUND_FIELDS if some & fields))

    def confirm(self, names: Iterable[str]) -> None:
        """Count public fields, with their dependent ones, or `CHECKED` as set or checked by a person. Does not save."""
        self.vouches |= self.stated(names)
        confirmed = self.vouches.union(self.confirmed_fields)
        self.confirmed_fields = [name for name in self.PUBLIC_FIELDS if name in confirmed]


def person(name: str, **options: Any) -> Any:
    """Return a reference to the account of somebody, which therefore cannot be deleted."""
    return models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, verbose_name=name, related_name="+", **options)


class NotDuplicate(models.Model):
    """Two similar depots that an editor has marked as distinct, so that they are not reported as duplicates again."""

    first = models.ForeignKey(Depot, models.CASCADE, verbose_name="pierwszy", related_name="+")
    second = models.ForeignKey(Depot, models.CASCADE, verbose_name="drugi", related_name="+")
    decided_at = models.DateTimeField("zdecydowano")
    decided_by = person("zdecydował")

    class Meta:
        db_table = "catalog_distinctpair"
        verbose_name = "para różnych składów"
        verbose_name_plural = "pary różnych składów"
        constraints = (
            models.UniqueConstraint(name="distinctpair_once", fields=["first", "second"]),
            models.CheckConstraint(name="distinctpair_in_order", condition=Q(first__lt=models.F("second"))),
        )

    def __str__(self) -> str:
        return f"#{self.first_id} ≠ #{self.second_id}"


def _contact(read: Callable[[str], tuple[str | None, str]]) -> Callable[[str], str]:
    """Make a reader of a function of `contacts_and_names` that also tells why it refuses a text."""

    def reader(text: str) -> str:
        value, reason = read(text)
        if value is None or reason:
            raise ValueError(reason)
        return value

    return reader


def _read_hours(text: str) -> str:
    line = one_line(text)
    if weekly_hours(line) is None:
        raise ValueError("no week")
    return line


READERS: Mapping[str, Callable[[str], str]] = {
    **{name: one_line for name in Depot.PUBLIC_FIELDS if isinstance(Depot._meta.get_field(name), models.CharField)},
    "postcode": lambda text: normalise_postcode(re.sub(r"[\s‐‑‒–—-]", "", text)),
    "nip": _contact(contacts_and_names.clean_nip),
    "phone": _contact(contacts_and_names.clean_phone),
    "website": _contact(contacts_and_names.clean_website),
    "opening_hours": _read_hours,
}
"""What a text that somebody typed means, by field of `Depot`. Each raises ValueError; the model limits the lengths."""

TYPED_LENGTHS = {"nip": 20, "phone": 200, "postcode": 10}
"""How long a text may be before it is read, where it may have blanks or dashes more than its column holds."""


def clean_field(name: str, text: str, mistakes: Mapping[str, str]) -> str | None:
    """Return a text as a depot stores it, in NFC. mistakes: what the form says, by field. Raises ValidationError."""
    if not text.strip():
        return None if name == "nip" else ""
    try:
        return READERS[name](unicodedata.normalize("NFC", text))
    except ValueError:
        raise ValidationError(mistakes[name]) from None
