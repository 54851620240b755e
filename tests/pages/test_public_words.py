"""Texts that readers see: pages, their twins and answers of the API. Those of a new installation: `catalog.starter`."""

import re

import pytest
from django.utils import timezone

from catalog.depots.fuels import BY_SLUG
from catalog.importers.records import Options
from catalog.importers.runner import ImportStep, run
from catalog.models import Dataset
from pages.machine_files import all_pages
from pages.page import twin_path
from prices.models import Observation
from prices.starter import OFFICIAL_CREDIT, load_official
from regulations.codes import Appliance
from tests import factories
from tests.client import build_snapshots
from tests.pages.reading import text_of
from tests.regulations.loading import load_files

pytestmark = pytest.mark.django_db

INTERNAL = re.compile(
    r"(?i:nieustalon|niepotwierdzon[ae]\b|zdanie obok|numer zmiennej jeszcze|z pamięci)"
    r"|\bTODO\b|(?<!-)\bNone\b(?!-)|Undefined"
)
"""Remarks of those who collect the data, and what a template prints by mistake."""

ALLOWED = re.compile(r"niepotwierdzone przez redakcję")
"""The status of an entry from an open source, see `catalog.depots.snapshot`."""

DOUBLE_STOP = re.compile(r"(?<!\.)\.\s?\.(?![./])")

MOST_OF_A_SECTION = 18
"""Most pages of one kind; there is one for each municipality and depot."""

UNITS = ("12", "1206", "1217011", "1211011", "1261011", "0264011", "0461011", "0861011", "2264011", "3061011")
ANSWERS = (
    *("/api/v1/regulations", "/api/v1/deadlines?limit=100", "/api/v1/prices"),
    *("/llms.txt", "/llms-full.txt", "/zmiany.atom", "/ceny/gus.csv"),
    *(f"/api/v1/prices/{slug}" for slug in BY_SLUG),
    *(f"/api/v1/regulations?teryt={teryt}&binding=1" for teryt in UNITS),
    *(f"/przepisy/sprawdz/?miejsce={teryt}&piec={code}" for teryt in UNITS[2:6] for code in Appliance.values),
)


def public_texts(client):
    """Yield the addresses and texts of pages, twins, calendars and answers."""
    build_snapshots()
    sections, paths = {}, []
    for page in all_pages(timezone.localdate()):
        sections.setdefault(page.section, []).append(page.path)
    for pages in sections.values():
        paths += pages[:: 1 + len(pages) // MOST_OF_A_SECTION]
    calendars = [f"/api/v1/regulations/{slug}.ics" for slug in ("lubuskie", "malopolskie", "opolskie")]
    for path in (*paths, *map(twin_path, paths), *calendars, *ANSWERS):
        answer = client.get(path)
        is_page = answer["Content-Type"].startswith("text/html")
        yield path, text_of(answer) if is_page else answer.content.decode().replace("\r\n ", "")


def faults(client):
    return [
        (path, text[max(0, match.start() - 60) : match.end() + 20])
        for path, text in public_texts(client)
        for pattern in (INTERNAL, DOUBLE_STOP)
        for match in pattern.finditer(ALLOWED.sub("", text))
    ]


@pytest.mark.slow
def test_rules_and_averages_have_no_internal_words(client):
    load_files()
    step = ImportStep(Dataset.Slug.SERIES, OFFICIAL_CREDIT, load_official, Observation.objects.all)
    run([step], Options(today=timezone.localdate(), write=True), recorded=False)
    wrong = faults(client)
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("slugs", "words"), [(["prad-g11"], "prąd"), (["wegiel-kamienny", "prad-g11"], "węgiel i prąd")]
)
def test_a_series_without_averages_is_left_out(client, slugs, words):
    for slug in slugs:
        factories.average(2019, 1, slug)
    page, twin = text_of(client.get("/ceny/gus/")), client.get("/ceny/gus.md").content.decode()
    assert twin.startswith(f"# Średnie ceny GUS: {words}\n")
    assert [("Gaz ziemny" in text, "rak danych" in text) for text in (page, twin)] == [(False, False)] * 2


def test_that_nobody_has_a_price_and_fuels_without_a_median_are_told_once(client):
    for text in (text_of(client.get("/ceny/")), client.get("/ceny.md").content.decode()):
        assert (text.count("żaden skład nie ma ceny"), "za mało cen" in text) == (1, False)
    factories.price_depots(1500, 1600, 1700, depot__municipality=factories.zakopane(), depot__fuels=["pellet"])
    page, twin = text_of(client.get("/")), client.get("/index.md").content.decode()
    assert [text.lower().count("za mało cen") for text in (page, twin)] == [1, 1]
    assert len(re.findall(r"^\| \[", twin, re.MULTILINE)) == 1
