import pytest

from tests.client import context_of
from tests.deciding import page


@pytest.fixture
def decide(client, commit):
    """Decide on the page of a submission, with the letter; returns the answer."""

    def act(submission, **typed):
        opened = context_of(client, page(submission))["opened"]
        with commit():
            return client.post(page(submission), {"opened": opened, **typed})

    return act
