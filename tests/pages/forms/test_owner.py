"""The permanent link of an owner: its e-mail, prices by form or file, renewal, revocation, expiry."""

import re
from datetime import timedelta
from decimal import Decimal
from io import BytesIO

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from openpyxl import Workbook

from catalog.models import OwnerChange, OwnerLink, PendingLetter, Submission
from catalog.services.merging import merge_depots
from catalog.services.moderation import revoke_verification
from catalog.services.publishing import publish_depot
from catalog.submissions import owner_links
from catalog.submissions.retention import CLAIM_KEEPS
from prices.models import DepotPrice
from tests import deciding, factories, texts
from tests.mail import DOWN, WORKING, sent
from tests.pages.forms.conftest import CLAIM, OWNER, hidden, link_in, prices_of_today, token_of
from tests.pages.forms.test_readers import SEVEN, SIX
from tests.pages.reading import expect, missing, text_of


def save(stranger, link, **changed):
    return stranger.answer(OWNER, link, "odnosnik", **changed)


def test_a_price_from_a_tab_that_was_open_before_leaves_hours_alone(client, stranger, nowak, link):
    typed = stranger.type(link) | client.get(link).context["form"].shown_hours
    save(stranger, link, mon="6-14")
    del typed["email"]
    assert stranger.owner(link, **typed, **{"price-pellet": "1600"}).status_code == 302
    assert factories.fresh(nowak).hours["mon"] == "6:00-14:00"
    assert 'name="initial-mon" value="6:00-14:00"' in client.get(link).content.decode()
    stranger.owner(link, **typed | {"tue": "7-15"})
    hours = factories.fresh(nowak).hours
    assert (hours["mon"], hours["tue"]) == ("6:00-14:00", "7:00-15:00")


def test_from_the_letter_to_seven_prices_and_new_hours_in_two_pages(client, stranger, nowak, link, caplog, clock):
    factories.DepotPriceFactory(depot=nowak, fuel="brykiet", price=1300)
    expect(client.get(link), "Teraz 1 300 zł/t, z dnia 1.11.2026.")
    expect(save(stranger, link, mon="6-14", **SEVEN), "Zapisane", status=302)
    found = client.get(f"/api/v1/stores/{nowak.pk}").json()
    assert {one["fuel"]: one["price"] for one in found["price_list"]} == SIX | {"pellet": 1600}
    assert (found["hours"]["mon"], found["source"]["data_status"]) == ("6:00-14:00", "owner")
    lines = nowak.history.order_by("-history_id").values_list("history_change_reason", flat=True)
    assert list(lines[:2]) == ["właściciel: paliwo z ceny", "właściciel: godziny otwarcia"]
    reasons = set(DepotPrice.history.values_list("history_change_reason", flat=True))
    assert {"właściciel: 1\xa0300\xa0zł → 1\xa0400\xa0zł/t", "właściciel: brak ceny → 1\xa0600\xa0zł/t"} <= reasons
    note = OwnerChange.objects.get().text
    assert "Godziny otwarcia: (brak) → pn. 6:00-14:00" in note
    assert "Brykiet: 1 300 zł → 1 400 zł/t (21.11.2026)" in note.replace("\N{NO-BREAK SPACE}", " ")
    assert caplog.records
    for text in (caplog.text, *map(vars, caplog.records)):
        assert token_of(link) not in str(text)


def test_the_desk_shows_what_an_owner_changed_as_the_owner_s_with_values(client, stranger, nowak, link, editor):
    save(stranger, link, mon="6-14", **{"price-pellet": "1600"})
    save(stranger, link, mon="7-14", **{"price-pellet": "1650"})
    save(stranger, link, **{"price-pellet": "1660"})
    for row in (f"catalog/depot/{nowak.pk}", f"prices/depotprice/{DepotPrice.objects.get().pk}"):
        expect(client.get(f"/admin/{row}/history/"), "właściciel (odnośnikiem)")
    assert list(DepotPrice.history.values_list("price", flat=True)) == [1660, 1650, 1600]
    change = "Właściciel zmienił: Skład opału Nowak – Godziny otwarcia, Pellet"
    journal = client.get(reverse("admin:catalog_decision_changelist"), {"q": f"#{nowak.pk}"})
    text = expect(journal, change, "godziny tygodnia: pn. 6:00-14:00", "cena: 1 600 → 1 650")
    assert text.count("właściciel (odnośnikiem)") == 3


def test_what_cannot_be_is_not_taken_and_nothing_beside_it(stranger, nowak, link):
    for typed, words in (
        ({"price-pellet": "16"}, "Wiarygodne ceny tego paliwa"),
        ({"mon": "6-14", "price-pellet": "99999"}, "Wiarygodne ceny tego paliwa"),
        ({"mon": "rano"}, "Wpisz godziny"),
        (texts.too_long_week(), "Godziny całego tygodnia zajmują 301 znaków, a mieści się 300."),
        (texts.week((4,) * 7, tuple(range(7))), "zajmują 362 znaki, a mieści się 300."),
        ({}, "Niczego nie zmieniono"),
    ):
        expect(save(stranger, link, **typed), words, status=400)
    assert factories.fresh(nowak).hours is None
    assert not DepotPrice.objects.exists()
    assert not OwnerChange.objects.exists()
    assert save(stranger, link, **texts.longest_week()).status_code == 302
    assert factories.fresh(nowak).opening_hours == texts.longest("opening_hours")


def renew(stranger, nowak):
    """Ask for a new link. Returns the last one that was sent."""
    stranger.fill(f"/sklad/{nowak.pk}/odnosnik/", email="Jan@opal-nowak.pl")
    return link_in(mail.outbox[-1])


def test_a_request_for_a_new_link_says_and_costs_the_same_for_any_address(client, stranger, nowak, link):
    path = f"/sklad/{nowak.pk}/odnosnik/"
    answers, statements = [], []
    for email in ("jan@opal-nowak.pl", "obcy@example.pl"):
        typed = stranger.type(path) | {"email": email}
        expect(client.get(path), without=["odnośnik do potwierdzenia"])
        refused = client.post(path, typed | {"email": "jan"}).content.decode()
        assert not missing(refused, "<title>Popraw odpowiedzi – ", f'action="{path}#wynik"', '" id="wynik"')
        assert f">{nowak.name}</a></li>" in refused  # the way back
        with CaptureQueriesContext(connection) as queries:
            answers.append(text_of(client.post(path, typed)))
        statements.append([re.sub(r"'[^']*'|\d+", "…", query["sql"]) for query in queries])
    assert (answers[0], statements[0]) == (answers[1], statements[1])
    assert mail.outbox == []  # not before the answer
    assert [letter.to for letter in sent()] == [["jan@opal-nowak.pl"]]
    assert not PendingLetter.objects.exists()  # of neither an address is kept


def test_a_new_link_ends_the_one_before_once_something_is_saved_by_it_or_by_its_button(client, stranger, nowak, link):
    fresh = renew(stranger, nowak)
    assert mail.outbox[-1].subject == "Skład opału Nowak: nowy odnośnik"
    assert [client.get(one).status_code for one in (link, fresh, link)] == [200, 200, 200]
    expect(client.get(link), without=["Wyłącz poprzednie już teraz"])
    assert save(stranger, link, mon="6-14").status_code == 302
    assert save(stranger, fresh, mon="7-15").status_code == 302
    assert [client.get(one).status_code for one in (link, fresh)] == [404, 200]
    stranger.clock.move(hours=1)  # three letters have left
    newest = renew(stranger, nowak)
    expect(client.get(newest), "Wyłącz poprzednie już teraz")
    stranger.owner(newest, poprzedni="1")
    assert client.get(fresh).status_code == 404
    expect(client.get(newest), without=["Wyłącz poprzedni"])


@pytest.mark.parametrize("ending", [{"poprzedni": "1"}, {"mon": "7-15"}])
def test_a_new_link_ends_those_of_the_owners_other_entries_too(client, stranger, nowak, link, branch, ending):
    unused, fresh = renew(stranger, nowak), renew(stranger, branch)
    assert [client.get(one).status_code for one in (link, unused, fresh)] == [200, 200, 200]
    assert save(stranger, fresh, **ending).status_code == 302
    assert [client.get(one).status_code for one in (link, unused, fresh)] == [404, 404, 200]
    assert f'href="/sklad/{nowak.pk}/odnosnik/">Poproś o nowy odnośnik</a>' in client.get(link).content.decode()
    stranger.clock.move(hours=1)  # three letters have left
    assert client.get(renew(stranger, nowak)).status_code == 200


def test_owners_get_new_links_after_the_secret_key_has_changed(client, stranger, nowak, link, settings):
    settings.SECRET_KEY = "another"
    assert [client.get(one).status_code for one in (link, renew(stranger, nowak))] == [404, 200]


def test_links_to_one_mailbox_leave_by_themselves_when_the_hour_is_over(stranger, nowak, link, clock):
    for _ in range(5):
        renew(stranger, nowak)
    assert len(mail.outbox) == 3  # an hour
    clock.move(hours=1)
    assert len(sent()) == 1  # for equal requests that waited


def test_a_link_that_a_restored_database_has_lost_does_not_open_the_next_one_of_its_number(client, nowak, link, clock):
    (lost,) = OwnerLink.objects.values_list("pk", flat=True)
    OwnerLink.objects.all().delete()
    granted = owner_links.grant_link(depot=nowak, email="ewa@opal-nowak.pl", on=clock.now)
    OwnerLink.objects.filter(pk=granted.pk).update(id=lost)
    assert client.get(link).status_code == 404


def test_a_link_that_did_not_leave_ends_nothing_and_goes_later(client, stranger, nowak, link, clock, settings, caplog):
    settings.EMAIL_BACKEND = DOWN
    for _ in range(2):
        stranger.fill(f"/sklad/{nowak.pk}/odnosnik/", email="jan@opal-nowak.pl")
    assert f"letter of pendingletter {PendingLetter.objects.get().pk} not sent: ConnectionRefusedError" in caplog.text
    assert "jan@" not in caplog.text
    assert client.get(link).status_code == 200
    settings.EMAIL_BACKEND = WORKING
    clock.move(minutes=15)
    (letter,) = sent()
    assert client.get(link_in(letter)).status_code == 200


def test_an_owner_or_an_editor_ends_it(client, stranger, nowak, link, clock):
    for page in (link, "/prywatnosc/"):
        expect(client.get(page), CLAIM_KEEPS)
    answer = save(stranger, link, odwolaj="1", **{"price-pellet": "1600"})
    expect(answer, "Odnośnik odwołany", f"Twój adres usunęliśmy; {CLAIM_KEEPS}.")
    assert client.get(link).status_code == 404
    assert not DepotPrice.objects.exists()
    assert list(OwnerLink.objects.values_list("email", "email_hash", "mailbox_hash")) == [("", "", "")]


def test_who_lost_the_link_claims_the_entry_anew(client, stranger, nowak, link, clock, commit):
    owner_links.revoke_links(list(OwnerLink.objects.all()), on=clock.now)
    claim = f"/sklad/{nowak.pk}/przejmij/"
    assert f'href="{claim}"' in client.get(link).content.decode()
    stranger.fill_and_confirm(claim, **CLAIM, mon="6-14")
    submission = Submission.objects.get(kind="claim", state="waiting")
    commit(deciding.accept_submission, submission=submission, by=factories.UserFactory(), on=clock.now)
    fresh = link_in(mail.outbox[-1])
    assert (client.get(link).status_code, client.get(fresh).status_code) == (404, 200)


def test_a_merged_entry_carries_its_owner_s_link_and_gives_it_back(client, stranger, nowak, link, clock):
    other = factories.DepotFactory(name="Opał Nowak", phone="")
    editor = factories.UserFactory()
    merge_depots(survivor=other, loser=nowak, take=[], by=editor, on=clock.now.date())
    assert (factories.fresh(other).data_status, other.verified_at) == ("owner", clock.now.date())
    assert save(stranger, link, mon="6-14").status_code == 302
    assert factories.fresh(other).hours["mon"] == "6:00-14:00"
    expect(client.get(link), "Opał Nowak")
    publish_depot(depot=nowak, by=editor, on=clock.now.date(), note="pomyłka")
    assert OwnerLink.objects.get().depot_id == nowak.pk
    expect(client.get(link), "Skład opału Nowak")


@pytest.mark.parametrize("ended", [False, True])
def test_a_link_stays_behind_where_the_survivor_has_one_of_the_same_owner(nowak, link, clock, ended):
    own = OwnerLink.objects.get()
    other, editor = factories.DepotFactory(verified=True, data_status="owner"), factories.UserFactory()
    theirs = owner_links.grant_link(depot=other, email="jan@opal-nowak.pl", on=clock.now)
    merge_depots(survivor=other, loser=nowak, take=[], by=editor, on=clock.now.date())
    assert list(OwnerLink.objects.working()) == [theirs]
    if ended:
        owner_links.revoke_links([theirs], merged=True, on=clock.now)
        assert set(OwnerLink.objects.values_list("email", flat=True)) == {""}
    call_command("purge_submissions", commit=True)
    publish_depot(depot=factories.fresh(nowak), by=editor, on=clock.now.date(), note="pomyłka")
    assert set(OwnerLink.objects.working()) == (set() if ended else {own, theirs})


def test_a_link_that_stays_behind_ends_with_the_one_of_its_owner_to_the_survivor_alone(nowak, link, clock):
    own, editor = OwnerLink.objects.get(), factories.UserFactory()
    survivor, elsewhere = factories.DepotFactory.create_batch(2, verified=True, data_status="owner")
    grants = (survivor, own.email), (survivor, "ewa@opal.example"), (elsewhere, own.email)
    theirs, *others = [owner_links.grant_link(depot=depot, email=email, on=clock.now) for depot, email in grants]
    merge_depots(survivor=survivor, loser=nowak, take=[], by=editor, on=clock.now.date())
    owner_links.revoke_links(others, merged=True, on=clock.now)
    assert set(OwnerLink.objects.filter(revoked_at=None)) == {own, theirs}


def test_it_moves_to_an_entry_of_the_same_owner_that_has_lost_the_status(nowak, link, clock):
    other, editor = factories.DepotFactory(verified=True, data_status="owner"), factories.UserFactory()
    owner_links.grant_link(depot=other, email="jan@opal-nowak.pl", on=clock.now)
    revoke_verification(depot=factories.fresh(other), by=editor)
    merge_depots(survivor=other, loser=nowak, take=[], by=editor, on=clock.now.date())
    assert OwnerLink.objects.working().get().depot_id == other.pk


def test_it_ends_with_the_entry_s_being_the_owner_s(client, nowak, link, clock):
    revoke_verification(depot=factories.fresh(nowak), by=factories.UserFactory())
    assert client.get(link).status_code == 404
    call_command("purge_submissions", commit=True)
    assert OwnerLink.objects.get().email == ""


@pytest.mark.parametrize("way", ["claimed", "loser", "survivor"])
def test_it_does_not_work_again_once_another_is_the_owner(nowak, link, clock, way):
    editor, other = factories.UserFactory(), factories.DepotFactory(verified=True, data_status="owner")
    owner_links.grant_link(depot=other, email="ewa@opal.example", on=clock.now)
    revoke_verification(depot=factories.fresh(nowak), by=editor)
    if way == "claimed":
        claim = factories.SubmissionFactory(depot=nowak, claim=True, email="ewa@opal.example")
        deciding.accept_submission(submission=claim, by=editor, on=clock.now)
    else:
        survivor, loser = (other, nowak) if way == "loser" else (nowak, other)
        merge_depots(survivor=survivor, loser=loser, take=[], by=editor, on=clock.now.date())
    assert {link.email for link in OwnerLink.objects.working()} == {"ewa@opal.example"}


def test_a_new_link_asked_for_before_a_merge_leads_to_the_survivor(client, nowak, link, clock):
    owner_links.request_link(depot=nowak, email="jan@opal-nowak.pl", on=clock.now)
    other = factories.DepotFactory(name="Opał Nowak")
    merge_depots(survivor=other, loser=nowak, take=[], by=factories.UserFactory(), on=clock.now.date())
    (letter,) = sent()
    expect(client.get(link_in(letter)), "Opał Nowak")


def test_it_ends_when_nobody_uses_it_for_a_year(client, stranger, link, clock):
    clock.move(days=300)
    save(stranger, link, mon="6-14")
    clock.move(days=364)
    call_command("purge_submissions", commit=True)
    assert client.get(link).status_code == 200
    clock.move(days=1)
    assert client.get(link).status_code == 404
    call_command("purge_submissions", commit=True)
    assert OwnerLink.objects.get().revoked_at == clock.now
    assert clock.now - OwnerLink.objects.get().used_at == timedelta(days=365)


def upload(stranger, link, content):
    content = content.encode() if isinstance(content, str) else content
    return stranger.owner(link, plik="1", import_file=SimpleUploadedFile("cennik", content))


def test_a_price_list_is_uploaded_previewed_and_published(client, stranger, priced, link, branch):
    text = f"paliwo;cena;numer składu\nPellet;1 700;\nbrykiet;1350,50;#{branch.pk}\nEkogroszek;16;\nwęgiel;1500;88888\n"
    preview = upload(stranger, link, text)
    cheap, foreign = "Ekogroszek 16 zł/t – poza wiarygodnym przedziałem", "nie ma Twojego składu o numerze 88888"
    expect(preview, "Do wczytania: 2 ceny. Pominiemy 2 wiersze.", f"Wiersz 4: {cheap}", f"Wiersz 5: {foreign}")
    assert not prices_of_today().exists()
    fields = {name: hidden(preview.content.decode(), name)[0] for name in ("packed", "seen", "odnosnik")}
    assert stranger.send(OWNER, fields | {"wczytaj": "1"}).status_code == 302
    today = prices_of_today().approved().order_by("fuel").values_list("depot", "fuel", "price")
    assert list(today) == [(branch.pk, "brykiet", Decimal("1350.50")), (priced.pk, "pellet", Decimal(1700))]
    assert {row.used_at for row in OwnerLink.objects.all()} == {stranger.clock.now}
    assert "cennik" not in mail.outbox[-1].subject
    assert "1 700 zł/t" in mail.outbox[-1].body.replace("\xa0", " ")
    # The same file once more replaces nothing and is no change.
    assert "Niczego nie zmieniono" in text_of(stranger.send(OWNER, fields | {"wczytaj": "1"}))


def test_a_price_list_of_a_merchant_is_read_and_what_is_not_is_named(client, stranger, priced, link):
    text = (
        "Cennik opału\nLp.;Nazwa;J.m.;Cena brutto;Z dnia\n1;Ekogroszek worek 25 kg;;41,-;\n2;eko-groszek;t;1640,-;\n"
        "3;Pellet paleta 975 kg;;1700,-;\n4;Drewno kominkowe;m3;400;\n5;pelet;tona;1700 zł/t;{day}\n"
    )
    preview = upload(stranger, link, text.format(day=f"{stranger.clock.now:%d.%m.%Y} r."))
    read = "Do wczytania: 2 ceny. Pominiemy 3 wiersze.", "Ekogroszek 1 640 zł/t", "Pellet 1 700 zł/t"
    unread = "Tych kolumn nie czytamy: „lp.”.", "Wiersz 3: Ekogroszek 41 zł/t – poza wiarygodnym przedziałem"
    unit = "Wiersz 6: Drewno kominkowe: jednostką jest mp, nie m3; cen nie przeliczamy"
    expect(preview, *read, *unread, "Wiersz 5: „Pellet paleta 975 kg” to inna ilość niż tona", unit)


def test_the_weight_of_a_bag_may_stand_beside_its_price_and_a_unit_in_the_header(stranger, priced, link):
    preview = upload(stranger, link, "opał;cena za worek\nEkogroszek 25 kg;41,00\npellet;27\n")
    expect(
        preview, "Ekogroszek 1 640 zł/t worek 25 kg: 41 zł", "Wiersz 3: do ceny worka podaj jego wagę, a do wagi cenę"
    )
    preview = upload(stranger, link, "opał;cena za worek 20 kg\nEkogroszek 25 kg;41,00\nekogroszek;33\n")
    expect(preview, "Ekogroszek 1 650 zł/t worek 20 kg: 33 zł", "Wiersz 2: do ceny worka podaj jego wagę")
    expect(upload(stranger, link, "opał;cena worka 15 kg\npellet;27\n"), "Pellet 1 800 zł/t worek 15 kg: 27 zł")
    preview = upload(stranger, link, "opał;cena za worek\npellet 15 kg;27\n;41\n")
    expect(preview, "Do wczytania: 1 cena.", "Wiersz 3: nie ma nazwy paliwa")
    preview = upload(stranger, link, "paliwo;cena zł/t\npellet;1700\ndrewno;400\n")
    unit = "Wiersz 3: Drewno kominkowe: jednostką jest mp, nie t; cen nie przeliczamy"
    expect(preview, "Do wczytania: 1 cena.", unit)


def test_an_empty_cell_of_a_spreadsheet_is_the_depot_and_the_day_of_the_form_unless_cells_are_merged(
    stranger, priced, link, branch
):
    workbook = Workbook()
    for row in (["paliwo", "cena", "numer składu", "dzień"], ["pellet", 1700], ["brykiet", 1350, branch.pk]):
        workbook.active.append(row)
    workbook.save(file := BytesIO())
    expect(upload(stranger, link, file.getvalue()), "Do wczytania: 2 ceny.", without=["Pominiemy"])
    for row in (["ekogroszek", 1500], ["wegiel", 1400]):
        workbook.active.append(row)
    workbook.active.merge_cells("C3:C4")
    workbook.save(file := BytesIO())
    left = "Do wczytania: 3 ceny. Pominiemy 1 wiersz.", "Wiersz 4: nie ma numeru składu; scalone komórki"
    expect(upload(stranger, link, file.getvalue()), *left)


def test_rows_that_are_left_out_stand_in_the_order_of_the_file_with_the_day_from_which_a_price_holds(stranger, link):
    text = (
        f"paliwo;cena;od dnia\npellet;1700;{stranger.clock.now - timedelta(days=1):%d.%m.%Y}\npellet;16;\ntorf;500;\n"
    )
    preview = text_of(upload(stranger, link, text))
    places = [preview.index(words) for words in ("Wiersz 3: Pellet 16 zł/t", "Wiersz 4: nieznane paliwo torf")]
    assert places == sorted(places)
    assert f"Pellet 1 700 zł/t {stranger.clock.now - timedelta(days=1):%d.%m.%Y}" in preview
    assert "Tych kolumn nie czytamy" not in preview


def test_the_error_of_a_file_is_what_the_browser_shows_after_sending_it(client, stranger, priced, link):
    (action,) = re.findall(r'action="([^"]+)" enctype', client.get(link).content.decode())
    anchor = action.partition("#")[2]
    assert f'id="{anchor}"' not in client.get(link).content.decode()
    answer = upload(stranger, link, "")
    assert re.search(rf'<p class="error" id="{anchor}" role="alert">Przesłany plik jest pusty', answer.content.decode())


def test_a_file_that_is_no_price_list_a_forged_preview_and_a_list_without_a_link_are_refused(stranger, priced, link):
    columns = "Brak kolumn: paliwo, cena. Pierwszy wiersz to nazwy kolumn. Potrzebne są: paliwo i"
    for text, words in (
        ("pellet;1500\nbrykiet;1400\n", columns),
        (
            "paliwo;waga worka\npellet;15\n",
            "Brak kolumn: cena. Pierwszy wiersz to nazwy kolumn. Potrzebne są: paliwo i jedna",
        ),
        ("paliwo;cena\n" + "pellet;1500\n" * 501, "więcej niż 500 wierszy"),
        ("paliwo;cena\n" + "pellet;1500" + " " * 600_000, "więcej niż 600 kB"),
        ("\xd0\xcf\x11\xe0", "nie ma ani jednego wiersza"),
    ):
        expect(upload(stranger, link, text), words, status=400)
    assert "Podgląd wygasł." in text_of(stranger.owner(link, wczytaj="1", packed="x:y:z", seen=""))
    assert upload(stranger, "?odnosnik=x", "paliwo;cena\npellet;1500\n").status_code == 404
    assert not prices_of_today().exists()
