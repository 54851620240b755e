from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from prices import figures


class Command(BaseCommand):
    help = "Compute the answers of /prices/{fuel} that no longer hold. Worth running right after midnight."

    def handle(self, *args: Any, **options: Any) -> None:
        made = figures.refresh(today=timezone.localdate())
        self.stdout.write(f"computed anew: {', '.join(made) or 'nothing, every answer holds'}")
