"""Mail servers of the tests, and what results and logs call letters."""

from django.core.mail.backends.locmem import EmailBackend

DOWN, WORKING = "tests.mail.Down", "django.core.mail.backends.locmem.EmailBackend"


class Down(EmailBackend):
    def send_messages(self, messages):
        raise ConnectionRefusedError


def labels(*submissions):
    return tuple(f"submission {submission.pk}" for submission in submissions)
