"""`make admin`: creates a chief editor."""

import secrets
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import override

from catalog.services.editors import CHIEF
from fueldepot.http.links import route_url


class Command(BaseCommand):
    help = "Create a chief editor, or give an existing one a new password, and print the login."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default="redaktor")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first() or User(username=name)
        done = "new password for" if user.pk else "created"
        try:
            with override("en"):
                User._meta.get_field("username").clean(name, user)
        except ValidationError as error:
            raise CommandError(f"no account was made: --name is {name!r}: {' '.join(error.messages)}") from error
        password = secrets.token_urlsafe(12)
        user.is_staff = user.is_active = True
        user.set_password(password)
        with transaction.atomic():
            user.save()
            user.groups.add(Group.objects.get(name=CHIEF))
        self.stdout.write(f"{done} {name}")
        self.stdout.write(f"address:  {route_url('admin:index')}")
        self.stdout.write(f"login:    {name}")
        self.stdout.write(f"password: {password}")
