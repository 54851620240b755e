"""The request of an owner for an entry back that was deleted at the owner's wish."""

from django.core import mail

from catalog.models import Submission
from catalog.services import journal
from catalog.submissions import intake
from tests import deciding, factories
from tests.pages.forms.conftest import link_in, token_of
from tests.pages.reading import expect, text_of


def test_a_removed_entry_is_asked_back_by_the_letter_and_an_editor_decides(client, stranger, nowak, clock, commit):
    editor = factories.UserFactory()
    deletion = factories.SubmissionFactory(depot=nowak, delete=True, email="jan@opal-nowak.pl", mailed_at=clock.now)
    with commit():
        deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    path = link_in(mail.outbox[-1], "przywroc")
    typed = stranger.type(path, znak=token_of(path), message="Pomyłka.")
    assert not Submission.objects.filter(kind="restore").exists()
    for _ in range(2):
        assert "Prośba wysłana" in text_of(stranger.send("/zgloszenia/przywroc/", typed))
    waiting = Submission.objects.get(kind="restore", state="waiting")
    assert (waiting.email, waiting.message) == ("jan@opal-nowak.pl", "Pomyłka.")
    assert factories.fresh(nowak).publication == "removed"
    with commit():
        result = deciding.accept_submission(submission=waiting, by=editor, on=clock.now)
    assert (factories.fresh(nowak).publication, nowak.removed_at, nowak.removal_reason) == ("published", None, "")
    assert (mail.outbox[-1].subject, client.get(path).status_code) == ("Skład opału Nowak: wpis wrócił", 410)
    journal.undo(decision=result.record.decision, by=editor, on=clock.now)
    assert factories.fresh(nowak).publication == "removed"


def test_the_desk_accepts_a_request_for_a_removed_entry(client, editor, nowak, clock):
    deletion = factories.SubmissionFactory(depot=nowak, delete=True)
    deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    intake.ask_restoring(deletion=factories.fresh(deletion), text="", client="192.0.2.1", on=clock.now)
    page = f"/admin/catalog/submission/{Submission.objects.get(kind='restore').pk}/change/"
    expect(client.get(page), "Przywróć wpis i następne")
