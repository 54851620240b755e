"""The committed API description with the URLs of this site."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

FILE = Path(__file__).resolve().parent.parent / "openapi.json"

PREFIX = "/api/v1"


@cache
def document() -> dict[str, Any]:
    """Return the description with the URLs of this site. Read once per process; do not modify it."""
    described: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    site = settings.SITE_URL
    info = described["info"]
    info["description"] = info["description"].replace("](/api/", f"]({site}/api/")
    info["termsOfService"] = info["license"]["url"] = described["externalDocs"]["url"] = f"{site}/api/"
    info["contact"] = {"name": settings.OPERATOR_NAME, "url": site}
    if settings.CONTACT_EMAIL:
        info["contact"]["email"] = settings.CONTACT_EMAIL
    for methods in described["paths"].values():
        for operation in methods.values():
            for sample in operation["x-codeSamples"]:
                sample["source"] = sample["source"].replace(f'"{PREFIX}', f'"{site}{PREFIX}')
    described["servers"] = [{"url": site + PREFIX, "description": settings.SITE_NAME}]
    return described


@cache
def body() -> bytes:
    """Return the description as bytes."""
    return orjson.dumps(document())
