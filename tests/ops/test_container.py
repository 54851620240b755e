"""Containerfile and compose.yaml: that they name what there is."""

import re
import tomllib

import yaml

from tests.fueldepot.sharers import PROJECT_ROOT


def test_compose_runs_the_files_of_the_deployment():
    compose = yaml.safe_load((PROJECT_ROOT / "compose.yaml").read_text())
    services = compose["services"]
    for volume in services["nginx"]["volumes"]:
        source = volume.partition(":")[0]
        if source.startswith("./docs/"):
            assert (PROJECT_ROOT / source).exists()
    site = (PROJECT_ROOT / "docs" / "deployment" / "fueldepot.nginx").read_text()
    for name in ("application-1", "application-2"):
        given = services[name]["environment"]
        assert f"server {given['ADDRESS']}:{given['PORT']} " in site
        assert services[name]["network_mode"] == "service:nginx"
        assert services[name]["read_only"] is True
    named = set(compose["volumes"])
    used = {volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", [])}
    assert {volume for volume in used if not volume.startswith(".")} == named


def test_the_image_leaves_nothing_of_the_code_out():
    ignored = (PROJECT_ROOT / ".containerignore").read_text().split()
    packages = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())
    for package in packages["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        assert package not in ignored
    text = (PROJECT_ROOT / "Containerfile").read_text()
    assert re.search(r"^USER fueldepot$", text, re.MULTILINE)
