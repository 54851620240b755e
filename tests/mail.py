"""Mail servers of the tests, what results and logs call letters, and what letters tell."""

from smtplib import SMTPRecipientsRefused

from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from catalog.submissions import letters

DOWN, WORKING = "tests.mail.Down", "django.core.mail.backends.locmem.EmailBackend"
REFUSING, SILENT = "tests.mail.Refusing", "tests.mail.Silent"


class Down(EmailBackend):
    """Refuses every connection, in words that no log may repeat."""

    def send_messages(self, messages):
        raise ConnectionRefusedError(111, f"Connection refused for {messages[0].to}")


class Silent(EmailBackend):
    """Does not answer, as behind a firewall. waits: for an answer, of all connections."""

    waits = 0

    def open(self):
        Silent.waits += 1
        raise TimeoutError

    def send_messages(self, messages):
        self.open()


class Refusing(EmailBackend):
    """Refuses one address, as a mail server does."""

    def send_messages(self, messages):
        if messages[0].to == ["nobody@example.pl"]:
            raise SMTPRecipientsRefused({})
        return super().send_messages(messages)


def words_of(letter):
    """Return the text of a letter on one line, with ordinary blanks."""
    return " ".join(letter.body.split())


def labels(*submissions):
    return tuple(f"submission {submission.pk}" for submission in submissions)


def sent():
    """Send the letters that wait. Returns those that left."""
    before = len(mail.outbox)
    letters.send_waiting()
    return mail.outbox[before:]


def outcomes():
    """Return what the sent letters say in their subjects behind the name of the depot."""
    return [letter.subject.partition(": ")[2] for letter in mail.outbox]
