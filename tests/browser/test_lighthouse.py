"""Lighthouse, as a phone, on the pages that people open first, behind the nginx of docs/deployment.

It is installed below `var/lighthouse` from `package.json` beside this file.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import QUIET
from tests.fueldepot.sharers import output_of
from tests.npm import node_modules, skip_unless_it_runs
from tests.ops.live import Site
from tests.ops.machines.servers import Nginx, missing_programs, open_folder
from tests.ports import free_ports

CHROMIUM = shutil.which("chromium")  # Lighthouse measures the whole browser
MISSING = {"nginx", "openssl"} & set(missing_programs())
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {', '.join(MISSING)}"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; on Debian: apt-get install chromium"),
]

HTTPS = {"X-Forwarded-Proto": "https"}
MOST_BYTES = 120_000
FASTEST_OF = 3
"""Runs of which the best counts: what else this machine does makes a page slower, never faster."""
LEAST_PERFORMANCE = 0.95
ON_PURPOSE = {"is-crawlable"}
"""What Lighthouse holds against a page of invented data, which is `noindex`."""


@pytest.fixture(scope="module")
def lighthouse() -> Path:
    tool = node_modules(Path(__file__).with_name("package.json"), "lighthouse") / ".bin" / "lighthouse"
    skip_unless_it_runs([tool, "--version"])
    return tool


@pytest.fixture(scope="module")
def proxied(lighthouse: Path) -> Iterator[dict[str, str]]:
    """Addresses of the service with the starter data as the public reaches it, by the kind of page."""
    plain, tls = free_ports(2)
    url = f"https://127.0.0.1:{tls}"
    with open_folder("lighthouse") as home, ExitStack() as stack:
        site = stack.enter_context(Site(home, starter=True, SITE_URL=url, TRUSTED_PROXIES="127.0.0.1").running())
        nginx = Nginx(home / "nginx", (plain, tls), (site.port, site.port), host="127.0.0.1")
        stack.callback(nginx.kill)
        nginx.ready()
        depots = json.loads(site.get("/api/v1/stores?teryt=1261011", **HTTPS).body)
        place = f"{url}/sklady/malopolskie/krakow-1261011/"
        yield {"home": f"{url}/", "place": place, "depot": depots[0]["url"]}


def measure(tool: Path, url: str, report: Path) -> dict[str, Any]:
    """What Lighthouse finds of a page, as it reports it in JSON."""
    flags = " ".join(["--headless=new", "--ignore-certificate-errors", *QUIET])
    command = [tool, url, "--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
    environment = os.environ | {"CHROME_PATH": str(CHROMIUM)}
    output_of(subprocess.run(command, env=environment, capture_output=True, text=True))
    return json.loads(report.read_bytes())


def scores(report: dict[str, Any]) -> dict[str, float]:
    return {name: category["score"] for name, category in report["categories"].items()}


def failed(report: dict[str, Any], category: str) -> set[str]:
    """The audits that cost a category points."""
    weighed = [one["id"] for one in report["categories"][category]["auditRefs"] if one["weight"]]
    # Those that do not apply have no score.
    return {name for name in weighed if report["audits"][name]["score"] not in {None, 1}}


@pytest.mark.parametrize("kind", ["home", "place", "depot"])
def test_a_page_is_fast_and_without_fault(lighthouse, proxied, tmp_path, kind):
    performance = []
    while len(performance) < FASTEST_OF and max(performance, default=0) < LEAST_PERFORMANCE:
        report = measure(lighthouse, proxied[kind], tmp_path / f"{len(performance)}.json")
        performance.append(scores(report)["performance"])
    weight = report["audits"]["total-byte-weight"]["numericValue"]
    print({"page": kind, "bytes": weight, "performance": performance, "scores": scores(report)})
    assert weight < MOST_BYTES
    assert failed(report, "accessibility") | failed(report, "best-practices") == set()
    assert failed(report, "seo") <= ON_PURPOSE
    assert max(performance) >= LEAST_PERFORMANCE
