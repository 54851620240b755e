"""Prices of depots with their plausible ranges; official averages."""

from datetime import date
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import Exact
from django.template.defaultfilters import floatformat
from django.utils.formats import date_format
from simple_history.models import HistoricalRecords

from catalog.depots import fuels
from catalog.models import Depot, Submission, Voivodeship
from catalog.models.depots import person
from prices.medians import PRICE_LIST_MONTHS, months_before
from prices.official_series import FIRST_YEAR, SERIES

LONGEST_REASON = 300


def unit_of_the_fuel() -> Q:
    """Return the condition that a row has the unit of its fuel: its own for fuels that have one, else tonnes."""
    others, rest = Q(), Q()
    for fuel in fuels.FUELS:
        if fuel.unit != "t":
            others |= Q(fuel=fuel.slug, unit=fuel.unit)
            rest &= ~Q(fuel=fuel.slug)
    return others | (rest & Q(unit="t"))


class DepotPriceQuerySet(models.QuerySet["DepotPrice"]):
    def approved(self) -> Self:
        return self.filter(status=DepotPrice.Status.APPROVED)

    def pending(self) -> Self:
        return self.filter(status=DepotPrice.Status.PENDING)

    def waiting(self) -> Self:
        """Keep pending prices of published entries, and those that a merge left behind, which can only be rejected."""
        published = Q(depot__publication=Depot.Publication.PUBLISHED)
        return self.pending().filter(published | Q(depot__merged_into__isnull=False))

    def newest(self, today: date) -> Self:
        """Keep the prices on the page of a depot: of each fuel the newest approved one, of one day that of a list."""
        of_list = Exact(F("origin"), DepotPrice.Origin.PRICE_LIST)
        newest_first = "-day", of_list.desc(), "-decided_at", "-pk"
        listed = self.approved().filter(day__gte=months_before(today, PRICE_LIST_MONTHS))
        return listed.order_by("depot", "fuel", *newest_first).distinct("depot", "fuel")

    def demonstration(self) -> Self:
        return self.filter(depot__source=Depot.Source.DEMO)

    def standing(self) -> Self:
        return self.exclude(status=DepotPrice.Status.REJECTED)


class DepotPrice(models.Model):
    """Price of a fuel at a depot on a day, in złoty per unit of the fuel. bag_price: as entered.

    submission: None for other prices. sent_price: as sent, where an editor has corrected it. decided_by: None for
    starter data and prices of owners. The database deletes prices with their depot: one statement removes the
    demonstration, without history.
    """

    class Origin(models.TextChoices):
        PRICE_LIST = "price_list", "cennik składu"
        SUBMISSION = "submission", "zgłoszenie czytelnika"
        CLAIM = "claim", "zgłoszenie z przejęciem wpisu"

    class Status(models.TextChoices):
        PENDING = "pending", "czeka na decyzję"
        APPROVED = "approved", "zatwierdzona"
        REJECTED = "rejected", "odrzucona"

    depot = models.ForeignKey(
        Depot, models.DO_NOTHING, db_constraint=False, verbose_name="skład", related_name="prices"
    )
    fuel = models.CharField("paliwo", max_length=20, choices=fuels.choices)
    price = models.DecimalField("cena", max_digits=8, decimal_places=2)
    sent_price = models.DecimalField("cena w zgłoszeniu", max_digits=8, decimal_places=2, null=True, blank=True)
    unit = models.CharField("jednostka", max_length=2, choices=list(fuels.UNIT_NAMES.items()))
    bag_price = models.DecimalField("cena worka", max_digits=7, decimal_places=2, null=True, blank=True)
    bag_kg = models.DecimalField("waga worka w kg", max_digits=6, decimal_places=2, null=True, blank=True)
    day = models.DateField("dzień ceny")
    origin = models.CharField("pochodzenie", max_length=10, choices=Origin.choices)
    submitted_at = models.DateTimeField("zgłoszono")
    # A submission with prices is deleted only with its depot, and so are the prices.
    submission = models.ForeignKey(
        Submission,
        models.DO_NOTHING,
        null=True,
        blank=True,
        db_constraint=False,
        verbose_name="zgłoszenie",
        related_name="prices",
        db_column="request_id",
    )

    status = models.CharField("stan", max_length=8, choices=Status.choices, default=Status.PENDING)
    reason = models.CharField("powód odrzucenia", max_length=LONGEST_REASON, blank=True)
    decided_at = models.DateTimeField("zdecydowano", null=True, blank=True)
    decided_by = person("zdecydował", null=True, blank=True)

    history = HistoricalRecords(verbose_name="historia ceny", verbose_name_plural="historia cen")
    objects = DepotPriceQuerySet.as_manager()

    class Meta:
        verbose_name = "cena w składzie"
        verbose_name_plural = "ceny w składach"
        indexes = (
            models.Index(fields=["fuel", "day"], name="depotprice_approved", condition=Q(status="approved")),
            models.Index(fields=["submitted_at"], name="depotprice_pending", condition=Q(status="pending")),
        )
        constraints = (
            models.UniqueConstraint(
                name="depotprice_once_a_day", fields=["depot", "fuel", "day", "origin"], condition=~Q(status="rejected")
            ),
            models.CheckConstraint(name="depotprice_positive", condition=Q(price__gt=0)),
            models.CheckConstraint(name="depotprice_unit_of_the_fuel", condition=unit_of_the_fuel()),
            models.CheckConstraint(
                name="depotprice_bag_whole",
                condition=Q(bag_price__isnull=True, bag_kg__isnull=True)
                | Q(bag_price__isnull=False, bag_price__gt=0, bag_kg__isnull=False, bag_kg__gt=0, unit="t"),
            ),
            models.CheckConstraint(
                name="depotprice_decided_some_day",
                condition=Q(status="pending", decided_at__isnull=True, decided_by__isnull=True)
                | (~Q(status="pending") & Q(decided_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="depotprice_rejected_with_reason",
                condition=(Q(status="rejected") & ~Q(reason="")) | (~Q(status="rejected") & Q(reason="")),
            ),
        )

    def __str__(self) -> str:
        price, day = floatformat(self.price, "-2g"), date_format(self.day, "SHORT_DATE_FORMAT")
        return f"{self.get_fuel_display()} {price} zł/{self.unit}, {day} (nr {self.pk})"


class PlausibleRange(models.Model):
    """Range of plausible prices in złoty per unit of the fuel, ends included. Prices outside do not count."""

    fuel = models.CharField("paliwo", max_length=20, primary_key=True, choices=fuels.choices)
    low = models.DecimalField("od", max_digits=8, decimal_places=2)
    high = models.DecimalField("do", max_digits=8, decimal_places=2)

    history = HistoricalRecords(verbose_name="historia przedziału", verbose_name_plural="historia przedziałów")

    class Meta:
        verbose_name = "wiarygodny przedział cen"
        verbose_name_plural = "wiarygodne przedziały cen"
        constraints = (
            models.CheckConstraint(
                name="plausiblerange_ends_in_order", condition=Q(low__gt=0, high__gte=models.F("low"))
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_fuel_display()}: {floatformat(self.low, '-2g')}–{floatformat(self.high, '-2g')} zł"


class Series(models.Model):
    """A series of `SERIES` with number and name of its variable in the local data bank, null and "" until found."""

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

    @property
    def teryt(self) -> str:
        """Two digits of the voivodeship, "" for Poland."""
        return self.voivodeship_id or ""
