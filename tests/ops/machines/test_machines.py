"""A service on several machines, each of which goes away in turn while people read and write.

Debian's PostgreSQL, Redis and nginx, and two gunicorns, with the files that docs/production.md tells to use.
`make test ARGS="-m machines -n 0 -s"` prints the counts, and how long it took until forms were taken again.
"""

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests import ROOT
from tests.fueldepot.sharers import eventually
from tests.ops.machines.callers import Caller, Load, fill_in
from tests.ops.machines.servers import FILES, Application, missing_programs, only_with, open_folder
from tests.ops.machines.service import PATHS, Service

pytestmark = only_with(*missing_programs())

BACK_S = 30.0
SOON_S = 0.5
"""The time in which a change at one machine is public on all, on machines that have nothing else to do."""

LOADED_S = 1.0
"""What these, which share the cores with everything else that runs here, may take longer."""

NEW_NAME = (
    "WITH renamed AS (UPDATE catalog_municipality SET name = '{}' WHERE teryt = '1217011') "
    "UPDATE catalog_dataset SET version = version + 1, changed_at = now() WHERE slug = 'units' RETURNING slug"
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder("machines") as home, Service(home).running() as service:
        yield service


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


def depots(caller: Caller, number: int) -> list[int]:
    found = json.loads(caller.get(f"/api/v1/stores?lat=50.06&lon=19.94&radius=50&limit={number}").body)
    return [depot["id"] for depot in found]


def verify(editor: Caller, depot: int) -> None:
    """Confirm an entry from the list at the desk, which asks once more."""
    chosen = {"action": "verify", "_selected_action": str(depot)}
    asked = editor.post("/admin/catalog/depot/", chosen)
    shown = re.search(r'name="shown" value="([0-9a-f]+)"', asked.body)
    assert shown, asked
    done = editor.post("/admin/catalog/depot/", {**chosen, "shown": shown[1]})
    assert done.status == 302, done


def is_verified(application: Application, depot: int) -> bool:
    return application.ask(f"/api/v1/stores/{depot}")["source"]["data_status"] == "verified"


def test_a_change_at_one_machine_is_public_on_both_within_half_a_second(service, caller):
    took = []
    found = depots(caller, 6)
    first, second = service.applications
    for here, there, chosen in ((first, second, found[:3]), (second, first, found[3:])):
        editor = service.caller(gunicorn=here)
        log_in(service, editor)
        editor.get("/admin/catalog/depot/")
        for depot in chosen:
            assert not is_verified(here, depot)
            assert not is_verified(there, depot)
            verify(editor, depot)
            began = time.monotonic()
            assert is_verified(here, depot)  # whoever has changed something sees it
            assert eventually(partial(is_verified, there, depot), BACK_S)
            took.append(round(time.monotonic() - began, 2))
    print(json.dumps({"seconds until a change was public on the other machine": took}))
    assert max(took) < SOON_S + LOADED_S


def rename(service: Service, name: str) -> None:
    """Give Zakopane a name, and wait until both machines say so."""
    service.database.ask(NEW_NAME.format(name))
    path = "/api/v1/locate?lat=49.2992&lon=19.9496"
    assert eventually(lambda: all(one.ask(path)["municipality"] == name for one in service.applications), BACK_S)


def test_both_machines_answer_the_same_under_the_same_validator(service):
    known: dict[str, str] = {}
    for name in ("Zakopane Nowe", "Zakopane"):
        rename(service, name)
        first, second = (service.caller(gunicorn=application) for application in service.applications)
        before, known = known, {}
        for path in PATHS:
            one, other = first.get(path), second.get(path)
            assert (one.status, one.headers["ETag"], one.body) == (200, other.headers["ETag"], other.body), path
            # What one machine gave out, the other knows.
            assert second.ask("GET", path, **{"If-None-Match": one.headers["ETag"]}).status == 304
            known[path] = one.headers["ETag"]
        # Prices and rules depend on no name of a municipality.
        assert any(known[path] != tag for path, tag in before.items()) == bool(before)


def test_both_machines_count_one_caller_together(service):
    stranger = service.caller("127.0.3.1")
    left = []
    for _ in range(20):
        answer = stranger.get("/api/v1/subsidy?people=2")
        assert answer.status == 200
        left.append(int(re.search(r"r=(\d+)", answer.headers["RateLimit"])[1]))
    # nginx asks one machine after the other: two counts apart would have gone down by nine.
    assert left[0] - left[-1] > 9


class Forms:
    """Readers' forms, filled in beforehand. sent: statuses by phase. took_s: until one was taken, by phase."""

    def __init__(self, service: Service, depots: list[int]) -> None:
        self.ready = fill_in(service.caller, "127.0.1", depots)
        self.sent: dict[str, list[int]] = {}
        self.took_s: dict[str, float] = {}

    def take(self, phase: str) -> None:
        began = time.monotonic()
        self.sent[phase] = self.ready.pop().send_until_taken(BACK_S)
        self.took_s[phase] = round(time.monotonic() - began, 2)

    def refuse(self, phase: str) -> None:
        """Send two that are refused; one of them is sent again in the next phase."""
        for form in self.ready[-2:]:
            answer = form.send()
            self.sent.setdefault(phase, []).append(answer.status)
            assert answer.status == 503, answer
            assert int(answer.headers["Retry-After"]) > 0

    def wait(self, phase: str) -> threading.Thread:
        """Send one from a thread, whenever the answer comes."""
        form = self.ready.pop()
        thread = threading.Thread(target=lambda: self.sent.update({phase: [form.send().status]}))
        thread.start()
        return thread


def test_no_read_fails_and_forms_come_back_when_machines_go_away_one_after_the_other(service, caller):
    forms = Forms(service, depots(caller, 14))
    load = Load(service.nginx.port, PATHS, callers=4)

    def go_through(
        phase: str, event: Callable[[], object], then: Callable[[str], object] = forms.take, *, cuts: bool = False
    ) -> None:
        load.go_through(phase, lambda: (event(), then(phase)), cuts=cuts)

    def change() -> None:
        for number in range(8):
            service.database.ask(NEW_NAME.format(f"Zakopane {number}" if number < 7 else "Zakopane"))
            time.sleep(0.1)

    def without_database() -> None:
        assert eventually(lambda: service.all_know_the_database(away=True), BACK_S)
        stranger = service.caller()
        assert stranger.get("/admin/login/").status == 503
        assert stranger.ask("POST", "/api/v1/subsidy", {"people": "2", "income": "2000"}).status == 200
        assert service.applications[0].ask("/readyz")["serving"] == "reading only, from memory"

    def start_without_database() -> None:
        """Nothing to answer with: it ends, and systemd starts it anew until it can."""
        service.applications[1].kill()
        service.applications[1].start()
        assert eventually(lambda: not service.applications[1].runs(), BACK_S), "it neither serves nor ends"
        service.applications[1].kill()

    with load.running():
        go_through("all there", lambda: None)
        go_through("changes", change)
        service.lose_one_after_the_other(go_through)
        load.go_through("database killed", service.database.kill)
        go_through("database away", without_database, forms.refuse)
        load.go_through("one gunicorn without database", start_without_database, cuts=True)
        go_through("database back", service.database.ready)
        go_through("both gunicorns back", service.applications[1].ready)
        # Forms that come before anybody knows hold a thread each until it goes on; readers wait for none of them.
        waiting: list[threading.Thread] = []
        go_through("database frozen", service.database.freeze, lambda phase: waiting.append(forms.wait(phase)))
        go_through("database away again", without_database, forms.refuse)
        go_through("database thawed", service.database.thaw)
        for thread in waiting:
            thread.join()
        go_through("all back", lambda: None)

    clashes = {path for (path, _), bodies in load.bodies.items() if len(bodies) > 1}
    told = {**load.figures(), "written": forms.sent, "until taken": forms.took_s}
    print(json.dumps(told, indent=1, ensure_ascii=False))
    assert not clashes
    assert told["read"].keys() <= {200, 0}
    # All that was taken is there.
    taken = sum(statuses.count(302) for statuses in forms.sent.values())
    assert service.database.ask("SELECT count(*) FROM catalog_depotrequest WHERE kind = 'price'") == taken


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_the_unit_is_one_that_systemd_understands(tmp_path):
    # The paths of that machine do not exist here.
    unit = (FILES / "fueldepot@.service").read_text()
    unit = re.sub("/srv/fueldepot/app/.venv/bin/(python|gunicorn)", shutil.which("true") or "/bin/true", unit)
    file = tmp_path / "fueldepot@.service"
    file.write_text(unit.replace("/srv/fueldepot/app", str(ROOT)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True, check=False)
    about_ours = [line for line in done.stderr.splitlines() if "fueldepot@.service" in line]
    assert not about_ours, about_ours
