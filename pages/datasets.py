"""The page of the data sets: content, age, source and licence of each."""

from collections import Counter
from datetime import date
from typing import Any

from django.urls import reverse
from django.utils import timezone

from catalog import starter
from catalog.depots.attribution import LICENCES, ORIGINS, QUOTING
from catalog.depots.snapshot import depots
from catalog.importers.freshness import SourceState, last_runs
from catalog.importers.sources import all_sources
from catalog.models import Dataset, Depot
from catalog.text import lasting, whole
from fueldepot.data.snapshot import Snapshot
from fueldepot.http.links import site_url
from pages.page import Page, dataset
from pages.regulations import days_of
from prices.services import PUBLISHER
from prices.snapshot import official, prices
from prices.starter import DEMONSTRATION_CREDIT
from regulations.models import STALE_AFTER
from regulations.snapshot import states
from subsidy import rules
from subsidy.household_and_plan import Item

TITLE = "Dane: zbiory, źródła i licencje"

TERMS: dict[str, tuple[str, str, str]] = {
    Dataset.Slug.UNITS: (
        "Gminy z nazwą i kodem TERYT, ich powiaty i województwa.",
        "raz w roku, według stanu na 1 stycznia",
        "/locations?q=Zakopane",
    ),
    Dataset.Slug.PLACES: (
        "Nazwy miejscowości i gminy, w których leżą.",
        "kilka razy w roku",
        "/locations?q=Zakopane",
    ),
    Dataset.Slug.POSTCODES: (
        "Kody pocztowe z gminami i środkiem zabudowy.",
        "kilka razy w roku",
        "/postcodes/30-001",
    ),
    Dataset.Slug.BOUNDARIES: (
        "Granice gmin, według których wskazujemy gminę punktu.",
        "raz w roku",
        "/locate?lat=49.2992&lon=19.9496",
    ),
    Dataset.Slug.DEPOTS: (
        "Składy opału: adres, paliwa, godziny, kontakt, status wpisu.",
        "przy każdym imporcie i przy każdej decyzji redakcji",
        "/stores?teryt=1217011",
    ),
    Dataset.Slug.SERIES: (
        "Średnie roczne ceny opału i energii w Polsce i województwach.",
        "raz w roku",
        "/prices",
    ),
    Dataset.Slug.PRICES: (
        "Ceny z cenników składów i ze zgłoszeń czytelników, z których liczymy mediany.",
        "przy każdej zatwierdzonej cenie; mediany codziennie",
        "/prices/pellet",
    ),
    Dataset.Slug.REGULATIONS: (
        "Uchwały antysmogowe województw: terminy, zakazane paliwa, zmiany i źródła. Samych aktów prawo autorskie nie "
        "chroni (art. 4 ustawy o prawie autorskim).",
        f"po każdej zmianie uchwał; stan starszy niż {lasting(STALE_AFTER)} czeka na potwierdzenie",
        "/regulations",
    ),
}
"""Content, rhythm of changes and path of an answer of each data set, in the order of the page."""

OWN_LICENCES = {
    starter.BOUNDARIES_CREDIT: "CC BY 4.0; powstało z danych CC BY 3.0 i CC BY 4.0",
    starter.DEMONSTRATION_CREDIT: LICENCES[Depot.Source.DEMO],
    DEMONSTRATION_CREDIT: LICENCES[Depot.Source.DEMO],
    PUBLISHER: QUOTING,
    "": "podana przy każdym wpisie",
}
"""Licences of rows that come from no source, by the credit of their data set; sources declare their own."""

EXTRACTS = {
    "extract-municipalities": "gminy z kodami TERYT i liczbą składów",
    "extract-medians": "mediany cen paliw: kraj, województwa, miesiące",
    "extract-averages": "średnie roczne ceny GUS",
}
"""Files for spreadsheets by the names of their routes."""


def data_catalog(page: Page) -> list[dict[str, Any]]:
    """Return the data sets, except those with invented rows, as schema.org's DataCatalog."""
    sets = [
        dataset(
            page,
            json=entry["data_path"],
            name=entry["name"],
            description=entry["what"],
            url=f"{page.canonical}#{entry['slug']}",
            isBasedOn=entry["source"],
            **({"dateModified": entry["changed_on"].isoformat()} if entry["changed_on"] else {}),
        )
        for entry in page.content["sets"]
        if not entry["demonstration"]
    ]
    return [{"@type": "DataCatalog", "name": page.title, "url": page.canonical, "dataset": sets}]


def read_data_sets() -> tuple[dict[str, Dataset], tuple[SourceState, ...]]:
    """Read the data sets by slug, and the runs of every source. Two queries."""
    return {row.slug: row for row in Dataset.objects.all()}, tuple(last_runs())


data_sets = Snapshot(read_data_sets, *Dataset.Slug, Dataset.RUNS)


def datasets_page(today: date) -> Page:
    """Return the page of the data sets.

    In the content, sets: see `data_set`. origins: (name, licence, published depots), the most frequent first. runs: the
    last import of every source. overdue: those with a late next one.
    """
    stored, runs = data_sets.get()
    by_source = Counter(row.source for row in depots.get().rows)
    are_invented = prices.get().columns.demonstration
    published = {
        Dataset.Slug.DEPOTS.value: (by_source.total(), by_source[Depot.Source.DEMO]),
        Dataset.Slug.PRICES.value: (are_invented.size, int(are_invented.sum())),
    }
    sets = (*(data_set(slug, stored.get(slug), *published.get(slug, ())) for slug in TERMS), programme(today))
    return Page(
        template="pages/datasets",
        title=TITLE,
        description="Zbiory danych serwisu: ile mają wierszy, na jaki dzień są aktualne, skąd pochodzą i na jakich "
        "warunkach wolno z nich korzystać.",
        path=reverse("datasets"),
        as_of=max((entry["changed_on"] for entry in sets if entry["changed_on"]), default=None),
        data_status="podany przy każdym zbiorze",
        licence="podana przy każdym zbiorze",
        schema_org=data_catalog,
        content={
            "sets": sets,
            "extracts": [(site_url(reverse(route)), what) for route, what in EXTRACTS.items()],
            "runs": runs,
            "overdue": tuple(state for state in runs if state.is_overdue(today)),
            "origins": tuple(
                (ORIGINS[source], LICENCES[source], number)
                for source, number in sorted(by_source.items(), key=lambda item: (-item[1], item[0]))
            ),
        },
    )


def data_set(slug: str, row: Dataset | None, rows: int | None = None, invented: int = 0) -> dict[str, Any]:
    """Return a data set of the database as a row of the page.

    row: None before its first import. rows: how many are published, None for all; invented: how many of them.
    changed_on: the day of the last change in this catalog. newest: the year of the newest averages, "" for other sets.
    demonstration: a sentence about invented rows, "" without.
    """
    what, rhythm, address = TERMS[slug]
    as_of, last = days_of_data(row) if row else (None, None)
    if rows is None:
        rows = row.row_count if row else 0
    return {
        "slug": slug,
        "name": Dataset.Slug(slug).label,
        "what": what,
        "rows": rows,
        "as_of": as_of,
        "as_of_last": last,
        "newest": official.get().newest if slug == Dataset.Slug.SERIES else "",
        "changed_on": timezone.localdate(row.changed_at) if row else None,
        "source": row.source if row else "",
        "licence": "; ".join(dict.fromkeys(licence_of(slug, credit) for credit in (row.sources if row else [""]))),
        "rhythm": rhythm,
        "demonstration": f"wpisy zmyślone: {whole(invented)}" if invented else "",
        "data_path": reverse("api-index") + address,
    }


def licence_of(slug: str, credit: str) -> str:
    """Return the licence of rows by their credit, which begins with the publisher as that of a source does."""
    of_sources = {
        source.credit.partition(",")[0]: source.licence for source in all_sources().values() if source.dataset == slug
    }
    own = OWN_LICENCES.get(credit, OWN_LICENCES[""])
    return next((licence for publisher, licence in of_sources.items() if credit.startswith(publisher)), own)


def days_of_data(row: Dataset) -> tuple[date | None, date | None]:
    """Return the day of the last import, else the first and last day that its pages give; None for neither."""
    if row.as_of:
        return row.as_of, None
    if row.slug == Dataset.Slug.SERIES:
        return timezone.localdate(row.changed_at), None
    if row.slug == Dataset.Slug.REGULATIONS:
        return days_of(states.get().values())
    return None, None


def programme(today: date) -> dict[str, Any]:
    """Return the rules of the subsidy, which are part of the code, as a row of the page."""
    edition = rules.current().on(today).edition
    return {
        "slug": "subsidy",
        "name": "zasady programu Czyste Powietrze",
        "what": "Poziomy, progi dochodu, limity kwot i warunki, od których zależy dotacja.",
        "rows": len(Item),
        "as_of": edition.as_of,
        "as_of_last": None,
        "newest": "",
        "changed_on": edition.as_of,
        "source": "; ".join(source.title for source in edition.sources),
        "licence": QUOTING,
        "rhythm": "po każdej zmianie programu",
        "demonstration": "",
        "data_path": reverse("api-index") + "/subsidy/limits",
    }
