from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fueldepot import back_up


class Command(BaseCommand):
    help = (
        "Dump the database into a folder by pg_dump, readable by its owner only, and delete the dumps there that are "
        "older than --keep-days; the newest always stays. Run it once a day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument(
            "--keep-days", type=int, default=back_up.KEPT_DAYS, metavar="N", help="default: %(default)s"
        )

    def handle(self, *args: Any, folder: Path, keep_days: int, **options: Any) -> None:
        if keep_days < 1:
            raise CommandError(f"--keep-days is {keep_days}; give a number from 1")
        started = timezone.now()
        try:
            path = back_up.dump(folder, on=started)
        except back_up.BackUpFailed as error:
            raise CommandError(f"no dump was made: {error}") from error
        back_up.record(path, started=started, finished=timezone.now())
        self.stdout.write(f"{path}: {path.stat().st_size} bytes")
        for old in back_up.delete_old(folder, before=started - timedelta(days=keep_days)):
            self.stdout.write(f"{old}: deleted, older than {keep_days} days")
