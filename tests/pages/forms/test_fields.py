"""Fields of the forms: what is accepted and refused of texts, amounts, hours and the position, also of real depots."""

import re
from datetime import timedelta
from unicodedata import normalize
from unittest.mock import Mock

import pytest
from django.forms import ValidationError

from catalog.importers.parsers import osm_tags
from catalog.importers.sync_depots import plain_values
from catalog.models import Depot, Submission
from catalog.parsing.opening_hours import weekly_hours
from catalog.submissions import field_groups
from pages.forms.base_and_prices import InvalidFormToken
from pages.forms.depot import CorrectForm
from pages.forms.fields import Amount, DepotText, Message, Weight, read_day
from tests import factories, texts
from tests.catalog.importers.parsers.helpers import shared
from tests.factories import NOW
from tests.pages.forms.conftest import CLAIM
from tests.pages.reading import expect

FORMS = {
    "popraw": ("/sklad/{}/popraw/", {}),
    "przejmij": ("/sklad/{}/przejmij/", CLAIM),
    "dodaj": ("/sklady/dodaj/", {"name": "Opał", "place": "Kraków", "lat": "50,0617", "lon": "19,9373"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_text_may_be_as_long_as_its_column_and_no_longer(stranger, nowak, form):
    factories.PostcodeFactory()
    path, filled = FORMS[form]
    names = texts.LIMITS.keys() - {"opening_hours"}
    longer = {name: texts.too_long(name) for name in names} | texts.too_long_week()
    answer = stranger.fill(path.format(nowak.pk), **filled | longer)
    assert answer.status_code == 400
    assert {field.name for field in answer.context["form"].mistakes} == {*names, "mon"}
    assert not Submission.objects.exists()
    longest = {name: texts.longest(name) for name in names} | texts.longest_week()
    assert stranger.fill(path.format(nowak.pk), **filled | longest).status_code == 302
    proposed = Submission.objects.get(kind__in=["correct", "add"]).proposed
    assert {name: proposed.get(name, nowak.postcode) for name in texts.LIMITS} == {
        name: texts.longest(name) for name in texts.LIMITS
    }


def test_hours_that_a_source_wrote_shorter_do_not_bar_another_correction(stranger, nowak):
    text = texts.too_long("opening_hours").replace(" 0", " ").replace("-0", "-")
    nowak.opening_hours, nowak.hours = text, dict.fromkeys(texts.too_long_week(), "")
    nowak.save()
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="", mon="8-9").status_code == 400
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="").status_code == 302
    assert Submission.objects.get().proposed == {"phone": ""}


def test_too_many_telephones():
    numbers = [f"+48 60{number} 234 567" for number in range(9)]
    field = DepotText("phone", required=False)
    assert field.clean(", ".join(numbers[:5])).count(",") == 4
    with pytest.raises(ValidationError, match="Podaj najwyżej pięć numerów"):
        field.clean(", ".join(numbers))


def test_a_line_break_counts_once_as_browsers_count_it():
    field = Message(max_length=5)
    assert field.clean("ab\r\ncd") == "ab\ncd"
    with pytest.raises(ValidationError, match="co najwyżej 5 znaków"):
        field.clean("ab\r\ncde")


def test_amounts_as_people_type_them():
    amount, weight = Amount(per="t"), Weight()
    for typed in ("1.640", "1,640", "1\u00a0640,00 zł", "1.640,00", "1'640", "1’640,00 złotych", "1640,— zł"):
        assert amount.clean(typed) == 1640, typed
    for typed in ("1640 zł/mp", "1640 zł/worek", "1,64 zł/kg", "1640 netto", "od 1640", "1500-1700", ",-", "zł"):
        with pytest.raises(ValidationError, match="Wpisz kwotę cyframi"):
            amount.clean(typed)
    assert weight.clean("12,5 KG") == 12.5
    with pytest.raises(ValidationError, match="To 1 czy 1000 kg"):
        weight.clean("1,000 kg")


def test_hours_of_a_day_are_read_as_imports_read_them():
    for ranges, texts_of_a_day in (
        (("0:00-24:00",), ("całą dobę", "Całodobowo", "całodobowe", "24h", " 24/7 ")),
        ((), ("", "–", "—", "nieczynne", "nie czynne", "Zamknięty")),
        (("8:00-16:00",), ("8-16", "8:00 do 16:00", "w godz. 8-16", "8⁰⁰–16⁰⁰", "8.00 - 16.00.", "8−16")),
        (("8:00-16:00",), ("od godz. 8 do 16",)),
        (("8:00-12:00", "13:00-16:00"), ("8-12 i 13-16", "8-12; 13-16", "od 8 do 12 oraz od 13 do 16")),
        (("22:00-6:00",), ("22:00-6:00",)),
        (("14:00-24:00",), ("14:00-0:00",)),
    ):
        for typed in texts_of_a_day:
            assert read_day(typed) == ranges, typed
    # "8-4": until four in the afternoon, or in the morning?
    refused = ("od 8", "8-4", "8-8", "8:00-26:00", "8-12 13-16", "pn-pt 8-16", "nieczynne 8-16", "8,00-16,00")
    for typed in (*refused, "całą dobę albo później", "24h albo później"):
        with pytest.raises(ValidationError, match="Wpisz godziny na przykład tak"):
            read_day(typed)


def test_numbers_are_read_however_people_write_them():
    for name, typed, value in (
        *(("postcode", typed, "30-001") for typed in ("30 001", "30–001", "30 - 001")),
        *(("nip", typed, "1234567819") for typed in ("NIP: 123-456-78-19", "NIP 1234567819")),
        ("phone", "tel. kom. 600 100 200 i tel./fax 12 345 67 89", "+48 600 100 200, +48 12 345 67 89"),
        ("phone", "600 100 200 oraz 601 100 200", "+48 600 100 200, +48 601 100 200"),
    ):
        assert DepotText(name, required=False).clean(typed) == value, typed
    with pytest.raises(ValidationError, match="Wpisz jeden adres strony"):
        DepotText("website", required=False).clean("www.opal.pl, www.wegiel.pl")


def test_decomposed_letters_are_stored_as_one_character_each():
    """As names of files on macOS have them: the order of the catalog and `name_key` know composed ones only."""
    for name in ("name", "street", "place"):
        assert DepotText(name).clean(normalize("NFD", "Żółw, Świętej Anny")) == "Żółw, Świętej Anny"


def test_folded_hours_keep_each_run_of_days_on_one_line(client):
    source = "Mo-Fr 08:00-16:00; Sa 08:00-12:00"
    depot = factories.DepotFactory(hours=weekly_hours(source), opening_hours=source)
    page = client.get(f"/sklad/{depot.pk}/przejmij/").content.decode()
    assert '<span class="together">pn.–pt. 8:00-16:00,</span> <span class="together">sob. 8:00-12:00' in page


def test_browsers_fill_in_the_readers_own_telephone_and_address_and_nothing_of_the_depot(client, nowak):
    """WCAG 1.3.5."""
    page = client.get(f"/sklad/{nowak.pk}/przejmij/").content.decode()
    filled = re.findall(r'name="([\w-]+)"[^>]* autocomplete="(?!off)(\w+)"', page)
    assert filled == [("claimant_phone", "tel"), ("email", "email")]


def test_a_map_stands_only_where_it_has_something_to_show(client, nowak):
    """Without tiles a map shows the borders around an entry; a depot to be added has none."""
    correcting, adding = (
        client.get(path).content.decode() for path in (f"/sklad/{nowak.pk}/popraw/", "/sklady/dodaj/")
    )
    for sign in ("live-map", "Naciśnij na mapie", "pages/live_map."):
        assert sign in correcting
        assert sign not in adding
    assert "użyj swojej pozycji albo wpisz współrzędne" in adding
    assert 'class="trail"' in correcting  # a list without a class is as narrow as a column of text


ADD = "/sklady/dodaj/?teryt=1261011"
NEW = {"name": "Opał u Zosi", "place": "Kraków", "fuels": ["pellet"]}


def proposed():
    return Submission.objects.get().proposed


def test_a_depot_may_move_within_its_neighbourhood_and_far_away_is_another_one(stranger, nowak):
    factories.BoundaryFactory(municipality=factories.warszawa(), lat=52.23, lon=21.01)
    answer = stranger.fill(f"/sklad/{nowak.pk}/popraw/", lat="52.23", lon="21.01")
    expect(answer, "Ten punkt leży ponad 30 km od obecnego, w gminie Warszawa.", status=400)
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", lat="50.07", lon="19.95").status_code == 302
    assert {name: proposed()[name] for name in ("lat", "lon")} == {"lat": 50.07, "lon": 19.95}


def test_a_new_depot_needs_a_position(stranger, nowak):
    for changed, words in (
        ({"postcode": "99-999"}, "Nie znamy takiego kodu pocztowego."),
        ({}, "Podaj kod pocztowy albo współrzędne"),
        ({"lat": "50.06"}, "Podaj obie współrzędne albo żadnej."),
        ({"lat": "54.5", "lon": "19.94"}, "Ten punkt nie leży w żadnej polskiej gminie."),
    ):
        expect(stranger.fill(ADD, **NEW, **changed), words, status=400)
    assert not Submission.objects.exists()


def test_a_position_far_from_the_postcode_is_asked_about_and_a_near_one_is_exact(stranger, nowak):
    factories.PostcodeFactory()
    factories.BoundaryFactory(municipality=factories.warszawa(), lat=52.23, lon=21.01)
    answer = stranger.fill(ADD, **NEW, postcode="30-001", lat="52.23", lon="21.01")
    expect(answer, "Ten punkt leży ponad 30 km od kodu 30-001. Popraw jedno z nich.", status=400)
    assert stranger.fill(ADD, **NEW, postcode="30-001", lat="50.06", lon="19.94").status_code == 302
    asked = proposed()
    assert (asked["lat"], asked["lon"], asked["location_approximate"]) == (50.06, 19.94, False)
    assert asked["municipality"] == "1261011"


@pytest.mark.full_scale
@pytest.mark.slow
@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.release)])
def test_a_form_of_a_real_depot_that_is_sent_back_as_it_was_shown_proposes_nothing(monkeypatch, one_in):
    monkeypatch.setattr("time.time", NOW.timestamp)
    # These depots have no history to look up what the page showed.
    monkeypatch.setattr("pages.forms.depot.read_form_token", Mock(side_effect=InvalidFormToken))
    records = list(osm_tags.parse_overpass(shared("depots.overpass.json")).rows)
    assert len(records) > 5000
    for record in records[::one_in]:
        depot = Depot(pk=1, source="osm", municipality_id="1261011", **plain_values(record))
        shown = CorrectForm(depot=depot, path="/x/", on=NOW - timedelta(minutes=1))
        typed = {field.name: field.value() for field in shown if field.value() is not None}
        sent = CorrectForm(typed | {"stamp": shown.form_token, "email": "jan@opal.pl"}, depot=depot, path="/x/", on=NOW)
        assert sent.is_valid(), (record.source_id, sent.errors)
        assert field_groups.changes(field_groups.values_of(depot), sent.wanted()) == {}, record.source_id
        if record.hours is not None:
            assert sent.cleaned_data["hours"] == record.hours, record.source_id
