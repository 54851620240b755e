"""URLs by the names of routes of layers above; the committed API description with the URLs of this site."""

import json
from functools import cache, lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from django.conf import settings
from django.urls import reverse


def site_url(path: str) -> str:
    return settings.SITE_URL + path


@lru_cache(maxsize=200)
def route_path(name: str, *args: str) -> str:
    """Return the cached path of a route with few possible arguments, such as slugs of voivodeships."""
    return reverse(name, args=args)


def route_url(name: str, *args: str) -> str:
    return site_url(route_path(name, *args))


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
    return orjson.dumps(document())


NAMED = {"paths", "properties", "schemas", "content"}  # their values have arbitrary keys
FIELDS = {"properties", "items", "oneOf", "additionalProperties", "type", "$ref"}
PARAMETERS = {"parameters", "in", "name", "required", "schema", "enum", "default", "minimum", "maximum"}
KEPT = FIELDS | PARAMETERS | NAMED | {"openapi", "info", "title", "version", "servers", "url", "components"}
KEPT |= {"get", "operationId", "summary"}
IMPLIED = ("string", "object", ["string", "null"])  # types that fields leave out


@cache
def compact_body() -> bytes:
    """Return the compact description: valid OpenAPI 3.1 of GET and 200, without descriptions and examples."""
    short = shorten(document())
    short["info"]["description"] = "In short; a field without a type is a text or an object."
    text, schemas = orjson.dumps(short).decode(), short["components"]["schemas"]
    short["components"]["schemas"] = {name: schemas[name] for name in schemas if f'/{name}"' in text}
    return orjson.dumps(short)


def shorten(part: Any, *, named: bool = False, field: bool = False) -> Any:
    """Return the short form of a part. named: whether its keys are arbitrary. field: whether it is of a schema."""
    if not isinstance(part, dict):
        return [shorten(item, field=field) for item in part] if isinstance(part, list) else part
    short = {
        key: shorten(value, named=key in NAMED and not named, field=field or key == "schemas")
        for key, value in part.items()
        if named or (key in (FIELDS if field else KEPT) and not (field and value in IMPLIED))
    }
    if "operationId" in short:
        short["responses"] = {"200": {"description": "", **shorten(part["responses"]["200"])}}
    return short
