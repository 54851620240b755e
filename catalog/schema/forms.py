"""Words in which the apps describe their endpoints: JSON Schema 2020-12, as OpenAPI 3.1 has it.

Answers are described beside the plain functions that write them, not derived from serializers, because there are none.
What keeps both together is `tests/openapi/`, which holds every answer of the suite against its description.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiViewExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework.viewsets import ViewSet

from catalog.query_string import BOOLEANS, MAX_VALUE_LENGTH

Schema = dict[str, Any]

JSON = "application/json"


def ref(name: str) -> Schema:
    """A form that has a name of its own."""
    return {"$ref": f"#/components/schemas/{name}"}


def text(description: str, *examples: str, **more: Any) -> Schema:
    """A string."""
    return {"type": "string", **more, "description": description, "examples": list(examples)}


def choice(description: str, choices: Iterable[str], *examples: str) -> Schema:
    """One of a closed list of strings."""
    listed = list(choices)
    return {"type": "string", "enum": listed, "description": description, "examples": list(examples or listed[:1])}


def address(description: str, example: str) -> Schema:
    """An absolute URL."""
    return text(description, example, format="uri")


def day(description: str, example: str) -> Schema:
    """A day, YYYY-MM-DD."""
    return text(description, example, format="date")


def integer(description: str, example: int, **more: Any) -> Schema:
    """A whole number."""
    return {"type": "integer", **more, "description": description, "examples": [example]}


def number(description: str, example: float, **more: Any) -> Schema:
    """A JSON number."""
    return {"type": "number", **more, "description": description, "examples": [example]}


def boolean(description: str, *, example: bool = False) -> Schema:
    """true or false."""
    return {"type": "boolean", "description": description, "examples": [example]}


def array(items: Schema, description: str, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", **more, "items": items, "description": description}


def record(description: str, properties: Mapping[str, Schema], *, optional: Collection[str] = ()) -> Schema:
    """An object. Every field is always there but those in `optional`. More fields may appear in later releases."""
    return {
        "type": "object",
        "description": description,
        "required": [name for name in properties if name not in optional],
        "properties": dict(properties),
    }


def table(values: Schema, description: str, *, keys: Schema) -> Schema:
    """An object whose keys are data. keys: what they look like."""
    return {"type": "object", "description": description, "propertyNames": keys, "additionalProperties": values}


def nullable(form: Schema) -> Schema:
    """The same, or null."""
    if "$ref" in form:
        return {"anyOf": [form, {"type": "null"}]}
    kinds = form["type"] if isinstance(form["type"], list) else [form["type"]]
    found = {**form, "type": [*kinds, "null"]}
    if "enum" in form:
        found["enum"] = [*form["enum"], None]
    return found


def whole(form: re.Pattern[str]) -> str:
    """A pattern that a reader matches in full, as schemas write it."""
    return f"^(?:{form.pattern})$" if "|" in form.pattern else f"^{form.pattern}$"


def switch(description: str) -> Schema:
    """A switch in a request: true and false, or one of the words that `catalog.query_string` reads."""
    return {
        "type": ["boolean", "string"],
        "enum": [True, False, *BOOLEANS],
        "default": False,
        "description": description,
    }


def in_query(
    name: str, form: Schema, description: str, example: Any, *, required: bool = False, deprecated: bool = False
) -> OpenApiParameter:
    """A parameter of the query string."""
    return _parameter(name, form, description, example, OpenApiParameter.QUERY, required, deprecated)


def in_path(name: str, form: Schema, description: str, example: Any) -> OpenApiParameter:
    """A part of the path."""
    return _parameter(name, form, description, example, OpenApiParameter.PATH, True, False)


def _parameter(
    name: str, form: Schema, description: str, example: Any, location: Any, required: bool, deprecated: bool
) -> OpenApiParameter:
    # The description stands at the parameter, where tools look for it.
    form = {key: value for key, value in form.items() if key not in {"description", "examples"}}
    if form.get("type") == "string" and "enum" not in form and "pattern" not in form and "format" not in form:
        form.setdefault("maxLength", MAX_VALUE_LENGTH)
    return OpenApiParameter(
        name,
        form,
        location,
        required=required,
        description=description,
        deprecated=deprecated,
        examples=[OpenApiExample("example", value=example)],
    )


def answer(form: Schema, description: str) -> OpenApiResponse:
    """A good answer."""
    return OpenApiResponse(form, description)


def samples(*calls: tuple[str, str]) -> dict[str, Any]:
    """Commands that answer 200 with the starter data. calls: what it asks for, and what stands after `curl`.

    `x-codeSamples` is what documentation tools agree on. Addresses begin with "/api/v1"; serving puts the site before.
    """
    return {
        "x-codeSamples": [{"lang": "Shell", "label": label, "source": f"curl {command}"} for label, command in calls]
    }


class AsDescribed(AutoSchema):
    """Takes forms as they are: a list is described as an array already."""

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False


def describe(viewset: str, **actions: Any) -> None:
    """Tell drf-spectacular how to describe a viewset; the viewset itself knows nothing of that.

    viewset: its dotted path. actions: `extend_schema(…)` by the name of the action.
    """

    class Description(OpenApiViewExtension):  # type: ignore[no-untyped-call]
        target_class = viewset

        def view_replacement(self) -> Any:
            methods = {name: _stand_in(description) for name, description in actions.items()}
            return type("Described", (ViewSet,), methods)


def _stand_in(description: Any) -> Any:
    def action(self: ViewSet) -> None:
        """Never called."""

    action.schema = AsDescribed  # type: ignore[attr-defined]
    return description(action)
