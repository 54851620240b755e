"""Check all pages in both formats, see `pages.site_check`."""

import logging
import sys
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test import Client, override_settings
from django.utils import timezone
from tqdm import tqdm

from pages.site_check import MOST_LINKS, Crawler, chosen
from pages.site_map import all_pages


class Command(BaseCommand):
    """Prints a line for each finding; the exit code is non-zero if there is any."""

    help = (
        "Ask for every page of the site map, and one of each kind that is not on it, as HTML and as Markdown: status, "
        f"title, head, size, links (of links of one kind {MOST_LINKS}). Nothing is sent over the network."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="every page, also those of invented depots and prices")
        parser.add_argument("--every-link", action="store_true", help="try every link, which takes a few times as long")
        parser.add_argument("--one-in", type=int, default=1, metavar="N", help="of each kind of page only every Nth")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the pages. Raises CommandError after the last finding."""
        if options["one_in"] < 1:
            raise CommandError("--one-in wants a whole number from 1 on")
        client = Client(raise_request_exception=False, HTTP_HOST=urlsplit(settings.SITE_URL).netloc)
        secure = settings.SITE_URL.startswith("https:")
        logging.disable(logging.CRITICAL)  # failures are reported below
        unlimited = override_settings(RATE_LIMIT=None)  # the client is local
        unlimited.enable()
        try:
            entries = chosen(all_pages(timezone.localdate()), everything=options["all"], one_in=options["one_in"])
            most_links = sys.maxsize if options["every_link"] else MOST_LINKS
            walk = Crawler(lambda path: client.get(path, secure=secure), most_links)
            found = 0
            for finding in walk.findings(tqdm(entries, unit="page", disable=None)):
                found += 1
                self.stdout.write(finding)
        finally:
            unlimited.disable()
            logging.disable(logging.NOTSET)
        if found:
            raise CommandError(f"{found} findings on {len(entries)} pages")
        self.stdout.write(f"{len(entries)} pages are in order")
