"""Data sets with their source and version."""

from django.db import models


class Dataset(models.Model):
    """A data set. Every change increments `version`, which invalidates caches.

    source: publisher of the rows; of several publishers all, joined by `AND`. as_of: day that all rows are current to,
    the oldest of several publishers; None if one is unknown.
    """

    AND = " oraz "

    class Slug(models.TextChoices):
        UNITS = "units", "jednostki podziału terytorialnego"
        PLACES = "places", "miejscowości"
        POSTCODES = "postcodes", "kody pocztowe"
        BOUNDARIES = "boundaries", "granice gmin"
        DEPOTS = "depots", "składy opału"
        # Maintained by apps above this one; listed here because every data set is in one table.
        SERIES = "series", "średnie ceny GUS"
        PRICES = "prices", "ceny ze składów"
        REGULATIONS = "regulations", "uchwały antysmogowe"

    slug = models.CharField("zbiór", max_length=20, primary_key=True, choices=Slug.choices)
    version = models.PositiveBigIntegerField("wersja")
    changed_at = models.DateTimeField("zmieniono")
    as_of = models.DateField("stan na", null=True)
    row_count = models.PositiveIntegerField("wiersze")
    source = models.CharField("źródło", max_length=200)

    class Meta:
        verbose_name = "zbiór danych"
        verbose_name_plural = "zbiory danych"

    def __str__(self) -> str:
        return f"{self.slug} v{self.version}"

    @property
    def sources(self) -> list[str]:
        """Publishers in `source`; one empty name if it is empty."""
        return self.source.split(self.AND)
