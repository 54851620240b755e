from django.utils import timezone

from catalog.submissions.letters import Sending
from fueldepot.desk.start_page_and_daily_letter import send_daily_letters
from fueldepot.management.commands.send_pending_letters import LettersCommand


class Command(LettersCommand):
    help = (
        "Write to the editors who want it what waits at the desk, in the voivodeships that they have claimed, if any. "
        "One letter an editor and day at most; it can be repeated at any time. Ends with 1 when a letter could not be "
        "sent; the next run tries again."
    )

    def send(self, *, commit: bool) -> Sending:
        return send_daily_letters(today=timezone.localdate(), commit=commit)
