"""What every page says of itself. Each kind of page adds its own content in a subclass.

One object is written out several times: as HTML, as Markdown, and as data for search engines. `pages.rendering` does
that; nothing here knows how a page looks.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Self

from django.conf import settings
from django.urls import reverse

from catalog.links import municipality_path, route_path, site_url
from catalog.models import Municipality, Voivodeship
from pages.polish import day

SCHEMA = "https://schema.org"

MIXED_STATUS = "różny w poszczególnych wpisach, podany przy każdym z nich"
DEMONSTRATION_STATUS = "dane demonstracyjne (zmyślone); służą tylko do wypróbowania serwisu"
QUOTING = "cytowanie z podaniem źródła"


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the way from the home page to this one."""

    label: str
    path: str

    @classmethod
    def home(cls) -> Self:
        return cls("Strona główna", route_path("home"))

    @classmethod
    def voivodeship(cls, unit: Voivodeship) -> Self:
        return cls(f"województwo {unit.name}", route_path("voivodeship", unit.slug))

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
    as_of: the day to which the content is current, None when nobody knows.
    data_status: how sure the data are, in a phrase. licence: on what terms they may be used.

    template: what it is written out with, without the ending; there is one for each format.
    status: of the answer. honours: the parameters of the address that the content depends on.
    """

    template: ClassVar[str] = ""
    status: ClassVar[int] = 200
    honours: ClassVar[tuple[str, ...]] = ()

    title: str
    description: str
    path: str
    crumbs: tuple[Crumb, ...] = ()
    demonstration: bool = False
    indexed: bool = True
    data_path: str = ""
    as_of: date | None = None
    data_status: str = MIXED_STATUS
    licence: str = QUOTING

    @property
    def canonical(self) -> str:
        """The absolute address by which the page is known."""
        return site_url(self.path)

    @property
    def twin(self) -> str:
        """The path of the same page in Markdown, without query."""
        return twin_path(self.path)

    @property
    def citation(self) -> str:
        """How to quote the page: service, page, address, day and, where there is one, the status to quote with it."""
        service = settings.SITE_NAME
        if service != settings.OPERATOR_NAME:
            service += f" ({settings.OPERATOR_NAME})"
        parts = [service, f"„{self.title}”", self.canonical]
        if self.as_of:
            parts.append(f"stan na {day(self.as_of)}")
        if self.quoted_status:
            parts.append(self.quoted_status)
        return ", ".join(parts)

    @property
    def quoted_status(self) -> str:
        """What a quotation must say of how sure the content is, "" for nothing."""
        return "dane demonstracyjne (zmyślone)" if self.demonstration else ""

    @property
    def structured(self) -> dict[str, Any]:
        """The page for search engines, in the words of schema.org."""
        graph = [breadcrumbs(self)] if self.crumbs else []
        return {"@context": SCHEMA, "@graph": [*graph, *self.things()]}

    def things(self) -> list[dict[str, Any]]:
        """What the page is about, in the words of schema.org."""
        return []


def breadcrumbs(page: Page) -> dict[str, Any]:
    """The way to a page, itself included."""
    steps = [*((crumb.label, site_url(crumb.path)) for crumb in page.crumbs), (page.title, page.canonical)]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": address}
            for number, (name, address) in enumerate(steps, start=1)
        ],
    }


def publisher() -> dict[str, Any]:
    """Who runs the service."""
    return {"@type": "Organization", "name": settings.OPERATOR_NAME, "url": site_url("/")}


def dataset(page: Page, *, files: tuple[tuple[str, str], ...] = (), **more: Any) -> dict[str, Any]:
    """The data of a page as a data set. files: media types and absolute addresses of what can be downloaded."""
    return {
        "@type": "Dataset",
        "name": page.title,
        "description": page.description,
        "url": page.canonical,
        "inLanguage": "pl",
        "isAccessibleForFree": True,
        "creator": publisher(),
        "license": site_url(reverse("api-rules")),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": address} for kind, address in files
        ],
        **({"dateModified": page.as_of.isoformat()} if page.as_of else {}),
        **more,
    }


def licence_of_list(*, demonstration: bool) -> str:
    """On what terms a list of depots may be used. demonstration: some are invented."""
    invented = "demonstracyjne: bez ograniczeń; " if demonstration else ""
    osm = "wpisy z OpenStreetMap: ODbL 1.0, © autorzy OpenStreetMap (https://www.openstreetmap.org/copyright)"
    return f"{invented}{osm}; pozostałe: {QUOTING}"


def twin_path(path: str) -> str:
    """The path of a page in Markdown: without the slash at the end, with ".md"; "/index.md" for the home page."""
    return f"{path.rstrip('/') or '/index'}.md"


def page_of_twin(path: str) -> str:
    """The path of the page that a path of `twin_path` belongs to."""
    stem = path.removesuffix(".md")
    return "/" if stem == "/index" else f"{stem}/"
