"""The page of a depot: editing keeps the status honest and loses nobody's work."""

from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from catalog import models
from catalog.admin import evidence
from catalog.services import editing, publishing
from tests import deciding, factories, texts
from tests.client import build_snapshots, context_of, message_of
from tests.factories import TODAY
from tests.pages.reading import html_of, missing, present

pytestmark = pytest.mark.django_db

ADD = reverse("admin:catalog_depot_add")
NEW = {"name": "Nowy skład", "lat": "50.07", "lon": "19.94", "nip": "5260250274", "phone": "12 345 67 89"}


@pytest.fixture
def depot(db):
    factories.BoundaryFactory()
    factories.BoundaryFactory(municipality=factories.bielsko_biala(), lat=49.82, lon=19.04)
    hours = {"opening_hours": "Mo-Fr 08:00-16:00", "hours": {"mon": "8:00-16:00"}}
    return factories.DepotFactory(phone="+48 12 345 67 89", **hours)


def url_of(page, *depots):
    return reverse(f"admin:catalog_depot_{page}", args=[depot.pk for depot in depots])


def address(depot):
    return url_of("change", depot)


def form_of(client, depot):
    form = context_of(client, address(depot))["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value not in (None, False)}


def post(client, depot, **changed):
    return client.post(address(depot), {**form_of(client, depot), "_continue": "1", **changed})


def errors(client, page, typed):
    return context_of(client, page, typed, "post")["adminform"].form.errors


def page_of(client, depot, page="change"):
    return client.get(url_of(page, depot)).content.decode()


def adam_edits(depot, **values):
    editing.edit_depot(depot=depot, values=values, by=factories.UserFactory(username="adam"), on=TODAY)


def test_only_what_changes_is_saved_and_confirmed_and_the_status_stays_unless_all_is_checked(client, editor, depot):
    before = models.Depot.objects.values().get()
    assert "Nic nie zapisano: żadne pole nie zmieniło wartości." in message_of(post(client, depot))
    assert (models.Depot.objects.values().get(), depot.history.count()) == (before, 1)
    text = html_of(post(client, depot, phone="600 700 800", nip="526-025-02-74"))
    assert f"Zapisano: {depot.name}" in text
    assert "pomyślnie" not in text  # which would have the gender of an entry
    assert (factories.fresh(depot).phone, depot.nip) == ("+48 600 700 800", "5260250274")
    assert (depot.confirmed_fields, depot.data_status, depot.verified_at) == (["nip", "phone"], "unverified", None)
    line = depot.history.latest()
    assert (line.history_user, line.history_change_reason) == (editor, "zmieniono: NIP, telefon")
    post(client, depot, place="Kraków", _verify="1")
    assert (factories.fresh(depot).place, depot.data_status, depot.verified_by) == ("Kraków", "verified", editor)
    assert set(depot.confirmed_fields) == set(models.Depot.PUBLIC_FIELDS)
    models.Depot.objects.update(verified_at=(day := "2026-09-01"))
    post(client, depot, place="Wieliczka")
    assert (factories.fresh(depot).place, depot.data_status, str(depot.verified_at)) == ("Wieliczka", "verified", day)


def test_hours_are_typed_at_full_width_make_the_week_anew_and_are_confirmed_with_it(client, editor, depot):
    form = context_of(client, address(depot))["adminform"].form
    assert form.fields["opening_hours"].widget.attrs["class"] == "vTextField"
    post(client, depot, opening_hours="pn.-pt. 7:00-15:00")
    assert (factories.fresh(depot).hours["fri"], depot.confirmed_fields) == ("7:00-15:00", ["hours", "opening_hours"])
    # Those of the source that fit no week may stay.
    models.Depot.objects.update(opening_hours="Mo-Fr sunrise-sunset", hours=None)
    post(client, depot, place="Kraków")
    assert (factories.fresh(depot).place, depot.opening_hours) == ("Kraków", "Mo-Fr sunrise-sunset")


def test_fuels_that_only_the_name_says_are_told_beside_the_field(client, editor, depot):
    priced = ["wegiel", "brykiet"]  # somebody has removed the briquettes since
    models.Depot.objects.update(fuels=["wegiel", "pellet"], fuels_in_name=["pellet"], fuels_priced=priced)
    factories.fresh(depot).save()
    assert "według nazwy, bez potwierdzenia: Pellet; z cen: Węgiel;" in page_of(client, depot)
    post(client, depot, fuels=["wegiel", "pellet", "brykiet"])
    assert "według nazwy, bez potwierdzenia" not in page_of(client, depot)


def test_the_story_tells_what_changed_the_week_in_polish(client, editor, depot):
    post(client, depot, opening_hours="pn. 8:00-12:00, 13:00-16:00; pt. 7:00-15:00", name="<i>Skład</i>")
    page = page_of(client, depot, "history")
    assert "pn. kilka przedziałów; wt. nieczynne; śr. nieczynne; czw. nieczynne; pt. 7:00-15:00" in page
    assert "<del>Skład opału Nowak</del> → <ins>&lt;i&gt;Skład&lt;/i&gt;</ins>" in page


def test_a_long_story_leads_to_all_of_it(client, editor, depot):
    for lines, is_whole in ((20, True), (21, False)):
        while depot.history.count() < lines:
            depot.save()
        lead = f'Tu 20 ostatnich zmian; <a href="{url_of("history", depot)}">'
        assert (lead not in page_of(client, depot)) is is_whole


def test_the_municipality_follows_the_position_and_another_one_has_to_be_asked_for(client, editor, depot):
    other = factories.bielsko_biala().pk
    typed = form_of(client, depot) | {"other_municipality": "on", "municipality": ""}
    assert "Wybierz gminę" in str(errors(client, address(depot), typed)["municipality"])
    post(client, depot, municipality=other)
    assert factories.fresh(depot).municipality == factories.krakow()
    post(client, depot, municipality=other, other_municipality="on")
    assert (factories.fresh(depot).municipality_id, depot.confirmed_fields) == (other, ["municipality"])
    # Opened again the box is ticked, so that saving something else does not move it back.
    post(client, depot, place="Bielsko")
    assert factories.fresh(depot).municipality_id == other
    moved = factories.DepotFactory()
    post(client, moved, lat="49.82", lon="19.04")
    assert factories.fresh(moved).municipality_id == other
    assert moved.confirmed_fields == ["lat", "lon", "location_approximate", "municipality"]


def test_rubbish_is_refused_at_its_field_and_a_forged_state(client, editor, depot):
    opened = form_of(client, depot)
    for typed in (
        {"name": "   ", "nip": "5260250275", "phone": "zadzwoń", "website": "javascript:alert(1)", "lat": "91"},
        {"name": "zły\0znak", "nip": "0000000000", "postcode": "3000", "fuels": ["uran"], "lat": "nan", "lon": ""},
        {"opening_hours": "kiedy chcę", "municipality": "9999999", "lat": "inf"},
        {"lat": "54.9"},
    ):
        assert set(errors(client, address(depot), opened | typed)) == set(typed)
    for state in ("", "-1", "99999999", "x", str(2**70)):
        assert errors(client, address(depot), opened | {"place": "Kraków", "opened": state}), state
    assert depot.history.count() == 1


def test_an_invented_depot_gets_no_contact_and_stays_marked_in_its_name(client, editor, depot):
    models.Depot.objects.update(source="demo", name="DEMO Skład", phone="")
    typed = {"nip": "5260250274", "phone": "600700800", "website": "a.pl", "name": "Skład"}
    assert set(errors(client, address(depot), form_of(client, depot) | typed)) == set(typed)


def test_two_who_change_one_field_lose_nothing_of_what_was_typed(client, editor, depot):
    opened = form_of(client, depot)
    adam_edits(depot, phone="+48 600 000 000")
    answer = client.post(address(depot), {**opened, "phone": "601 111 111", "place": "Kraków"})
    assert list(answer.context["adminform"].form.errors) == ["phone"]
    assert "ktoś zmienił to pole z „+48 12 345 67 89” na „+48 600 000 000”" in html_of(answer)
    assert (factories.fresh(depot).phone, depot.place) == ("+48 600 000 000", "")
    form = answer.context["adminform"].form
    again = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    assert (again["phone"], again["place"]) == ("601 111 111", "Kraków")
    assert client.post(address(depot), again).status_code == 302
    assert (factories.fresh(depot).phone, depot.place) == ("+48 601 111 111", "Kraków")


def test_two_who_change_different_fields_are_both_kept_but_nobody_checks_what_they_have_not_seen(client, editor, depot):
    opened = form_of(client, depot)
    theirs = {"phone": "+48 600 000 000", "fuels": ["pellet"], "location_approximate": True, "nip": "5260250274"}
    theirs |= {"lat": 49.82, "lon": 19.04}
    adam_edits(depot, **theirs, municipality=factories.bielsko_biala().pk)
    answer = client.post(address(depot), {**opened, "_verify": "1"})
    assert "W tym czasie ktoś zmienił: NIP, telefon" in html_of(answer)
    assert answer.context["adminform"].form["phone"].value() == "+48 600 000 000"
    for decision in ("verify", "remove", "reset"):
        typed = {"decision": decision, "opened": opened["opened"], "reason": "closed"}
        assert "ktoś zmienił wpis po otwarciu tej strony" in message_of(client.post(url_of("decide", depot), typed))
    assert (factories.fresh(depot).data_status, depot.publication) == ("unverified", "published")
    answer = client.post(address(depot), {**opened, "place": "Kraków"})
    assert {name: getattr(factories.fresh(depot), name) for name in theirs} == theirs
    assert (depot.municipality, depot.place) == (factories.bielsko_biala(), "Kraków")
    assert "Zachowano też to, co ktoś zmienił w tym czasie: NIP, telefon" in message_of(answer)


def test_the_page_says_where_each_value_comes_from(client, editor, depot, django_assert_max_num_queries):
    editing.edit_depot(depot=depot, values={"place": "Kraków"}, by=editor, on=TODAY)
    moved = {"lat": 50.062, "lon": 19.938, "location_approximate": True, "municipality": depot.municipality_id}
    submission = factories.SubmissionFactory(depot=depot, proposed=moved, stored={})
    deciding.accept_submission(submission=submission, by=editor, on=factories.NOW)
    depot.history.update(history_date=factories.NOW.replace(hour=23, minute=30))  # the next day in Poland
    # Session, user, two for rights; state, depot, relations, history, boundary, submissions, absorbed, pairs, index.
    build_snapshots()
    with django_assert_max_num_queries(29):
        text = page_of(client, depot)
    assert not missing(text, "Źródło: redakcja (ewa)", f'href="https://www.openstreetmap.org/{depot.source_id}"')
    assert "Źródło: zgłoszenie; przyjęła redakcja (ewa), 22.11.2026" in text
    assert "<del>nie</del> → <ins>tak</ins>" in page_of(client, depot, "history")


def test_the_page_says_when_the_depot_is_outside_its_municipality(client, editor, depot):
    outside, unknown = "Skład leży poza granicą swojej gminy.", "Gmina nie ma jeszcze granic."
    assert not present(page_of(client, depot), outside, unknown)
    models.Depot.objects.update(lat=depot.lat + 3)
    assert present(page_of(client, depot), outside, unknown) == [outside]
    models.Depot.objects.update(lat=depot.lat)
    models.Boundary.objects.all().delete()
    build_snapshots()
    assert present(page_of(client, depot), outside, unknown) == [unknown]


def test_decisions_from_the_page_and_what_is_none_and_removing_closes_what_waits(client, editor, depot, commit):
    decide, waiting = url_of("decide", depot), factories.SubmissionFactory(depot=depot)
    for sent in ({}, {"decision": "remove"}, {"decision": "remove", "reason": "gone_from_source"}, {"decision": "x"}):
        assert "Nic nie zmieniono" in message_of(client.post(decide, sent))
    assert (client.get(decide).status_code, depot.history.count()) == (405, 1)
    opened = editing.edit_version(depot)
    typed = {"decision": "remove", "reason": "closed", "note": "telefon głuchy", "opened": opened}
    commit(client.post, decide, typed)
    assert (factories.fresh(waiting).state, waiting.notification_pending) == ("superseded", False)
    assert [letter.to for letter in mail.outbox] == [[waiting.email]]
    assert (factories.fresh(depot).publication, depot.removal_reason) == ("removed", "closed")
    assert depot.history.latest().history_change_reason == "usunięto: skład zakończył działalność: telefon głuchy"
    assert "Nic nie zapisano: wpis jest usunięty" in message_of(post(client, depot, phone="600 700 800", _verify="1"))
    assert factories.fresh(depot).phone == "+48 12 345 67 89"
    client.post(decide, {"decision": "publish", "note": "jednak działa"})
    assert factories.fresh(depot).publication == "published"
    assert depot.history.latest().history_change_reason == "przywrócono: jednak działa"
    client.post(decide, {"decision": "verify", "opened": context_of(client, address(depot))["original"].opened})
    assert factories.fresh(depot).data_status == "verified"


def test_an_editor_adds_a_depot_on_a_page_that_is_empty_and_knows_no_decisions(client, editor, depot):
    assert present(client.get(ADD).content.decode(), 'name="lat"', 'name="decision"') == ['name="lat"']
    fuels = {"fuels": ["pellet", "wegiel"], "phone": "600700800"}
    answer = client.post(ADD, {"name": "  Nowy   skład ", "lat": "49.82", "lon": "19.04", **fuels})
    added = models.Depot.objects.get(source="editor")
    assert message_of(answer) == f"Dodano: {added}."
    values = added.name, added.fuels, added.municipality
    assert values == ("Nowy skład", ["wegiel", "pellet"], factories.bielsko_biala())
    assert (added.data_status, added.publication) == ("unverified", "published")
    assert added.history.get().history_user == editor
    client.post(ADD, {**NEW, "phone": "", "_verify": "1"})
    checked = models.Depot.objects.latest("pk")
    assert (checked.name, checked.data_status, checked.verified_by) == ("Nowy skład", "verified", editor)


def test_who_may_only_look_gets_a_page_without_buttons(client, depot):
    client.force_login(factories.staff("gosc", "view_depot"))
    assert not present(page_of(client, depot), "Zapisz i oznacz", 'name="decision"')
    assert client.post(url_of("decide", depot), {"decision": "verify"}).status_code == 403
    assert client.post(address(depot), {"name": "x"}).status_code == 403
    assert client.get(url_of("pair", depot, depot)).status_code == 403
    assert client.get(url_of("history", depot)).status_code == 200


def test_every_text_may_be_as_long_as_its_column_and_no_longer(client, editor, depot):
    long, longer = ({name: make(name) for name in texts.LIMITS} for make in (texts.longest, texts.too_long))
    for page, form in ((address(depot), form_of(client, depot)), (ADD, NEW)):
        assert set(errors(client, page, form | longer)) == set(longer)
        assert client.post(page, form | long).status_code == 302
        assert models.Depot.objects.values(*long).get() == long
        models.Depot.objects.all().delete()


def test_a_double_click_adds_one_depot(client, editor, depot):
    depot.delete()
    assert [answer.status_code for answer in [client.post(ADD, NEW) for _ in range(2)]] == [302, 302]
    assert models.Depot.objects.filter(name="Nowy skład").count() == 1
    client.post(ADD, {**NEW, "lat": "50.08", "another_depot": "on"})
    assert models.Depot.objects.filter(name="Nowy skład").count() == 2
    for minutes, count in ((9, 2), (10, 3)):
        models.Depot.history.update(history_date=timezone.now() - timedelta(minutes=minutes))
        client.post(ADD, {**NEW, "another_depot": "on"})
        assert models.Depot.objects.filter(name="Nowy skład").count() == count


def test_what_another_depot_has_is_said_at_any_distance_and_can_be_overruled(client, editor, depot):
    stored = {"nip": "5260250274", "website": "http://opal-nowak.pl/kontakt"}
    stored["phone"] = "+48 601 111 111, +48 12 345 67 89"
    far = factories.DepotFactory(name="Daleko", lat=54.2, lon=16.2, removed=True, **stored)
    typed = {**NEW, "phone": "12 3456789", "website": "www.opal-nowak.pl"}
    models.Depot.objects.filter(pk=depot.pk).update(phone="")
    text = client.post(ADD, typed).content.decode()
    assert not missing(text, "usunięty: NIP, telefon, strona</li>", f"/admin/catalog/depot/{far.pk}/change/")
    assert not models.Depot.objects.filter(name="Nowy skład").exists()
    assert client.post(ADD, {**typed, "another_depot": "on"}).status_code == 302
    made = models.Depot.objects.get(name="Nowy skład")
    assert "usunięty: NIP, telefon, strona</li>" in page_of(client, made)
    for shared in stored:
        assert evidence.find_same_contact({shared: stored[shared]}, besides=made.pk)[0][0] == far, shared
    publishing.publish_depot(depot=far, by=editor, on=TODAY, note="działa")
    submission = factories.SubmissionFactory(add=True, proposed={"name": "Nowy", "municipality": "1261011", **stored})
    page = client.get(deciding.page(submission)).content.decode()
    assert not missing(page, "Te same dane ma już inny wpis", f"/admin/catalog/depot/{far.pk}/change/")


def test_sites_of_many_firms_are_no_sign(client, editor, depot):
    factories.DepotFactory(name="Daleko", lat=54.2, lon=16.2, website="https://www.facebook.com/opal")
    assert client.post(ADD, {**NEW, "phone": "", "website": "https://facebook.com/inny"}).status_code == 302


def test_two_who_have_one_entry_open_learn_of_one_another(client, editor, depot):
    beat = url_of("viewing", depot)
    assert client.post(beat).json() == {"others": []}
    assert factories.desk_of(factories.UserFactory(username="adam")).post(beat).json() == {"others": ["ewa"]}
    assert "Wpis przegląda teraz: <span>adam</span>" in page_of(client, depot).replace("\xa0", " ")
    models.DepotViewer.objects.filter(user__username="adam").update(seen_at="2026-11-21T00:00Z")
    assert client.post(beat).json() == {"others": []}
    assert list(models.DepotViewer.objects.values_list("user__username", flat=True)) == ["ewa"]
    assert client.get(beat).status_code == 405
