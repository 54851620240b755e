"""Official yearly averages. Only the import writes them."""

from django.db import models
from django.db.models import F, Q

from catalog.models import Voivodeship
from prices.series import FIRST_YEAR, SERIES


class Series(models.Model):
    """A series of `prices.series` as found by the import.

    variable_id, variable_name: its number and name in the local data bank, null and "" until found.
    """

    slug = models.CharField(
        "szereg", max_length=30, primary_key=True, choices=[(series.slug, series.name) for series in SERIES]
    )
    variable_id = models.PositiveIntegerField("numer zmiennej BDL", null=True, blank=True, unique=True)
    variable_name = models.CharField("nazwa zmiennej BDL", max_length=300, blank=True)

    class Meta:
        verbose_name = "szereg cen GUS"
        verbose_name_plural = "szeregi cen GUS"

    def __str__(self) -> str:
        return self.get_slug_display()


class Observation(models.Model):
    """Average price of a year, in the unit of the series. voivodeship: None for Poland. source: of this number."""

    series = models.ForeignKey(Series, models.CASCADE, verbose_name="szereg", related_name="observations")
    voivodeship = models.ForeignKey(
        Voivodeship, models.CASCADE, verbose_name="województwo", null=True, blank=True, related_name="+"
    )
    year = models.PositiveSmallIntegerField("rok")
    value = models.DecimalField("cena", max_digits=10, decimal_places=4)
    source = models.CharField("źródło", max_length=400)

    class Meta:
        verbose_name = "średnia cena GUS"
        verbose_name_plural = "średnie ceny GUS"
        constraints = (
            models.UniqueConstraint(
                F("series"), F("voivodeship"), F("year"), name="observation_once", nulls_distinct=False
            ),
            models.CheckConstraint(name="observation_price_positive", condition=Q(value__gt=0)),
            models.CheckConstraint(name="observation_year", condition=Q(year__gte=FIRST_YEAR, year__lt=2100)),
        )

    def __str__(self) -> str:
        name = dict(Series._meta.get_field("slug").flatchoices)[self.series_id]  # without a query
        return f"{name}, {self.voivodeship or 'Polska'}, {self.year}"
