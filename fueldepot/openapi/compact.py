"""The compact API description: a valid OpenAPI 3.1 document of GET and 200, without descriptions and examples."""

from functools import cache
from typing import Any

import orjson

from fueldepot.http import description

NAMED = {"paths", "properties", "schemas", "content"}  # their values have arbitrary keys
FIELDS = {"properties", "items", "oneOf", "additionalProperties", "type", "$ref"}
PARAMETERS = {"parameters", "in", "name", "required", "schema", "enum", "default", "minimum", "maximum"}
KEPT = FIELDS | PARAMETERS | NAMED | {"openapi", "info", "title", "version", "servers", "url", "components"}
KEPT |= {"get", "operationId", "summary"}
IMPLIED = ("string", "object", ["string", "null"])  # types that fields leave out


@cache
def body() -> bytes:
    """Return the compact description as bytes."""
    short = shorten(description.document())
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
