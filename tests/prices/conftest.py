"""Fixtures of the tests of prices."""

import pytest
from django.test import Client

from tests import factories


@pytest.fixture
def desk():
    """A client logged in as an editor."""
    browser = Client()
    browser.force_login(factories.UserFactory())
    return browser
