import pytest
from django.utils import timezone

from pages.template_filters import json_ld
from tests import factories
from tests.pages.reading import KRAKOW, SCRIPT, expect, linked_data, missing
from tests.regulations.factories import LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

SITE = "http://127.0.0.1:8000"


def things(answer, kind):
    data = linked_data(answer)
    assert data["@context"] == "https://schema.org"
    return [thing for thing in data["@graph"] if thing["@type"] == kind]


def test_a_depot_is_a_store_with_the_way_to_it_and_social_tags(client, depot, depot_page):
    page = client.get(depot_page)
    tags = {"url": f"{SITE}{depot_page}", "title": "Opał „Żar” &amp; Syn, gmina Kraków", "locale": "pl_PL"}
    social = (f'<meta property="og:{name}" content="{text}">' for name, text in tags.items())
    assert not missing(page.content.decode(), *social)
    crumbs = things(page, "BreadcrumbList")[0]["itemListElement"]
    assert [crumb["position"] for crumb in crumbs] == [1, 2, 3, 4]
    paths = "/", "/sklady/malopolskie/", KRAKOW, depot_page
    assert [crumb["item"] for crumb in crumbs] == [f"{SITE}{path}" for path in paths]
    store = things(page, "Store")[0]
    assert store["name"] == "Opał „Żar” & Syn"
    assert store["address"] == {
        "@type": "PostalAddress",
        "streetAddress": "ul. Długa 5",
        "postalCode": "30-001",
        "addressLocality": "Kraków",
        "addressRegion": "małopolskie",
        "addressCountry": "PL",
    }
    assert store["telephone"] == ["+48 12 345 67 89", "+48 601 234 567"]
    assert store["geo"] == {"@type": "GeoCoordinates", "latitude": 50.0617, "longitude": 19.9373}
    rows = store["openingHoursSpecification"]
    hours = [f"{row['dayOfWeek'].rpartition('/')[2]} {row['opens']} {row['closes']}" for row in rows]
    assert hours[:3] == ["Monday 07:00 15:00", "Tuesday 07:00 10:00", "Tuesday 12:00 15:00"]
    assert hours[-2:] == ["Saturday 00:00 23:59", "Sunday 00:00 00:00"]


def test_of_a_depot_only_what_is_known(client):
    depot = factories.DepotFactory(name="Skład", fuels=[])
    store = things(client.get(f"/sklad/{depot.pk}-sklad/"), "Store")[0]
    assert not {"telephone", "taxID", "sameAs", "openingHoursSpecification", "makesOffer"} & set(store)
    assert set(store["address"]) == {"@type", "addressLocality", "addressRegion", "addressCountry"}


def test_an_act_is_legislation(client):
    LegalStateFactory(as_of=timezone.localdate())
    act = ResolutionFactory()
    found = things(client.get("/przepisy/malopolskie/"), "Legislation")[0]
    assert (found["name"], found["legislationDate"]) == (act.title, act.adopted.isoformat())
    assert found["legislationJurisdiction"] == "województwo małopolskie"


def test_prices_are_a_data_set(client, depot):
    factories.DepotPriceFactory(depot=depot, day=timezone.localdate())
    for path in ("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"):
        found = things(client.get(path), "Dataset")[0]
        assert (found["url"], found["dateModified"]) == (f"{SITE}{path}", timezone.localdate().isoformat())
        assert client.get(found["distribution"][0]["contentUrl"].removeprefix(SITE)).status_code == 200


def test_home_is_a_site_that_can_be_searched_and_data_sets_are_a_catalog_without_invented_depots(client, demonstration):
    home = client.get("/")
    expect(home, "Wszystkie składy w katalogu są na razie zmyślone")
    site = things(home, "WebSite")[0]
    assert site["potentialAction"]["target"]["urlTemplate"] == f"{SITE}/?q={{search_term_string}}"
    assert not things(client.get(f"/sklad/{demonstration.pk}-demo-sklad-opalu/"), "Store")
    assert not things(client.get(KRAKOW), "ItemList")
    found = things(client.get("/dane/"), "DataCatalog")[0]
    names = {entry["name"] for entry in found["dataset"]}
    assert "uchwały antysmogowe" in names
    assert "składy opału" not in names  # invented here


def test_a_hostile_name_stays_in_its_block(client):
    name = f"{SCRIPT}</script><!--]]>&lt;"
    depot = factories.DepotFactory(name=name)
    assert things(client.get(client.get(f"/sklad/{depot.pk}-x/")["Location"]), "Store")[0]["name"] == name
    assert not set(json_ld({"a": "<>&\u2028\u2029"})) & set("<>&\u2028\u2029")
