"""Protection of the forms: bots, invalid addresses, limits, malicious text."""

import re

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from catalog.models import Submission
from catalog.submissions import limits
from catalog.submissions.limits import hash_mailbox
from pages.forms.fields import Email
from tests import factories
from tests.mail import sent
from tests.pages.forms.conftest import CLAIM
from tests.pages.reading import SCRIPT, expect, missing, present, text_of


@pytest.fixture(autouse=True)
def _low_limits(monkeypatch):
    for name, number in {"PER_NETWORK": 4, "PER_MAILBOX": 3, "PER_DEPOT": 3}.items():  # a mailbox is full first
        monkeypatch.setattr(limits, name, number)


def refused(answer, said):
    expect(answer, said, status=400)
    assert mail.outbox == []
    assert not Submission.objects.exists()


def test_a_form_needs_its_token(nowak):
    browser = Client(enforce_csrf_checks=True)
    forms = (f"/sklad/{nowak.pk}/{form}/" for form in ("popraw", "przejmij", "usun", "cena"))
    for address in (*forms, "/sklady/dodaj/", "/zgloszenia/potwierdz/"):
        assert browser.post(address, {}).status_code == 403, address


def test_a_machine_falls_into_the_trap(stranger, path):
    refused(stranger.fill(path, phone="601 234 567", firma_adres="x"), "ma zostać puste")


def test_nobody_fills_in_so_fast_but_the_second_click_counts(stranger, path):
    typed = stranger.show(path) | {"phone": "601 234 567"}
    refused(stranger.send(path, typed), "To było bardzo szybko")
    stranger.clock.move(seconds=4)
    assert stranger.send(path, typed).status_code == 302


def test_a_form_left_open_comes_back_as_it_was(stranger, path):
    typed = stranger.show(path) | {"phone": "601 234 567"}
    stranger.clock.move(hours=13)
    answer = stranger.send(path, typed)
    refused(answer, "Formularz czekał zbyt długo")
    assert 'value="601 234 567"' in answer.content.decode()
    fresh = re.search(r'name="stamp" value="([^"]+)"', answer.content.decode())[1]
    stranger.clock.move(seconds=4)
    assert stranger.send(path, typed | {"stamp": fresh}).status_code == 302


def test_a_stamp_cannot_be_invented_or_taken_from_another_form(stranger, path, nowak):
    typed = stranger.type(path, phone="601 234 567")
    for stamp in ("", "x", "a:b:c", "x" * 600):
        refused(stranger.send(path, typed | {"stamp": stamp}), "Popraw i wyślij jeszcze raz")
    other = stranger.show(f"/sklad/{nowak.pk}/usun/")["stamp"]
    refused(stranger.send(path, typed | {"stamp": other}), "czekał zbyt długo")


def test_ordinary_addresses_are_taken_but_none_that_no_letter_could_reach_or_that_throws_it_away(stranger, path):
    parts = ("", "jan", "jan@", "@opal.pl", "jan@opal", "jan@@opal.pl", "jan@-opal.pl", "jan@opal..pl", ".jan@opal.pl")
    foreign = ("jan@[127.0.0.1]", "jan@localhost", "jan@opal.local", "jan@ópał.pl", "jąn@opal.pl", "jan\u202e@opal.pl")
    quoted = ('"jan kowalski"@opal.pl', "jan opal@opal.pl", "Jan <jan@opal.pl>", "jan@opal.pl,anna@opal.pl")
    injected = ("jan@opal.pl\nBcc: ofiara@opal.pl", "jan@opal.pl\r\nSubject: x", "jan@opal.pl\x00")
    long = ("a" * 65 + "@b.pl", "jan@" + "a" * 250 + ".pl")
    for email in (*parts, *foreign, *quoted, *injected, *long):
        with pytest.raises(ValidationError):
            Email().clean(email)
    typed = stranger.type(path, phone="601 234 567")
    for email in ("jan@", "jan@mailinator.com", "jan@sub.mailinator.com", "JAN@YOPMAIL.COM"):
        refused(stranger.send(path, typed | {"email": email}), "Popraw i wyślij jeszcze raz")
    for email in ("jan@opal.pl", "Jan.Nowak+sklad@Poczta.Opal-Nowak.COM.PL", "o'neil@opal.pl"):
        assert stranger.fill(path, phone="601 234 567", email=email).status_code == 302
        assert mail.outbox[-1].to[0].lower() == email.lower()


def test_what_cannot_be_read_is_asked_again(stranger, path):
    first = {"nip": "526-025-02-73", "phone": "12", "website": "javascript:alert(1)", "name": "", "postcode": "3"}
    first |= {"message": "x" * 2001, "fuels": ["uran"], "role": "szef", "mon": "rano", "lat": "x"}
    for typed in (
        first,
        {"nip": "0000000000", "website": "http://10.0.0.1/", "name": "a\x00b", "mon": "7-25", "lat": "NaN"},
        {"nip": "12", "website": "https://a@b.pl/", "name": "a\nb", "mon": "8-12 i 11-16", "lat": "5e1"},
        {"name": "a\u202eb", "message": "\x07", "mon": "7:60-15", "lat": "60"},
        {"mon": "7-7", "lat": ""},
        {"lat": "50.9"},
        {"lon": "x"},
        {"lon": "25"},
    ):
        answer = stranger.fill(path, **typed)
        refused(answer, "Popraw i wyślij jeszcze raz")
        assert {field.name for field in answer.context["form"].mistakes} == {*typed}
        for field in typed:
            assert not missing(answer.content.decode(), f'id="pole-{field}_error"', f'href="#pole-{field}"')


def test_nothing_comes_back_unescaped(client, stranger, nowak, path):
    hostile = f'"><{SCRIPT}'
    answer = stranger.fill(path, name=hostile, place=hostile, nip=hostile, email=hostile, mon=hostile, message=hostile)
    assert answer.status_code == 400
    assert SCRIPT not in answer.content.decode()
    assert SCRIPT not in client.get(stranger.fill(path, name=hostile, message=hostile)["Location"]).content.decode()
    assert SCRIPT not in client.get(stranger.link()).content.decode()
    for letter in mail.outbox:
        assert SCRIPT not in letter.subject + letter.body


def test_one_network_address_may_send_so_much_a_day(stranger, clock):
    depots = [factories.DepotFactory() for _ in range(limits.PER_NETWORK + 1)]
    statuses = [
        stranger.fill(f"/sklad/{depot.pk}/popraw/", place="Kraków", email=f"jan{depot.pk}@opal.pl").status_code
        for depot in depots
    ]
    assert statuses == [302] * limits.PER_NETWORK + [429]
    last = f"/sklad/{depots[-1].pk}/popraw/"
    assert stranger.fill(last, network="192.0.2.7", place="Kraków", email="jan@opal.pl").status_code == 302
    deletion = f"/sklad/{depots[-1].pk}/usun/"  # a neighbour of those who sent all that
    assert stranger.fill(deletion, role="owner", agreed="on", email="anna@opal.pl").status_code == 302
    clock.move(days=1)
    assert stranger.fill(last, place="Wieliczka").status_code == 302


VICTIM = ("OFIARA@opal.pl", "ofiara+1@opal.pl", "ofi.ara@OPAL.pl")


def test_one_mailbox_gets_three_links_an_hour_whoever_asks_and_nobody_is_refused_for_it(client, stranger, clock):
    paths = [f"/sklad/{factories.DepotFactory().pk}/popraw/" for _ in range(4)]
    typed = [stranger.show(path) | {"place": "Kraków"} for path in paths]
    clock.move(seconds=10)  # 13:00:10 in Warsaw

    def send(number):
        form = typed[number] | {"email": VICTIM[number % 3]}
        return stranger.send(paths[number], form, REMOTE_ADDR=f"192.0.2.{number}")

    answers = [send(number) for number in range(2)]
    clock.move(minutes=1)
    assert stranger.send(answers[0]["Location"], {}).status_code == 302
    clock.move(minutes=8)
    later = send(2)["Location"]
    said = "Wiadomość wyślemy później", "Następną, z odnośnikiem, wyślemy po 14:01. Nie musisz nic robić."
    expect(client.get(later), *said, without=["Wyślij wiadomość"])
    assert stranger.send(later, {}).status_code == 302  # changes nothing
    assert (len(mail.outbox), Submission.objects.count()) == (3, 3)
    assert [letter.to[0] for letter in mail.outbox] == ["OFIARA@opal.pl", "ofiara+1@opal.pl", "OFIARA@opal.pl"]
    clock.move(minutes=51)  # the first two letters are an hour old
    assert [letter.to for letter in sent()] == [["ofi.ara@opal.pl"]]
    expect(client.get(later), "Wysłaliśmy wiadomość")
    assert stranger.confirm().status_code == 302


def test_one_sender_asks_for_so_much_a_day_with_one_mailbox(stranger, clock):
    statuses = []
    for number in range(limits.PER_MAILBOX + 1):
        path = f"/sklad/{factories.DepotFactory().pk}/popraw/"
        statuses.append(stranger.fill(path, place="Kraków", email=f"jan+{number}@opal.pl").status_code)
        clock.move(minutes=30)
    assert statuses == [302] * limits.PER_MAILBOX + [429]


def test_a_mailbox_that_has_confirmed_so_much_is_counted_in_every_network(stranger, nowak):
    values = {"created_at": stranger.clock.now, "mailbox_hash": hash_mailbox("jan@opal.pl")}
    for _ in range(limits.PER_MAILBOX):
        factories.SubmissionFactory(**values)
    assert stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567", email="jan@opal.pl").status_code == 429


def test_about_one_entry_so_much_is_confirmed_a_day(stranger, path, nowak):
    for _ in range(limits.PER_DEPOT):
        factories.SubmissionFactory(depot=nowak, created_at=stranger.clock.now)
        factories.SubmissionFactory(depot=nowak, created_at=stranger.clock.now, claim=True)
    for form in ("przejmij", "usun"):
        assert stranger.fill(f"/sklad/{nowak.pk}/{form}/", **CLAIM).status_code == 302
    answer = stranger.fill(path, phone="601 234 567")
    expect(answer, "Spróbuj jutro po 13:01. Niczego nie zapisaliśmy", status=429)
    assert answer["Retry-After"] == "86400"


def test_what_strangers_have_not_confirmed_shuts_no_owner_out(stranger, path, nowak):
    asked = {"unconfirmed": True, "created_at": stranger.clock.now}
    for number in range(limits.PER_DEPOT):
        factories.SubmissionFactory(depot=nowak, client_hash=f"network {number}", **asked)
    for number in range(limits.PER_MAILBOX):  # with the owner's own address, too
        mailbox = hash_mailbox("jan@opal-nowak.pl")
        factories.SubmissionFactory(mailbox_hash=mailbox, client_hash=f"other network {number}", **asked)
    forms = {"przejmij": CLAIM, "popraw": {"phone": "602 234 567"}, "usun": {"role": "owner", "agreed": "on"}}
    for form, typed in forms.items():
        stranger.fill_and_confirm(f"/sklad/{nowak.pk}/{form}/", **typed)
    assert set(Submission.objects.waiting().values_list("kind", flat=True)) == {"claim", "correct", "delete"}


def test_neighbours_in_one_ipv6_network_are_one(stranger, path, nowak):
    for number in range(2):
        stranger.fill(path, network=f"2001:db8:0:{number}::1", phone=f"60{number} 234 567")
    assert len(set(Submission.objects.values_list("client_hash", flat=True))) == 1
    assert "2001:db8" not in str(Submission.objects.values())


def test_what_others_have_sent_is_not_told(stranger, path):
    before = text_of(stranger.fill(path, phone="601 234 567"))
    stranger.confirm()
    after = text_of(stranger.fill(path, phone="601 234 567"))
    assert re.sub(r"nr \d+", "nr", before) == re.sub(r"nr \d+", "nr", after)


def test_nothing_of_a_submission_is_in_the_api(client, stranger, nowak, path):
    stranger.fill_and_confirm(path, phone="601 234 567", message="tajna wiadomość")
    page = f"/sklad/{nowak.pk}-sklad-opalu-nowak/"
    for address in (f"/api/v1/stores/{nowak.pk}", "/api/v1/stores?teryt=1261011", page):
        assert not present(client.get(address).content.decode(), "601 234 567", "jan@", "tajna"), address
