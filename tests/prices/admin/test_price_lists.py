"""Price lists as spreadsheets save them, doubtful rows that are ticked, and approval one by one."""

import re
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django.utils.formats import date_format

from prices import medians, price_list_files, price_list_preview
from prices.models import DepotPrice, PlausibleRange
from prices.price_list_files import MOST_ROWS
from tests import bulk, factories
from tests.client import build_snapshots, message_of
from tests.pages.reading import expect, html_of, missing, present
from tests.prices.helpers import LIST, confirm, csv_of, preview, row_of, waiting, xlsx_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def today():
    return timezone.localdate()


@pytest.fixture
def depot():
    return factories.DepotFactory(name="Opał")


@pytest.fixture
def begins(today):
    """The first day that a median counts."""
    return medians.months_before(today, medians.WINDOW_MONTHS)


@pytest.fixture
def file(depot, today, begins):
    """Return a file: rows 2 and 4 are ordinary, 3 is too cheap, 5 empty, 6 too old, 7 both, 8 of tomorrow."""
    old, tomorrow = begins - timedelta(days=1), today + timedelta(days=1)
    first = row_of(depot, "ekogroszek"), row_of(depot, price=16), row_of(depot, "brykiet", 1200, begins)
    doubtful = ("brykiet", 1300, old), ("wegiel-orzech", 15, old), ("wegiel-orzech", 1700, tomorrow)
    return csv_of(*first, "", *(row_of(depot, *values) for values in doubtful))


def stored():
    return set(DepotPrice.objects.filter(status="approved").values_list("fuel", "price"))


IMPLAUSIBLE = "poza wiarygodnym przedziałem 700–3\xa0500\xa0zł/t"
ORDINARY = {("ekogroszek", 1500), ("brykiet", 1200)}


def table(answer):
    """Return the doubtful rows of a preview: cells as text, and whether they have a checkbox."""
    html = answer.content.decode()
    if "Wątpliwe wiersze" not in html:
        return []
    body = html[html.index("Wątpliwe wiersze") :].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = []
    for row in body.split("<tr>")[1:]:
        cells = re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        texts = (re.sub(r"<[^>]*>", "", cell).replace("&nbsp;", " ").strip() for cell in cells)
        rows.append((*texts, "checkbox" in row))
    return rows


def test_doubtful_rows_stand_on_top_with_their_number_in_the_file_and_reason(desk, depot, file, today, begins):
    answer = preview(desk, file)
    html = answer.content.decode()
    name, old = f"Opał (#{depot.pk})", begins - timedelta(days=1)
    cheap, aged = "poza wiarygodnym przedziałem 600–4\xa0000\xa0zł/t", "starsza niż 6 miesięcy"
    today_said, old_said = f"{today:%d.%m.%Y}dziś", f"{old:%d.%m.%Y}{(today - old).days} dni"
    tomorrow_said = f"{today + timedelta(days=1):%d.%m.%Y}dzień nie nadszedł"
    assert [(*row[:6], row[-1]) for row in table(answer)] == [
        ("3", cheap, name, "Pellet", "16 zł/t", today_said, True),
        ("6", aged, name, "Brykiet", "1\xa0300 zł/t", old_said, True),
        ("7", f"{IMPLAUSIBLE}; {aged}", name, "Węgiel orzech", "15 zł/t", old_said, True),
        ("8", price_list_preview.FUTURE, name, "Węgiel orzech", "1\xa0700 zł/t", tomorrow_said, False),
    ]
    assert "checked" not in html
    assert html.index("Wątpliwe wiersze: 4") < html.index("Podgląd: 2")
    assert re.findall(r'<th scope="row">(\d+)</th>', html.partition("Podgląd: 2")[2]) == ["2", "4"]


@pytest.mark.parametrize(
    ("ticked", "added"), [((), set()), ((6, 7, 8), {("brykiet", 1300), ("wegiel-orzech", 15)})], ids=["none", "some"]
)
def test_what_is_not_ticked_or_of_the_future_is_left_out_and_counted(desk, file, ticked, added):
    said = message_of(confirm(desk, preview(desk, file), *ticked))
    assert stored() == ORDINARY | added
    left = f"Pominięto wątpliwe wiersze, których nie zaznaczono: {4 - len(added)}."
    assert not missing(said, f"Wczytano i zatwierdzono ceny: {2 + len(added)}.", left)


def test_the_ends_of_a_range_are_plausible_and_a_bag_is_doubted_by_the_tonne(desk, depot, today):
    days = [today - timedelta(days=back) for back in range(3)]
    ends = row_of(depot, price=600), row_of(depot, price=4000, day=days[1])
    answer = preview(desk, csv_of(*ends, row_of(depot, price="", day=days[2], bag="24,1000")))
    assert [row[4] for row in table(answer)] == ["24 zł/tworek 1000 kg: 24\xa0zł"]
    confirm(desk, answer)
    assert stored() == {("pellet", 600), ("pellet", 4000)}


def test_ticks_of_one_file_or_for_one_reason_let_nothing_of_another_in(desk, depot):
    seen, other = (preview(desk, csv_of(row_of(depot, price=price))) for price in (599, 16))
    other.context["confirm_form"].initial["seen"] = seen.context["confirm_form"].initial["seen"]
    answer = confirm(desk, other, 2)
    assert [row[4] for row in table(answer)] == ["16 zł/t"]
    old = preview(desk, csv_of(row_of(depot, price=700), row_of(depot, "brykiet", 1200, "2019-05-05")))
    PlausibleRange.objects.filter(pk="brykiet").update(low=1300)
    for refused in (answer, confirm(desk, old, 3)):
        assert "Niczego nie wczytano" in html_of(refused)
    assert not DepotPrice.objects.exists()


def test_a_preview_of_the_day_before_is_confirmed_as_it_was_ticked(desk, depot, today, monkeypatch):
    answer = preview(desk, csv_of(row_of(depot), row_of(depot, "ekogroszek", 15)))
    monkeypatch.setattr(timezone, "localdate", lambda value=None: today + timedelta(days=1))
    confirm(desk, answer, 3)
    assert stored() == {("pellet", 1500), ("ekogroszek", 15)}


@pytest.mark.parametrize("ticked", [(), (2, 3)])
def test_rows_that_became_doubtful_are_shown_before_anything_is_imported(desk, depot, ticked):
    first = preview(desk, csv_of(row_of(depot, price=700), row_of(depot, "brykiet", 1200)))
    PlausibleRange.objects.filter(pk="pellet").update(low=800)
    again = confirm(desk, first, *ticked)
    assert not DepotPrice.objects.exists()
    assert "Niczego nie wczytano: od czasu podglądu coś się zmieniło" in again.content.decode()
    assert [(row[0], row[1]) for row in table(again)] == [("2", "poza wiarygodnym przedziałem 800–4\xa0000\xa0zł/t")]
    assert "Podgląd: 1" in again.content.decode()
    confirm(desk, again, *ticked)
    assert stored() == {("brykiet", 1200)} | ({("pellet", 700)} if ticked else set())


def test_too_many_doubtful_rows_cannot_be_ticked(desk, depot, file, monkeypatch):
    monkeypatch.setattr(price_list_preview, "MOST_TICKS", 2)
    answer = preview(desk, file)
    assert [row[-1] for row in table(answer)] == [False] * 4
    assert "pominiemy wszystkie" in html_of(answer)
    confirm(desk, answer)
    assert stored() == ORDINARY


def test_a_ticked_price_that_stands_already_stops_the_import(desk, depot, file, today):
    answer = preview(desk, file)
    factories.DepotPriceFactory(depot=depot, fuel="pellet", day=today)
    assert not missing(html_of(confirm(desk, answer, 3)), "Niczego nie wczytano", "skład ma już cenę tego paliwa")
    assert DepotPrice.objects.count() == 1


def test_a_price_that_came_meanwhile_leaves_nothing_half_done(desk, depot, file, monkeypatch, begins):
    def without_prices(cells, read):
        return {depot.pk} if read.__name__ == "read_number" else set()

    answer = preview(desk, file)
    factories.DepotPriceFactory(depot=depot, fuel="brykiet", day=begins)
    monkeypatch.setattr(price_list_files, "readable", without_prices)
    again = confirm(desk, answer)
    assert "Skład ma już jedną z tych cen: ktoś dodał ją przed chwilą" in html_of(again)
    assert "confirm_form" not in again.context
    assert DepotPrice.objects.count() == 1


def test_the_import_speaks_polish(desk):
    said = html_of(preview(desk, csv_of("0,pellet,t,2026-11-20,1,,", "1,uran,t,2026-11-20,1,,")))
    assert "Wiersze do poprawienia: 2" in said
    assert not present(said, "failed", "Please", ">Row<", "specific", "Import finished")
    answer = preview(desk, SimpleUploadedFile("cennik.csv", b"a,b\n1,2"))
    said = html_of(answer)
    assert "confirm_form" not in answer.context
    assert (missing(said, "<li>Brak kolumn"), present(said, "Traceback")) == ([], [])


def test_a_preview_can_be_confirmed_for_a_day_and_nothing_else_can(desk, depot, monkeypatch):
    for name in ("cennik", "/etc/hostname", "a:b:c", "eJwDAAAAAAE:1xyz:0"):
        assert "Podgląd wygasł" in html_of(desk.post(f"{LIST}process_import/", {"packed": name}))
    answer = preview(desk, csv_of(row_of(depot, "brykiet")))
    monkeypatch.setattr(price_list_files, "PREVIEW_HOLDS_S", -1)
    assert "Podgląd wygasł" in html_of(confirm(desk, answer))
    assert not DepotPrice.objects.exists()


def test_a_doubtful_price_is_not_approved_among_others_but_alone(desk, today):
    good, cheap = waiting(1500), waiting(16)
    old = waiting(1500, day=today - timedelta(days=800))
    asked = html_of(bulk.choose(desk, LIST, "approve", good, cheap, old))
    assert "Poza wiarygodnym przedziałem 600–4 000 zł/t; zatwierdź osobno: <strong>1</strong>" in asked
    assert "Starsza niż 6 miesięcy; zatwierdź osobno: <strong>1</strong>" in asked
    assert "Zmieniono: 1." in message_of(bulk.act(desk, LIST, "approve", good, cheap, old))
    assert stored() == {("pellet", 1500)}
    bulk.act(desk, LIST, "approve", cheap)
    assert stored() == {("pellet", 1500), ("pellet", 16)}


def test_every_row_shows_range_median_and_deviation_as_in_the_queue(desk, depot):
    factories.price_depots(1400, 1500, 1600)
    answer = preview(desk, csv_of(row_of(depot, price=1800), row_of(depot, "brykiet", 1200)))
    expect(answer, "1 800 zł/t", "600–4 000 zł 1 500 zł +20,0%", "500–3 500 zł brak")


POLISH = "numer składu;paliwo;jednostka;dzień;cena;cena worka;waga worka"


def test_a_unit_in_the_header_stands_for_its_column(desk, depot, today):
    rows = (
        f"Nr składu;Opał;Cena [zł/t];Data;Uwagi\n{depot.pk};Orzech II;1 700,-;{today};\n{depot.pk};drewno;400;{today};"
    )
    answer = preview(desk, SimpleUploadedFile("cennik.csv", rows.encode()))
    expect(answer, "Tych kolumn nie czytamy: „uwagi”.", "jednostką jest mp, nie t; cen nie przeliczamy")
    confirm(desk, answer)
    assert stored() == {("wegiel-orzech", 1700)}


def test_columns_fuels_and_units_have_polish_names_whatever_the_file_is_called(desk, depot, today):
    rows = (f"{depot.pk};Węgiel orzech;tona;{today:%d.%m.%Y};1 700,50;;", f"{depot.pk};Pellet;t;{today};;25,50;15")
    answer = preview(desk, SimpleUploadedFile("cennik.txt", "\n".join((POLISH, *rows)).encode("cp1250")))
    assert "Podgląd: 2" in html_of(answer)
    confirm(desk, answer)
    assert stored() == {("wegiel-orzech", Decimal("1700.50")), ("pellet", 1700)}


def test_a_spreadsheet_of_any_name_may_have_units_in_cells_and_a_faulty_row_shows_its_day(desk, depot, today):
    midnight = datetime.combine(today, datetime.min.time())
    file = xlsx_of(
        POLISH.split(";"),
        [depot.pk, "Ekogroszek", "zł/t", midnight, "1 800,00 zł/t", None, None],
        [depot.pk, "Pellet", "t", midnight, None, "32\xa0zł/worek", "20 kg"],
        [depot.pk, "Miał", "t", midnight, "900 zł/mp", None, None],
        [depot.pk, "Brykiet", "t", midnight, "20 kg", None, None],
        [depot.pk, "Orzech", "t", midnight, None, 24.5, 15.125],
        [depot.pk, "Kostka", "t", midnight, None, "1.640,00", "1.000"],
        name="cennik.csv",
    )
    answer = preview(desk, file)
    shown = "Wiersze do poprawienia: 4", "„20 kg” nie jest liczbą", "„900 zł/mp”", f"<td>{date_format(today)}</td>"
    # A number of a spreadsheet has decimals and no thousands.
    numbers = "a wagę do dwóch miejsc po przecinku", "„1.000” to 1000 albo 1; wpisz jedno z nich"
    assert not missing(html_of(answer), *shown, *numbers)
    confirm(desk, answer)
    assert stored() == {("ekogroszek", 1800), ("pellet", 1600)}


@pytest.mark.parametrize("count", [100, pytest.param(MOST_ROWS, marks=pytest.mark.slow)])
def test_many_rows_are_previewed_and_imported_in_few_statements(desk, today, count, django_assert_max_num_queries):
    days = [today - timedelta(days=back) for back in range(count // 50)]
    names = ("pellet", "brykiet", "ekogroszek", "wegiel-orzech", "wegiel-kostka")
    depots = factories.DepotFactory.create_batch(10)
    rows = [row_of(depot, fuel, day=day) for depot in depots for day in days for fuel in names]
    build_snapshots()
    with django_assert_max_num_queries(15):
        answer = preview(desk, csv_of(*rows))
    assert f"Podgląd: {count}" in html_of(answer)
    with django_assert_max_num_queries(95):  # most of them compute the figures of nine fuels
        said = confirm(desk, answer)
    assert f"Wczytano i zatwierdzono ceny: {count}." in html_of(said)
    assert DepotPrice.objects.filter(status="approved").count() == count
