from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from catalog import actions
from catalog.importers.run import record_change
from catalog.models import Dataset
from prices import figures
from prices.models import DepotPrice


class Command(BaseCommand):
    help = "Remove every demonstration depot, and its prices with it."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            figures.lock()
            prices = DepotPrice.objects.demonstration().count()
            count = actions.erase_demonstration()
            if count:
                record_change(Dataset.Slug.DEPOTS, {})
            if prices:
                record_change(Dataset.Slug.PRICES, {figures.PUBLISHER: None}, model=DepotPrice)
        figures.refresh(today=timezone.localdate())
        self.stdout.write(f"{count} demonstration depots and {prices} prices removed")
