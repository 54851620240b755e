"""The legal state of each voivodeship, seeded from `regulations/data/*.yaml`: acts, amendments, deadlines, bans."""

import re
import uuid
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, NamedTuple, Self

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, URLValidator
from django.db import models
from django.db.models import F, Q
from django.utils.formats import date_format
from django.utils.text import Truncator
from simple_history.models import HistoricalRecords

from catalog.models import Voivodeship
from regulations.codes import Appliance, CodesField, Condition, Exemption, FuelCode, SparedField

Day = date
"""The class, for `Deadline`, whose field `date` hides it."""

UNIT_PATTERN = RegexValidator(r"^[0-9]{4}([0-9]{3})?\Z", "kod powiatu (4 cyfry) albo gminy (7 cyfr)")


def unit_codes(verbose_name: str, help_text: str) -> "ArrayField[list[str], list[str]]":
    code = models.CharField(max_length=7, validators=[UNIT_PATTERN])
    return ArrayField(code, verbose_name=verbose_name, blank=True, default=list, help_text=help_text)


PART_CAVEAT_LINE = re.compile(r"\s*(?:([0-9]{7})\s*\|\s*)?(.*)")
"""A line of `Scope.part_caveat`: the code of the only municipality that it concerns, if any, and its text."""


class Source(NamedTuple):
    name: str
    url: str


@lru_cache(maxsize=1000)
def read_sources(text: str) -> tuple[Source, ...]:
    """Parse sources: one per line, name and URL separated by the last " | "."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(
        Source(name.strip(), url.strip()) for name, _, url in (line.rpartition(" | ") for line in lines if line)
    )


def write_sources(sources: Iterable[Source]) -> str:
    """Return the inverse of `read_sources`."""
    return "\n".join(f"{source.name} | {source.url}" for source in sources)


def validate_sources(text: str) -> None:
    for source in read_sources(text):
        if not source.name:
            raise ValidationError("Źródło wpisz tak: nazwa | adres", code="form")
        URLValidator()(source.url)


class SourcesField(models.TextField):  # type: ignore[type-arg] # not subscriptable at run time
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        defaults: dict[str, Any] = {"validators": [validate_sources], "blank": True}
        defaults |= {"help_text": "każde w osobnym wierszu: nazwa | adres"}
        super().__init__(*args, **(defaults | kwargs))


class AddressField(models.URLField):  # type: ignore[type-arg] # not subscriptable at run time
    """A URL; the form assumes https where the scheme is missing."""

    def formfield(self, *args: Any, **kwargs: Any) -> Any:
        return super().formfield(*args, **{"assume_scheme": "https", **kwargs})


class Scope(models.Model):
    """Where a rule binds. Codes of municipalities have 7 digits, of counties 4.

    partly: municipalities that the rule binds in part. excluded: only for wide areas.
    uncertain: sources contradict each other about the rule binding anywhere in the area; caveat explains.
    part_caveat: about municipalities that the rule binds in part; does not concern the others. A line about one of them
    begins with its code: "1211011 | W Nowym Targu (…)".
    """

    class Area(models.TextChoices):
        VOIVODESHIP = "voivodeship", "całe województwo (bez wyłączonych)"
        LISTED = "listed", "tylko wymienione gminy i powiaty"
        TOWNS = "towns", "miasta"
        OUTSIDE_TOWNS = "outside_towns", "obszar poza miastami"

    scope = models.CharField("gdzie obowiązuje, słowami", max_length=300)
    area = models.CharField("obszar", max_length=15, choices=Area.choices, default=Area.VOIVODESHIP)
    units = unit_codes("objęte w całości", "kody TERYT po przecinku; tylko dla obszaru „wymienione”")
    partly = unit_codes("objęte w części", "kody TERYT gmin, w których przepis dotyczy tylko części obszaru")
    excluded = unit_codes("wyłączone", "kody TERYT gmin i powiatów, których przepis nie dotyczy")
    uncertain = models.BooleanField(
        "niepewne",
        default=False,
        db_default=False,
        help_text="źródła są sprzeczne co do tego, czy to w ogóle obowiązuje; napisz w zastrzeżeniu, w czym",
    )
    caveat = models.TextField("zastrzeżenie", blank=True)
    part_caveat = models.TextField(
        "zastrzeżenie o częściach gmin",
        blank=True,
        default="",
        db_default="",
        help_text="której części gminy przepis dotyczy; pokazujemy je tylko tam, gdzie dotyczy części obszaru",
    )

    class Meta:
        abstract = True
        constraints = (
            models.CheckConstraint(
                name="%(app_label)s_%(class)s_listed_names_units",
                condition=~Q(area="listed", units=[], partly=[]),
                violation_error_message="Obszar „wymienione” wymaga kodów gmin lub powiatów.",
            ),
            models.CheckConstraint(
                name="%(app_label)s_%(class)s_units_only_if_listed",
                condition=Q(area="listed") | Q(units=[]),
                violation_error_message="Kody „objęte w całości” podaje się tylko dla obszaru „wymienione”.",
            ),
        )

    def part_caveat_in(self, teryt: str) -> str:
        """Return `part_caveat` without the lines about municipalities outside a unit; teryt: "" for all lines.

        Six digits of codes are compared, as in `snapshot.names`. A line whose code is no longer in `partly` stays.
        """
        partly = {code[:6] for code in self.partly}
        lines = []
        for line in self.part_caveat.splitlines():
            code, text = PART_CAVEAT_LINE.fullmatch(line).groups()  # type: ignore[union-attr] # matches any line
            if not code or code.startswith(teryt[:6]) or code[:6] not in partly:
                lines.append(text)
        return " ".join(filter(None, lines))


STALE_AFTER = timedelta(days=180)
"""Age of a confirmation beyond which a legal state is stale."""


def is_stale(as_of: date, today: date) -> bool:
    return today - as_of > STALE_AFTER


class LegalStateQuerySet(models.QuerySet["LegalState"]):
    def stale(self, today: date) -> Self:
        return self.filter(as_of__lt=today - STALE_AFTER)


class LegalState(models.Model):
    """The state of a voivodeship, with or without a resolution. file: values of its YAML file at the last import."""

    voivodeship = models.OneToOneField(
        Voivodeship, models.PROTECT, primary_key=True, verbose_name="województwo", related_name="legal_state"
    )
    as_of = models.DateField("stan na", help_text="dzień, na który redakcja potwierdza ten stan")
    summary = models.TextField("opis", blank=True, help_text="prostym językiem, co i do kiedy wolno")
    note = models.TextField("uwagi", blank=True)
    sources = SourcesField("źródła")
    file = models.JSONField("ostatni import", default=dict, editable=False)
    objects = LegalStateQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["file"])

    class Meta:
        verbose_name = "stan prawny województwa"
        verbose_name_plural = "stany prawne województw"

    def __str__(self) -> str:
        return f"{self.voivodeship.name}, stan na {date_format(self.as_of, 'SHORT_DATE_FORMAT')}"


class LegalItem(models.Model):
    """A part of a legal state. key: its name in the file; blank for rows of editors."""

    state = models.ForeignKey(LegalState, models.CASCADE, verbose_name="województwo")
    key = models.SlugField("nazwa w pliku", max_length=60, blank=True, editable=False)
    sources = SourcesField("źródła")

    class Meta:
        abstract = True
        constraints = (
            models.UniqueConstraint(name="%(app_label)s_%(class)s_key", fields=["state", "key"], condition=~Q(key="")),
        )


class Resolution(LegalItem, Scope):
    """An act of the regional assembly. Without a day of adoption it counts from the first act of its voivodeship."""

    title = models.TextField("tytuł")
    number = models.CharField("numer", max_length=40, blank=True)
    adopted = models.DateField("podjęta", null=True, blank=True)
    publication = models.CharField("ogłoszona", max_length=120, blank=True, help_text="dziennik urzędowy, rok, pozycja")
    text_url = AddressField("adres tekstu", max_length=400, blank=True)
    in_force_from = models.DateField("obowiązuje od", null=True, blank=True)
    note = models.TextField("uwagi", blank=True)
    history = HistoricalRecords()

    class Meta:
        verbose_name = "uchwała"
        verbose_name_plural = "uchwały"
        constraints = (*LegalItem.Meta.constraints, *Scope.Meta.constraints)

    def __str__(self) -> str:
        number = f"nr {self.number}" if self.number else "bez numeru"
        adopted = f" z {date_format(self.adopted, 'SHORT_DATE_FORMAT')}" if self.adopted else ""
        return f"{number}{adopted} ({self.scope})"


class Amendment(models.Model):
    """An act that changes a resolution. The history of deadlines records which ones it moved."""

    resolution = models.ForeignKey(Resolution, models.CASCADE, verbose_name="uchwała", related_name="amendments")
    key = models.SlugField("nazwa w pliku", max_length=60, blank=True, editable=False)
    number = models.CharField("numer", max_length=40, blank=True)
    adopted = models.DateField("podjęta", null=True, blank=True)
    publication = models.CharField("ogłoszona", max_length=120, blank=True, help_text="dziennik urzędowy, rok, pozycja")
    text_url = AddressField("adres tekstu", max_length=400, blank=True)
    in_force_from = models.DateField("obowiązuje od", null=True, blank=True)
    changes = models.TextField("co zmienia")
    note = models.TextField("uwagi", blank=True)
    sources = SourcesField("źródła")
    history = HistoricalRecords()

    class Meta:
        verbose_name = "zmiana uchwały"
        verbose_name_plural = "zmiany uchwał"
        constraints = (
            models.UniqueConstraint(
                name="regulations_amendment_key", fields=["resolution", "key"], condition=~Q(key="")
            ),
        )

    def __str__(self) -> str:
        number = f"nr {self.number}" if self.number else "bez numeru"
        if self.adopted:
            return f"{number} z {date_format(self.adopted, 'SHORT_DATE_FORMAT')}"
        # Where neither is known, what it changes tells one from another.
        return f"{number}, dzień nieznany: {Truncator(self.changes).chars(60)}"


class Provision(LegalItem, Scope):
    """A rule of the acts. valid_from (inclusive), valid_to (exclusive): the period in which the acts contained it."""

    valid_from = models.DateField(
        "w przepisach od", null=True, blank=True, help_text="dzień podjęcia uchwały lub zmiany; puste: od początku"
    )
    valid_to = models.DateField(
        "w przepisach do", null=True, blank=True, help_text="dzień podjęcia zmiany, która go zastąpiła; puste: nadal"
    )

    class Meta:
        abstract = True
        constraints = (
            *LegalItem.Meta.constraints,
            *Scope.Meta.constraints,
            models.CheckConstraint(
                name="%(app_label)s_%(class)s_validity_in_order",
                condition=Q(valid_to__isnull=True) | Q(valid_from__isnull=True) | Q(valid_to__gt=F("valid_from")),
                violation_error_message="Koniec obowiązywania musi być późniejszy niż początek.",
            ),
        )

    def stands_on(self, day: date) -> bool:
        return (self.valid_from is None or self.valid_from <= day) and (self.valid_to is None or day < self.valid_to)

    def can_move_on(self, day: date) -> bool:
        """Whether an amendment adopted on a day can move the rule: the acts contain it then, but not since that day."""
        return self.stands_on(day) and self.valid_from != day


CALENDAR_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "regulations.fueldepot")
"""Of the UIDs that imports compute."""


class Deadline(Provision):
    """A day from which something is forbidden or required. uid: of its calendar event, stable when the day moves.

    The codes repeat the texts as data. appliances: those that it ends or limits; empty where it is about fuels alone.
    unclear_appliances: sources contradict each other about these, or are vague. fuels: only with these; empty for any
    solid fuel. conditions: only where all hold. exemptions: one of them frees an appliance. started_before: only
    appliances put to use before that day. spared: appliances that may stay according to a source.
    """

    class Kind(models.TextChoices):
        NEW_INSTALLATIONS = "new_installations", "nowe urządzenia"
        EXISTING_BOILERS = "existing_boilers", "działające kotły"
        SPACE_HEATERS = "space_heaters", "kominki i piece"
        SOLID_FUEL_BAN = "solid_fuel_ban", "zakaz paliw stałych"
        COAL_BAN = "coal_ban", "zakaz węgla"
        FUEL_BAN = "fuel_ban", "zakaz niektórych paliw"
        NETWORK_CONNECTION = "network_connection", "budynki przy sieci"

    date = models.DateField(
        "od dnia", help_text="pierwszy dzień obowiązywania: „do końca 2026 r.” to 1 stycznia 2027 r."
    )
    kind = models.CharField("rodzaj", max_length=20, choices=Kind.choices)
    appliances = CodesField(verbose_name="urządzenia", choices=Appliance.choices)
    unclear_appliances = CodesField(
        verbose_name="urządzenia, co do których źródła są sprzeczne", choices=Appliance.choices
    )
    fuels = CodesField(
        verbose_name="tylko na paliwa", choices=FuelCode.choices, help_text="nic nie zaznaczono: każde paliwo stałe"
    )
    conditions = CodesField(verbose_name="tylko gdy", choices=Condition.choices, help_text="wszystkie naraz")
    exemptions = CodesField(
        verbose_name="nie dotyczy urządzenia, które", choices=Exemption.choices, help_text="wystarczy jedno"
    )
    started_before = models.DateField(
        "tylko uruchomione przed", null=True, blank=True, help_text="puste: bez względu na dzień uruchomienia"
    )
    spared = SparedField(
        "mogą zostać do końca żywotności",
        help_text="każde w osobnym wierszu: kod urządzenia albo kod | dzień, przed którym je uruchomiono (RRRR-MM-DD)",
    )
    applies_to = models.CharField("czego dotyczy", max_length=200)
    description = models.TextField("co oznacza")
    uid = models.UUIDField("identyfikator w kalendarzu", default=uuid.uuid4, unique=True, editable=False)
    history = HistoricalRecords()

    class Meta(Provision.Meta):
        verbose_name = "termin"
        verbose_name_plural = "terminy"

    def __str__(self) -> str:
        return f"{date_format(self.date, 'SHORT_DATE_FORMAT')}: {self.applies_to} ({self.scope})"

    def holds_on(self, day: Day) -> bool:
        """Whether it holds on a day; before its `date` it is to come."""
        return self.date <= day


class FuelBan(Provision):
    """A fuel that must not be burnt. fuels: its codes. from_date: null when unknown."""

    fuel = models.CharField("paliwo", max_length=200)
    fuels = CodesField(verbose_name="kody paliw", choices=FuelCode.choices)
    detail = models.TextField("szczegóły", blank=True)
    from_date = models.DateField("od dnia", null=True, blank=True)
    history = HistoricalRecords()

    class Meta(Provision.Meta):
        verbose_name = "zakazane paliwo"
        verbose_name_plural = "zakazane paliwa"

    def __str__(self) -> str:
        return f"{self.fuel} ({self.scope})"
