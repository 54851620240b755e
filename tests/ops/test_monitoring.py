"""`/metrics` of a real gunicorn; the files for Prometheus and Grafana on a real Prometheus, and each alert alone."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import yaml

from tests import ROOT
from tests.fueldepot.sharers import eventually, output_of, run_python, signal_all
from tests.ops.live import Site
from tests.ports import free_port

pytestmark = pytest.mark.slow

FILES = ROOT / "docs" / "deployment" / "monitoring"
needs_prometheus = pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is not installed here")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("metrics"), METRICS="on").running() as site:
        yield site


def numbers(site: Site) -> dict[str, float]:
    """Every number of `/metrics`, by name and labels."""
    answer = site.get("/metrics")
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
    lines = [line for line in answer.body.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def counted(site: Site, view: str, status: int = 200) -> float:
    return numbers(site).get(f'fueldepot_requests_total{{method="GET",status="{status}",view="{view}"}}', 0.0)


def test_all_workers_count_together_whichever_answers(site):
    before = counted(site, "v1:locations")
    for _ in range(40):
        assert site.get("/api/v1/locations?q=krak").status == 200
    # Of ten scrapes some are answered by either worker.
    assert {counted(site, "v1:locations") - before for _ in range(10)} == {40.0}
    assert counted(site, "none", 404) == 0
    site.get("/nie-ma-takiej-strony")
    assert sum(value for name, value in numbers(site).items() if 'status="404"' in name) == 1


def test_numbers_tell_of_the_state_and_of_nobody(site):
    site.get("/api/v1/subsidy?people=2&income=23456")
    text = site.get("/metrics", **{"X-Request-ID": "secretsecret"}).body
    assert "23456" not in text
    assert "secret" not in text
    found = numbers(site)
    assert found["fueldepot_ready"] == found["fueldepot_database_up"] == 1
    assert found['fueldepot_dataset_rows{dataset="units"}'] == 4
    assert found["fueldepot_submissions_waiting"] == found["fueldepot_letters_unsent"] == 0
    assert found["fueldepot_legal_states_outdated"] == 1  # the only one, of January
    (info,) = (name for name in found if name.startswith("fueldepot_info"))
    assert json.loads(site.get("/readyz").body)["release"] in info


def test_a_worker_that_dies_takes_no_number_along(site):
    before = counted(site, "v1:locations")
    for pid in site.workers():
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda pid=pid: pid not in site.workers() and len(site.workers()) == 2)
        assert eventually(lambda: site.get("/healthz").status == 200)
    assert counted(site, "v1:locations") == before


class Prometheus:
    """Debian's Prometheus with the files of docs/deployment, scraping every two seconds, for busy machines."""

    def __init__(self, home: Path, site: Site) -> None:
        self.home, self.port = home, free_port()
        config = (FILES / "prometheus.yml").read_text().partition("  # The machine")[0]
        changed = re.sub(r"targets: .*", f'targets: ["127.0.0.1:{site.port}"]', config).replace("15s", "2s")
        assert changed.count("2s") == 2
        (home / "prometheus.yml").write_text(changed)
        # What would be waited for for minutes is waited for for a second, and what was slow is past after five.
        alerts = re.sub(r"^( +for: ).*", r"\g<1>1s", RULES.read_text(), flags=re.MULTILINE)
        alerts = re.sub(r"\[\d+m\]", "[5s]", alerts)
        (home / "alerts.yml").write_text(alerts)
        with (home / "log").open("wb") as log:
            paths = [f"--config.file={home / 'prometheus.yml'}", f"--storage.tsdb.path={home / 'data'}"]
            command = ["prometheus", *paths, f"--web.listen-address=127.0.0.1:{self.port}"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def ask(self, path: str, **parameters: str) -> Any:
        answer = httpx2.get(f"http://127.0.0.1:{self.port}/api/v1/{path}", params=parameters, timeout=10)
        return answer.raise_for_status().json()["data"]

    def has(self, expression: str) -> bool:
        try:
            return bool(self.ask("query", query=expression)["result"])
        except httpx2.HTTPError:
            return False

    def firing(self) -> set[str]:
        return {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}


@pytest.fixture(scope="module")
def prometheus(site, tmp_path_factory) -> Iterator[Prometheus]:
    running = Prometheus(tmp_path_factory.mktemp("prometheus"), site)
    try:
        for command in (("purge_submissions", "--commit"), ("back_up", str(running.home))):
            output_of(run_python("manage.py", *command, DATABASE_URL=site.database_url))
        assert eventually(lambda: running.has("fueldepot_ready"))
        yield running
    finally:
        running.process.terminate()
        running.process.wait()


@pytest.mark.release
@needs_prometheus
def test_every_panel_of_the_dashboard_shows_something(site, prometheus):
    for _ in range(20):
        site.get("/api/v1/locations?q=krak")
        site.get("/")
        time.sleep(0.1)
    panels = json.loads((FILES / "dashboard.json").read_text())["panels"]
    empty = {f"{panel['title']} {one['refId']}": one["expr"] for panel in panels for one in panel["targets"]}
    assert len(empty) > 10

    def all_show() -> bool:
        for name in [name for name, expression in empty.items() if prometheus.has(expression)]:
            del empty[name]
        return not empty

    assert eventually(all_show), empty


def age_the_dump(site: Site, days: int) -> None:
    with psycopg.connect(site.database_url) as database:
        database.execute(
            "UPDATE catalog_importrun SET started = day, finished = day"
            " FROM (SELECT now() - make_interval(days => %s) AS day) AS days WHERE source = 'back_up'",
            [days],
        )


@pytest.mark.release
@needs_prometheus
def test_alerts_fire_when_they_should_and_are_silent_before(site, prometheus):
    with psycopg.connect(site.database_url) as database:
        database.execute("UPDATE regulations_legalstate SET as_of = current_date")
    assert eventually(lambda: not prometheus.firing()), prometheus.firing()
    age_the_dump(site, days=3)
    assert eventually(lambda: prometheus.firing() == {"FueldepotBackUpOverdue"}), prometheus.firing()
    age_the_dump(site, days=0)
    with site.frozen():
        assert eventually(lambda: "FueldepotDatabaseAway" in prometheus.firing()), prometheus.firing()
        assert "FueldepotDown" not in prometheus.firing()
    assert eventually(lambda: "FueldepotDatabaseAway" not in prometheus.firing()), prometheus.firing()
    frozen = [site.process.pid, *site.workers()]
    try:
        signal_all(frozen, signal.SIGSTOP)
        assert eventually(lambda: "FueldepotDown" in prometheus.firing()), prometheus.firing()
    finally:
        signal_all(frozen, signal.SIGCONT)


RULES = FILES / "alerts.yml"
UNIT = 'node_systemd_unit_state{{instance="a", name="{}", state="{}"}}'
DISK = 'node_filesystem_{}_bytes{{instance="a", fstype="ext4", mountpoint="/"}}'
EXPIRY = 'probe_ssl_earliest_cert_expiry{job="site", instance="a"}'
SLOW = 'fueldepot_request_duration_seconds_bucket{{area="page", le="{}"}}'
DAY = 24 * 60
"""Minutes."""

CASES = [
    # alert; series while all is well; series then; minutes after which it fires, and before which it does not
    ("FueldepotDown", {'up{job="fueldepot", instance="a"}': "1"}, "0", 3, 1),
    ("FueldepotDatabaseAway", {"fueldepot_database_up": "1"}, "0", 2, 0),
    ("FueldepotNotReady", {"fueldepot_ready": "1", "fueldepot_database_up": "1"}, "0", 6, 4),
    ("FueldepotErrors", {'fueldepot_requests_total{view="v1:locate", status="500"}': "0"}, "0+1", 2, None),
    ("FueldepotSlow", {SLOW.format(le): "0+60" for le in ("0.5", "1.0", "+Inf")}, "6000", 20, 9),
    ("FueldepotPurgeOverdue", {"fueldepot_purge_requests_overdue": "0"}, "1", 61, 59),
    ("FueldepotBackUpOverdue", {"fueldepot_back_up_overdue": "0"}, "1", 61, 59),
    ("FueldepotSourceOverdue", {'fueldepot_source_overdue{source="simc"}': "0"}, "1", 61, 59),
    ("FueldepotLettersUnsent", {"fueldepot_letters_unsent": "0"}, "1", DAY + 1, DAY - 1),
    ("FueldepotSubmissionsWait", {"fueldepot_submissions_oldest_timestamp_seconds": "9e9"}, "-9e9", 61, 59),
    ("FueldepotLegalStatesOutdated", {"fueldepot_legal_states_outdated": "0"}, "1", DAY + 1, DAY - 1),
    ("FueldepotUnitFailed", {UNIT.format("fueldepot-refresh.service", "failed"): "0"}, "1", 6, 4),
    ("FueldepotUnitFailed", {UNIT.format("certbot.service", "failed"): "0"}, "1", 6, 4),
    ("FueldepotUnitStopped", {UNIT.format("redis-server.service", "active"): "1"}, "0", 6, 4),
    ("FueldepotUnitStopped", {UNIT.format("fueldepot-backup.timer", "active"): "1"}, "0", 6, 4),
    ("FueldepotDiskFull", {DISK.format("avail"): "50", DISK.format("size"): "100"}, "9", 31, 29),
    ("FueldepotCertificateExpires", {EXPIRY: "9e9"}, f"{14 * 86400 + 100 * 60}", 61, None),
    ("FueldepotSiteUnreachable", {'probe_success{job="site", instance="a"}': "1"}, "0", 3, 1),
]
WELL_FOR = 100
"""Minutes without a fault, and without an alert, before each case."""


def test_every_alert_has_a_case():
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    assert {rule["alert"] for rule in group["rules"]} == {alert for alert, *_ in CASES}


@pytest.mark.release
@needs_prometheus
@pytest.mark.parametrize(("alert", "well", "broken", "fires", "silent"), CASES)
def test_an_alert_fires_when_it_should(tmp_path, alert, well, broken, fires, silent):
    series = [{"series": name, "values": f"{values}x{WELL_FOR + 2 * DAY}"} for name, values in well.items()]
    series[0]["values"] = f"{next(iter(well.values()))}x{WELL_FOR} {broken}x{2 * DAY}"

    def expect(minutes, *alerts):
        samples = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in alerts]
        expression = 'count by (alertname) (ALERTS{alertstate="firing"})'
        return {"expr": expression, "eval_time": f"{minutes}m", "exp_samples": samples}

    moments = [expect(WELL_FOR - 1), expect(WELL_FOR + 1 + fires, alert)]
    if silent is not None:
        moments.append(expect(WELL_FOR + 1 + silent))
    case = {"interval": "1m", "input_series": series, "promql_expr_test": moments}
    cases = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case]}
    (tmp_path / "cases.yml").write_text(json.dumps(cases))
    command = ["promtool", "test", "rules", "cases.yml"]
    output_of(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True))
