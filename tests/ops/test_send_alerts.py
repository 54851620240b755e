"""`send_alerts` killed in the middle, with a real mail server: it sends nobody twice and forgets nobody."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from aiosmtpd.controller import Controller

from tests import ROOT
from tests.ops.live import Site
from tests.ports import free_port

pytestmark = pytest.mark.slow

READERS = 12


class Mailbox:
    """Keeps whom letters went to; kills the sender while it hands over the letters of given numbers."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.deadly: set[int] = set()
        self.sender = 0

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - as aiosmtpd calls it
        if len(self.got) in self.deadly:
            self.deadly.remove(len(self.got))
            os.kill(self.sender, signal.SIGKILL)
            return "451 not taken"
        self.got += envelope.rcpt_tos
        return "250 OK"


@pytest.mark.release
def test_killed_in_the_middle_it_sends_nobody_twice_and_forgets_nobody(tmp_path: Path):
    mailbox, port = Mailbox(), free_port()
    server = Controller(mailbox, hostname="127.0.0.1", port=port)
    with ExitStack() as stack:
        server.start()
        stack.callback(server.stop)
        site = stack.enter_context(Site(tmp_path, workers=1).running())
        with psycopg.connect(site.database_url) as database:
            (teryt,) = database.execute("SELECT teryt FROM catalog_municipality ORDER BY teryt").fetchone()
            for number in range(READERS):
                database.execute(
                    "INSERT INTO catalog_subscription (email, email_hash, mailbox_hash, client_hash, teryt, fuel,"
                    " voivodeship, created_at, mailed_at, confirmed_at, links_at, content) VALUES (%s, %s, '', '', %s,"
                    " '', '', now(), now(), now(), '{}', %s)",
                    [f"{number}@example.pl", f"reader {number}", teryt, json.dumps({"rules": {"1": "Dawna reguła"}})],
                )
        settings = {"DATABASE_URL": site.database_url, "SITE_URL": "https://example.pl"}
        settings["EMAIL_URL"] = f"smtp://127.0.0.1:{port}"
        command = [sys.executable, "manage.py", "send_alerts", "--commit"]
        mailbox.deadly = {3, 7}
        codes = []
        for _ in range(4):
            process = subprocess.Popen(command, cwd=ROOT, env=os.environ | settings)
            mailbox.sender = process.pid
            codes.append(process.wait(120))
        assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0, 0]
        assert Counter(mailbox.got) == {f"{number}@example.pl": 1 for number in range(READERS)}
