"""Known vulnerabilities of the locked packages, for `make lint`.

python -m tests.audit    exit status 1 when there are any

pip-audit asks a database on the Internet, and says "no known vulnerabilities" also where it could ask nothing. Without
that database nothing can be told, so this says loudly that it was skipped.
"""

import json
import subprocess
import sys
from pathlib import Path

LOCK = "requirements-dev.lock"
"""Has the packages of the other two, in the same versions."""

LIMIT_S = 180
UNREACHABLE = ("ConnectionError", "ConnectTimeout", "ReadTimeout", "Max retries exceeded", "ProxyError", "SSLError")


def judge(report: str, complaint: str) -> tuple[str, bool]:
    """What an audit says, and whether it failed. report: pip-audit's JSON, "" for none. complaint: standard error."""
    if not report:
        if any(word in complaint for word in UNREACHABLE):
            return "NOT AUDITED, the vulnerability database cannot be reached from here", False
        return f"the audit failed: {(complaint.strip() or 'pip-audit said nothing').splitlines()[-1]}", True
    packages = json.loads(report)["dependencies"]
    flaws = [
        f"  {package['name']} {package['version']}: {flaw['id']}, mended in {flaw['fix_versions'] or 'no release yet'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    if flaws:
        return "\n".join(["known vulnerabilities", *flaws]), True
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown or not packages:
        return f"NOT AUDITED: {len(unknown)} of {len(packages)} packages ({', '.join(unknown[:5])})", False
    return f"no known vulnerabilities in {len(packages)} packages", False


def main() -> None:
    program = Path(sys.executable).with_name("pip-audit")
    command = [program, "-r", LOCK, "--no-deps", "--disable-pip", "-f", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run([*command, "--timeout", "5"], capture_output=True, text=True, timeout=LIMIT_S)
        message, failed = judge(done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        message, failed = judge("", "ReadTimeout")
    print(f"{LOCK}: {message}", file=sys.stderr)
    sys.exit(failed)


if __name__ == "__main__":
    main()
