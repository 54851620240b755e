"""The page in English: what the service is, how to search it, and words for fuels and rules."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.urls import reverse

from catalog.depots import fuels
from catalog.depots.snapshot import depots
from pages.page import Crumb, Page

AS_OF = date(2026, 11, 24)
"""The day on which the text last changed; renew it with every change."""

TITLE = "Fuel depots in Poland"

RULES = (
    ("uchwała antysmogowa", "anti-smog resolution: what a voivodeship (region) forbids to burn, and from which day"),
    ("termin", "deadline: the day from which a class of boiler or stove may no longer be used"),
    ("kocioł bezklasowy", "boiler without a class, or below class 3 of EN 303-5"),
    ("ekoprojekt", "ecodesign, Regulation (EU) 2015/1189 for boilers and 2015/1185 for stoves and fireplaces"),
    ("piec, koza, kominek", "stove, small iron stove, fireplace"),
    ("dotacja Czyste Powietrze", "the clean-air subsidy for a new source of heat and insulation, by income"),
    ("gmina, powiat, województwo", "municipality, county, voivodeship (region)"),
    ("skład opału", "fuel depot: a yard that sells coal, pellets or firewood"),
    ("cennik, mediana", "price list, median"),
    ("otwarte, zamknięte, dojazd", "open, closed, directions"),
)
"""Polish words on the pages, with their meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnglishPage(Page):
    """The page in English. depots, fuels: as in the catalog. rules: (word, meaning)."""

    template: ClassVar[str] = "pages/english"
    language: ClassVar[str] = "en"
    rules: ClassVar[tuple[tuple[str, str], ...]] = RULES

    depots: int
    fuels: tuple[fuels.Fuel, ...]


def english_page() -> EnglishPage:
    return EnglishPage(
        title=TITLE,
        description="Where to buy coal, pellets and firewood in Poland, what they cost, and what the anti-smog rules "
        "allow. A guide in English to a Polish site and its API.",
        path=reverse("english"),
        breadcrumbs=(Crumb("Home (Polish)", reverse("home")),),
        as_of=AS_OF,
        data_status="in force",
        licence="may be quoted with attribution",
        depots=len(depots.get().rows),
        fuels=fuels.FUELS,
    )
