from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = "Katalog składów"

    def ready(self) -> None:
        """Register what other layers call: versions of data sets, system checks, owner links, the index of names."""
        from catalog import checks, versions  # noqa: F401
        from catalog.services.followers import FOLLOWERS, Follower
        from catalog.submissions import owner_links
        from fueldepot.data import snapshot

        snapshot.store.read_versions = versions.read_versions

        FOLLOWERS.append(
            Follower(
                name="owner_links",
                label="odnośniki właścicieli",
                move=owner_links.move_links,
                bring_back=owner_links.bring_links_back,
                count=owner_links.count_links,
            )
        )

        post_migrate.connect(rebuild_search_index, sender=self)


def rebuild_search_index(sender: AppConfig, plan: Any = (), **kwargs: Any) -> None:
    """Rebuild the search index if it is of an earlier release.

    Runs after the migrations: building the index needs the models of this release.
    """
    from django.db import transaction

    from catalog.models import SearchEntry
    from catalog.search.entries import rebuild_index

    applied = {migration.name for migration, backwards in plan or () if not backwards}
    if applied & {"0019_search_positions", "0026_districts_of_places"} and SearchEntry.objects.exists():
        with transaction.atomic():
            rebuild_index()
