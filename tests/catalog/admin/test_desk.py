"""The desk as a whole: what is no row, filter or text is told and changes nothing; editors share it by voivodeship."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib import admin
from django.db import IntegrityError, models, transaction
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from catalog.admin.desk import days_since, page_url
from catalog.models import CaseComment, Decision, Depot, OwnerChange, Submission, VoivodeshipClaim
from catalog.models.depots import PositionField
from catalog.services import editors, journal
from catalog.submissions import owner_links
from catalog.submissions.decisions import SubmissionIsErased
from tests import bulk, factories
from tests.beside import before_locking
from tests.client import context_of, message_of
from tests.deciding import last, page, undo_nothing
from tests.pages.reading import html_of, text_of
from tests.regulations.factories import state_of

pytestmark = pytest.mark.django_db


DEPOTS = reverse("admin:catalog_depot_changelist")
IMPOSSIBLE_DATES = [("year", "9" * 11), ("year__gte", "10000"), ("iso_year", "0"), ("gte", "abc")]


def test_what_came_yesterday_has_waited_a_day(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 1, 7, tzinfo=UTC))
    moments = [datetime(2026, 11, day, hour, tzinfo=UTC) for day, hour in ((30, 23), (30, 22), (29, 22))]
    assert [*map(days_since, moments)] == ["dziś", "1 dzień", "2 dni"]


def test_what_is_only_looked_at_is_neither_added_nor_changed_and_other_rows_not_deleted(desk):
    registers = ("municipality", "postcode", "formermunicipality", "dataset", "importrun")
    names = (*(f"catalog_{name}" for name in (*registers, "submission")), "prices_series", "prices_observation")
    for name in (*names, "regulations_legalstate"):
        asked = [desk.get(reverse(f"admin:{name}_{page}")).status_code for page in ("changelist", "add")]
        assert asked == [200, 403], name
    row = factories.krakow()
    assert desk.post(reverse("admin:catalog_municipality_change", args=[row.pk]), {"name": "x"}).status_code == 403
    for row in (factories.DepotFactory(), factories.SubmissionFactory(), factories.DepotPriceFactory(), state_of("12")):
        page = page_url(row._meta, "delete", row.pk)
        assert desk.post(page, {"post": "yes"}).status_code == 403, page


def test_rubbish_in_an_address_is_told(desk):
    filters = "source__exact=a%00", "q=%00%25_'", "queue=%00", "nothing=%00", "_changelist_filters=data_status%3D%2500"
    told = dict.fromkeys((f"catalog/depot/?{query}" for query in filters), 400)
    told |= dict.fromkeys(("catalog/municipality/%00/change/", "prices/plausiblerange/%00/history/"), 400)
    told |= {"catalog/decision/?q=%00": 400, "catalog/decision/?decided_at__year=0": 302}
    told |= {f"prices/depotprice/{page}": 404 for page in ("abc/history/", "abc/history/1/", "1/history/abc/")}
    for key in ("0", "x", "9" * 40, "١"):
        told |= {f"catalog/depot/{key}/change/": 302, f"catalog/depot/{key}/history/": 404}
    told |= dict.fromkeys(("catalog/submission/999/change/", "catalog/submission/x/change/"), 302)
    told |= {"catalog/depot/?p=9999": 200, "catalog/depot/?unit=xx": 200, "catalog/depot/?queue=nie-ma": 200}
    told |= {f"catalog/decision/?q=%23{'9' * 40}": 200}
    assert {path: desk.get(f"/admin/{path}").status_code for path in told} == told


@pytest.mark.parametrize("name", ["catalog_depot", "catalog_decision", "catalog_submission", "prices_depotprice"])
def test_a_file_of_a_list_that_cannot_be_filtered_so_leads_to_the_list(desk, name):
    for query in ("nothing=1", "id__gt=abc"):
        answer = desk.get(reverse(f"admin:{name}_csv") + f"?{query}")
        assert (answer.status_code, answer["Location"]) == (302, reverse(f"admin:{name}_changelist") + "?e=1")


def impossible_lookups(model):
    for field in model._meta.fields:
        if isinstance(field, models.DateField):  # moments, too
            yield f"{field.name}__year", "0"
        elif isinstance(field, PositionField):
            yield field.name, "(0,0)"


def list_pages():
    for model, desk in admin.site._registry.items():
        try:
            yield desk, reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        except NoReverseMatch:
            assert model is CaseComment  # has no list


def test_an_impossible_value_of_a_filter_is_a_wrong_filter_on_every_list(desk):
    wrong = [(listing, lookup) for site, listing in list_pages() for lookup in impossible_lookups(site.model)]
    assert len(wrong) > 25
    wrong += [(DEPOTS, (f"updated_at__{lookup}", value)) for lookup, value in IMPOSSIBLE_DATES]
    wrong += [(DEPOTS, ("name__range", value)) for value in ("1", "123")]  # which are not two
    wrong.append((DEPOTS, ("name__regex", "(")))  # which only the database refuses
    for listing, lookup in wrong:
        answer = desk.get(listing, dict([lookup]))
        assert (answer.status_code, answer["Location"]) == (302, f"{listing}?e=1"), (listing, lookup)


def test_a_row_that_is_not_there_is_told_in_plain_words(desk):
    for name, words in (("depot", "skład opału „999999”."), ("draft", "")):
        answer = desk.get(f"/admin/catalog/{name}/999999/change/", follow=True)
        assert f"Nie ma takiego wpisu: {words}" in answer.content.decode()


def test_former_addresses_lead_to_the_new_ones(desk):
    key, journal = factories.SubmissionFactory().pk, "/admin/catalog/decision/"
    former = {"dziennik/": journal, "dziennik/dni/": f"{journal}dni/", "catalog/depotbatch/7/change/": journal}
    for rest in ("", "?state=waiting&kind__exact=claim", f"{key}/change/", f"{key}/change/?_p=%C5%82"):
        former[f"catalog/depotrequest/{rest}"] = f"/admin/catalog/submission/{rest}"
    for path, new in former.items():
        answer = desk.get(f"/admin/{path}")
        assert (answer.status_code, answer["Location"]) == (301, new)
        assert desk.get(new).status_code in {200, 302}


def erased_meanwhile(model):
    """A context in which the rows vanish before the first lock, as `remove_demo` takes depots away."""
    return before_locking(lambda: model.objects.all()._raw_delete("default"))


def test_the_form_of_an_entry_that_vanishes_leads_where_one_that_is_gone_does_and_its_mark_is_not_found(desk):
    form = {"name": "X", "lat": "50.0617", "lon": "19.9373", "opened": "1"}
    for name, typed in (("change", form), ("viewing", {})):
        depot = factories.DepotFactory()
        with erased_meanwhile(Depot):
            answer = desk.post(reverse(f"admin:catalog_depot_{name}", args=[depot.pk]), typed)
        assert answer.status_code == 404 if name == "viewing" else "Nie ma takiego wpisu" in message_of(answer)


def test_of_submissions_that_vanish_with_their_entries_the_editor_learns_why_nothing_was_decided(desk):
    for typed in ({"decision": "accept", "groups": ["phone"]}, {"decision": "reject", "reason": "Nieaktualne."}):
        submission = factories.SubmissionFactory()
        with erased_meanwhile(Submission):
            answer = desk.post(page(submission), typed)
        reason = f"Zgłoszenie nr {submission.pk}: {SubmissionIsErased.reason}."
        assert message_of(answer).endswith(f"Nic nie zmieniono. {reason}")
    rows = factories.SubmissionFactory.create_batch(2)
    with erased_meanwhile(Submission):
        text = message_of(bulk.act(desk, reverse("admin:catalog_submission_changelist"), "reject", *rows))
    gone = "; ".join(f"nr {row.pk}: {SubmissionIsErased.reason}" for row in rows)
    assert f"Bez zmian: {gone}" in text


def test_changes_of_owners_are_seen_and_their_links_end_in_bulk(desk):
    depot = factories.DepotFactory()
    change = OwnerChange.objects.create(depot=depot, made_at=factories.NOW, text="telefon: <b>")
    link = owner_links.grant_link(depot=depot, email="jan@opal.pl", on=factories.NOW)
    changes, links = (reverse(f"admin:catalog_{name}_changelist") for name in ("ownerchange", "ownerlink"))
    for listing in (changes, links):
        page = reverse("admin:catalog_depot_change", args=[depot.pk])
        assert f'<a href="{page}">{depot.name}</a><br>{depot.address}<' in html_of(desk.get(listing))
    for row in (change, link):
        assert desk.post(page_url(row._meta, "change", row.pk), {"text": "x"}).status_code == 403
    assert "telefon: &lt;b&gt;" in html_of(desk.get(changes))
    assert "Oznaczono jako obejrzane: 1." in message_of(bulk.act(desk, changes, "mark_seen", change))
    assert factories.fresh(change).seen_by.username == "redaktorka"
    assert "Odwołano odnośniki: 1." in message_of(bulk.act(desk, links, "revoke", link))
    assert factories.fresh(link).revoked_at is not None


def test_strangers_and_staff_without_rights_see_no_page_of_the_desk(client):
    depot, submission, state = factories.DepotFactory(), factories.SubmissionFactory(), state_of("12")
    decision = Decision.objects.create(kind="edit", title="Zmieniono", decided_at=factories.NOW)
    pages = [listing for _, listing in list_pages()]
    pages += [f"{DEPOTS}csv/", *(reverse(f"admin:catalog_decision_{name}") for name in ("days", "csv"))]
    pages += [page_url(row._meta, "change", row.pk) for row in (depot, submission, decision, state)]
    pages += [reverse("admin:catalog_depot_pairs"), reverse("admin:catalog_depot_history", args=[depot.pk])]
    assert {client.get(page).status_code for page in pages} == {302}
    client.force_login(factories.staff("obcy"))
    assert {client.get(page).status_code for page in pages} == {take(client).status_code} == {403}
    assert "Województwa" not in html_of(client.get("/admin/"))


START = reverse("admin:index")


def person(name, role=editors.EDITOR):
    user = factories.member(role, name)
    return user, factories.desk_of(user)


def take(desk):
    return desk.post(reverse("admin:catalog_voivodeshipclaim_take", args=["12"]))


def release(desk, claim):
    return desk.post(reverse("admin:catalog_voivodeshipclaim_release", args=[claim.pk]))


def test_one_takes_it_and_everybody_sees_who():
    factories.krakow()
    (ewa, her), (_, his) = person("ewa"), person("adam")
    assert "Województwo małopolskie jest Twoje" in message_of(take(her))
    take(her)
    claim = VoivodeshipClaim.objects.get()
    assert (claim.voivodeship_id, claim.editor) == ("12", ewa)
    assert re.search(r"małopolskie ewa, od \d\d\.\d\d\.\d{4}", text_of(his.get(START)))
    assert "Województwo małopolskie ma już ewa." in message_of(take(his))
    assert VoivodeshipClaim.objects.count() == 1
    assert release(his, claim).status_code == 403
    assert "Oddano województwo małopolskie" in message_of(release(her, claim))
    assert "oddano już wcześniej" in message_of(release(her, claim))
    take(his)
    listed = text_of(her.get(reverse("admin:catalog_voivodeshipclaim_changelist")))
    assert re.search(r"małopolskie.* adam .* małopolskie.* ewa", listed)


def test_a_release_is_undone_unless_somebody_else_has_it_now():
    factories.krakow()
    (_, her), (adam, his), (_, chief) = person("ewa"), person("adam"), person("szefowa", editors.CHIEF)
    take(her)
    claim, taken = VoivodeshipClaim.objects.get(), last()
    release(chief, claim)
    released = last()
    assert (taken.title, released.title) == ("Wzięto województwo małopolskie", "Oddano województwo małopolskie")
    assert (factories.fresh(claim).editor.username, claim.released_by.username) == ("ewa", "szefowa")
    undo_nothing(taken, adam)
    take(his)
    undo_nothing(released, adam)
    assert factories.fresh(claim).released_at
    assert VoivodeshipClaim.objects.standing().get().editor == adam
    for decision, standing in ((last(), []), (released, [claim]), (taken, [])):
        journal.undo(decision=decision, by=adam, on=timezone.now())
        assert list(VoivodeshipClaim.objects.standing()) == standing


def test_two_cannot_hold_one_and_nobody_gives_back_nothing():
    claim = {"voivodeship": factories.krakow().voivodeship, "editor": factories.UserFactory()}
    editors.take_voivodeship(voivodeship=claim["voivodeship"], by=claim["editor"], on=timezone.now())
    for moments in ({}, {"released_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="voivodeshipclaim_"), transaction.atomic():
            VoivodeshipClaim.objects.create(**claim, taken_at=timezone.now(), **moments)


def test_the_queues_are_filtered_by_what_is_mine_and_counted_by_voivodeship():
    _, desk = person("ewa")
    here, there = factories.DepotFactory(), factories.DepotFactory(municipality=factories.bielsko_biala(), lat=49.8)
    missing = factories.SubmissionFactory(add=True, proposed={"name": "Nowy", "municipality": here.municipality_id})
    asked = [factories.SubmissionFactory(depot=depot) for depot in (here, there)]
    prices = [factories.DepotPriceFactory(depot=depot, pending=True) for depot in (here, there)]
    lists = {"catalog_depot": ([here], [here, there]), "prices_depotprice": ([prices[0]], prices)}
    lists |= {"catalog_submission": ([missing, asked[0]], [missing, *asked])}

    def listed(name, unit):
        return set(context_of(desk, reverse(f"admin:{name}_changelist"), {"unit": unit})["cl"].result_list)

    assert [listed(name, "mine") for name in lists] == [set()] * 3
    take(desk)
    for name, (mine, both) in lists.items():
        assert listed(name, "mine") == listed(name, "12") == set(mine)
        assert listed(name, "24") == set(both) - set(mine)
    assert re.search(r"małopolskie ewa, od \S+ zwolnij 2 1 1 śląskie biorę 1 1 1", text_of(desk.get(START)))
