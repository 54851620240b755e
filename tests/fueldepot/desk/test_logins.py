"""Keys of the limits of logins, and the second factor."""

import re
import time

import pytest
from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.core import signing
from django.test import Client
from django.urls import reverse
from django_otp.oath import hotp, totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalog.services import second_factor
from catalog.services.editors import CHIEF, EDITOR
from fueldepot.desk.logins import name_key
from fueldepot.http import rate_limit
from fueldepot.http.rate_limit import GcraStore
from tests import factories
from tests.fueldepot.test_roles import GOOD, make_editor
from tests.pages.reading import html_of, missing

pytestmark = pytest.mark.django_db

LOGIN, PAGE, INDEX = (reverse(f"admin:{name}") for name in ("login", "second_factor", "index"))
KEY = "ab" * 20


def test_a_name_is_hashed_the_same_from_the_form_and_from_what_was_read_of_it(rf):
    typed = rf.post("/admin/login/", {"username": "ewa", "password": "x"})
    assert name_key(typed, None) == name_key(None, {"username": "ewa"}) == name_key(typed, {})
    assert name_key(typed, None) != name_key(rf.post("/admin/login/", {}), None)
    assert "ewa" not in name_key(typed, None)


def test_an_address_has_twenty_tries_a_minute_as_each_costs_the_hash_of_a_password(client, settings, monkeypatch):
    settings.RATE_LIMIT = rate_limit.LOGINS  # an equal limit of the API is counted apart
    monkeypatch.setattr(rate_limit, "own_buckets", GcraStore(clock=lambda: 0.0))
    tries = [log_in(client, name=f"ewa{number}", REMOTE_ADDR="2001:db8::1") for number in range(21)]
    assert [answer.status_code for answer in tries] == [200] * 20 + [429]
    assert (tries[20]["Retry-After"], tries[20]["Cache-Control"]) == ("3", "no-store")
    assert "Spróbuj ponownie za 3 s." in tries[20].content.decode()
    others = [log_in(client, REMOTE_ADDR=address).status_code for address in ("2001:db8::2", "2001:db8:0:1::1")]
    assert others == [429, 200]
    assert client.get(LOGIN, REMOTE_ADDR="2001:db8::1").status_code == 200
    assert client.get("/api/v1/prices", REMOTE_ADDR="2001:db8::1")["RateLimit"] == '"default";r=19;t=3'


def code_of(key, steps=0):
    """Return the code that an app shows now, or some half minutes later. A code is good once."""
    return f"{totp(bytes.fromhex(key), t0=-30 * steps):06}"


def log_in(client, code="", name="ewa", **options):
    return client.post(LOGIN, {"username": name, "password": GOOD, "code": code}, **options)


@pytest.fixture
def protected():
    user = make_editor()
    # A half minute may begin in between, and the code before the last is too old.
    tries = (second_factor.turn_on(user=user, key=KEY, code=code_of(KEY, -1)) for _ in range(2))
    user.backup_codes = next(filter(None, tries))
    return user


def test_an_editor_turns_the_second_factor_on_with_the_code_of_an_app(client):
    user = make_editor()
    assert log_in(client).status_code == 302
    assert f'href="{PAGE}"' in client.get(INDEX).content.decode()
    page = client.get(PAGE)
    text = page.content.decode()
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in text
    assert "style=" not in re.search("<svg.*?</svg>", text, re.DOTALL)[0]
    assert "no-store" in page["Cache-Control"]
    key = re.search('name="key" value="([^"]+)"', text)[1]
    wrong = client.post(PAGE, {"key": key, "code": "000000", "action": "on"}).content.decode()
    assert "Kod jest niepoprawny" in wrong
    # The same key, as the app has it already.
    secrets = [second_factor.read_key(re.search('name="key" value="([^"]+)"', html)[1]) for html in (text, wrong)]
    assert secrets[0] == secrets[1]
    assert not TOTPDevice.objects.exists()
    codes = client.post(PAGE, {"key": key, "code": code_of(secrets[0]), "action": "on"}).content.decode()
    assert re.findall("<code>([a-z2-7]{8})</code>", codes) == list(
        StaticToken.objects.order_by("pk").values_list("token", flat=True)
    )
    assert StaticToken.objects.count() == second_factor.BACKUP_CODES
    assert LogEntry.objects.get().change_message == "włączono drugi składnik logowania"
    assert TOTPDevice.objects.get().user == user
    assert "jest włączony" in client.get(PAGE).content.decode()


def test_a_key_that_is_old_or_that_the_service_did_not_give_is_refused(client, monkeypatch):
    client.force_login(make_editor())
    then = time.time() - 16 * 60
    with monkeypatch.context() as earlier:
        earlier.setattr(time, "time", lambda: then)
        old = second_factor.sign_key(KEY)
    for key in ("", KEY, signing.dumps(KEY, salt="another"), old):
        answer = client.post(PAGE, {"key": key, "code": code_of(KEY), "action": "on"})
        assert "niepoprawny" in answer.content.decode()
    assert not TOTPDevice.objects.exists()


@pytest.mark.parametrize("separator", ["-", " ", "\N{NO-BREAK SPACE}"])
def test_a_code_is_read_alike_when_the_second_factor_is_turned_on_and_at_login(client, separator):
    user = make_editor()
    codes = (code_of(KEY, step) for step in (0, 1))
    on, entering = (f"{code[:3]}{separator}{code[3:]}" for code in codes)
    assert second_factor.turn_on(user=user, key=KEY, code=on)
    assert log_in(client, entering).status_code == 302


def test_a_login_needs_the_code_and_each_code_is_good_once(client, protected):
    assert "ma drugi składnik" in log_in(client).content.decode()
    assert "niepoprawny" in log_in(client, "000000").content.decode()
    assert client.get(INDEX).status_code == 302
    TOTPDevice.objects.update(throttling_failure_count=0)
    code = code_of(KEY)
    assert log_in(client, f"{code[:3]} {code[3:]}").status_code == 302
    assert client.get(INDEX).status_code == 200
    client.logout()
    assert "niepoprawny" in log_in(client, code).content.decode()
    backup = protected.backup_codes[0]
    assert log_in(client, backup.upper()).status_code == 302
    client.logout()
    assert "niepoprawny" in log_in(client, backup).content.decode()
    assert StaticToken.objects.count() == second_factor.BACKUP_CODES - 1


def test_wrong_codes_lock_as_wrong_passwords_do_and_are_kept_nowhere(client, protected, caplog):
    assert [log_in(client, f"99999{number}").status_code for number in range(6)] == [200] * 4 + [429] * 2
    assert "99999" not in str(AccessAttempt.objects.values_list().get()) + caplog.text
    assert KEY not in caplog.text


def test_wrong_codes_of_the_app_are_slowed_down_and_leave_the_backup_codes(client, protected):
    for number in range(3):
        assert second_factor.match_code(protected, f"99999{number}") is None
    assert second_factor.match_code(protected, code_of(KEY)) is None
    assert second_factor.match_code(protected, protected.backup_codes[1]) is not None


@pytest.mark.parametrize(
    ("setting", "role", "demanded"),
    [("optional", CHIEF, False), ("chiefs", CHIEF, True), ("chiefs", EDITOR, False), ("everyone", EDITOR, True)],
)
def test_who_lacks_a_required_second_factor_gets_to_its_page_only(client, settings, setting, role, demanded):
    settings.SECOND_FACTOR = setting
    make_editor(role)
    assert log_in(client).status_code == 302
    for address in (INDEX, reverse("admin:catalog_depot_changelist"), reverse("admin:password_change")):
        answer = client.get(address)
        assert (answer.status_code, answer.get("Location")) == ((302, PAGE) if demanded else (200, None))
    assert ("wymaga drugiego składnika" in client.get(PAGE).content.decode()) is demanded
    assert "Wylogowano" in client.post(reverse("admin:logout")).content.decode()
    assert client.get(PAGE).status_code == 302


def test_a_session_from_before_gives_the_code_on_the_page(client, protected, settings):
    settings.SECOND_FACTOR = "everyone"
    client.force_login(protected)
    assert client.get(INDEX)["Location"] == PAGE
    # Nothing but that.
    for action in ("off", "codes", "confirm"):
        assert client.post(PAGE, {"code": "zly", "action": action}).status_code == 200
    assert client.get(INDEX)["Location"] == PAGE
    assert client.post(PAGE, {"code": code_of(KEY), "action": "confirm"})["Location"] == INDEX
    assert client.get(INDEX).status_code == 200


def test_new_backup_codes_and_turning_off_need_a_code(client, protected, settings):
    log_in(client, code_of(KEY))
    for action in ("codes", "off"):
        assert "niepoprawny" in client.post(PAGE, {"code": "zlykod", "action": action}).content.decode()
    StaticToken.objects.update(token="a")
    StaticToken.objects.first().device.throttle_reset()
    # After the code of the login, however the clock has run since.
    after = f"{hotp(bytes.fromhex(KEY), TOTPDevice.objects.get().last_t + 1):06}"
    codes = client.post(PAGE, {"code": after, "action": "codes"}).content.decode()
    fresh = re.findall("<code>([a-z2-7]{8})</code>", codes)
    assert len(fresh) == StaticToken.objects.count() == second_factor.BACKUP_CODES
    settings.SECOND_FACTOR = "everyone"
    assert 'value="off"' not in client.get(PAGE).content.decode()
    client.post(PAGE, {"code": fresh[0], "action": "off"})
    assert TOTPDevice.objects.exists()
    settings.SECOND_FACTOR = "optional"
    assert client.post(PAGE, {"code": fresh[1], "action": "off"})["Location"] == PAGE
    assert not TOTPDevice.objects.exists()
    assert not StaticToken.objects.exists()


def test_a_chief_turns_off_the_second_factor_of_others(client, protected):
    chief = make_editor(CHIEF, "szefowa")
    boss = factories.UserFactory(username="root")
    for user in (chief, boss):
        second_factor.turn_on(user=user, key=KEY, code=code_of(KEY))
    client.force_login(chief)
    accounts = reverse("admin:auth_user_changelist")
    assert "drugi składnik" in client.get(accounts).content.decode()
    selected = {"action": "turn_off_second_factor", "_selected_action": [protected.pk, chief.pk, boss.pk]}
    question = html_of(client.post(accounts, selected))
    assert "Zmieni się: <strong>1</strong> z 3 zaznaczonych." in question
    assert not missing(question, "Konto administratora", "Twoje konto (wyłącza się")
    selected["shown"] = re.search('name="shown" value="([^"]+)"', question)[1]
    assert "Wyłączono drugi składnik: ewa." in client.post(accounts, selected, follow=True).content.decode()
    assert {device.user.username for device in TOTPDevice.objects.select_related("user")} == {"szefowa", "root"}
    line = LogEntry.objects.latest("pk")
    assert (line.user, line.object_repr, line.change_message) == (chief, "ewa", "wyłączono drugi składnik logowania")


def test_keys_and_codes_are_shown_nowhere_at_the_desk_and_strangers_see_no_page_of_theirs(desk):
    for app in ("otp_totp", "otp_static"):
        assert desk.get(f"/admin/{app}/").status_code == 404
    assert Client().get(PAGE).status_code == 302
    assert Client(enforce_csrf_checks=True).post(PAGE, {"code": "1"}).status_code == 403
