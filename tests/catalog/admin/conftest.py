"""Somebody at the editors' desk who is no administrator."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from catalog.roles import EDITOR


@pytest.fixture
def editor(client):
    user = get_user_model().objects.create(username="ewa", is_staff=True)
    user.groups.add(Group.objects.get(name=EDITOR))
    client.force_login(user)
    return user
