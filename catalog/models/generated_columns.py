"""Generated columns."""

from typing import Any

from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import ATan2, Collate, Cos, Lower, Radians, Replace, Sin, Tan

from catalog.territory import projection
from catalog.territory.great_circle import EARTH_RADIUS_M


class PositionField(models.Field):  # type: ignore[type-arg] # not subscriptable at run time
    """A native `point`: x and y in metres on the plane. Read by SQL only; in Python it is the text of PostgreSQL."""

    description = "point on the plane"

    def db_type(self, connection: Any) -> str:
        return "point"


def plane_point(lat: str, lon: str) -> Func:
    """SQL of `catalog.territory.projection.project` over two columns in degrees."""
    radius = Value(EARTH_RADIUS_M * projection.SCALE)
    phi = Radians(F(lat))
    delta = Radians(F(lon) - Value(projection.CENTRAL_MERIDIAN))
    x = radius * Func(Cos(phi) * Sin(delta), function="atanh", output_field=models.FloatField())
    y = radius * ATan2(Tan(phi), Cos(delta))
    return Func(x, y, function="point", output_field=PositionField())


def polish_sort_key(column: str) -> Collate:
    """SQL of a sort key: Polish alphabetical order by code point, ignoring case.

    Each Polish letter becomes its Latin base and a tilde, which follows every other ASCII character: a < ą < b. The
    embedded server has no ICU collations.
    """
    text = models.TextField()
    key: Any = Func(Lower(F(column)), Value("ĄĆĘŁŃÓŚŹŻ"), Value("ąćęłńóśźż"), function="translate", output_field=text)
    for letter, base in zip("ąćęłńóśź", "acelnosz", strict=True):
        key = Replace(key, Value(letter), Value(f"{base}~"), output_field=text)
    key = Replace(key, Value("ż"), Value("z~~"), output_field=text)
    return Collate(key, "C")
