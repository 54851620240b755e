"""The status page after later changes of the entry or of the submission."""

from datetime import timedelta

import pytest

from catalog.models import Depot, Submission
from catalog.services.moderation import remove_depot
from catalog.submissions.retention import purge_submissions
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


def test_the_name_of_an_entry_that_was_removed_is_not_told(client, stranger, nowak, clock):
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]
    assert nowak.name in text_of(client.get(status))
    remove_depot(depot=nowak, reason=Depot.RemovalReason.PRIVATE_PERSON, on=clock.now.date())
    page = client.get(status)
    assert page.status_code == 200
    assert nowak.name not in page.content.decode()


def test_a_price_that_was_erased_is_not_told(client, stranger, nowak, clock):
    stranger.fill(f"/sklad/{nowak.pk}/cena/", **{"price-pellet": "1500"})
    status = stranger.confirm()["Location"]
    assert "Pellet" in text_of(client.get(status))
    clock.move(days=90)
    purge_submissions(on=clock.now + timedelta(minutes=1))
    page = client.get(status)
    assert (page.status_code, Submission.objects.get().proposed) == (200, {})
    assert "1500" not in text_of(page)
