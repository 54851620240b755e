"""Bulk actions of the admin: selection, preview, confirmation; and what happens just before rows are locked."""

from django.db import connection

from tests.client import context_of


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
    chosen = {"action": action, "_selected_action": [row.pk for row in rows], "reason": "Przegląd.", **typed}
    return client.post(listing, {**chosen, "shown": context_of(client, listing, chosen, "post")["shown"]})
