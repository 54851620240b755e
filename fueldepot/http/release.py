"""Identification of the running release: part of every validator, since new code may change responses."""

import tomllib
from functools import cache
from hashlib import blake2b
from importlib import metadata

from django.conf import settings

PARTS = ("fueldepot", "catalog", "prices", "regulations", "subsidy", "pages", "templates")
WRITES_ANSWERS = {".py", ".html", ".md", ".txt", ".yaml", ".css", ".js", ".svg", ".json"}


@cache
def release() -> str:
    """Return a digest of the project's files and of settings that responses contain; equal on all machines.

    Reads some hundred files once per process.
    """
    digest = blake2b(digest_size=8)
    for part in PARTS:
        for path in sorted((settings.BASE_DIR / part).rglob("*")):
            if path.suffix in WRITES_ANSWERS:
                digest.update(path.relative_to(settings.BASE_DIR).as_posix().encode())
                digest.update(path.read_bytes())
    for setting in (settings.SITE_URL, settings.SITE_NAME, settings.OPERATOR_NAME, settings.CONTACT_EMAIL):
        digest.update(f"\0{setting}".encode())
    return digest.hexdigest()


@cache
def version() -> str:
    """Return the version of the project, such as `1.0.0`."""
    project = settings.BASE_DIR / "pyproject.toml"
    if project.exists():
        stated: str = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
        return stated
    return metadata.version("fueldepot")  # an installed wheel


def version_and_release() -> str:
    """Return the version with the digest behind it, such as `1.0.0+5f0c7a1d2e3b4c5d` (PEP 440)."""
    return f"{version()}+{release()}"
