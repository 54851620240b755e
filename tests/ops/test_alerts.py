"""Each alert of docs/deployment fires when it should, in Prometheus' own `promtool test rules`."""

import json
import shutil
import subprocess

import pytest
import yaml

from tests import ROOT
from tests.fueldepot.sharers import output_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("promtool") is None, reason="prometheus is not installed here"),
]

RULES = ROOT / "docs" / "deployment" / "monitoring" / "alerts.yml"
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
