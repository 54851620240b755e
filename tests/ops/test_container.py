"""Containerfile and compose.yaml: that they name what there is."""

import re
import subprocess
import tomllib
from pathlib import PurePosixPath

import pytest
import yaml

from tests import ROOT

CONTAINERFILE = (ROOT / "Containerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text()
SIGNS = {"**/": "(.*/)?", "*": "[^/]*"}
"""Of the ignore file, as regular expressions."""


def test_compose_runs_the_files_of_the_deployment():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    services = compose["services"]
    for volume in services["nginx"]["volumes"]:
        source = volume.partition(":")[0]
        if source.startswith("./docs/"):
            assert (ROOT / source).exists()
    site = (ROOT / "docs" / "deployment" / "fueldepot.nginx").read_text()
    for name in ("application-1", "application-2"):
        given = services[name]["environment"]
        assert f"server {given['ADDRESS']}:{given['PORT']} " in site
        assert services[name]["network_mode"] == "service:nginx"
        assert services[name]["read_only"] is True
    named = set(compose["volumes"])
    used = {volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", [])}
    assert {volume for volume in used if not volume.startswith((".", "/"))} == named


def test_the_image_leaves_nothing_of_the_code_out():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tracked = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]
    code = {
        path
        for path in tracked
        if path.partition("/")[0] in packages["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    }
    assert code | {"manage.py", "pyproject.toml", "requirements.lock"} <= set(copied(tracked))
    assert re.search(r"^USER fueldepot$", CONTAINERFILE, re.MULTILINE)


def copied(paths: list[str]) -> list[str]:
    """Return which files of the folder the COPY instructions take into the image, past the ignore file."""
    ignored = [line for line in IGNORED.splitlines() if line and not line.startswith("#")]
    assert not any(set("!?[\\") & set(pattern) for pattern in ignored), "signs that are not understood here"
    patterns = [
        re.compile("".join(SIGNS.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*)", pattern)) + "(/.*)?")
        for pattern in ignored
    ]
    instructions = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE, re.MULTILINE)
    sources = {source for instruction in instructions for source in instruction.split()}
    return [
        path
        for path in paths
        if sources & {".", path, *(str(folder) for folder in PurePosixPath(path).parents)}
        and not any(pattern.fullmatch(path) for pattern in patterns)
    ]


@pytest.mark.parametrize(
    "folder", ["", "certificates/", "docs/deployment/", "fueldepot/", "catalog/starter/files/", "x/"]
)
def test_no_secret_enters_the_image(folder):
    names = ["privkey.pem", "fullchain.pem", "site.key", ".env", ".env.local", "fueldepot-1.dump"]
    assert copied([f"{folder}{name}" for name in names]) == []


def test_secrets_of_compose_are_outside_the_context():
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert {service["env_file"] for service in services.values() if "env_file" in service} == {"/etc/fueldepot.env"}
    inside = [volume for volume in services["nginx"]["volumes"] if volume.startswith(".")]
    assert inside == ["./docs/deployment/fueldepot.nginx:/etc/nginx/conf.d/default.conf:ro"]
    assert not (ROOT / ".containerignore").exists(), "Podman would read it in place of .dockerignore"
