"""Bulk actions of the admin: selection, preview, confirmation."""

from tests.client import context_of


def choose(client, listing, action, *rows, **typed):
    """Return the preview, or the response in its place."""
    return client.post(listing, {"action": action, "_selected_action": [row.pk for row in rows], **typed})


def previewed(client, listing, action, *rows, **typed):
    """What confirms an action on the page of its preview."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], "reason": "Przegląd.", **typed}
    return {**chosen, "shown": context_of(client, listing, chosen, "post")["shown"]}


def act(client, listing, action, *rows, **typed):
    return client.post(listing, previewed(client, listing, action, *rows, **typed))
