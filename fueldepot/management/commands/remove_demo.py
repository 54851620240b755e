from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from catalog.models import Dataset
from catalog.services import publishing
from prices.models import DepotPrice


class Command(BaseCommand):
    help = "Remove every demonstration depot, and its prices with it."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            prices = DepotPrice.objects.demonstration().count()
            count = publishing.erase_demonstration()
            if count:
                Dataset.objects.bump_version(Dataset.Slug.DEPOTS, as_of=None, source="")
        self.stdout.write(f"{count} demonstration depots and {prices} prices removed")
