"""The backend: how long a request waits, and how a lost connection is noticed. Real servers die in test_faults."""

import time

import pytest
from django.db import OperationalError, connection
from fueldepot.postgresql import patience

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_connection():
    """A connection that is made within the test, and gone after it."""
    connection.close()
    yield
    connection.close()
    patience.forget()


def ask(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def test_connections_of_requests_are_limited_by_the_server_too():
    with patience.limited(1):
        assert ask("SHOW statement_timeout") == "5s"
        assert ask("SHOW idle_in_transaction_session_timeout") == "1min"
        assert ask("SHOW client_connection_check_interval") == "1s"


def test_commands_may_take_their_time():
    assert ask("SHOW statement_timeout") == "0"
    assert patience.left() is None


def test_a_request_waits_no_longer_than_its_patience_all_statements_together():
    with patience.limited(0.6):
        ask("SELECT pg_sleep(0.2)")
        began = time.monotonic()
        with pytest.raises(OperationalError, match="did not answer in time"):
            ask("SELECT pg_sleep(5)")
        assert 0.1 < time.monotonic() - began < 3
        assert connection.connection.closed
    connection.close()
    with patience.limited(5):
        assert ask("SELECT 1") == 1


def test_time_of_our_own_is_not_counted():
    ask("SELECT 1")
    with patience.limited(0.5):
        time.sleep(0.6)
        assert ask("SELECT 1") == 1


def test_an_idle_connection_that_the_server_closed_is_replaced(django_assert_num_queries):
    pid = ask("SELECT pg_backend_pid()")
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 1000)", [pid])
    other.close()
    connection.health_check_enabled, connection.health_check_done = True, False
    assert ask("SELECT pg_backend_pid()") != pid


def test_a_healthy_connection_costs_no_query(monkeypatch):
    ask("SELECT 1")

    def refuse(self):
        raise AssertionError("asked")

    monkeypatch.setattr("django.db.backends.postgresql.base.DatabaseWrapper.is_usable", refuse)
    assert connection.is_usable()


def test_a_server_that_did_not_greet_is_left_alone_for_a_moment():
    ask("SELECT 1")
    server = connection.connection.server
    connection.close()
    patience.note_frozen("another:5432")
    assert not patience.is_suspected(server)
    patience.note_frozen(server)
    began = time.monotonic()
    with patience.limited(5), pytest.raises(OperationalError, match="does not answer"):
        ask("SELECT 1")
    assert time.monotonic() - began < patience.CONNECTING_S
    assert ask("SELECT 1") == 1  # nothing keeps a command from trying


def test_patience_runs_out_in_parts():
    with patience.limited(1.0):
        with patience.shortened(0.3):
            assert patience.left() == pytest.approx(0.3)
            patience.spend(0.2)
        assert patience.left() == pytest.approx(0.8)
        patience.spend(2)
        assert patience.left() == 0
    assert patience.left() is None
    with patience.shortened(0.3):
        assert patience.left() is None
