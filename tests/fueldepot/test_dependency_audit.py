"""The audit of dependencies: no failure and no silent success without a network."""

import json

from tests.audit import judge

CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
FLAWED = {"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"], "aliases": []}]}
SKIPPED = {"name": "y", "skip_reason": "could not be found"}


def test_an_audit_fails_where_it_knows_a_vulnerability_and_says_so_where_it_could_ask_nobody():
    for packages, complaint, status, message in (
        ([CLEAN], "", "passed", "no known vulnerabilities in 1 packages"),
        ([CLEAN, FLAWED, SKIPPED], "", "failed", "x 1: PYSEC-1, mended in ['2']"),
        ([CLEAN, SKIPPED], "", "skipped", "NOT AUDITED: 1 of 2 packages (y)"),
        ([], "", "skipped", "NOT AUDITED"),
        (None, "requests.exceptions.ConnectionError: Max retries exceeded", "skipped", "NOT AUDITED"),
        (None, "ValueError: broken lock", "failed", "the audit failed: ValueError: broken lock"),
    ):
        report = "" if packages is None else json.dumps({"dependencies": packages, "fixes": []})
        outcome = judge("a.lock", report, f"Traceback\n{complaint}")
        assert (outcome[0], message in outcome[1]) == (status, True), outcome
