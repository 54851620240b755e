"""The compact API description, for readers that pay by the token: operations, parameters and fields.

A valid, but incomplete OpenAPI 3.1 document: no examples, errors, bodies or nulls; a field without a type is a string.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson

from catalog.api.views import GEOJSON
from fueldepot.openapi import served

LONGEST_WORDS = 70
"""Maximum length of a first sentence about a parameter that is included."""

KEPT_KEYWORDS = ("items", "oneOf", "anyOf", "allOf", "additionalProperties")

REFERENCE = "#/components/schemas/"


@cache
def body() -> bytes:
    """Return the compact description as bytes."""
    return orjson.dumps(compact(served.document()))


def compact(document: dict[str, Any]) -> dict[str, Any]:
    """Return the compact form of a description."""
    paths = {
        path: {"get": describe_operation(methods["get"])}
        for path, methods in document["paths"].items()
        if "get" in methods
    }
    known, schemas = document["components"]["schemas"], {}
    wanted = [*references(paths)]
    while wanted:
        name = wanted.pop()
        if name not in schemas:
            schemas[name] = shorten(known[name])
            wanted += references(schemas[name])
    info = document["info"]
    whole = f"{document['servers'][0]['url']}/openapi.json"
    return {
        "openapi": document["openapi"],
        "info": {
            "title": info["title"],
            "version": info["version"],
            "description": f"In short; a field without a type is a text. The whole: {whole}",
        },
        "servers": [{"url": server["url"]} for server in document["servers"]],
        "paths": paths,
        "components": {"schemas": {name: without_repetition(name, schemas) for name in sorted(schemas)}},
    }


def describe_operation(operation: dict[str, Any]) -> dict[str, Any]:
    """Return summary, parameters and response 200 of an operation. The form of GeoJSON is left out: RFC 7946 has it."""
    ((media_type, content),) = operation["responses"]["200"]["content"].items()
    return {
        "operationId": operation["operationId"],
        "summary": operation["summary"],
        "parameters": [describe_parameter(one) for one in operation.get("parameters", [])],
        "responses": {
            "200": {
                "description": "",
                "content": {media_type: {} if media_type == GEOJSON else {"schema": shorten(content["schema"])}},
            }
        },
    }


def describe_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter with its choices and bounds, and its first sentence if that is short."""
    schema = parameter["schema"]
    sentence = parameter.get("description", "").partition(". ")[0]
    short: dict[str, Any] = {"name": parameter["name"], "in": parameter["in"]}
    if parameter.get("required"):
        short["required"] = True
    if sentence and len(sentence) < LONGEST_WORDS and not parameter["name"].startswith("cost_"):
        short["description"] = sentence
    if "enum" in schema:
        short["schema"] = {"enum": schema["enum"]}
    elif schema.get("type") == "integer":
        short["schema"] = {name: schema[name] for name in ("type", "minimum", "maximum") if name in schema}
    else:
        short["schema"] = {"type": schema.get("type", "string")}
    return short


def shorten(schema: Any) -> Any:
    """Return the structure of a schema."""
    if isinstance(schema, list):
        return [shorten(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    either = [one for one in schema.get("oneOf", []) if one != {"type": "null"}]
    if len(either) == 1:
        return shorten(either[0])
    short: dict[str, Any] = {name: shorten(schema[name]) for name in KEPT_KEYWORDS if name in schema}
    kinds = schema.get("type", [])
    kind = next((one for one in ([kinds] if isinstance(kinds, str) else kinds) if one != "null"), "")
    if kind not in ("", "string", "object"):
        short["type"] = kind
    if "properties" in schema:
        fields = {name: shorten(one) for name, one in schema["properties"].items()}
        alike = {orjson.dumps(one) for one in fields.values()}
        if len(fields) > 2 and len(alike) == 1 and {} not in fields.values():
            short["description"] = f"by {', '.join(fields)}"
            short["additionalProperties"] = next(iter(fields.values()))
        else:
            short["properties"] = fields
    return short


def without_repetition(name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return a schema as `allOf` another one if it has all of that one's fields."""
    own: dict[str, Any] = schemas[name].get("properties", {})
    for other in sorted(schemas):
        fields = schemas[other].get("properties", {})
        if 2 < len(fields) < len(own) and fields.items() <= own.items():
            more = {field: own[field] for field in own if field not in fields}
            return {"allOf": [{"$ref": REFERENCE + other}], "properties": more}
    return schemas[name]  # type: ignore[no-any-return]


def references(value: Any) -> Iterator[str]:
    """Yield the names of referenced schemas."""
    if isinstance(value, list):
        for one in value:
            yield from references(one)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix(REFERENCE)
        for one in value.values():
            yield from references(one)
