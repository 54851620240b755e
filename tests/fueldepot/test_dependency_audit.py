"""The audit of dependencies: no failure and no silent success without a network."""

import json

from tests.audit import judge

CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
FLAWED = {"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"], "aliases": []}]}
SKIPPED = {"name": "y", "skip_reason": "could not be found"}


def test_a_report_fails_where_it_knows_a_vulnerability():
    for packages, failed, skipped, says in (
        ([CLEAN], False, False, "no known vulnerabilities in 1 packages"),
        ([CLEAN, FLAWED, SKIPPED], True, False, "x 1: PYSEC-1, mended in ['2']"),
        ([CLEAN, SKIPPED], False, True, "NOT AUDITED: 1 of 2 packages (y)"),
        ([], False, True, "NOT AUDITED"),
    ):
        outcome = judge("a.lock", json.dumps({"dependencies": packages, "fixes": []}), "")
        assert (outcome.failed, outcome.skipped) == (failed, skipped), packages
        assert says in outcome.message


def test_without_a_network_it_says_so():
    outcome = judge("a.lock", "", "Traceback\nrequests.exceptions.ConnectionError: Max retries exceeded")
    assert (outcome.failed, outcome.skipped) == (False, True)
    assert "NOT AUDITED" in outcome.message


def test_any_other_failure_is_one():
    outcome = judge("a.lock", "", "Traceback\nValueError: broken lock")
    assert outcome.failed
    assert outcome.message.endswith("ValueError: broken lock")
