"""The API description: the schemas of its answers and bodies, and the committed file with this site's URLs."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import get_original_bases, is_typeddict

from fueldepot.http.error_body import ErrorJson

SUFFIX = "Json"
"""End of the names of TypedDicts that the names of components leave out."""

TEMPLATE = "#/components/schemas/{model}"

SCHEMAS: dict[str, Any] = {"Error": ErrorJson}
"""TypedDicts of answers and schemas of bodies, by the names of their components."""


def schema_ref(name: str, described: Any) -> dict[str, str]:
    """Return the reference to a component, which the description then has."""
    SCHEMAS[name] = described
    return {"$ref": TEMPLATE.format(model=name)}


def describe_schemas() -> dict[str, Any]:
    """Return the schemas of SCHEMAS and of the parts of TypedDicts, by the names of their components."""
    schemas: dict[str, Any] = {}
    for name, described in SCHEMAS.items():
        if is_typeddict(described):
            schemas |= {part.removesuffix(SUFFIX): schema for part, schema in describe_typed_dict(described).items()}
        else:
            schemas[name] = described
    return schemas


class SchemasByClass(GenerateJsonSchema):
    """Generates schemas, and keeps the classes of the TypedDicts by the names of their schemas."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.classes: dict[str, Any] = {}

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        self.classes[schema["cls"].__name__] = schema["cls"]
        return super().typed_dict_schema(schema)


def describe_typed_dict(answer: Any) -> dict[str, Any]:
    """Return the schemas of a TypedDict and of those of its fields, by the names of the classes.

    pydantic reads docstrings of the class itself only; inherited fields are described by the bases.
    """
    generator = SchemasByClass(ref_template=TEMPLATE)
    # TypedDicts take the configuration of what holds them.
    adapter = TypeAdapter(list[answer], config=ConfigDict(use_attribute_docstrings=True))
    schemas: dict[str, Any] = plain(generator.generate(adapter.core_schema, "serialization"))["$defs"]
    for name, schema in schemas.items():
        for base in filter(is_typeddict, get_original_bases(generator.classes.get(name, object))):
            for field, inherited in describe_typed_dict(base)[base.__name__]["properties"].items():
                if not {"description", "$ref"} & schema["properties"][field].keys():  # of its own
                    schema["properties"][field] = inherited
    return schemas


def plain(schema: Any) -> Any:
    """Return a schema without titles, with `oneOf` only for references, and with descriptions in one line."""
    if isinstance(schema, list):
        return [plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    short: dict[str, Any] = {
        key: {name: plain(part) for name, part in value.items()} if key in ("properties", "$defs") else plain(value)
        for key, value in schema.items()
        if key != "title"
    }
    if "description" in short:
        short["description"] = " ".join(short["description"].split())
    if "$ref" in short:
        short["$ref"] = short["$ref"].removesuffix(SUFFIX)
    if "anyOf" in short:
        either = short.pop("anyOf")
        schemas = [part for part in either if part != {"type": "null"}]
        if len(schemas) == 1 and isinstance(schemas[0].get("type"), str):
            return {**schemas[0], "type": [schemas[0]["type"], "null"], **short}
        short["oneOf"] = either
    if "patternProperties" in short:  # generators of clients read `additionalProperties` only
        [(pattern, values)] = short.pop("patternProperties").items()
        short["propertyNames"] = {**short.get("propertyNames", {}), "pattern": pattern}
        short["additionalProperties"] = values
    return short


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
