"""In which order requests and depots are locked, so that of two who meet one waits and none fails.

First the depots, in the order of their numbers; then the requests, in the order of theirs. A new request or price of a
depot locks its depot too, by the foreign key: hence whoever writes one locks the depot before any request.
"""

from django.db.models import QuerySet

from catalog.models import DepotRequest


def lock_requests(requests: QuerySet[DepotRequest]) -> None:
    """Lock requests in the order of their numbers; their depots, if anything of those is written, before. One query."""
    list(requests.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
