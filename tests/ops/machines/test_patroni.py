"""Three database machines under Patroni, two application machines, nginx and Redis: each goes away under load.

Reads never fail, writing comes back by itself, and everything that was acknowledged is there.
"""

import json
import shutil
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.fueldepot.sharers import eventually
from tests.ops.machines import patroni
from tests.ops.machines.callers import Busy, Load, fill_in
from tests.ops.machines.patroni import Cluster, Node
from tests.ops.machines.servers import FILES, column, missing_programs, only_with, open_folder
from tests.ops.machines.service import PATHS, Service
from tests.ops.machines.test_machines import depots

pytestmark = only_with(*missing_programs(), *patroni.missing())

WRITERS = 200
PAUSE_S = 1.0
BACK_S = 90.0
REJOINED_S = 240.0
"""A former primary is wound back, and a standby made synchronous again; longer where the cores are shared."""


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder("patroni") as home, Service(home, Cluster(home)).running() as service:
        yield service


class Writer(Busy):
    """Readers who note prices, one after the other; each until it is taken.

    acknowledged: the e-mail address of each that was told so, with the moment.
    """

    def __init__(self, service: Service) -> None:
        self.forms = fill_in(service.caller, "127.0.10", depots(service.caller(), 50) * (WRITERS // 50))
        self.acknowledged: list[tuple[float, str]] = []
        self.refused: Counter[int] = Counter()
        super().__init__(self.write)

    def write(self) -> None:
        while self.forms and not self.stop.is_set():
            form = self.forms.pop()
            while not self.stop.is_set():
                answer = form.send()
                if answer.status == 302:
                    self.acknowledged.append((answer.began, form.form["email"]))
                    break
                self.refused[answer.status] += 1
                time.sleep(0.2)
            time.sleep(PAUSE_S)


def test_strangers_learn_and_change_nothing(service):
    """Without a certificate of the cluster no etcd and no Patroni answers; without TLS no PostgreSQL; few roles."""
    cluster: Cluster = service.database
    stranger = patroni.trusting(cluster.certificates, with_own=False)
    rest = f"https://127.0.0.1:{cluster.nodes[0].rest_port}/patroni"
    for address in (f"{cluster.etcd[0].client_url}/v3/cluster/member/list", rest):
        with pytest.raises(OSError, match=r"certificate|reset|closed|EOF"):
            urllib.request.urlopen(address, timeout=5, context=stranger).read()  # noqa: S310
        with pytest.raises(OSError, match=r"."):
            urllib.request.urlopen(address.replace("https:", "http:"), timeout=5).read()  # noqa: S310
    for url in (
        cluster.url.replace("verify-full", "disable"),
        cluster.url.replace("fueldepot:third-password", "postgres:first-password"),
        cluster.url.replace("/fueldepot?", "/postgres?"),
    ):
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            psycopg.connect(url)


def test_no_read_fails_and_nothing_acknowledged_is_lost(service):
    cluster: Cluster = service.database
    load, writer = Load(service.nginx.port, PATHS, callers=3), Writer(service)
    back_s: dict[str, float] = {}

    def go_through(phase: str, event: Callable[[], object], *, cuts: bool = False) -> None:
        def happen() -> None:
            event()
            began = time.monotonic()
            later = eventually(lambda: any(sent > began for sent, _ in writer.acknowledged), BACK_S)
            assert later, f"{phase}: nothing is written any more"
            back_s[phase] = round(time.monotonic() - began, 1)
            print(f"{phase}: written again after {back_s[phase]} s", flush=True)

        load.go_through(phase, happen, cuts=cuts)

    def rejoin(node: Node) -> None:
        if node.process is None:
            node.start()
        else:
            node.thaw()
        assert eventually(cluster.is_whole, REJOINED_S), [(one.name, one.role()) for one in cluster.nodes]

    with load.running(), writer.running():
        go_through("all there", lambda: None)
        service.lose_one_after_the_other(go_through)
        standby = cluster.standby()
        go_through("synchronous standby killed", standby.kill)
        go_through("standby back", lambda: rejoin(standby))
        primary = cluster.primary()
        go_through("primary killed", primary.kill)
        go_through("former primary back", lambda: rejoin(primary))
        frozen = cluster.primary()
        go_through("primary frozen", frozen.freeze)
        go_through("former primary thawed", lambda: rejoin(frozen))
        assert cluster.primary() is not frozen

    told = {**load.figures(), "seconds until writing": back_s}
    told |= {"acknowledged": len(writer.acknowledged), "refused": writer.refused}
    print(json.dumps(told, indent=1, ensure_ascii=False))
    assert len(writer.acknowledged) > 20
    assert told["read"].keys() <= {200, 0}
    stored = {*column(cluster.url, "SELECT email FROM catalog_depotrequest WHERE kind = 'price'")}
    lost = {email for _, email in writer.acknowledged} - stored
    assert not lost
    # The forms that are left were never sent.
    assert len(stored) <= len(writer.acknowledged) + 1


def test_an_application_machine_dumps_the_database_of_whoever_is_primary(service, tmp_path):
    assert "bytes" in service.applications[0].manage("back_up", str(tmp_path))
    (dump,) = tmp_path.iterdir()
    listing = subprocess.run(["pg_restore", "--list", dump], check=True, capture_output=True, text=True).stdout
    assert "TABLE DATA public catalog_depotrequest" in listing


@pytest.mark.skipif(shutil.which("nft") is None, reason="nftables is not installed here")
def test_the_firewall_of_a_database_machine_is_one_that_nft_understands():
    subprocess.run(["nft", "--check", "--file", FILES / "patroni" / "nftables.conf"], check=True)


@pytest.mark.skipif(shutil.which("keepalived") is None, reason="keepalived is not installed here")
def test_keepalived_understands_its_file():
    """It says what it does not understand; its status tells nothing in a session of its own."""
    check = "ip link add eth0 type veth peer name other; exec keepalived --config-test --use-file "
    command = ["unshare", "--net", "sh", "-c", check + str(FILES / "keepalived.conf")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, start_new_session=True)
    assert (done.stdout + done.stderr).replace("Terminated", "").strip() == ""
