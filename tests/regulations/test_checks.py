from datetime import timedelta

import pytest
from django.core.checks import run_checks
from django.utils import timezone

from tests import factories
from tests.regulations.factories import DeadlineFactory, LegalStateFactory

pytestmark = pytest.mark.django_db


def found(databases=("default",)):
    messages = run_checks(databases=databases, tags=["database"])
    return {message.id: message.msg for message in messages if message.id.startswith("regulations")}


def test_stale_states_warn_from_the_181st_day():
    today = timezone.localdate()
    LegalStateFactory(as_of=today - timedelta(days=180))
    assert found() == {}
    old = today - timedelta(days=181)
    LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"), as_of=old)
    assert "1 voivodeships" in found()["regulations.W001"]
    assert f"śląskie ({old})" in found()["regulations.W001"]


def test_codes_that_left_the_register_warn():
    factories.krakow()
    state = LegalStateFactory(as_of=timezone.localdate())
    DeadlineFactory(state=state, area="listed", units=["1261011", "1261", "1217011"])
    assert found() == {"regulations.W002": "regulations name units that are not in the register: 1217011"}


def test_without_a_database_nothing_is_read(django_assert_num_queries):
    LegalStateFactory(as_of=timezone.localdate() - timedelta(days=999))
    with django_assert_num_queries(0):
        assert found(databases=None) == {}
