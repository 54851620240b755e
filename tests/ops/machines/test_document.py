"""`docs/deployment/debian.md`, done as it says: its blocks are run in order on a Debian whose files are thrown away.

What needs the internet is marked there, and replaced here or left out: `INTERNET`. systemd is stood in for by
`systemctl.py`.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.ops.machines.bare_debian import Debian, bare_debian, why_not
from tests.ops.machines.servers import missing_programs, only_with

pytestmark = only_with(*missing_programs(), *why_not())

PAGE = ROOT / "docs" / "deployment" / "debian.md"
HERE = Path(__file__).parent
VENV = Path(sys.prefix)
INTERNET = {
    "Install Debian's packages": "",  # they are here
    "Fetch the release": f"ln -s {VENV} .venv",
    "Bring in the first data": "",  # `refresh` has tests of its own, with publishers on this machine
    "Get the certificate": "",
    "Close the machine": "nft --check --file docs/deployment/nftables.conf",
}
"""What stands for each block that needs the internet, by the title of its step."""

YOURS = {
    "CONTACT_EMAIL": "redakcja@example.pl",
    "EMAIL_URL": "smtp://127.0.0.1:2525",
    "REPOSITORY": f"file://{ROOT}",
}
UPGRADE = "Upgrade without a failed request"


def steps() -> dict[str, str]:
    text = PAGE.read_text()
    found: dict[str, str] = {}
    numbers = []
    for number, title, body in re.findall(r"^## (\d+)\. (.+)\n((?:(?!^## ).*\n)*)", text, re.MULTILINE):
        numbers.append(int(number))
        blocks = re.findall(r"^```sh( internet)?\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
        assert blocks, title
        found[title] = "".join(INTERNET[title] + "\n" if internet else block for internet, block in blocks)
    assert numbers == list(range(1, len(numbers) + 1))
    assert INTERNET.keys() <= found.keys()
    return found


class Service:
    """What the document has made. said: the output of each step."""

    def __init__(self, debian: Debian, release: str) -> None:
        self.debian, self.release = debian, release
        self.said: dict[str, str] = {}

    def setting_out(self, title: str, script: str) -> str:
        """The first step sets what is ours instead of what the page shows; everything else is run as it stands."""
        if title != "Say what is yours":
            return script
        ours = {**YOURS, "RELEASE": self.release}
        assert ours.keys() < set(re.findall(r"^export (\w+)=", script, re.MULTILINE))
        return script + "".join(f"export {name}='{value}'\n" for name, value in ours.items())

    def follow(self, titles: list[str], found: dict[str, str]) -> None:
        """Run steps in one shell, and keep what each said."""
        script = "set -eu\n" + "".join(
            f"printf '\\n== %s\\n' {json.dumps(title)}\n{self.setting_out(title, found[title])}" for title in titles
        )
        done = self.debian.run(script)
        said = re.split(r"^== (.+)$", done.stdout, flags=re.MULTILINE)
        self.said |= dict(zip(said[1::2], said[2::2], strict=True))
        assert done.returncode == 0, done.stdout[-6000:]

    def run(self, script: str) -> str:
        done = self.debian.run(script)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    release = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    # The interpreter of the tests may lie in a folder of root's alone.
    folders = {*VENV.resolve().parents, *Path(sys.executable).resolve().parents, *ROOT.parents}
    with bare_debian() as debian:
        made = Service(debian, release)
        made.run("chmod o+x " + " ".join(str(folder) for folder in folders))
        shutil.copyfile(HERE / "systemctl.py", f"/proc/{debian.pid}/root/usr/local/bin/systemctl")
        made.run("chmod 755 /usr/local/bin/systemctl; git config --global --add safe.directory '*'")
        made.run(
            f"mkdir /tmp/letters; nohup {VENV}/bin/python -m aiosmtpd -n -l 127.0.0.1:2525 "
            "-c aiosmtpd.handlers.Mailbox /tmp/letters/box >/tmp/letters/log 2>&1 & sleep 1"
        )
        found = steps()
        made.follow([title for title in found if title != UPGRADE], found)
        yield made


def test_every_step_is_done(service):
    said = service.said
    assert len(re.findall('"status":"ready"', said["Start the application"])) == 2
    assert re.findall('{"status":"ok"}', said["Start nginx"]) == ['{"status":"ok"}'] * 2
    assert re.search(r"^password: \S{12,}$", said["Make the first editor"], re.MULTILINE)
    assert re.search(r"^ *24\d\d$", said["Try the way back"], re.MULTILINE)


def test_nothing_is_missing_but_what_the_internet_would_have_given(service):
    """The publishers were not asked. How old the legal states are depends on the day."""
    checked = service.said["Look whether it may be left alone"]
    assert {*re.findall(r"\(([a-z]+\.[EW]\d+)\)", checked)} - {"regulations.W001"} == {"fueldepot.W007"}


def test_secrets_are_closed_to_others(service):
    listed = service.run("stat -c '%a %U %G %n' /etc/fueldepot.env /var/backups/fueldepot /var/backups/fueldepot/*")
    modes = [line.split()[:3] for line in listed.splitlines()]
    assert (modes[0], modes[1]) == (["640", "root", "fueldepot"], ["700", "fueldepot", "fueldepot"])
    assert modes[2:] == [["600", "fueldepot", "fueldepot"]] * len(modes[2:])
    assert modes[2:]


def test_the_service_may_not_change_its_own_code(service):
    done = service.debian.run("runuser -u fueldepot -- sh -c 'touch /srv/fueldepot/app/manage.py /srv/fueldepot/app/x'")
    assert done.returncode != 0
    assert service.debian.run("runuser -u fueldepot -- ln -sfn /tmp /srv/fueldepot/app").returncode != 0


@pytest.mark.skipif(shutil.which("logrotate") is None, reason="logrotate is not installed here")
def test_logs_are_rotated(service):
    plan = service.run("logrotate --debug /etc/logrotate.conf 2>&1")
    for logs in ("/var/log/nginx/*.log", "/var/log/redis/redis-server*.log", "/var/log/postgresql/*.log"):
        assert f"rotating pattern: {logs} " in plan


def test_the_letter_has_left(service):
    assert "To: redakcja@example.pl" in service.run("cat /tmp/letters/box/new/*")


CURL = "curl --silent --insecure --interface 127.0.5.9 --resolve sklady.example.pl:443:127.0.0.1"
STOP, START = (f"systemctl {verb} fueldepot@8001 fueldepot@8002" for verb in ("stop", "start"))


def test_no_file_has_an_address_or_a_query_of_a_caller(service):
    """Logs of nginx and gunicorn, caches, tables, and what Redis would write when it ends, after answers and errors.

    The rate limit has counted the caller by then.
    """
    query, income, away = "lat=50.0123454321", "income=123454321", "q=tylkobezaplikacji"
    site = "https://sklady.example.pl"
    service.run(
        f"""{CURL} '{site}/api/v1/locate?{query}&lon=19.9&_=[1-30]' '{site}/api/v1/locate?{query}&lon=x'
        {CURL} '{site}/nothing?{query}' --header 'Cookie: {"x" * 3000}'
        {CURL} --data '{income}&people=2' '{site}/api/v1/subsidy?{query}'
        {CURL} --data 'username=x&password=y&code={income}' '{site}/admin/login/?{query}'
        head -c 6000000 /dev/zero | {CURL} --data-binary @- '{site}/api/v1/subsidy?{query}'"""
    )
    assert "127.0.5.9" in service.run("redis-cli --scan")
    service.run("systemctl restart redis-server")
    assert service.run("redis-cli --scan") == ""
    service.run(STOP)
    assert service.run(f"{CURL} '{site}/api/v1/locations?{away}' --write-out '%{{http_code}}'").endswith("503")
    service.run(START)
    patterns = f"-e 127.0.5.9 -e {query} -e {income} -e {away}"
    assert service.run(f"grep -rlaF -D skip --exclude-dir tests {patterns} /var /srv /run /etc || true") == ""


def test_a_removed_entry_does_not_come_back_when_the_applications_are_away(service):
    """Through the nginx of the document, from the desk's decision to the cached answer."""
    began = "from datetime import date; from django.contrib.auth.models import User; by = User.objects.first(); "
    add = (
        "from catalog.services import editing; "
        "values = dict(name='Znikający', lat=50.06, lon=19.94, municipality='1261011'); "
        "print(editing.add_depot(values=values, by=by, on=date.today()).pk)"
    )
    shell = "fueldepot-manage shell --verbosity 0 --command"
    key = service.run(f'{shell} "{began}{add}"; sleep 1').split()[-1]
    entry = f"https://sklady.example.pl/api/v1/stores/{key}"
    ask = f"{CURL} '{entry}'"
    assert service.run(f"{ask}; {ask}").count("Znikający") == 2
    remove = (
        "from catalog.services import moderation; "
        f"moderation.remove_depots(keys=[{key}], reason='closed', by=by, on=date.today())"
    )
    service.run(f'{shell} "{began}{remove}"; sleep 7')
    assert "not_found" in service.run(ask)
    service.run(f"{STOP}; sleep 6")
    assert service.run(f"{ask} --output /dev/null --write-out '%{{http_code}}'") == "404"
    service.run(START)


def test_an_upgrade_costs_no_request(service):
    """Both processes are started anew, one after the other, while two ask without a pause what is not kept."""
    title, found = "Say what is yours", steps()
    before = service.run("cat /run/units/fueldepot@800?.service").split()
    service.run("sed -i 's/^RATE_LIMIT=.*//; $ a RATE_LIMIT=off' /etc/fueldepot.env")
    service.run("systemctl restart fueldepot@8001 fueldepot@8002")
    ask = f"timeout 40 {CURL} --header 'Connection: close' --output /dev/null --write-out '%{{http_code}}\\n'"
    asking = "".join(
        f"{ask} 'https://sklady.example.pl{path}_=[1-1000000]' >> /tmp/asked &\n"
        for path in ("/api/v1/locations?q=zakop&", "/sklady/malopolskie/?")
    )
    ours = service.setting_out(title, found[title])
    statuses = service.run(f"set -eu\n{asking}sleep 1\n{ours}\n{found[UPGRADE]}\nwait\nsort /tmp/asked | uniq -c")
    [(count, status)] = re.findall(r"^ *(\d+) (\d{3})$", statuses, re.MULTILINE)
    print({"answers during an upgrade": count})
    assert status == "200"
    assert int(count) > 100
    after = service.run("cat /run/units/fueldepot@800?.service").split()
    assert not {*before} & {*after}
