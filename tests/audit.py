"""Known vulnerabilities of the locked packages, for `make lint`.

python -m tests.audit    exit status 1 when there are any

pip-audit asks a database on the Internet, and says "no known vulnerabilities" also where it could ask nothing. Without
that database nothing can be told, so this says loudly that it was skipped, and fails only with AUDIT=strict.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

LOCKS = ("requirements.lock", "requirements-dev.lock")
LIMIT_S = 180
UNREACHABLE = ("ConnectionError", "ConnectTimeout", "ReadTimeout", "Max retries exceeded", "ProxyError", "SSLError")


class Outcome(NamedTuple):
    """A message with the exit statuses of strict and ordinary runs."""

    message: str
    failed: bool
    skipped: bool = False


def judge(name: str, report: str, complaint: str) -> Outcome:
    """Read the result of an audit. report: pip-audit's JSON, "" for none. complaint: its standard error."""
    try:
        packages = json.loads(report)["dependencies"]
    except (json.JSONDecodeError, KeyError, TypeError):
        if any(word in complaint for word in UNREACHABLE):
            reason = "the vulnerability database cannot be reached from here"
            return Outcome(f"{name}: NOT AUDITED, {reason}", failed=False, skipped=True)
        lines = complaint.strip().splitlines() or ["pip-audit said nothing"]
        return Outcome(f"{name}: the audit failed: {lines[-1]}", failed=True)
    found = [
        f"  {package['name']} {package['version']}: {flaw['id']}, mended in {flaw['fix_versions'] or 'no release yet'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if found:
        return Outcome("\n".join([f"{name}: known vulnerabilities", *found]), failed=True)
    if unknown or not packages:
        what = f"{len(unknown)} of {len(packages)} packages"
        return Outcome(f"{name}: NOT AUDITED: {what} ({', '.join(unknown[:5])})", failed=False, skipped=True)
    return Outcome(f"{name}: no known vulnerabilities in {len(packages)} packages", failed=False)


def audit(name: str) -> Outcome:
    program = Path(sys.executable).with_name("pip-audit")
    command = [str(program), "-r", name, "--no-deps", "--disable-pip", "-f", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "--timeout", "5"], capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return judge(name, "", "ReadTimeout")
    return judge(name, done.stdout, done.stderr)


def main() -> None:
    """Audit every lock file; stop if the first audit is impossible."""
    strict = os.environ.get("AUDIT") == "strict"
    for name in LOCKS:
        outcome = audit(name)
        print(outcome.message, file=sys.stderr if outcome.failed or outcome.skipped else sys.stdout)
        if outcome.failed or (outcome.skipped and strict):
            sys.exit(1)
        if outcome.skipped:
            break


if __name__ == "__main__":
    main()
