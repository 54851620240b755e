"""Columns that PostgreSQL computes from other columns, so that they can never disagree with them."""

from typing import Any

from django.db import models
from django.db.models import F, Func, Value
from django.db.models.functions import ATan2, Collate, Cos, Lower, Radians, Replace, Sin, Tan

from catalog import plane
from catalog.territory.great_circle import EARTH_RADIUS_M


class PositionField(models.Field):  # type: ignore[type-arg] # not subscriptable at run time
    """A native `point`: x and y in metres on `catalog.plane`. Read by SQL only; Python sees the database's text."""

    description = "point on the plane"

    def db_type(self, connection: Any) -> str:
        return "point"


def plane_point(lat: str, lon: str) -> Func:
    """SQL of `catalog.plane.to_plane` over two columns of degrees."""
    radius = Value(EARTH_RADIUS_M * plane.SCALE)
    phi = Radians(F(lat))
    delta = Radians(F(lon) - Value(plane.CENTRAL_MERIDIAN))
    x = radius * Func(Cos(phi) * Sin(delta), function="atanh", output_field=models.FloatField())
    y = radius * ATan2(Tan(phi), Cos(delta))
    return Func(x, y, function="point", output_field=PositionField())


def polish_sort_key(column: str) -> Collate:
    """SQL of a key that sorts in the Polish alphabet by code point, letter case set aside.

    Each Polish letter becomes its Latin base and a tilde, which follows every other ASCII character: a < ą < b.
    The key is needed because the embedded server has no ICU collations.
    """
    text = models.TextField()
    key: Any = Func(Lower(F(column)), Value("ĄĆĘŁŃÓŚŹŻ"), Value("ąćęłńóśźż"), function="translate", output_field=text)
    for letter, base in zip("ąćęłńóśź", "acelnosz", strict=True):
        key = Replace(key, Value(letter), Value(f"{base}~"), output_field=text)
    key = Replace(key, Value("ż"), Value("z~~"), output_field=text)
    return Collate(key, "C")
