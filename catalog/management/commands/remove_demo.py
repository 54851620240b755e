from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from catalog.importers.run import record_change
from catalog.models import Dataset, Depot


class Command(BaseCommand):
    help = "Remove every demonstration depot."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            count, _ = Depot.objects.demonstration().delete()
            if count:
                record_change(Dataset.Slug.DEPOTS, "", None)
        self.stdout.write(f"{count} demonstration depots removed")
