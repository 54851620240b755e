"""The API description as a page: the document, converted to rows for a template."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from markupsafe import Markup, escape

from fueldepot.openapi import served
from fueldepot.openapi.shared import WIRE_NAMES
from pages.page import Crumb, Page

Form = Mapping[str, Any]

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """A parameter, field or header. kind: its type. target: name of its schema, "" for none.

    rules: bounds, pattern etc. example: as JSON, "" for none.
    """

    name: str
    kind: str
    target: str
    rules: tuple[str, ...]
    description: str
    required: bool
    choices: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True)
class DescribedAnswer:
    """A response status. forms: (media type, kind, name of the schema or "") of each body."""

    status: str
    description: str
    forms: tuple[tuple[str, str, str], ...]
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation.

    bodies: (media type, name of the schema) of request bodies. commands: (purpose, command to copy). try_url: a URL to
    open, "" unless it answers GET. sample: a response composed of examples of fields.
    """

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[ParameterRow, ...]
    bodies: tuple[tuple[str, str], ...]
    answers: tuple[DescribedAnswer, ...]
    commands: tuple[tuple[str, str], ...]
    try_url: str
    sample: str


@dataclass(frozen=True, slots=True)
class Group:
    """The operations of a tag."""

    name: str
    description: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A named schema with its fields. mark_optional: whether to mark optional fields, in responses."""

    name: str
    description: str
    fields: tuple[ParameterRow, ...]
    mark_optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsPage(Page):
    """The page where operations can be tried."""

    base_url: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePage(DocsPage):
    """rules: the general part, a list of (heading, blocks); a block is a paragraph or a list."""

    rules: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    groups: tuple[Group, ...]
    forms: tuple[Named, ...]
    headers: tuple[ParameterRow, ...]


def docs_page() -> DocsPage:
    """Return the page where operations can be tried. No query."""
    document = served.document()
    return DocsPage(
        title="Dokumentacja API",
        description="API katalogu składów opału do wypróbowania: zapytania z przykładami i odpowiedzi serwisu.",
        path=reverse("v1:docs"),
        breadcrumbs=(Crumb.home(), Crumb("API i zasady korzystania z danych", reverse("api-rules"))),
        base_url=document["servers"][0]["url"],
        version=document["info"]["x-release"],
    )


def reference_page() -> ReferencePage:
    """Return the page of the whole description. No query."""
    document = served.document()
    return ReferencePage(
        title="Krótki opis API",
        description="Opis API katalogu składów opału: adresy, parametry, pola odpowiedzi, błędy i przykłady.",
        path=reverse("v1:reference"),
        breadcrumbs=(
            Crumb.home(),
            Crumb("API i zasady korzystania z danych", reverse("api-rules")),
            Crumb("Dokumentacja API", reverse("v1:docs")),
        ),
        base_url=document["servers"][0]["url"],
        version=document["info"]["x-release"],
        rules=tuple(sections(document["info"]["description"])),
        groups=tuple(
            Group(tag["name"], tag["description"].removesuffix("."), tuple(operations(document, tag["name"])))
            for tag in document["tags"]
        ),
        forms=tuple(
            Named(name, form.get("description", ""), tuple(fields(form)), "required" in form)
            for name, form in document["components"]["schemas"].items()
        ),
        headers=tuple(
            row(WIRE_NAMES.get(name, name), {**header["schema"], "description": header["description"]})
            for name, header in document["components"]["headers"].items()
        ),
    )


def sections(markdown: str) -> Iterator[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]]:
    """Yield sections of the general part: (heading, blocks). A block is ("p", one paragraph) or ("ol", items)."""
    heading = ""
    blocks: list[tuple[str, tuple[str, ...]]] = []
    for part in markdown.strip().split("\n\n"):
        if part.startswith("## "):
            yield heading, tuple(blocks)
            heading, blocks = part.removeprefix("## "), []
        elif part.startswith("1. "):
            blocks.append(("ol", tuple(line.partition(". ")[2] for line in part.splitlines())))
        else:
            blocks.append(("p", (part,)))
    yield heading, tuple(blocks)


def operations(document: Form, tag: str) -> Iterator[Operation]:
    """Yield the operations of a tag, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield read_operation(document, path, method, operation)


def read_operation(document: Form, path: str, method: str, operation: Form) -> Operation:
    """Convert an operation."""
    bodies = operation.get("requestBody", {}).get("content", {})
    good = next(iter(operation["responses"]["200"]["content"].values()))
    commands = tuple((sample["label"], sample["source"]) for sample in operation["x-codeSamples"])
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation["description"],
        parameters=tuple(parameter_row(one) for one in operation.get("parameters", [])),
        bodies=tuple((media_type, name_of(content["schema"])) for media_type, content in bodies.items()),
        answers=tuple(answers(document, operation)),
        commands=commands,
        try_url=shlex.split(commands[0][1])[-1] if method == "get" else "",
        sample=write_sample(document, good),
    )


def parameter_row(parameter: Form) -> ParameterRow:
    """Convert a parameter of the path or the query."""
    form = {**parameter["schema"], "description": parameter["description"]}
    if "example" in parameter:
        form["examples"] = [parameter["example"]]
    return row(parameter["name"], form, required=parameter.get("required", False))


def fields(form: Form) -> Iterator[ParameterRow]:
    """Yield the fields of an object, nested ones included."""
    required = form.get("required", [])
    for name, field in form.get("properties", {}).items():
        yield row(name, field, required=name in required)
        for inner in fields(field):
            yield replace(inner, name=f"{name}.{inner.name}")


def row(name: str, form: Form, *, required: bool = False) -> ParameterRow:
    """Convert a parameter, field or header."""
    kind, target = describe_kind(form)
    examples = form.get("examples", [])
    return ParameterRow(
        name=name,
        kind=kind,
        target=target,
        rules=tuple(rules(form)),
        description=form.get("description", ""),
        required=required,
        choices=tuple(dict.fromkeys(write(one) for one in form.get("enum", []) if one is not None)),
        example=json.dumps(examples[0], ensure_ascii=False) if examples else "",
    )


def write(value: Any) -> str:
    """Format a value of a request as it is typed."""
    return value if isinstance(value, str) else json.dumps(value)


def describe_kind(form: Form) -> tuple[str, str]:
    """Return the type in words, and the name of the schema it refers to."""
    if "$ref" in form:
        return "object", name_of(form)
    if "oneOf" in form:
        kinds = [describe_kind(one) for one in form["oneOf"]]
        return " | ".join(kind for kind, _ in kinds), "".join(target for _, target in kinds)
    if form.get("type") == "array":
        kind, target = describe_kind(form["items"])
        return f"array of {kind}", target
    if "additionalProperties" in form and "properties" not in form:
        kind, target = describe_kind(form["additionalProperties"])
        return f"object of {kind}", target
    given = form.get("type", "any")
    return (" | ".join(given) if isinstance(given, list) else given), ""


def rules(form: Form) -> Iterator[str]:
    """Yield bounds, pattern and default in words."""
    words = {"minimum": "≥", "maximum": "≤", "minLength": "length ≥", "maxLength": "length ≤", "maxItems": "items ≤"}
    for key, word in words.items():
        if key in form:
            yield f"{word} {form[key]}"
    for key in ("format", "pattern", "default", "const"):
        if key in form:
            yield f"{key} {json.dumps(form[key], ensure_ascii=False) if key == 'default' else form[key]}"


def answers(document: Form, operation: Form) -> Iterator[DescribedAnswer]:
    """Yield the responses of an operation, by status."""
    for status, given in operation["responses"].items():
        found = resolve(document, given)
        forms = (
            (media_type, *describe_kind(content["schema"])) for media_type, content in found.get("content", {}).items()
        )
        yield DescribedAnswer(status, found["description"], tuple(forms), tuple(found.get("headers", ())))


def name_of(form: Form) -> str:
    """Return the name in a reference."""
    return str(form["$ref"].rpartition("/")[2])


def resolve(document: Form, form: Form) -> Form:
    """Resolve a reference."""
    while "$ref" in form:
        found: Any = document
        for part in form["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        form = found
    return form


def write_sample(document: Form, content: Form) -> str:
    """Return a sample response as text."""
    for example in content.get("examples", {}).values():
        return str(example["value"])
    return json.dumps(make_sample(document, content["schema"]), ensure_ascii=False, indent=2)


def make_sample(document: Form, form: Form) -> Any:
    """Return a value composed of the examples of fields, valid for the schema."""
    form = resolve(document, form)
    if form.get("examples"):
        return form["examples"][0]
    if "oneOf" in form:
        return make_sample(document, form["oneOf"][0])
    if form["type"] == "array":
        return [make_sample(document, form["items"])]
    return {name: make_sample(document, field) for name, field in form["properties"].items()}


def inline(text: str) -> Markup:
    """Return text of the description with its `code` and [links](https://…) as HTML, else escaped."""
    text = CODE.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(LINK.sub(r'<a href="\2">\1</a>', text))  # noqa: S704 - escaped above
