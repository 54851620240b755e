"""`make admin`: creates a chief editor."""

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from catalog.services.editors import CHIEF
from fueldepot.http.links import site_url


class Command(BaseCommand):
    help = "Create a chief editor, or give an existing one a new password, and print the login."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default="redaktor")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        password = secrets.token_urlsafe(12)
        user, created = get_user_model().objects.get_or_create(username=name)
        user.is_staff = user.is_active = True
        user.set_password(password)
        user.save()
        user.groups.add(Group.objects.get(name=CHIEF))
        self.stdout.write(f"{'created' if created else 'new password for'} {name}")
        self.stdout.write(f"address:  {site_url(reverse('admin:index'))}")
        self.stdout.write(f"login:    {name}")
        self.stdout.write(f"password: {password}")
