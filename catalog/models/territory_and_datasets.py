"""The register of units, boundaries, places and postcodes, written by imports only; data sets, and runs of imports."""

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.formats import date_format

from catalog.text import is_city_with_county_rights
from fueldepot.data import snapshot


class Voivodeship(models.Model):
    """One of the 16 voivodeships. `slug` is the value in the API, e.g. "kujawsko-pomorskie"."""

    teryt = models.CharField("TERYT", max_length=2, primary_key=True)
    name = models.CharField("nazwa", max_length=40)
    slug = models.SlugField("w adresie", max_length=40, unique=True)

    class Meta:
        verbose_name = "województwo"
        verbose_name_plural = "województwa"

    def __str__(self) -> str:
        return f"{self.name} ({self.teryt})"


class County(models.Model):
    teryt = models.CharField("TERYT", max_length=4, primary_key=True)
    name = models.CharField("nazwa", max_length=60)
    voivodeship = models.ForeignKey(Voivodeship, models.PROTECT, verbose_name="województwo")

    class Meta:
        verbose_name = "powiat"
        verbose_name_plural = "powiaty"

    def __str__(self) -> str:
        return f"{self.name} ({self.teryt})"

    @property
    def title(self) -> str:
        """Name with kind: "powiat nowotarski", "miasto na prawach powiatu"."""
        return "miasto na prawach powiatu" if is_city_with_county_rights(self.teryt) else f"powiat {self.name}"

    @property
    def place(self) -> str:
        """Name among those of other units: "powiat nowotarski", "Kraków"."""
        return self.name if is_city_with_county_rights(self.teryt) else self.title


class Municipality(models.Model):
    """A municipality (gmina). The seventh digit of its code is its kind, so a change of kind changes the code."""

    class Kind(models.IntegerChoices):
        TOWN = 1, "gmina miejska"
        RURAL = 2, "gmina wiejska"
        MIXED = 3, "gmina miejsko-wiejska"

    teryt = models.CharField("TERYT", max_length=7, primary_key=True)
    name = models.CharField("nazwa", max_length=80)
    kind = models.PositiveSmallIntegerField("rodzaj", choices=Kind.choices)
    slug = models.SlugField("w adresie", max_length=80)
    county = models.ForeignKey(County, models.PROTECT, verbose_name="powiat")
    voivodeship = models.ForeignKey(Voivodeship, models.PROTECT, verbose_name="województwo")

    class Meta:
        verbose_name = "gmina"
        verbose_name_plural = "gminy"
        constraints = (
            models.CheckConstraint(
                name="municipality_teryt_seven_digits", condition=Q(teryt__regex=r"^[0-9]{6}[123]$")
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.teryt})"

    @property
    def kind_name(self) -> str:
        """The kind in Polish. A page lists hundreds: `get_kind_display` makes a dict for each."""
        return self.Kind(self.kind).label

    @property
    def description(self) -> str:
        """Kind, county and voivodeship. Reads both relations; use `select_related`."""
        return f"{self.kind_name}, {self.county.title}, województwo {self.voivodeship.name}"


class FormerMunicipality(models.Model):
    """A code that left the register. others: took over a part. whole: the successor is the same municipality."""

    teryt = models.CharField("TERYT", max_length=7, primary_key=True)
    name = models.CharField("nazwa", max_length=80)
    successor = models.ForeignKey(Municipality, models.CASCADE, verbose_name="następca")
    others = ArrayField(models.CharField(max_length=7), verbose_name="pozostali następcy", blank=True, default=list)
    whole = models.BooleanField("ta sama gmina", default=True)
    left_on = models.DateField("wykreślona")

    class Meta:
        verbose_name = "dawna gmina"
        verbose_name_plural = "dawne gminy"

    def __str__(self) -> str:
        return f"{self.name} ({self.teryt}) → {self.successor_id}"


class Boundary(models.Model):
    """The area of a municipality. A table of its own, so that listing municipalities does not load ten megabytes."""

    municipality = models.OneToOneField(
        Municipality, models.CASCADE, primary_key=True, verbose_name="gmina", related_name="boundary"
    )
    area = models.BinaryField("obszar", help_text="WKB, metry na płaszczyźnie catalog.territory.coordinates")
    approximate = models.BooleanField("przybliżona")

    class Meta:
        verbose_name = "granica"
        verbose_name_plural = "granice"

    def __str__(self) -> str:
        return f"boundary of {self.municipality_id}"


class Place(models.Model):
    """A locality of SIMC (without position) or PRNG. district: TERC code of a large city's part, else ""."""

    id = models.CharField("identyfikator", max_length=32, primary_key=True)
    name = models.CharField("nazwa", max_length=120)
    kind = models.CharField("rodzaj", max_length=40)
    main = models.BooleanField("samodzielna")
    municipality = models.ForeignKey(Municipality, models.PROTECT, verbose_name="gmina")
    district = models.CharField("dzielnica", max_length=7, blank=True, db_default="")
    lat = models.FloatField("szerokość", null=True)
    lon = models.FloatField("długość", null=True)

    class Meta:
        verbose_name = "miejscowość"
        verbose_name_plural = "miejscowości"

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"


class Postcode(models.Model):
    class Source(models.TextChoices):
        POINTS = "points", "punkty adresowe PRG"
        PRG = "prg", "rejestr adresowy PRG"
        FILLED = "filled", "luka rejestru uzupełniona z GeoNames"
        GEONAMES = "geonames", "GeoNames"

    code = models.CharField("kod", max_length=6, primary_key=True)
    places = ArrayField(models.CharField(max_length=120), verbose_name="miejscowości")
    lat = models.FloatField("szerokość")
    lon = models.FloatField("długość")
    source = models.CharField("źródło", max_length=10, choices=Source.choices)

    class Meta:
        verbose_name = "kod pocztowy"
        verbose_name_plural = "kody pocztowe"
        constraints = (models.CheckConstraint(name="postcode_form", condition=Q(code__regex=r"^[0-9]{2}-[0-9]{3}$")),)

    def __str__(self) -> str:
        return self.code


class PostcodeMunicipalityQuerySet(models.QuerySet["PostcodeMunicipality"]):
    def main_first(self) -> Self:
        """Order by number of addresses, descending; see `BoundaryIndex.main_first` for those without numbers."""
        return self.order_by("-addresses", "municipality__kind", "municipality")

    def by_postcode(self) -> defaultdict[str, list[tuple[str, int]]]:
        """Return municipality and number of addresses of each share by postcode, in order. One query."""
        shares: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for code, municipality, addresses in self.values_list("postcode_id", "municipality_id", "addresses"):
            shares[code].append((municipality, addresses))
        return shares


class PostcodeMunicipality(models.Model):
    """A municipality of a postcode. addresses: their number there, 0 if the source does not state it."""

    pk = models.CompositePrimaryKey("postcode_id", "municipality_id")
    postcode = models.ForeignKey(Postcode, models.CASCADE, related_name="shares")
    municipality = models.ForeignKey(Municipality, models.PROTECT)
    addresses = models.PositiveIntegerField("adresy")

    objects = PostcodeMunicipalityQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.postcode_id} in {self.municipality_id}"


class SearchEntry(models.Model):
    """A suggestion of `/locations`, rebuilt by `catalog.search.entries`. rank: position in order of importance.

    fold: see `catalog.text.fold`; of a postcode its five digits. position: source of lat and lon.
    """

    class Kind(models.TextChoices):
        MUNICIPALITY = "municipality"
        LOCALITY = "locality"
        POSTCODE = "postcode"

    class Position(models.TextChoices):
        PLACE = "place"
        POSTCODE = "postcode"
        MUNICIPALITY = "municipality"

    rank = models.PositiveIntegerField(primary_key=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    fold = models.CharField(max_length=120, db_collation="C")
    label = models.CharField(max_length=160)
    description = models.CharField(max_length=200)
    municipality = models.ForeignKey(Municipality, models.CASCADE, db_index=False)
    lat = models.FloatField(null=True)
    lon = models.FloatField(null=True)
    position = models.CharField(max_length=12, choices=Position.choices, blank=True)

    def __str__(self) -> str:
        return f"{self.label} ({self.kind})"


class DatasetManager(models.Manager["Dataset"]):
    """Versions of the data sets, which snapshots and the validators of responses depend on.

    Code that changes rows calls `bump_version` for their data set in the same transaction. A version key is unique even
    after a rollback, because it includes the time of the change.
    """

    def read_versions(self) -> Mapping[str, str]:
        """Return the version keys of all written data sets by slug: "version.epoch seconds". One query."""
        with connection.cursor() as cursor:
            cursor.execute(READ_VERSIONS)
            return MappingProxyType(dict(cursor.fetchall()))

    def bump_version(self, slug: str, **values: object) -> None:
        """Increment the version of a data set, in the transaction that changes its rows.

        values: other fields to update. Depots count while they are published, whoever changes that. One query, three
        for a data set written for the first time, which somebody else may be writing, too.
        """
        now = timezone.now()
        values |= {"version": F("version") + 1, "changed_at": now}
        if slug == Dataset.Slug.DEPOTS:
            values["row_count"] = RawSQL("SELECT count(*) FROM catalog_depot WHERE publication = 'published'", ())
        stored = self.filter(slug=slug)
        if not stored.update(**values):
            new = Dataset(slug=slug, version=0, row_count=0, source="", changed_at=now)
            self.bulk_create([new], ignore_conflicts=True)
            stored.update(**values)
        transaction.on_commit(snapshot.store.note_change)


class Dataset(models.Model):
    """A data set. Every change increments `version`, which invalidates caches. as_of: None if unknown.

    source: publishers of the rows, joined by `AND`. as_of: the oldest of their days.
    """

    AND = " oraz "

    RUNS = "runs"
    """Version key of the import runs, beside those of the data sets; every run changes it."""

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

    objects = DatasetManager()

    class Meta:
        verbose_name = "zbiór danych"
        verbose_name_plural = "zbiory danych"

    def __str__(self) -> str:
        return f"{self.slug} v{self.version}"

    @property
    def sources(self) -> list[str]:
        """Publishers in `source`; one empty name if it is empty."""
        return self.source.split(self.AND)


READ_VERSIONS = f"""
    SELECT slug, version || '.' || extract(epoch FROM changed_at) FROM catalog_dataset WHERE version > 0
    UNION ALL
    (SELECT '{Dataset.RUNS}', id || '.' || extract(epoch FROM finished) FROM catalog_importrun ORDER BY id DESC LIMIT 1)
"""  # noqa: S608 - a constant


class ImportRun(models.Model):
    """A run of a source, written with the import or after its rollback. Purges and backups are recorded too.

    source: "" for a file of no listed source. rows: in the catalog after the run. file_date: as the source says.
    message: for operators. differences: not of depots, whose names may be personal.
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
        started = date_format(timezone.localtime(self.started), "SHORT_DATETIME_FORMAT")
        return f"{self.source or self.dataset or 'import'} {started} {self.outcome}"

    @property
    def duration_s(self) -> float:
        return (self.finished - self.started).total_seconds()
