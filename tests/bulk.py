"""Bulk actions of the desk as an editor takes them: choose, look at what would change, confirm."""


def choose(client, listing, action, *rows, **typed):
    """The page that asks, or whatever is answered instead."""
    return client.post(listing, {"action": action, "_selected_action": [row.pk for row in rows], **typed})


def act(client, listing, action, *rows, **typed):
    """The answer once what the page shows is confirmed."""
    shown = choose(client, listing, action, *rows, **typed).context["shown"]
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], **typed}
    return client.post(listing, {**chosen, "shown": shown}, follow=True)
