"""Bulk actions of the lists: nothing changes before the page that shows what would is confirmed."""

from unittest.mock import Mock

import pytest
from django.contrib import admin
from django.urls import reverse

from catalog import models
from catalog.services import editing, moderation
from catalog.services.editors import CHIEF
from catalog.services.journal import Outcome
from catalog.submissions import owner_links
from prices.models import DepotPrice
from tests import bulk, deciding, factories
from tests.beside import before_locking
from tests.catalog.admin.test_list import many
from tests.client import context_of, message_of
from tests.factories import NOW, TODAY
from tests.pages.reading import html_of, missing
from tests.regulations.factories import ResolutionFactory

pytestmark = pytest.mark.django_db

DEPOTS = reverse("admin:catalog_depot_changelist")
SUBMISSIONS = reverse("admin:catalog_submission_changelist")
PRICES = reverse("admin:prices_depotprice_changelist")
RESOLUTIONS = reverse("admin:regulations_resolution_changelist")

Reason = models.Depot.RemovalReason


def removed(reason, **values):
    lat = 49.5 + models.Depot.objects.count() / 50
    return factories.DepotFactory(removed=True, removal_reason=reason, lat=lat, **values)


@pytest.fixture
def chief(client):
    user = factories.member(CHIEF, "naczelna")
    client.force_login(user)
    return user


def state():
    """All that a bulk action could change."""
    tables = (models.Depot, models.Submission, DepotPrice, models.Depot.history, DepotPrice.history)
    return [list(getattr(table, "objects", table).order_by("pk").values()) for table in tables]


def test_every_action_of_every_list_asks():
    actions = [(model, action) for model, desk in admin.site._registry.items() for action in desk._get_base_actions()]
    found = {f"{model._meta.label}.{name}": getattr(func, "asks", False) for model, (func, name, _) in actions}
    assert [name for name, asks in found.items() if not asks] == []
    assert {name for name in found if not name.endswith(".delete_selected")} == {
        *(f"catalog.Depot.{name}" for name in ("verify", "confirm_fuels", "reset", "publish")),
        *(f"catalog.Depot.remove_{name}" for name in ("closed", "duplicate", "not_a_depot", "private")),
        *(f"catalog.Submission.{name}" for name in ("accept", "reject")),
        "catalog.OwnerChange.mark_seen",
        "auth.User.turn_off_second_factor",
        "catalog.OwnerLink.revoke",
        *(f"prices.DepotPrice.{name}" for name in ("approve", "reject")),
    }


def test_nothing_changes_before_it_is_confirmed(client, editor):
    depots = [factories.DepotFactory(verified=True), factories.DepotFactory(held=True, fuels_in_name=["wegiel"])]
    submission = factories.SubmissionFactory(depot=depots[0])
    price = factories.DepotPriceFactory(depot=depots[0], pending=True)
    before = state()
    # What an action would do is shown by the same code for all that `asks`.
    cases = (DEPOTS, "verify", depots), (SUBMISSIONS, "accept", [submission]), (PRICES, "approve", [price])
    for listing, name, rows in cases:
        chosen = {"action": name, "_selected_action": [row.pk for row in rows], "reason": "Nie."}
        shown = context_of(client, listing, {**chosen, "shown": ""}, "post")["shown"]
        assert context_of(client, listing, {**chosen, "shown": "0" * 64, "post": "yes"}, "post")["shown"] == shown
    assert state() == before


def test_the_page_says_how_many_names_ten_and_what_hangs_on_them(client, chief):
    depots = many(12)
    factories.SubmissionFactory(depot=depots[0])
    factories.SubmissionFactory(depot=depots[1], unconfirmed=True)
    factories.DepotPriceFactory(depot=depots[2])
    factories.DepotPriceFactory(depot=depots[3], rejected=True)
    answer = bulk.choose(client, DEPOTS, "remove_closed", *depots, removed(Reason.CLOSED, name="Dawno zamknięty"))
    text = html_of(answer)
    assert not missing(text, "Na razie nic nie zmieniono.", "Zmieni się: <strong>12</strong> z 13 zaznaczonych.")
    assert "<li>czekające zgłoszenia: 1</li><li>ceny: 1</li>" in text
    changing, staying = text.split("<h2>Bez zmian</h2>")
    assert "<h2>Pierwsze 10</h2>" in changing
    assert changing.count('<li><a href="/admin/catalog/depot/') == 10
    assert f'<a href="/admin/catalog/depot/{depots[0].pk}/change/">{depots[0]}</a>' in changing
    assert not missing(staying, "Usunięte już wcześniej: <strong>1</strong>", "Dawno zamknięty")


def test_a_set_that_changed_meanwhile_is_shown_again(client, chief):
    first, *_ = many(3)
    listing = f"{DEPOTS}?publication__exact=published"
    chosen = bulk.previewed(client, listing, "remove_closed", first, select_across="1")
    factories.DepotFactory(name="Właśnie dodany", lat=54.0)
    answer = client.post(listing, chosen)
    assert not missing(html_of(answer), "Nic nie zmieniono: wpisy zmieniły się", "Zmieni się: <strong>4</strong>")
    assert not models.Depot.objects.filter(publication="removed").exists()
    assert "Zmieniono: 4." in message_of(client.post(listing, {**chosen, "shown": answer.context["shown"]}))


def edit(depot):
    editing.edit_depot(depot=depot, values={"place": "Wieliczka"}, by=factories.UserFactory(), on=TODAY)


def add_a_fuel(depot):
    depot.fuels = depot.fuels_in_name = ["wegiel", "pellet"]
    depot.save()  # as an import does


@pytest.mark.parametrize(
    ("action", "change", "words"),
    [
        ("verify", edit, "Zmieni się: <strong>1</strong>"),
        ("confirm_fuels", add_a_fuel, "Pellet (według nazwy)"),
        ("remove_closed", lambda depot: factories.SubmissionFactory(depot=depot), "<li>czekające zgłoszenia: 1</li>"),
    ],
)
def test_what_changed_meanwhile_is_not_decided_unseen(client, editor, action, change, words):
    depot = factories.DepotFactory(fuels_in_name=["wegiel"])
    chosen = bulk.previewed(client, DEPOTS, action, depot)
    change(depot)
    before = state()
    answer = client.post(DEPOTS, chosen)
    assert not missing(html_of(answer), "Nic nie zmieniono: wpisy zmieniły się", words)
    assert state() == before
    assert "Zmieniono: 1." in message_of(client.post(DEPOTS, {**chosen, "shown": answer.context["shown"]}))


def test_what_changes_while_it_is_decided_is_not_decided_unseen(client, editor):
    depot = factories.DepotFactory()
    chosen = bulk.previewed(client, DEPOTS, "verify", depot)
    with before_locking(lambda: edit(depot)):
        assert "wpisy zmieniły się" in html_of(client.post(DEPOTS, chosen))
    assert factories.fresh(depot).verified_at is None


def test_what_is_shown_to_one_or_for_one_action_confirms_no_other(client, editor):
    depot = factories.DepotFactory(verified=True)
    shown = bulk.choose(client, DEPOTS, "reset", depot).context["shown"]
    assert bulk.choose(client, DEPOTS, "remove_closed", depot, shown=shown).context["count"] == 1
    client.force_login(factories.UserFactory())
    assert bulk.choose(client, DEPOTS, "reset", depot, shown=shown).context["count"] == 1
    assert (factories.fresh(depot).publication, depot.data_status) == ("published", "verified")


def test_the_owners_whose_links_end_are_counted_before_it(client, editor):
    depot = factories.DepotFactory(verified=True, data_status="owner")
    owner_links.grant_link(depot=depot, email="jan@opal.pl", on=NOW)
    for action in ("reset", "remove_closed"):
        assert "odnośniki właścicieli: 1" in html_of(bulk.choose(client, DEPOTS, action, depot)), action


def test_an_editor_changes_so_many_at_once_and_a_chief_or_administrator_more(client, editor, settings):
    assert settings.EDITOR_BULK_LIMIT == 200
    settings.EDITOR_BULK_LIMIT = 2
    first, *_ = depots = many(3)
    before = state()
    for action, typed in (("verify", {}), ("verify", {"shown": "x"}), ("publish", {}), ("remove_closed", {})):
        answer = bulk.choose(client, DEPOTS, action, first, select_across="1", reason="Porządki.", **typed)
        assert "Nic nie zmieniono: zaznaczono 3, a redaktor może zmienić naraz najwyżej 2." in message_of(answer)
    assert state() == before
    models.Depot.objects.filter(pk=first.pk).update(publication="held")
    answer = bulk.act(client, f"{DEPOTS}?publication__exact=published", "verify", first, select_across="1")
    assert "Zmieniono: 2." in message_of(answer)
    for user, action in ((factories.member(CHIEF, "naczelna"), "verify"), (factories.UserFactory(), "reset")):
        client.force_login(user)
        assert "Zmieniono: 3." in message_of(bulk.act(client, DEPOTS, action, *depots))


def test_what_was_removed_at_a_wish_merged_or_closed_is_left_out_of_bulk_restoring(client, editor):
    survivor = factories.DepotFactory(name="Ocalały")
    stay = [removed(reason) for reason in (Reason.OWNER, Reason.CLOSED, Reason.PRIVATE_PERSON)]
    stay.append(removed(Reason.DUPLICATE, merged_into=survivor))
    back = [
        removed(Reason.DUPLICATE, name="Powtórzony"),
        removed(Reason.NOT_A_DEPOT, name="Nie skład", confirmed_fields=["phone"]),
        removed(Reason.GONE_FROM_SOURCE, name="Zniknął", confirmed_fields=["name", "phone"]),
        factories.DepotFactory(name="Wstrzymany", held=True, review="nazwa to imię i nazwisko"),
    ]
    text = html_of(bulk.choose(client, DEPOTS, "publish", *stay, survivor, *back))
    assert "Zmieni się: <strong>4</strong> z 9 zaznaczonych." in text
    why = ("Usunięty na wniosek właściciela", "Skład zakończył działalność", "Osoba prywatna", "Scalony z innym")
    assert not missing(text.split("<h2>Bez zmian</h2>")[1], *why, "Ocalały")
    assert "Zmieniono: 4." in message_of(bulk.act(client, DEPOTS, "publish", *stay, survivor, *back))
    assert {factories.fresh(depot).publication for depot in stay} == {"removed"}
    states = {(factories.fresh(row).publication, row.removed_at, row.removal_reason, row.review) for row in back}
    assert states == {("published", None, "", "")}
    assert [set(depot.confirmed_fields) for depot in back] == [{"name"}, {"name", "phone"}, {"name", "phone"}, {"name"}]
    reasons = [depot.history.latest().history_change_reason for depot in back]
    assert reasons == [f"{said}: Przegląd." for said in ("przywrócono", "przywrócono", "przywrócono", "opublikowano")]
    # The action itself leaves them out, too.
    done = moderation.publish_depots(keys=[depot.pk for depot in (*stay, survivor)], by=editor, on=TODAY)
    assert (len(done.changed), len(done.unchanged)) == (0, 5)


def test_an_entry_that_resembles_one_removed_at_a_wish_is_not_published_by_a_check_without_a_reason(client, editor):
    redrawn = factories.DepotFactory(held=True, review=f"{moderation.REDRAWN} 7 (usunięty na wniosek właściciela)")
    other = factories.DepotFactory(held=True)
    assert "Zmieniono: 1." in message_of(bulk.act(client, DEPOTS, "verify", redrawn, other))
    decide = reverse("admin:catalog_depot_decide", args=[redrawn.pk])
    answer = client.post(decide, {"decision": "verify", "opened": editing.edit_version(redrawn)})
    assert "najpierw opublikuj wpis, z powodem" in message_of(answer)
    assert (factories.fresh(redrawn).publication, factories.fresh(other).publication) == ("held", "published")


def test_one_of_those_is_restored_from_its_page_with_a_reason_and_others_without_a_word(client, editor):
    merged = removed(Reason.DUPLICATE, merged_into=factories.DepotFactory())
    depots = removed(Reason.OWNER), removed(Reason.CLOSED), removed(Reason.PRIVATE_PERSON), merged
    for depot in (*depots, other := removed(Reason.NOT_A_DEPOT)):
        page, decide = (reverse(f"admin:catalog_depot_{name}", args=[depot.pk]) for name in ("change", "decide"))
        asked = context_of(client, page)["needs_reason"]
        answer = client.post(decide, {"decision": "publish", "note": " \t"})
        assert asked == (factories.fresh(depot).publication == "removed") == (depot != other)
    assert message_of(answer).count("Nic nie zmieniono: podaj powód przywrócenia.") == len(depots)
    for depot in depots:
        decide = reverse("admin:catalog_depot_decide", args=[depot.pk])
        client.post(decide, {"decision": "publish", "note": "właściciel zmienił zdanie"})
        assert factories.fresh(depot).publication == "published"
    line = merged.history.latest()
    assert (line.history_change_reason, line.history_user) == ("przywrócono: właściciel zmienił zdanie", editor)


def test_a_bulk_change_that_fails_half_way_changes_nothing(editor, monkeypatch):
    keys = [depot.pk for depot in many(3)]
    before = state()
    monkeypatch.setattr(models.Dataset.objects, "bump_version", lambda slug: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        moderation.remove_depots(keys=keys, reason=Reason.NOT_A_DEPOT, by=editor, on=TODAY)
    assert state() == before


def test_a_choice_that_is_no_key_or_a_nul_in_a_text_is_a_mistake_of_the_caller_an_unknown_action_none(client, editor):
    for listing, action in ((DEPOTS, "verify"), (SUBMISSIONS, "accept"), (PRICES, "approve")):
        for key in ("abc", "\0", ""):
            assert client.post(listing, {"action": action, "_selected_action": [key]}).status_code == 400, key
        assert context_of(client, listing, {"action": action, "_selected_action": ["9" * 40]}, "post")["count"] == 0
    depot, submission = factories.DepotFactory(), factories.SubmissionFactory()
    price = factories.DepotPriceFactory(depot=depot, pending=True)
    decision = moderation.verify_depots(keys=[depot.pk], by=editor, on=TODAY).decision
    before = state()
    for page, typed in (
        (reverse("admin:catalog_depot_decide", args=[depot.pk]), {"reason": "closed", "note": "a\0b"}),
        (reverse("admin:catalog_decision_undo", args=[decision.pk]), {"note": "a\0b"}),
        (deciding.page(submission), {"reason": "a\0b"}),
    ):
        decision = "reject" if "submission" in page else "remove"
        assert client.post(page, {"decision": decision, **typed}).status_code == 400
    # The form of the list refuses it by itself.
    assert bulk.choose(client, SUBMISSIONS, "reject", submission, reason="a\0b").status_code == 302
    assert bulk.choose(client, PRICES, "reject", price, reason="a\0b").status_code == 302
    for action in ("verify\0", "nie-ma", ""):
        assert bulk.choose(client, DEPOTS, action, depot).status_code == 302
    assert state() == before


def test_deleting_in_bulk_asks_too_and_knows_the_limit(client, chief, settings):
    kept, gone = ResolutionFactory(), ResolutionFactory()
    assert bulk.choose(client, RESOLUTIONS, "delete_selected", kept, gone).status_code == 200
    assert type(kept).objects.count() == 2
    chosen = {"action": "delete_selected", "_selected_action": [kept.pk, gone.pk], "post": "yes"}
    gone.delete()
    assert "Nic nie zmieniono: wpisy zmieniły się" in message_of(client.post(RESOLUTIONS, chosen))
    assert type(kept).objects.count() == 1
    chief.user_permissions.set(chief.groups.get().permissions.all())
    chief.groups.clear()
    settings.EDITOR_BULK_LIMIT = 0
    chosen["_selected_action"] = [kept.pk]
    assert "redaktor może zmienić naraz najwyżej 0." in message_of(client.post(RESOLUTIONS, chosen))
    assert type(kept).objects.count() == 1


def test_fuels_by_name_are_confirmed_in_bulk_with_history(client, editor):
    named = {"fuels": ["wegiel", "pellet"], "fuels_in_name": ["pellet"], "confirmed_fields": ["phone"]}
    confirmed = factories.DepotFactory(name="Pellet Nowak", **named)
    plain = factories.DepotFactory(name="Nowak", lat=50.2)
    rows = [confirmed, plain, gone := removed(Reason.CLOSED, **named)]
    asked = html_of(bulk.choose(client, DEPOTS, "confirm_fuels", *rows))
    assert f"{confirmed}: Węgiel, Pellet (według nazwy)" in asked
    assert "Nie ma paliw według nazwy: <strong>1</strong>" in asked
    bulk.act(client, DEPOTS, "confirm_fuels", *rows)
    assert (factories.fresh(confirmed).fuels, confirmed.fuels_by_name) == (["wegiel", "pellet"], [])
    assert (confirmed.confirmed_fields, confirmed.data_status) == (["phone", "fuels"], "unverified")
    line = confirmed.history.latest("history_id")
    assert (line.history_user, line.history_change_reason) == (editor, "potwierdzono paliwa według nazwy")
    assert [factories.fresh(left).confirmed_fields for left in (plain, gone)] == [[], ["phone"]]


def test_entries_that_stay_are_counted_beyond_those_that_the_message_names(rf):
    request = rf.get("/")
    request._messages = Mock()
    rows = [(models.Depot(pk=number, name="Opał"), "") for number in range(1, 22)]
    admin.site.get_model_admin(models.Depot).tell(request, Outcome([], rows))
    assert request._messages.add.call_args.args[1].endswith("Opał (#20) i jeszcze 1")
