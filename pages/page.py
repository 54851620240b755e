"""A page as data for its two templates.

`pages.rendering` renders a page as HTML and as Markdown; `Page.structured` holds its data for search engines.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple, Self

from django.conf import settings

from catalog.depots.attribution import OSM_COPYRIGHT, QUOTING
from catalog.links import municipality_path
from catalog.models import Municipality, Voivodeship
from fueldepot.http.links import route_path, route_url, site_url
from pages.polish import days

SCHEMA = "https://schema.org"

MIXED_STATUS = "różny w poszczególnych wpisach, podany przy każdym z nich"
DEMONSTRATION_STATUS = "dane demonstracyjne (zmyślone); służą tylko do wypróbowania serwisu"
INVENTED_TITLE = "Wpis demonstracyjny"
INVENTED_DEPOT = "Ten skład jest zmyślony i służy tylko do wypróbowania serwisu."
NOT_TO_BE_QUOTED = "nie wolno, dane demonstracyjne (zmyślone)"


class Crumb(NamedTuple):
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
        """Return the breadcrumb of a municipality. Select its voivodeship with it."""
        return cls(unit.name, municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page, independent of its format.

    template: path without suffix; one file per format. status: of the response.
    query_params: parameters that the content depends on.
    title: without the name of the site. path: canonical, without query.
    breadcrumbs: from the home page, which is the parent by default, to the parent.
    demonstration: the page shows invented rows, and title and notice above them.
    indexed: by search engines. language: of the content.
    data_path: of the API's response with the same data, "" for none.
    leads_to: target of a redirect in place of the HTML, "" for none; the Markdown is shown.
    as_of: the day of the content, None when unknown; of rows that have days of their own the first.
    as_of_last: the last day of such rows, None where they have a single day.
    data_status: reliability of the data, a phrase. licence: terms of use.
    cited_path: of what a citation names, with its query; "" for the canonical path.
    quoted_status: the reliability that a citation must state, "" for none.
    schema_org: returns the content as objects of schema.org.
    content: what the template shows besides, by name. Not in `repr`, as it may hold what a person typed.
    """

    template: str = ""
    status: int = 200
    query_params: tuple[str, ...] = ()
    title: str
    description: str
    path: str
    breadcrumbs: tuple[Crumb, ...] = field(default_factory=lambda: (Crumb.home(),))
    demonstration: bool = False
    demonstration_title: str = "Dane demonstracyjne"
    demonstration_notice: str = (
        "Składy na tej stronie są zmyślone i służą tylko do wypróbowania serwisu. Pod podanymi adresami ich nie ma."
    )
    indexed: bool = True
    language: str = "pl"
    data_path: str = ""
    leads_to: str = ""
    as_of: date | None = None
    as_of_last: date | None = None
    data_status: str = MIXED_STATUS
    licence: str = QUOTING
    cited_path: str = ""
    quoted_status: str = ""
    schema_org: Callable[["Page"], list[dict[str, Any]]] = lambda page: []
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def canonical(self) -> str:
        return site_url(self.path)

    @property
    def citation(self) -> str:
        """The citation: service, title, URL, day and `quoted_status`; for invented data a ban on citing them."""
        if self.demonstration:
            return NOT_TO_BE_QUOTED
        return cite(self.title, self.cited_url, self.as_of_days, self.quoted_status)

    @property
    def as_of_days(self) -> str:
        """The day of the content or the days of its rows, in Polish; "" when unknown."""
        return days(self.as_of, self.as_of_last)

    @property
    def cited_url(self) -> str:
        return site_url(self.cited_path or self.path)

    @property
    def structured(self) -> dict[str, Any]:
        graph = [breadcrumbs(self)] if self.breadcrumbs else []
        return {"@context": SCHEMA, "@graph": [*graph, *self.schema_org(self)]}


def cite(title: str, address: str, as_of: str, status: str = "") -> str:
    """Return a citation.

    address: URL of the page. as_of: of its content, see `pages.polish.days`. status: its reliability, "" for none.
    """
    service = settings.SITE_NAME
    if service != settings.OPERATOR_NAME:
        service += f" ({settings.OPERATOR_NAME})"
    parts = [service, f"„{title}”", address, f"stan na {as_of}" if as_of else "", status]
    return ", ".join(part for part in parts if part)


def breadcrumbs(page: Page) -> dict[str, Any]:
    """Return the breadcrumbs of a page, itself included, as schema.org's BreadcrumbList."""
    steps = [*((crumb.label, site_url(crumb.path)) for crumb in page.breadcrumbs), (page.title, page.canonical)]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": address}
            for number, (name, address) in enumerate(steps, start=1)
        ],
    }


def publisher() -> dict[str, Any]:
    return {"@type": "Organization", "name": settings.OPERATOR_NAME, "url": site_url("/")}


def dataset_if_indexed(page: Page, **more: Any) -> list[dict[str, Any]]:
    """Return the `dataset` of a page, none of one that search engines do not index."""
    return [dataset(page, **more)] if page.indexed else []


def dataset(page: Page, *, json: str | None = None, csv: str = "", **more: Any) -> dict[str, Any]:
    """Return the data of a page as schema.org's Dataset.

    json, csv: paths of downloads, "" for none; by default that of the page, and none.
    """
    files = (("application/json", page.data_path if json is None else json), ("text/csv", csv))
    return {
        "@type": "Dataset",
        "name": page.title,
        "description": page.description,
        "url": page.canonical,
        "inLanguage": "pl",
        "isAccessibleForFree": True,
        "creator": publisher(),
        "license": route_url("api-rules"),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": site_url(path)}
            for kind, path in files
            if path
        ],
        **({"dateModified": page.as_of.isoformat()} if page.as_of else {}),
        **more,
    }


def terms_of_list(*, demonstration: bool) -> dict[str, Any]:
    """Return what a page says of a list of depots. demonstration: some are invented."""
    invented = "demonstracyjne: bez ograniczeń; " if demonstration else ""
    osm = f"wpisy z OpenStreetMap: ODbL 1.0, © autorzy OpenStreetMap ({OSM_COPYRIGHT})"
    return {
        "demonstration": demonstration,
        "data_status": DEMONSTRATION_STATUS if demonstration else MIXED_STATUS,
        "licence": f"{invented}{osm}; pozostałe: {QUOTING}",
    }


def twin_path(path: str) -> str:
    """Return the path of the Markdown twin: ".md" in place of the trailing slash; "/index.md" for the home page."""
    return f"{path.rstrip('/') or '/index'}.md"
