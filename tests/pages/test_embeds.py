"""Pages that other sites frame, and that nothing else may be framed."""

import re
import xml.etree.ElementTree as ET

import pytest
from django.utils import timezone

from pages.polish import day as day_in_words
from prices.medians import months_before
from tests import factories
from tests.pages.reading import NOINDEX, expect, missing, present, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

ANY = "frame-ancestors *"
MOST_BYTES = 10_000


@pytest.fixture
def depot():
    rows = [factories.DepotFactory(name=f"Opał {n}", fuels=["pellet"], lat=50.06 + n / 1000) for n in range(7)]
    for row, amount in zip(rows, (1500, 1600, 1700), strict=False):
        factories.price_depots(amount, depot=row)
    return rows[0]


def embeds(depot):
    return ["/osadz/gmina/1261011/", f"/osadz/sklad/{depot.pk}/", "/osadz/ceny/pellet/"]


def test_embeds_are_small_and_may_be_framed_and_nothing_else(client, depot):
    for path in embeds(depot):
        answer = client.get(path)
        assert answer.status_code == 200
        assert ANY in answer["Content-Security-Policy"]
        assert (present(answer, "X-Frame-Options"), dict(answer.cookies)) == ([], {})
        html = answer.content.decode()
        assert (len(answer.content) < MOST_BYTES, "<script" in html) == (True, False)
        assert not missing(html, NOINDEX, '<link rel="canonical" href="http://127.0.0.1:8000/')
        assert client.get(path, headers={"if-none-match": answer["ETag"]}).status_code == 304
    for path in ["/", "/ceny/", f"/sklad/{depot.pk}-opal-0/", "/api/v1/stores?teryt=1261011", "/osadz/gmina/9999999/"]:
        answer = client.get(path)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"


def test_embeds_say_what_their_pages_say_with_status_and_origin_and_pages_offer_their_line_of_html(client, depot):
    place, one, fuel = (text_of(client.get(path)) for path in embeds(depot))
    # The rules of use ask for status and origin of every quotation.
    assert place.count("Opał ") == place.count("; nieweryfikowane") == 5
    origin = "© autorzy OpenStreetMap, licencja ODbL 1.0"
    assert not missing(one, "Opał 0", "1 500 zł/t", "Status wpisu: nieweryfikowane.", origin)
    assert "ODbL 1.0, © autorzy OpenStreetMap" in place
    assert "Polska 1 600 zł/t 3 ceny" in fuel
    pages = ["/sklady/malopolskie/krakow-1261011/", f"/sklad/{depot.pk}-opal-0/", "/ceny/pellet/"]
    for page, path in zip(pages, embeds(depot), strict=True):
        (line,) = re.findall(r"<code>(&lt;iframe .*?)</code>", client.get(page).content.decode())
        assert f"http://127.0.0.1:8000{path}" in line


def test_a_depot_outside_the_municipality_is_said_to_be_outside(client, depot):
    place = factories.nowy_targ_rural()
    factories.BoundaryFactory(municipality=place, lon=19.7, side_km=2)
    factories.DepotFactory(municipality=place, name="Opał z gminy", lat=50.06, lon=19.7)
    text = text_of(client.get("/osadz/gmina/1211092/"))
    assert (text.count("Opał"), text.count("poza gminą; ")) == (5, 4)
    assert "Opał z gminy poza" not in text


def test_a_removed_depot_is_in_no_embed_and_what_never_was_is_404(client):
    gone = factories.DepotFactory(name="Opał Nowak", removed=True)
    answer = client.get(f"/osadz/sklad/{gone.pk}/")
    expect(answer, "Powód: ", status=410, without=["Nowak"])
    assert answer["Cache-Control"] == "public, max-age=60"
    assert ANY in answer["Content-Security-Policy"]
    for path in ("/osadz/gmina/abc/", "/osadz/sklad/999999/", "/osadz/ceny/nic/"):
        assert client.get(path).status_code == 404


def test_the_embed_of_what_was_merged_leads_to_the_other_one(client, depot):
    merged = factories.DepotFactory(removed=True, removal_reason="duplicate", merged_into=depot)
    assert client.get(f"/osadz/sklad/{merged.pk}/")["Location"] == f"/osadz/sklad/{depot.pk}/"
    former = factories.FormerMunicipalityFactory(successor_id="1261011")
    answer = client.get(f"/osadz/gmina/{former.pk}/")
    assert (answer.status_code, answer["Location"]) == (301, "/osadz/gmina/1261011/")


def test_a_chart_is_a_picture_of_its_own_with_source_and_day(client):
    for months in range(2):
        factories.price_depots(1400, 1500, 1600, day=months_before(timezone.localdate(), months))
    for path in ("/ceny/pellet", "/ceny/pellet/malopolskie"):
        assert f'href="{path}.svg"' in client.get(f"{path}/").content.decode()
        answer = client.get(f"{path}.svg")
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
        drawn = ET.fromstring(answer.content)  # noqa: S314 - our own answer
        said = " ".join(drawn.itertext())
        assert not missing(said, f"http://127.0.0.1:8000{path}/", f"Stan na {day_in_words(timezone.localdate())}")
        assert len(drawn.findall(".//{http://www.w3.org/2000/svg}circle")) == 2
    assert client.get("/ceny/pellet/lubelskie.svg").status_code == 404
    assert 'lubelskie.svg"' not in client.get("/ceny/pellet/lubelskie/").content.decode()
    assert client.get("/ceny/ropa.svg").status_code == 404
