"""Bulk actions of the admin: selection, preview, confirmation."""


def choose(client, listing, action, *rows, **typed):
    """Return the preview, or the response in its place."""
    return client.post(listing, {"action": action, "_selected_action": [row.pk for row in rows], **typed})


def act(client, listing, action, *rows, **typed):
    typed = {"reason": "Przegląd.", **typed}
    shown = choose(client, listing, action, *rows, **typed).context["shown"]
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], **typed}
    return client.post(listing, {**chosen, "shown": shown})
