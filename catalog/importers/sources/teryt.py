"""The register TERYT of GUS: units (TERC) and localities (SIMC)."""

from catalog.importers.parsers import teryt
from catalog.importers.source import DataSource, FileFormat
from catalog.importers.sync.places import sync_places
from catalog.importers.sync.units import sync_units
from catalog.models import Dataset, Place

PUBLISHER = "Główny Urząd Statystyczny"
LICENCE = "do dowolnego wykorzystania z podaniem źródła i daty"
TERMS = "https://stat.gov.pl/copyright"

# The page is the publisher's and is named by many. That it is an ASP.NET form and the names of the buttons stand in
# public programs (of November 2025 and of 2026; that of SIMC in one only); the publisher does not document them.
PAGE = (
    "https://eteryt.stat.gov.pl/eTeryt/rejestr_teryt/udostepnianie_danych/baza_teryt/uzytkownicy_indywidualni/"
    "pobieranie/pliki_pelne.aspx?contrast=default"
)

UNITS = DataSource(
    id="teryt-terc",
    order=10,
    dataset=Dataset.Slug.UNITS,
    title="Rejestr TERYT, system TERC (plik pełny, urzędowy)",
    publisher=PUBLISHER,
    credit="GUS, rejestr TERYT (TERC)",
    licence=LICENCE,
    terms=TERMS,
    formats=(FileFormat("terc", teryt.recognises_units, teryt.parse_units, r"terc([_. -].*)?\.(csv|xml|zip)"),),
    write=sync_units,
    dated=True,
    method="form",
    url=PAGE,
    button="ctl00$body$BTERCUrzedowyPobierz",
    file="TERC_Urzedowy.zip",
    rhythm_days=30,
    min_rows=2800,
    max_megabytes=20,
    confirmed=False,
)

PLACES = DataSource(
    id="teryt-simc",
    order=20,
    dataset=Dataset.Slug.PLACES,
    title="Rejestr TERYT, system SIMC (plik pełny, urzędowy)",
    publisher=PUBLISHER,
    credit="GUS, rejestr TERYT (SIMC)",
    licence=LICENCE,
    terms=TERMS,
    formats=(FileFormat("simc", teryt.recognises_places, teryt.parse_places, r"simc([_. -].*)?\.(csv|xml|zip)"),),
    write=sync_places,
    needs=Dataset.Slug.UNITS,
    built_on=(Dataset.Slug.UNITS,),
    rows=Place.objects.filter(id__startswith="simc:"),
    method="form",
    url=PAGE,
    button="ctl00$body$BSIMCUrzedowyPobierz",
    file="SIMC_Urzedowy.zip",
    rhythm_days=30,
    min_rows=90000,
    max_megabytes=50,
    confirmed=False,
)

SOURCES = (UNITS, PLACES)
