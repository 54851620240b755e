import re
from importlib import import_module
from urllib.parse import urlsplit

import pytest
from axes.models import AccessAttempt
from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog.services.editors import CHIEF, EDITOR
from catalog.submissions import letters
from fueldepot.http.request_log import JsonFormatter, shown_path, without_query
from tests import factories
from tests.client import context_of
from tests.commands import run
from tests.pages.reading import missing, present

pytestmark = pytest.mark.django_db

LOGIN = reverse("admin:login")
User = get_user_model()

GOOD = "dlugie-haslo-1234"
TYPED_TWICE = {"password1": GOOD, "password2": GOOD}


def enter(client, role, name="ewa"):
    user = factories.member(role, name)
    client.force_login(user)
    return user


def make_editor(role=EDITOR, name="ewa"):
    user = factories.member(role, name)
    user.set_password(GOOD)
    user.save()
    return user


def try_login(client, name="ewa", address="10.0.0.1", password=None, **headers):
    return client.post(LOGIN, {"username": name, "password": password or "zle"}, REMOTE_ADDR=address, **headers)


@pytest.mark.parametrize("role", [EDITOR, CHIEF])
def test_both_roles_see_their_lists(client, role):
    enter(client, role)
    for page in (
        *("catalog_depot", "catalog_municipality", "catalog_postcode", "catalog_dataset", "catalog_importrun"),
        *("catalog_submission", "prices_depotprice", "prices_plausiblerange", "regulations_legalstate"),
        "regulations_deadline",
    ):
        assert context_of(client, reverse(f"admin:{page}_changelist"))["cl"], page


@pytest.mark.parametrize("both", [True, False], ids=["beside the new ones", "alone"])
def test_rights_under_the_former_names_stay_with_users_and_groups(both):
    group, user = Group.objects.create(name="Praktykant"), User.objects.create(username="ewa")
    kept = Permission.objects.filter(codename__in=["view_submission", "change_submission", "add_notduplicate"])
    for right in kept:
        former = Permission.objects.create(
            content_type=right.content_type,
            codename=right.codename.replace("submission", "depotrequest").replace("notduplicate", "distinctpair"),
            name="",
        )
        (group.permissions if right.codename == "view_submission" else user.user_permissions).add(former)
    if not both:
        kept.delete()
    import_module("fueldepot.migrations.0005_rights_over_submissions").rename_rights(apps, None)
    assert [right.codename for right in group.permissions.all()] == ["view_submission"]
    assert user.get_all_permissions() == {"catalog.change_submission", "catalog.add_notduplicate"}
    assert not Permission.objects.filter(codename__regex="depotrequest|distinctpair").exists()
    for role in (EDITOR, CHIEF):
        own = Group.objects.get(name=role).permissions.filter(content_type__model="submission")
        assert set(own.values_list("codename", flat=True)) == {"view_submission", "change_submission"}


def test_only_the_chief_changes_ranges_and_keeps_accounts(client):
    enter(client, EDITOR)
    refused = client.get(reverse("admin:auth_user_changelist"))
    assert (refused.status_code, refused["Cache-Control"]) == (403, "no-store")
    assert "Brak uprawnień" in refused.content.decode()
    assert not User.objects.get().has_perm("prices.change_plausiblerange")
    chief = enter(client, CHIEF, "szefowa")
    assert client.get(reverse("admin:auth_user_changelist")).status_code == 200
    assert chief.has_perm("prices.change_plausiblerange")
    assert chief.has_perm("regulations.delete_deadline")


def test_a_chief_makes_editors_but_nobody_mightier_and_touches_no_administrator(client):
    chief = enter(client, CHIEF)
    client.post(reverse("admin:auth_user_add"), {"username": "adam", **TYPED_TWICE, "is_superuser": "on"})
    made = User.objects.get(username="adam")
    assert (made.is_staff, made.is_superuser) == (True, False)
    page = reverse("admin:auth_user_change", args=[made.pk])
    assert not present(client.get(page).content.decode(), "is_superuser", "user_permissions")
    groups = [Group.objects.get(name=EDITOR).pk]
    client.post(page, {"username": "adam", "is_active": "on", "is_superuser": "on", "groups": groups})
    assert (factories.fresh(made).is_superuser, [group.name for group in made.groups.all()]) == (False, [EDITOR])
    # Not even oneself.
    client.post(reverse("admin:auth_user_change", args=[chief.pk]), {"username": "ewa", "is_superuser": "on"})
    assert (factories.fresh(chief).is_superuser, chief.is_active, chief.groups.get().name) == (False, True, CHIEF)
    boss = factories.UserFactory(username="root")
    for page, typed in (("change", {"username": "x"}), ("password_change", TYPED_TWICE), ("delete", {"post": "yes"})):
        assert client.post(reverse(f"admin:auth_user_{page}", args=[boss.pk]), typed).status_code == 403, page


def test_pages_of_logging_in_and_out_speak_to_everybody(client):
    assert "Nie pamiętasz hasła?" in client.get(LOGIN).content.decode()
    assert " | Redakcja</title>" in client.get(reverse("admin_password_reset")).content.decode()
    enter(client, EDITOR)
    left = client.post(reverse("admin:logout")).content.decode()
    assert "Wylogowano." in left
    assert "cennego czasu" not in left


def test_make_admin_gives_a_chief_editor_a_password_and_lets_a_switched_off_one_in_with_a_new_one(client):
    for name in ("", "ewa <b>", "e" * 151):
        with pytest.raises(CommandError, match="no account was made"):
            call_command("create_editor", name=name)
    assert not User.objects.exists()
    *_, former = run("create_editor").strip().rsplit("password: ", 1)
    user = User.objects.get(username="redaktor")
    assert (user.is_staff, user.is_superuser, user.groups.get().name) == (True, False, CHIEF)
    assert try_login(client, "redaktor", password=former).status_code == 302
    User.objects.update(is_active=False)
    printed, password = run("create_editor").strip().rsplit("password: ", 1)
    assert "new password for redaktor" in printed
    assert [try_login(client, "redaktor", password=word).status_code for word in (former, password)] == [200, 302]
    Group.objects.filter(name=CHIEF).delete()
    with pytest.raises(Group.DoesNotExist):
        call_command("create_editor", name="szefowa")
    assert User.objects.count() == 1, "nobody without the role"


def test_five_failures_since_the_last_login_lock_a_name_at_an_address_and_nobody_else(client):
    make_editor()
    for _ in range(4):
        assert try_login(client).status_code == 200
    assert try_login(client, password=GOOD).status_code == 302, "it forgets the failures"
    client.logout()
    assert [try_login(client).status_code for _ in range(5)] == [200] * 4 + [429]
    locked = try_login(client, password=GOOD, HTTP_X_FORWARDED_FOR="10.9.9.9", HTTP_USER_AGENT="inny")
    assert (locked.status_code, locked["Cache-Control"]) == (429, "no-store")
    page = locked.content.decode()
    assert "Za dużo prób" in page
    assert "podano 5 razy, dlatego logowanie pod tą nazwą jest wstrzymane na 15 minut" in page
    assert try_login(client, name="adam").status_code == 200


def test_failures_of_many_addresses_lock_a_name_except_in_browsers_of_its_owner(client):
    make_editor()
    assert try_login(client, password=GOOD, address="10.0.0.9").status_code == 302
    client.post(reverse("admin:logout"))
    stranger = Client()
    statuses = [try_login(stranger, address=f"10.0.1.{number}").status_code for number in range(7)]
    assert statuses == [200] * 4 + [429] * 3
    assert try_login(stranger, password=GOOD, address="10.0.2.1").status_code == 429
    # The cookie is of one name.
    assert [try_login(client, "adam", f"10.0.3.{number}").status_code for number in range(5)][-1] == 429
    assert try_login(client, password=GOOD, address="10.0.0.9").status_code == 302
    cookie = client.cookies["desk_browser"]
    assert (cookie["httponly"], cookie["path"]) == (True, "/admin/")
    assert "ewa" not in cookie.value


def test_neither_names_nor_passwords_nor_searches_are_remembered_of_a_failure(client, caplog):
    search = {"next": "/admin/catalog/submission/?q=jan@opal.pl"}
    client.post(LOGIN, {"username": "tajna-nazwa", "password": "tajne-haslo", **search}, query_params=search)
    assert not present(str(AccessAttempt.objects.values_list().get()), "tajna-nazwa", "tajne-haslo", "opal.pl")
    assert "tajna-nazwa" not in caplog.text


def test_the_nightly_purge_forgets_failures_after_the_lock_and_sessions_that_have_ended(client):
    """Only a login deletes failures otherwise, and the addresses in them stay until then."""
    enter(client, EDITOR)
    try_login(Client())
    call_command("purge_submissions", commit=True)
    AccessAttempt.objects.update(attempt_time=timezone.now() - settings.AXES_COOLOFF_TIME)  # there is one still
    assert Session.objects.exists()
    Session.objects.update(expire_date=timezone.now())
    call_command("purge_submissions")  # only says what it would do
    assert (AccessAttempt.objects.count(), Session.objects.count()) == (1, 1)
    call_command("purge_submissions", commit=True)
    assert not AccessAttempt.objects.exists()
    assert not Session.objects.exists()


def test_rubbish_at_the_login_is_a_plain_refusal(client):
    for name in ("\0", "x" * 5000, "<script>", "' OR 1=1 --", ""):
        answer = try_login(client, name=name)
        assert answer.status_code == 200, name
        assert '"<script>"' not in answer.content.decode()


def test_cookies_and_pages_of_the_desk_are_kept_close(client, settings):
    make_editor()
    cookie = try_login(client, password=GOOD).cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", "")
    assert settings.SESSION_COOKIE_AGE == 12 * 3600
    for page in ("index", "catalog_decision_changelist", "catalog_depot_changelist"):
        assert "no-store" in client.get(reverse(f"admin:{page}"))["Cache-Control"], page


def link_in(letter):
    (found,) = re.findall(r"http\S+/admin/haslo/\S+", letter.body)
    return urlsplit(found).path


def set_password(link, client, password=GOOD):
    """The answer to the form of a link: the first GET starts a session with the token."""
    form = client.get(link, follow=True)
    return client.post(form.redirect_chain[-1][0], {"new_password1": password, "new_password2": password})


@pytest.mark.parametrize("is_superuser", [False, True])
def test_an_invited_editor_sets_a_password_and_gets_in(client, commit, is_superuser):
    enter(client, CHIEF, "szefowa")
    User.objects.update(is_superuser=is_superuser)
    given = {"username": "nowa", "email": "nowa@example.pl", "groups": [Group.objects.get(name=EDITOR).pk]}
    commit(client.post, reverse("admin:auth_user_add"), given)
    made = User.objects.get(username="nowa")
    assert (made.is_staff, made.has_usable_password()) == (True, False)
    assert [group.name for group in made.groups.all()] == [EDITOR]
    (letter,) = mail.outbox
    assert letter.to == ["nowa@example.pl"]
    assert "nowa" in letter.body
    client.logout()
    link = link_in(letter)
    assert "<h1>Nowe hasło" in Client().get(link, follow=True).content.decode()
    assert set_password(link, Client()).status_code == 302
    assert try_login(client, "nowa", password=GOOD).status_code == 302
    assert not Client().get(link).context["validlink"]


def test_a_new_account_needs_an_address_or_a_password_that_is_neither_short_nor_common_nor_numeric(client):
    enter(client, CHIEF, "szefowa")
    page = reverse("admin:auth_user_add")
    assert 'name="usable_password"' not in client.get(page).content.decode()
    assert "Bez hasła konto potrzebuje adresu" in client.post(page, {"username": "nowa"}).content.decode()
    assert "pole jest wymagane" in client.post(page, {"username": "nowa", "password1": GOOD}).content.decode()
    for word in ("krotkie-123", "password1234", "123456789012"):
        assert client.post(page, {"username": "nowa", "password1": word, "password2": word}).status_code == 200
    assert not User.objects.filter(username="nowa").exists()
    answer = client.post(page, {"username": "nowa", "email": "nowa@example.pl"}, follow=True).content.decode()
    assert "Dodano konto „nowa”." in answer
    account = reverse("admin:auth_user_change", args=[User.objects.get(username="nowa").pk])
    sent = {"username": "nowa", "email": "nowa@example.pl", "is_active": "on"}
    assert "Zapisano konto „nowa”." in client.post(account, sent, follow=True).content.decode()


def test_a_letter_lets_in_who_forgot_a_password_or_is_locked_out_and_nobody_learns_who_has_an_account(client):
    User.objects.filter(pk=make_editor().pk).update(email="Ewa@example.pl")
    for number in range(5):
        try_login(Client(), address=f"10.0.1.{number}")
    browser = Client()
    assert try_login(browser, password=GOOD).status_code == 429
    reset = reverse("admin_password_reset")
    assert f'href="{reset}"' in client.get(LOGIN).content.decode()
    answers = [client.post(reset, {"email": email}, follow=True) for email in ("ewa@EXAMPLE.pl", "nikt@example.pl")]
    assert answers[0].content == answers[1].content
    assert mail.outbox == []  # not before the answers
    letters.send_waiting()
    (letter,) = mail.outbox
    assert set_password(link_in(letter), browser, "123").status_code == 200
    assert set_password(link_in(letter), browser).status_code == 302
    assert try_login(browser, password=GOOD).status_code == 302


def test_nobody_floods_a_mailbox_or_wakes_an_account_that_is_off(client):
    User.objects.filter(pk=factories.member(EDITOR).pk).update(email="ewa@example.pl")
    User.objects.create(username="off", email="off@example.pl", is_staff=True, is_active=False)
    User.objects.create(username="gosc", email="gosc@example.pl")
    for _ in range(5):
        for name in ("ewa", "off", "gosc"):
            client.post(reverse("admin_password_reset"), {"email": f"{name}@example.pl"})
        letters.send_waiting()
    assert [letter.to for letter in mail.outbox] == [["ewa@example.pl"]] * 3


def test_a_link_that_sets_a_password_is_in_no_log_and_what_is_not_printable_is_spelled_out(caplog):
    assert (shown_path("/a\x00b"), shown_path("/łódź/")) == ("/a\\x00b", "/łódź/")
    assert shown_path("/admin/haslo/MzI/difvmr-fdcc9aeb/") == "/admin/haslo/MzI/…/"
    assert without_query('"GET /admin/haslo/MzI/difvmr-fdcc9aeb/ HTTP/1.1"') == '"GET /admin/haslo/MzI/…/ HTTP/1.1"'
    foreign = {"referer": "https://other.example.pl/?income=1357"}
    Client(enforce_csrf_checks=True).post("/admin/haslo/MzI/difvmr-fdcc9aeb/", secure=True, headers=foreign)
    (refusal,) = (JsonFormatter().format(row) for row in caplog.records if row.name == "django.security.csrf")
    assert not missing(refusal, "https://other.example.pl/ does not match", "/admin/haslo/MzI/…/")
    assert not present(refusal, "1357", "fdcc9aeb")
