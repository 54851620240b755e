"""A service on several machines, each of which goes away in turn while people read and write.

A primary and a replica of Debian's PostgreSQL, a Redis, two gunicorns and nginx, with the files that docs/operations.md
tells to use. `make test ARGS="-m machines -n 0 -s"` prints the counts.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fueldepot.data import versions
from tests.fueldepot.sharers import PROJECT_ROOT, eventually
from tests.machines.callers import Caller, Load, PriceReport
from tests.machines.servers import FILES, missing_programs
from tests.machines.service import LAG_S, PATHS, Service

MISSING = missing_programs()
pytestmark = [
    pytest.mark.machines,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {', '.join(MISSING)}"),
]

BACK_S = 30.0


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    home = Path(tempfile.mkdtemp(prefix="fueldepot-machines-"))
    home.chmod(0o755)
    running = Service(home)
    try:
        running.build_up()
        assert eventually(running.all_read_the_replica, BACK_S), running.databases()
        yield running
    finally:
        running.stop()
        shutil.rmtree(home)


@pytest.fixture(autouse=True)
def _hang_up(service) -> Iterator[None]:
    yield
    while service.callers:
        service.callers.pop().close()


@pytest.fixture
def caller(service) -> Caller:
    return service.caller()


def log_in(service: Service, caller: Caller) -> None:
    """As a chief editor, whose name and password the command prints."""
    printed = service.applications[0].manage("create_editor")
    name, password = (re.search(rf"^{label}: +(\S+)$", printed, re.MULTILINE)[1] for label in ("login", "password"))
    caller.get("/admin/login/")
    answer = caller.post("/admin/login/?next=/admin/", {"username": name, "password": password, "next": "/admin/"})
    assert answer.status == 302, answer
    caller.cookies.pop("after_change")


def depots(caller: Caller, number: int) -> list[int]:
    """Some depots near Kraków."""
    found = json.loads(caller.get(f"/api/v1/stores?lat=50.06&lon=19.94&radius=50&limit={number}").body)
    return [depot["id"] for depot in found]


def test_who_has_changed_something_sees_it_and_others_see_it_soon(service, caller):
    depot = depots(caller, 1)[0]
    path = f"/api/v1/stores/{depot}"

    def status(who: Caller) -> str:
        answer = who.get(f"{path}?_={time.monotonic()}")
        assert answer.status == 200
        return json.loads(answer.body)["source"]["data_status"]

    editor = service.caller()
    log_in(service, editor)
    editor.get("/admin/catalog/depot/")
    assert status(editor) == "unverified"
    service.replica.ask("SELECT pg_wal_replay_pause() IS NULL")
    assert eventually(lambda: service.replica.ask("SELECT pg_get_wal_replay_pause_state()") == "paused")
    try:
        chosen = {"action": "verify", "_selected_action": str(depot)}
        asked = editor.post("/admin/catalog/depot/", chosen)
        shown = re.search(r'name="shown" value="([0-9a-f]+)"', asked.body)
        assert shown, asked
        done = editor.post("/admin/catalog/depot/", {**chosen, "shown": shown[1]})
        assert done.status == 302, done
        before = status(caller)
        seen = editor.get(path)
        assert json.loads(seen.body)["source"]["data_status"] == "verified"
        # Ahead of what others are given, so nobody may keep it for them.
        assert seen.headers["Cache-Control"] == "private, no-cache"
        # Read from the replica, which does not have the change.
        assert before == "unverified"
        # It is left out once it is too far behind.
        assert eventually(lambda: status(caller) == "verified", BACK_S)
        problems = [found["replica"]["problem"] for found in service.databases()]
        assert any(problem == f"it is more than {LAG_S} s behind" for problem in problems), problems
    finally:
        service.replica.ask("SELECT pg_wal_replay_resume() IS NULL")
    assert eventually(service.all_read_the_replica, BACK_S)
    # What a process knew of the replica before may be a quarter of a second old.
    assert eventually(lambda: status(caller) == "verified", versions.TRUST_S)


def test_both_machines_count_one_caller_together(service):
    stranger = service.caller("127.0.3.1")
    left = []
    for _ in range(20):
        answer = stranger.get("/api/v1/subsidy?people=2")
        assert answer.status == 200
        left.append(int(re.search(r"r=(\d+)", answer.headers["RateLimit"])[1]))
    # nginx asks one machine after the other: two counts apart would have gone down by nine.
    assert left[0] - left[-1] > 9


def test_both_machines_follow_the_territory(service):
    path = "/api/v1/locate?lat=49.2992&lon=19.9496"

    def names() -> set[str]:
        return {application.ask(path)["municipality"] for application in service.applications}

    assert names() == {"Zakopane"}
    service.primary.ask(
        "WITH renamed AS (UPDATE catalog_municipality SET name = 'Zakopane Nowe' WHERE teryt = '1217011') "
        "UPDATE catalog_dataset SET version = version + 1, changed_at = now() WHERE slug = 'units' RETURNING slug"
    )
    assert eventually(lambda: names() == {"Zakopane Nowe"}, BACK_S), names()


def test_nothing_is_lost_when_machines_go_away_one_after_the_other(service, caller):
    found = depots(caller, 12)
    reports = [
        PriceReport(service.caller(f"127.0.1.{number}"), number, depot) for number, depot in enumerate(found, start=1)
    ]
    time.sleep(3.2)  # nobody fills in a form faster; see pages/forms/abuse.py
    ready = iter(reports)
    sent: dict[str, list[int]] = {}

    def report(phase: str, number: int = 2) -> None:
        for _ in range(number):
            sent.setdefault(phase, []).append(next(ready).send().status)

    load = Load(service.nginx.port, PATHS, callers=4)
    more = {"least": 60, "least_s": 2.0}
    with load.running():
        load.go_through("all there", lambda: report("all there"), **more)

        load.go_through("replica killed", service.replica.kill, **more)
        report("replica killed")
        load.go_through("replica back", service.replica.ready, **more)
        assert eventually(service.all_read_the_replica, BACK_S), service.databases()

        load.go_through("replica frozen", service.replica.freeze, **more)
        load.go_through("replica thawed", service.replica.thaw, **more)
        assert eventually(service.all_read_the_replica, BACK_S), service.databases()

        load.go_through("Redis killed", service.redis.kill, **more)
        report("Redis killed")

        load.go_through("one gunicorn killed", service.applications[1].kill, **more)
        report("one gunicorn killed")

        # Now one gunicorn is left, without Redis, and reads the replica.
        load.go_through("primary killed", service.primary.kill, **more)
        refused = [next(ready) for _ in range(3)]
        for one in refused:
            answer = one.send()
            sent.setdefault("primary killed", []).append(answer.status)
            assert answer.status == 503, answer
            assert int(answer.headers["Retry-After"]) > 0
        assert service.caller().get("/admin/login/").status == 200
        assert service.caller().get("/readyz").status == 200
        editor = service.caller()
        editor.cookies["sessionid"] = "a" * 32
        assert editor.get("/sklady/malopolskie/").status == 200  # public pages never look at who is logged in
        computed = service.caller().ask("POST", "/api/v1/subsidy", {"people": "2", "income": "2000"})
        assert computed.status == 200
        service.redis.ready()
        service.applications[1].ready()  # starts although the primary is away
        load.go_through("primary still away", lambda: None, **more)

        load.go_through("primary back", service.primary.ready, **more)
        again = refused[0]

        def taken() -> bool:
            answer = again.send()
            sent.setdefault("primary back", []).append(answer.status)
            return answer.status == 302

        assert eventually(taken, BACK_S), sent
        assert eventually(service.all_read_the_replica, BACK_S), service.databases()
        load.go_through("all back", lambda: report("all back", 1), **more)

    print(json.dumps({"read": load.counts(), "written": sent}, indent=1))
    refusing = sent.pop("primary killed")
    assert set(refusing) == {503}
    assert {status for status in sent.pop("primary back") if status != 503} == {302}
    assert all(set(statuses) == {302} for statuses in sent.values()), sent
    # All that was taken is there, on either database.
    taken_in = sum(statuses.count(302) for statuses in sent.values()) + 1
    count = "SELECT count(*) FROM catalog_depotrequest WHERE kind = 'price'"
    assert service.primary.ask(count) == taken_in
    assert eventually(lambda: service.replica.ask(count) == taken_in)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_the_unit_is_one_that_systemd_understands(tmp_path):
    unit = (FILES / "fueldepot.service").read_text()
    # The paths of that machine do not exist here.
    unit = unit.replace("/srv/fueldepot/app/.venv/bin/python", shutil.which("true") or "/bin/true")
    unit = unit.replace("/srv/fueldepot/app/.venv/bin/gunicorn", shutil.which("true") or "/bin/true")
    unit = unit.replace("/srv/fueldepot/app", str(PROJECT_ROOT))
    file = tmp_path / "fueldepot.service"
    file.write_text(unit)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(file)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    about_ours = [line for line in done.stderr.splitlines() if "fueldepot.service" in line]
    assert not about_ours, about_ours
