"""The audit of dependencies: no failure and no silent success without a network."""

import json

from tests.audit import judge

CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
FLAWED = {"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"], "aliases": []}]}
SKIPPED = {"name": "y", "skip_reason": "could not be found"}


def test_an_audit_fails_where_it_knows_a_vulnerability_and_says_so_where_it_could_ask_nobody():
    for packages, complaint, failed, says in (
        ([CLEAN], "", False, "no known vulnerabilities in 1 packages"),
        ([CLEAN, FLAWED, SKIPPED], "", True, "x 1: PYSEC-1, mended in ['2']"),
        ([CLEAN, SKIPPED], "", False, "NOT AUDITED: 1 of 2 packages (y)"),
        ([], "", False, "NOT AUDITED"),
        (None, "requests.exceptions.ConnectionError: Max retries exceeded", False, "NOT AUDITED"),
        (None, "ValueError: broken lock", True, "the audit failed: ValueError: broken lock"),
    ):
        report = "" if packages is None else json.dumps({"dependencies": packages, "fixes": []})
        message, fails = judge(report, f"Traceback\n{complaint}")
        assert fails == failed, says
        assert says in message
