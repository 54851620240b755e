"""Bulk actions of the admin: selection, preview, confirmation; and what happens just before rows are locked."""

from django.db import connection


def before_locking(act):
    """A context in which the first statement that locks rows comes after an act of somebody else."""
    found = []

    def note(execute, sql, *args):
        if not found and "UPDATE OF" in sql:
            found.append(sql)
            act()
        return execute(sql, *args)

    return connection.execute_wrapper(note)


def choose(client, listing, action, *rows, **typed):
    """Return the preview, or the response in its place."""
    return client.post(listing, {"action": action, "_selected_action": [row.pk for row in rows], **typed})


def act(client, listing, action, *rows, **typed):
    typed = {"reason": "Przegląd.", **typed}
    shown = choose(client, listing, action, *rows, **typed).context["shown"]
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], **typed}
    return client.post(listing, {**chosen, "shown": shown})
