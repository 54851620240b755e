from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

MOVES_ENTRIES = {
    "0019_search_positions",
    "0026_districts_of_places",
    "0035_postcodes_of_more_districts",
    "0037_main_municipalities_of_postcodes",
    "0040_cities_before_towns",
    "0042_uncounted_towns_first",
}
"""Migrations that move or order entries of the search index, or give them another municipality.

`districts.csv` needs one when it changes.
"""


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = "Katalog składów"

    def ready(self) -> None:
        """Register what other layers call: versions of data sets, owner links, undoing, the index of names."""
        from catalog.models import Dataset, Decision
        from catalog.services import undoing
        from catalog.services.journal import STAYING, UNDO_HANDLERS, UNDO_KINDS
        from catalog.services.merging import FOLLOWERS, Follower
        from catalog.submissions import owner_links
        from fueldepot.data import snapshot

        snapshot.store.read_versions = Dataset.objects.read_versions

        ways = owner_links.move_links, owner_links.bring_links_back, owner_links.count_links
        FOLLOWERS.append(Follower("owner_links", "odnośniki właścicieli", *ways))

        UNDO_HANDLERS["catalog.depot"] = undoing.undo_depots
        UNDO_HANDLERS["catalog.voivodeshipclaim"] = undoing.undo_claims
        UNDO_HANDLERS["catalog.submission"] = undoing.undo_submissions
        UNDO_HANDLERS["catalog.ownerlink"] = undoing.undo_owner_links
        STAYING["catalog.depot"] = undoing.find_staying_depots
        STAYING["catalog.submission"] = undoing.find_staying_submissions
        UNDO_KINDS[Decision.Kind.MERGE] = undoing.undo_merge
        UNDO_KINDS[Decision.Kind.DISTINCT] = undoing.undo_distinct

        post_migrate.connect(rebuild_search_index, sender=self)


def rebuild_search_index(sender: AppConfig, plan: Any = (), **kwargs: Any) -> None:
    """Rebuild the search index if it is of an earlier release.

    Runs after the migrations: building the index needs the models of this release.
    """
    from django.db import transaction

    from catalog.models import SearchEntry
    from catalog.search.entries import rebuild_index

    applied = {migration.name for migration, backwards in plan or () if not backwards}
    if applied & MOVES_ENTRIES and SearchEntry.objects.exists():
        with transaction.atomic():
            rebuild_index()
