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

LOCKS = ("requirements.lock", "requirements-dev.lock")
LIMIT_S = 180
UNREACHABLE = ("ConnectionError", "ConnectTimeout", "ReadTimeout", "Max retries exceeded", "ProxyError", "SSLError")


def judge(name: str, report: str, complaint: str) -> tuple[str, str]:
    """Return "passed", "failed" or "skipped", and why. report: pip-audit's JSON, "" for none. complaint: its errors."""
    try:
        packages = json.loads(report)["dependencies"]
    except (json.JSONDecodeError, KeyError, TypeError):
        if any(word in complaint for word in UNREACHABLE):
            return "skipped", f"{name}: NOT AUDITED, the vulnerability database cannot be reached from here"
        lines = complaint.strip().splitlines() or ["pip-audit said nothing"]
        return "failed", f"{name}: the audit failed: {lines[-1]}"
    flaws = [
        f"  {package['name']} {package['version']}: {flaw['id']}, mended in {flaw['fix_versions'] or 'no release yet'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if flaws:
        return "failed", "\n".join([f"{name}: known vulnerabilities", *flaws])
    if unknown or not packages:
        count = f"{len(unknown)} of {len(packages)} packages"
        return "skipped", f"{name}: NOT AUDITED: {count} ({', '.join(unknown[:5])})"
    return "passed", f"{name}: no known vulnerabilities in {len(packages)} packages"


def audit(name: str) -> tuple[str, str]:
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
        status, message = audit(name)
        print(message, file=sys.stdout if status == "passed" else sys.stderr)
        if status == "failed" or (status == "skipped" and strict):
            sys.exit(1)
        if status == "skipped":
            break


if __name__ == "__main__":
    main()
