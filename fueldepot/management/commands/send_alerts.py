from django.utils import timezone

from catalog.submissions.letters import Sending
from fueldepot.management.commands.send_pending_letters import LettersCommand
from pages.alerts import WEEK, send_alerts


class Command(LettersCommand):
    help = (
        "Send the letters that readers asked for: deadlines and changed rules of their municipalities, medians that "
        f"moved. One letter a reader in {WEEK.days} days at most. Run it once a day; it can be repeated at any time. "
        "Ends with 1 when a letter could not be sent; the next run tries again."
    )

    def send(self, *, commit: bool) -> Sending:
        return send_alerts(on=timezone.now(), commit=commit)
