"""What each data set is, and how current."""

from django.db import models


class Dataset(models.Model):
    """One data set of the catalog. `version` grows with every change and tells caches that theirs is old.

    source: who published what is stored; where the rows are of several publishers all of them, with `AND` between.
    as_of: the day that all of it is current to, so the oldest of theirs; None where one of them is not known.
    """

    AND = " oraz "

    class Slug(models.TextChoices):
        UNITS = "units", "jednostki podziału terytorialnego"
        PLACES = "places", "miejscowości"
        POSTCODES = "postcodes", "kody pocztowe"
        BOUNDARIES = "boundaries", "granice gmin"
        DEPOTS = "depots", "składy opału"
        # Kept by apps above this one; named here because every data set is listed in one table.
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
        """Each publisher named in `source`; one empty name where nobody is."""
        return self.source.split(self.AND)
