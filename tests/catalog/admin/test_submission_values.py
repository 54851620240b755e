"""What an editor changes in a submission while accepting it."""

import re
from html import unescape

import pytest
from django.core import mail
from django.urls import reverse

from catalog.models import Depot
from tests import factories, texts
from tests.client import message_of
from tests.deciding import page
from tests.mail import words_of
from tests.pages.reading import html_of, missing, text_of

pytestmark = pytest.mark.django_db


def form_of(client, submission):
    found = re.findall(r'name="(value-[a-z_]+)" value="([^"]*)"', client.get(page(submission)).content.decode())
    return {name: unescape(value) for name, value in found}


def test_a_proposed_value_is_changed_while_it_is_accepted(client, editor, decide):
    proposed = {"phone": "+48 601 234 567", "place": "wieliczka", "hours": None, "opening_hours": "Mo-Fr 08:00-16:00"}
    submission = factories.SubmissionFactory(proposed=proposed, stored={**dict.fromkeys(proposed, ""), "hours": None})
    typed = form_of(client, submission)
    assert typed["value-place"] == "wieliczka"
    typed |= {"value-place": " Wieliczka ", "value-opening_hours": "pn.-pt. 7:00-15:00"}
    decide(submission, decision="accept", groups=["phone", "place", "hours"], **typed)
    depot = submission.depot
    assert (factories.fresh(depot).phone, depot.place) == ("+48 601 234 567", "Wieliczka")
    assert depot.hours["fri"] == "7:00-15:00"
    assert (factories.fresh(submission).state, submission.proposed) == ("accepted", proposed)
    letter = words_of(mail.outbox[0])
    assert "jest: Wieliczka z poprawką redakcji; w zgłoszeniu: wieliczka" in letter
    assert letter.count("z poprawką redakcji") == 2  # the hours, too


def position(lat):
    return {"lat": lat, "lon": 19.9373, "location_approximate": True, "municipality": "1261011"}


@pytest.fixture
def moved():
    """A submission with a fuel and another position."""
    factories.BoundaryFactory()
    proposed, stored = {"fuels": ["wegiel"], **position(50.07)}, {"fuels": [], **position(50.06)}
    return factories.SubmissionFactory(proposed=proposed, stored=stored)


@pytest.mark.parametrize(
    ("typed", "fuels", "lat", "sure"),
    [
        ({}, ["wegiel"], 50.07, False),
        ({"value-fuels": ["", "pellet", "wegiel"]}, ["wegiel", "pellet"], 50.07, False),
        ({"value-fuels": [""]}, [], 50.07, False),
        ({"value-lat": "50.08", "value-lon": "19.9373"}, ["wegiel"], 50.08, True),
        ({"value-lat": "50.08"}, ["wegiel"], 50.07, False),
        ({"value-lat": "50.07", "value-lon": "19.9373"}, ["wegiel"], 50.07, False),
    ],
)
def test_fuels_and_a_position_are_changed_while_they_are_accepted(editor, decide, moved, typed, fuels, lat, sure):
    decide(moved, decision="accept", groups=["fuels", "lat"], **typed)
    depot = factories.fresh(moved.depot)
    assert (depot.fuels, depot.lat, depot.location_approximate) == (fuels, lat, not sure)
    assert ("z poprawką redakcji" in words_of(mail.outbox[0])) is (sure or fuels != ["wegiel"])


def test_a_position_outside_every_municipality_and_an_unknown_fuel_are_refused(client, editor, moved):
    sent = {"decision": "accept", "groups": ["fuels", "lat"], "opened": "0"}
    outside = client.post(page(moved), sent | {"value-lat": "54.9", "value-lon": "16"})
    assert "To miejsce nie leży w żadnej gminie." in text_of(outside)
    for wrong in ({"value-lat": "nan", "value-lon": "16"}, {"value-fuels": ["", "uran"]}):
        assert "Nic nie zapisano" in message_of(client.post(page(moved), sent | wrong))
    assert factories.fresh(moved).state == "waiting"


def test_a_wrong_value_is_refused_at_its_field_nothing_typed_is_lost_and_one_too_long_left_out(client, editor, decide):
    proposed = {"phone": "+48 601 234 567", "place": texts.too_long("place")}
    submission = factories.SubmissionFactory(proposed=proposed, stored={"phone": "", "place": ""})
    typed = form_of(client, submission) | {"decision": "accept", "groups": ["phone", "place"]}
    text = html_of(decide(submission, **typed | {"value-phone": "zadzwoń"}))
    assert not missing(text, "To nie jest poprawny numer telefonu", 'value="zadzwoń"', f'value="{proposed["place"]}"')
    assert "ma co najwyżej 120 znaków (obecnie ma 121)" in text
    assert factories.fresh(submission).state == "waiting"
    decide(submission, **typed | {"groups": ["phone"], "reason": "Zbyt długa nazwa."})
    assert (factories.fresh(submission.depot).phone, submission.depot.place) == ("+48 601 234 567", "")


def test_every_text_typed_may_be_as_long_as_its_column_and_no_longer(client, editor, decide):
    stored = {**dict.fromkeys(texts.LIMITS, ""), "hours": None}
    submission = factories.SubmissionFactory(proposed=stored | dict.fromkeys(texts.LIMITS, "Opał"), stored=stored)
    typed = {"decision": "accept", "groups": [*stored]}
    longer = {f"value-{name}": texts.too_long(name) for name in texts.LIMITS}
    answer = decide(submission, **typed, **longer)
    wrong = {field.html_name for row in answer.context["rows"] for field in row["fields"] if field.errors}
    assert wrong == set(longer)
    decide(submission, **typed, **{f"value-{name}": texts.longest(name) for name in texts.LIMITS})
    assert Depot.objects.values(*texts.LIMITS).get() == {name: texts.longest(name) for name in texts.LIMITS}


def test_what_was_not_proposed_cannot_be_slipped_in(client, editor, decide):
    submission = factories.SubmissionFactory()
    typed = form_of(client, submission) | {"value-name": "Inna nazwa", "value-nip": "5260250274"}
    decide(submission, decision="accept", groups=["phone", "name"], **typed)
    assert (factories.fresh(submission.depot).name, submission.depot.nip) == ("Skład opału Nowak", None)
    assert "z poprawką" not in words_of(mail.outbox[0])


def test_a_proposed_position_stands_on_a_map_beside_the_present_one(client, editor, settings):
    settings.MAP_TILES_URL = "https://{s}.tiles.example.pl/{z}/{x}/{y}.png"
    position = {"lat": 50.0717, "lon": 19.9373, "location_approximate": False, "municipality": "1261011"}
    here = factories.SubmissionFactory(proposed=position, stored=position | {"lat": 50.0617})
    new = factories.SubmissionFactory(add=True, proposed=position | {"name": "Opał", "place": "Kraków", "fuels": []})
    shown = client.get(page(here)).content.decode()
    outlines = 'data-outlines="/sklady/malopolskie/krakow-1261011/granice.geojson"'
    tiles = 'data-tiles="https://{s}.tiles.example.pl/{z}/{x}/{y}.png"'
    points = 'data-before="50.061700,19.937300" data-after="50.071700,19.937300"'
    assert not missing(shown, points, outlines, tiles)
    assert "o 1 111 m od obecnego" in shown.replace("\xa0", " ")
    shown = client.get(page(new)).content.decode()
    assert 'data-after="50.071700,19.937300"' in shown
    assert "data-before" not in shown
    erased = client.get(page(factories.SubmissionFactory(add=True, proposed={"name": "Skład"})))
    assert "position-picker" not in erased.content.decode()
    depot = client.get(reverse("admin:catalog_depot_change", args=[here.depot_id])).content.decode()
    assert 'data-before="50.061700,19.937300"' in depot
