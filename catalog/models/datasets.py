"""What is known of the data sets, and the log of the runs that import them."""

from django.db import models
from django.db.models import F, Q


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


class ImportRun(models.Model):
    """One run of one source, written with the import; for a refused import after its rollback.

    Purges of submissions and backups are recorded too, for monitoring.

    source: its id in catalog/sources.yaml, "" for a file of no listed source. rows: rows of the source in the catalog
    after the run. file_date: the day the source says it is current to. message: one line for operators. differences:
    one line per notable change, not public; never of depots, whose names may be personal.
    """

    class Outcome(models.TextChoices):
        IMPORTED = "imported", "wczytano zmiany"
        UNCHANGED = "unchanged", "bez zmian"
        REFUSED = "refused", "odrzucono, dane bez zmian"
        FAILED = "failed", "nie udało się pobrać"

    GOOD = (Outcome.IMPORTED, Outcome.UNCHANGED)

    source = models.CharField("źródło", max_length=40, blank=True)
    dataset = models.CharField("zbiór", max_length=20, choices=Dataset.Slug.choices, blank=True)
    started = models.DateTimeField("początek")
    finished = models.DateTimeField("koniec")
    outcome = models.CharField("wynik", max_length=10, choices=Outcome.choices)
    rows = models.PositiveIntegerField("wiersze", default=0)
    added = models.PositiveIntegerField("dodane", default=0)
    changed = models.PositiveIntegerField("zmienione", default=0)
    removed = models.PositiveIntegerField("usunięte", default=0)
    skipped = models.PositiveIntegerField("pominięte", default=0)
    rejected = models.PositiveIntegerField("odrzucone", default=0)
    address = models.CharField("adres", max_length=500, blank=True)
    file_name = models.CharField("plik", max_length=200, blank=True)
    file_size = models.PositiveBigIntegerField("rozmiar w bajtach", null=True)
    checksum = models.CharField("SHA-256", max_length=64, blank=True)
    file_date = models.DateField("stan na", null=True)
    message = models.CharField("komunikat", max_length=500, blank=True)
    differences = models.TextField("zmiany", blank=True)

    class Meta:
        verbose_name = "przebieg importu"
        verbose_name_plural = "przebiegi importów"
        indexes = (models.Index(fields=["source", "-finished"], name="importrun_source_finished"),)
        constraints = (
            models.CheckConstraint(name="importrun_ends_after_it_starts", condition=Q(finished__gte=F("started"))),
        )

    def __str__(self) -> str:
        return f"{self.source or self.dataset or 'import'} {self.started:%Y-%m-%d %H:%M} {self.outcome}"

    @property
    def duration_s(self) -> float:
        """Duration in seconds."""
        return (self.finished - self.started).total_seconds()
