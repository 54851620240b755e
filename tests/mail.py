"""Mail servers of the tests, what results and logs call letters, and what letters tell."""

from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

DOWN, WORKING = "tests.mail.Down", "django.core.mail.backends.locmem.EmailBackend"


class Down(EmailBackend):
    def send_messages(self, messages):
        raise ConnectionRefusedError


def labels(*submissions):
    return tuple(f"submission {submission.pk}" for submission in submissions)


def outcomes():
    """Return what the sent letters say in their subjects behind the name of the depot."""
    return [letter.subject.partition(": ")[2] for letter in mail.outbox]
