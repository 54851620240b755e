"""What every page says of itself. Each kind of page adds its own content in a subclass."""

from dataclasses import dataclass
from typing import Self

from django.conf import settings
from django.urls import reverse

from catalog.models import Municipality, Voivodeship


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the way from the home page to this one."""

    label: str
    path: str

    @classmethod
    def home(cls) -> Self:
        return cls("Strona główna", reverse("home"))

    @classmethod
    def voivodeship(cls, unit: Voivodeship) -> Self:
        return cls(f"województwo {unit.name}", reverse("voivodeship", args=[unit.slug]))

    @classmethod
    def municipality(cls, unit: Municipality) -> Self:
        """Reads the voivodeship: select it."""
        return cls(unit.name, municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page, before it is written out.

    title: without the name of the site. path: the canonical one, without query.
    crumbs: the pages above this one, from the home page down.
    demonstration: invented depots are shown, and a notice says so. indexed: search engines may keep the page.
    data_path: the API's answer with the same data, "" when there is none.
    """

    title: str
    description: str
    path: str
    crumbs: tuple[Crumb, ...] = ()
    demonstration: bool = False
    indexed: bool = True
    data_path: str = ""

    @property
    def canonical(self) -> str:
        """The absolute address by which the page is known."""
        return f"{settings.SITE_URL}{self.path}"


def municipality_path(voivodeship_slug: str, slug: str, teryt: str) -> str:
    """The one right path of a municipality's page."""
    return reverse("municipality", args=[voivodeship_slug, slug, teryt])
