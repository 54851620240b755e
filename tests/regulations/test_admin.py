from datetime import date, timedelta
from functools import partial

import pytest
from django.db import transaction
from django.forms import MultipleChoiceField
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django.asserts import assertContains

from fueldepot.data.history import lock_rows
from regulations import services
from regulations.models import Amendment, Deadline, LegalState, Resolution
from tests import factories
from tests.beside import before_locking, beside
from tests.client import context_of
from tests.drafts import approve
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory, state_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor():
    return factories.UserFactory()


def form_of(desk, address):
    """What a browser would send from the page of a row."""
    page = context_of(desk, address)
    form = page["adminform"].form
    data = {name: form[name].value() for name in form.fields} | {"opened": page["opened"]}
    for formset in page["inline_admin_formsets"]:
        management = formset.formset.management_form
        data |= {f"{management.prefix}-{name}": management[name].value() for name in management.fields}
        for inline in formset.formset.forms:
            data |= {inline.add_prefix(name): inline[name].value() for name in inline.fields}
    plain = {}
    for name, value in data.items():
        if value is None:
            continue
        ticked = isinstance(form.fields.get(name), MultipleChoiceField)
        plain[name] = ",".join(value) if isinstance(value, list) and not ticked else value
    return plain


def post(desk, url, **changes):
    return desk.post(url, form_of(desk, url) | changes)


def save(desk, url, **changes):
    answer = post(desk, url, **changes)
    assert answer.status_code == 302, answer.context["errors"]
    return answer


def resolution_on(client, day):
    (entry,) = client.get("/api/v1/regulations", {"voivodeship": "12", "on": day}).json()
    return entry["resolution"]


def test_filtered_lists_of_provisions_are_csv(desk):
    deadline, ban = DeadlineFactory(), FuelBanFactory()
    for row, says in ((deadline, deadline.applies_to), (ban, ban.fuel)):
        lists = reverse(f"admin:regulations_{row._meta.model_name}_changelist")
        assert 'href="csv/?area=voivodeship"' in desk.get(lists, {"area": "voivodeship"}).content.decode()
        text = desk.get(f"{lists}csv/", {"area": "voivodeship"}).content.decode()
        assert text.startswith("\ufeffwojewództwo;")
        assert says in text
        assert says not in desk.get(f"{lists}csv/", {"area": "listed"}).content.decode()


def test_a_caveat_about_one_municipality_begins_with_its_code(desk):
    factories.zakopane()
    url = url_of(DeadlineFactory(partly=["1217011"]))
    assert "zacznij od jej kodu: 1211011 | W Nowym Targu" in desk.get(url).content.decode()
    wrong = post(desk, url, part_caveat="Zapytaj.\n1211011 | Tylko centrum.")
    assert "Kodu „1211011” nie ma wśród gmin objętych w części." in str(wrong.context["errors"])
    save(desk, url, part_caveat="Zapytaj.\n\t1217011\N{NO-BREAK SPACE}| Tylko centrum.")


def test_codes_are_ticked_and_appliances_that_stay_are_typed(desk):
    deadline = DeadlineFactory()
    approve(desk, save(desk, url_of(deadline), appliances=["boiler_class_3"], spared="boiler_class_5 | 2017-07-01"))
    deadline.refresh_from_db()
    assert (deadline.appliances, deadline.spared) == (["boiler_class_3"], "boiler_class_5 | 2017-07-01")
    for wrong in ("kocioł", "boiler_class_5 | lipiec"):
        assert "Kody: boiler_below_class_3, " in str(post(desk, url_of(deadline), spared=wrong).context["errors"])


def url_of(row):
    return f"/admin/regulations/{row._meta.model_name}/{row.pk}/change/"


AMENDMENT = {
    "amendments-TOTAL_FORMS": "1",
    "amendments-0-number": "III/3/26",
    "amendments-0-adopted": "2026-11-16",
    "amendments-0-changes": "Klasa 3 i 4: 2029 zamiast 2027.",
}
"""What is typed on the page of an act."""


def test_an_amendment_that_moves_a_deadline(desk, editor, client):
    act, deadline = ResolutionFactory(), DeadlineFactory()
    assert r"Dodaj zmian\u0119 uchwa\u0142y" in desk.get(url_of(act)).content.decode()
    save(desk, url_of(act), **AMENDMENT)
    amendment = Amendment.objects.get()
    assert amendment.history.get().history_user == editor

    typed = {"moved_to": "2029-01-01", "moved_by": str(amendment.pk), "description": "Do końca 2028 r."}
    approve(desk, save(desk, url_of(deadline), **typed))

    before, after = (resolution_on(client, day) for day in ("2026-11-15", "2026-11-16"))
    assert (before["next_deadline"]["date"], after["next_deadline"]["date"]) == ("2027-01-01", "2029-01-01")
    # What the form says beside the move is not said of the days before.
    assert [(row["date"], row["description"]) for part in (before, after) for row in part["deadlines"]] == [
        *(("2027-01-01", deadline.description), ("2029-01-01", "Do końca 2028 r.")),
    ]
    assert after["acts"][0]["amendments"][0]["number"] == "III/3/26"
    moved = Deadline.objects.get(date=date(2029, 1, 1))
    assert (moved.pk, moved.uid) == (deadline.pk, deadline.uid)
    *changes, former = moved.history.all()
    assert ({line.history_user for line in changes}, {line.date.year for line in changes}) == ({editor}, {2029})
    assert former.date == date(2027, 1, 1)
    assert editor.username in desk.get(f"/admin/regulations/deadline/{moved.pk}/history/").content.decode()


def test_line_ends_of_a_browser_change_no_amendment(desk):
    """An import would take a changed text for an editor's, and leave it alone."""
    amendment = AmendmentFactory(sources="A | https://a.pl\nB | https://b.pl", changes="Przesuwa termin.\nNic więcej.")
    sent = form_of(desk, url_of(amendment.resolution))
    lines = {name: text.replace("\n", "\r\n") for name, text in sent.items() if "\n" in str(text)}
    assert lines.keys() >= {"amendments-0-sources", "amendments-0-changes"}
    save(desk, url_of(amendment.resolution), **lines | {"note": "Nowa uwaga."})
    assert amendment.history.count() == 1
    stored = Amendment.objects.get()
    assert (stored.sources, stored.changes) == (amendment.sources, amendment.changes)


def test_an_open_page_of_an_act_does_not_undo_what_others_save_meanwhile(desk):
    amendment = AmendmentFactory()
    act = url_of(amendment.resolution)
    stale = form_of(desk, act)
    for url in (url_of(amendment), act):
        save(desk, url, **({"changes": "Termin rok później."} if url != act else {"scope": "miasta"}))
        for typed in ({"title": "Inny tytuł"}, {"amendments-0-publication": "Dz. U. poz. 2"}):
            assert "Ktoś zmienił wpis" in str(desk.post(act, stale | typed).context["errors"])
    assert (factories.fresh(amendment).changes, Resolution.objects.get().scope) == ("Termin rok później.", "miasta")
    typed = form_of(desk, act) | {"title": "Inny tytuł"}
    assert [desk.post(act, typed).status_code for _ in range(2)] == [302, 302]  # clicked twice
    assert desk.get(f"/admin/regulations/resolution/{9**30}/change/").status_code == 302


def test_of_two_saves_at_once_the_later_one_sees_the_earlier(desk):
    state, other = ResolutionFactory().state, Client()
    url = reverse("admin:regulations_legalstate_change", args=[state.pk])
    other.force_login(factories.UserFactory(username="adam"))
    form = form_of(desk, url)
    with before_locking(lambda: save(other, url, note="Pierwsza uwaga.")):
        answer = desk.post(url, form | {"summary": "Drugie zdanie."})
    assertContains(answer, "Ktoś zmienił wpis po otwarciu tej strony")
    assert factories.fresh(state).note == "Pierwsza uwaga."


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_page_of_an_amendment_waits_for_the_page_of_its_act(desk):
    amendment, other = AmendmentFactory(), Client()
    url, act = url_of(amendment), url_of(amendment.resolution)
    other.force_login(factories.UserFactory(username="adam"))
    forms = form_of(other, url), form_of(desk, act)
    with transaction.atomic():
        lock_rows(Resolution.objects.all())
        saving = beside(partial(other.post, url, forms[0] | {"changes": "Termin rok wcześniej."}))
        with pytest.raises(TimeoutError):
            saving.result(1)
        assert desk.post(act, forms[1] | {"amendments-0-changes": "Termin rok później."}).status_code == 302
    assertContains(saving.result(30), "Ktoś zmienił wpis po otwarciu tej strony")
    assert factories.fresh(amendment).changes == "Termin rok później."


@pytest.fixture
def amendments():
    """Amendments that move no deadline of 2017, by what speaks against them."""
    act = ResolutionFactory()
    return {
        "undated": AmendmentFactory(resolution=act, adopted=None),
        "early": AmendmentFactory(resolution=act, adopted=date(2017, 1, 1)),
        "foreign": AmendmentFactory(resolution=ResolutionFactory(state=state_of("24"))),
    }


def test_the_form_refuses(desk, amendments):
    deadline = DeadlineFactory(valid_from=date(2017, 1, 23))
    typed = form_of(desk, url_of(deadline))
    for changes, message in (
        ({"moved_to": "2029-01-01"}, "Podaj i dzień, i zmianę"),
        ({"moved_to": "2029-01-01", "moved_by": "undated"}, "nie ma dnia podjęcia"),
        ({"moved_to": "2029-01-01", "moved_by": "early"}, "nie było w przepisach"),
        ({"moved_to": "2029-01-01", "moved_by": "foreign"}, "Wybierz poprawną wartość"),
        ({"partly": "9999999"}, "W rejestrze TERYT nie ma: 9999999"),
        ({"partly": "12"}, "W rejestrze TERYT nie ma: 12"),
        ({"area": "listed"}, "wymaga kodów"),
        ({"sources": "bez adresu"}, "nazwa | adres"),
        ({"valid_from": "2026-01-01", "valid_to": "2025-01-01"}, "późniejszy niż początek"),
    ):
        changed = {name: str(amendments[value].pk) if value in amendments else value for name, value in changes.items()}
        assert message in str(context_of(desk, url_of(deadline), typed | changed, "post")["errors"]), changes
    assert Deadline.objects.get().date == date(2027, 1, 1)


def test_the_action_refuses_what_the_form_refuses(editor, amendments):
    deadline, amendment = DeadlineFactory(), AmendmentFactory(resolution=amendments["undated"].resolution)
    move = partial(services.move_deadline, deadline=deadline, to=date(2029, 1, 1), by=editor)
    for refused in ("undated", "foreign"):
        with pytest.raises(services.DeadlineNotMovable):
            move(amendment=amendments[refused])
    move(amendment=amendment, note="Sejmik zmienił termin.")
    assert Deadline.history.latest().history_change_reason == f"zmiana {amendment}: Sejmik zmienił termin."
    with pytest.raises(services.DeadlineNotMovable):
        move(amendment=amendment)
    assert Deadline.objects.count() == 2


def test_stale_states_stand_out_and_those_with_a_deadline_ahead_come_first(desk):
    today = timezone.localdate()
    old = today - timedelta(days=181)
    for teryt, name, as_of, days in (
        ("02", "dolnośląskie", today - timedelta(days=180), 30),
        ("04", "kujawsko-pomorskie", old, 400),
        ("24", "śląskie", old, 30),
    ):
        state = state_of(teryt, name, as_of=as_of)
        DeadlineFactory(state=state, date=today + timedelta(days=days))
        # What an amendment has replaced does not wait for anybody.
        DeadlineFactory(state=state, date=today + timedelta(days=30), valid_to=today)
    listing = "/admin/regulations/legalstate/"
    html = desk.get(listing).content.decode()
    places = [html.index(f"/legalstate/{teryt}/change/") for teryt in ("24", "02", "04")]
    assert (places, html.count("pilnie sprawdź"), html.count("sprawdź ponownie")) == (sorted(places), 1, 1)
    assert f'{date_format(old)} <strong class="stale">sprawdź' in html
    for stale, teryts in (("yes", ["04", "24"]), ("overdue", ["24"])):
        assert sorted(row.pk for row in context_of(desk, listing, {"stale": stale})["cl"].result_list) == teryts


def test_a_state_is_confirmed_as_of_today_but_not_as_of_a_day_to_come(desk, editor):
    today = timezone.localdate()
    tomorrow, state = today + timedelta(days=1), state_of("12")
    assertContains(post(desk, url_of(state), as_of=tomorrow.isoformat()), "Ten dzień jeszcze nie nadszedł.")
    assert factories.fresh(state).as_of == state.as_of
    save(desk, url_of(state), as_of=today.isoformat())
    assert (factories.fresh(state).as_of, state.history.first().history_user) == (today, editor)
    # Of an import that ran when the clock was ahead: other fields can be saved.
    LegalState.objects.update(as_of=tomorrow)
    save(desk, url_of(state), note="Uwaga")
    assert factories.fresh(state).note == "Uwaga"


@pytest.mark.parametrize("factory", [ResolutionFactory, AmendmentFactory, DeadlineFactory, FuelBanFactory])
def test_every_list_and_form_opens_without_a_query_per_row(desk, factory, django_assert_max_num_queries):
    first = factory()
    for _ in range(5):
        factory()
    model = first._meta.model_name
    with django_assert_max_num_queries(9):  # session, user, two counts, rows, filters
        assert desk.get(f"/admin/regulations/{model}/").status_code == 200
    assert desk.get(f"/admin/regulations/{model}/add/").status_code == 200
    save(desk, url_of(first))


def test_a_new_deadline_stands_in_the_acts_from_today(desk, editor):
    typed = {"date": "2030-01-01", "kind": "coal_ban", "applies_to": "węgiel", "description": "Zakaz."}
    typed |= {"state": ResolutionFactory().state.pk, "scope": "całe województwo"}
    answer = save(desk, "/admin/regulations/deadline/add/", **typed)
    assert not Deadline.objects.exists()
    approve(desk, answer)
    deadline = Deadline.objects.get()
    assert deadline.valid_from == timezone.localdate()
    assert deadline.history.get().history_user == editor
