"""Rewrite the committed API description; called by `make openapi`."""

from typing import Any

from django.core.management.base import BaseCommand

from fueldepot.http.api_description import FILE
from fueldepot.openapi import write_file


class Command(BaseCommand):
    help = "Rewrite fueldepot/openapi.json from the code. Needs the development dependencies."

    def handle(self, *args: Any, **options: Any) -> None:
        write_file()
        self.stdout.write(f"{FILE.name} is written; read the diff before you commit it")
