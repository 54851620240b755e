"""The description as a page: the document itself, read into rows that a template can write."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from markupsafe import Markup, escape

from fueldepot.openapi import served
from pages.page import Crumb, Page

Form = Mapping[str, Any]

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Row:
    """A parameter, field or header. kind: its type. target: the name of the form that it is made of, "" for none.

    rules: bounds, pattern and so on. example: as JSON, "" for none.
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
class Answer:
    """One status. forms: (media type, kind, name of the form or "") of each body."""

    status: str
    description: str
    forms: tuple[tuple[str, str, str], ...]
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    bodies: (media type, name of the form) of what may be sent. commands: (what it asks for, a command to copy).
    try_url: an address to open, "" where GET does not answer. sample: an answer put together from examples of fields.
    """

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Row, ...]
    bodies: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]
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
    """A form with a name, and its fields. mark_optional: it is of an answer, where most fields are always there."""

    name: str
    description: str
    fields: tuple[Row, ...]
    mark_optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsPage(Page):
    """rules: the general part, a list of (heading, blocks); a block is a paragraph or a list."""

    base_url: str
    version: str
    rules: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    groups: tuple[Group, ...]
    forms: tuple[Named, ...]
    headers: tuple[Row, ...]


def docs_page() -> DocsPage:
    """The page of the whole description. Asks nothing of the database."""
    document = served.document()
    return DocsPage(
        title="Dokumentacja API",
        description="Opis API katalogu składów opału: adresy, parametry, pola odpowiedzi, błędy i przykłady.",
        path=reverse("v1:docs"),
        crumbs=(Crumb.home(), Crumb("API i zasady korzystania z danych", reverse("api-rules"))),
        base_url=document["servers"][0]["url"],
        version=document["info"]["version"],
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
            row(wire_name(document, name), {**header["schema"], "description": header["description"]})
            for name, header in document["components"]["headers"].items()
        ),
    )


def sections(markdown: str) -> Iterator[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]]:
    """The general part: (heading, blocks). A block is ("p", one paragraph) or ("ol", items)."""
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
    """The operations of a tag, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield read_operation(document, path, method, operation)


def read_operation(document: Form, path: str, method: str, operation: Form) -> Operation:
    """One operation."""
    bodies = operation.get("requestBody", {}).get("content", {})
    good = next(iter(operation["responses"]["200"]["content"].values()))["schema"]
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


def parameter_row(parameter: Form) -> Row:
    """A parameter of the path or the query."""
    form = {**parameter["schema"], "description": parameter["description"], "examples": [parameter["example"]]}
    return row(parameter["name"], form, required=parameter.get("required", False))


def fields(form: Form) -> Iterator[Row]:
    """The fields of an object, those of objects inside it included."""
    required = form.get("required", [])
    for name, field in form.get("properties", {}).items():
        yield row(name, field, required=name in required)
        for inner in fields(field):
            yield replace(inner, name=f"{name}.{inner.name}")


def row(name: str, form: Form, *, required: bool = False) -> Row:
    """A parameter, field or header."""
    kind, target = describe_kind(form)
    examples = form.get("examples", [])
    return Row(
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
    """A value of a request as it is typed."""
    return value if isinstance(value, str) else json.dumps(value)


def describe_kind(form: Form) -> tuple[str, str]:
    """The type in words, and the form with a name that it leads to."""
    if "$ref" in form:
        return "object", name_of(form)
    if "anyOf" in form:
        kinds = [describe_kind(one) for one in form["anyOf"]]
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
    """Bounds, form and default."""
    words = {"minimum": "≥", "maximum": "≤", "minLength": "length ≥", "maxLength": "length ≤", "maxItems": "items ≤"}
    for key, word in words.items():
        if key in form:
            yield f"{word} {form[key]}"
    for key in ("format", "pattern", "default", "const"):
        if key in form:
            yield f"{key} {json.dumps(form[key], ensure_ascii=False) if key == 'default' else form[key]}"


def answers(document: Form, operation: Form) -> Iterator[Answer]:
    """What the operation may answer, by status."""
    for status, given in operation["responses"].items():
        found = resolve(document, given)
        forms = (
            (media_type, *describe_kind(content["schema"])) for media_type, content in found.get("content", {}).items()
        )
        yield Answer(status, found["description"], tuple(forms), tuple(found.get("headers", ())))


def wire_name(document: Form, name: str) -> str:
    """What a header is called in an answer."""
    target = {"$ref": f"#/components/headers/{name}"}
    answers = [
        *document["components"]["responses"].values(),
        *(one["responses"]["200"] for path in document["paths"].values() for one in path.values()),
    ]
    return str(next(wire for answer in answers for wire, form in answer["headers"].items() if form == target))


def name_of(form: Form) -> str:
    """The name that a reference leads to."""
    return str(form["$ref"].rpartition("/")[2])


def resolve(document: Form, form: Form) -> Form:
    """The form itself, behind a reference."""
    while "$ref" in form:
        found: Any = document
        for part in form["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        form = found
    return form


def write_sample(document: Form, form: Form) -> str:
    """An answer as text. What is no JSON stands as it is."""
    sample = make_sample(document, form)
    return str(sample) if isinstance(sample, str) else json.dumps(sample, ensure_ascii=False, indent=2)


def make_sample(document: Form, form: Form) -> Any:
    """A value put together from the examples of the fields; it fits the form."""
    form = resolve(document, form)
    if form.get("examples"):
        return form["examples"][0]
    if "anyOf" in form:
        return make_sample(document, form["anyOf"][0])
    if form["type"] == "array":
        return [make_sample(document, form["items"])]
    if "properties" in form:
        return {name: make_sample(document, field) for name, field in form["properties"].items()}
    key = form["propertyNames"].get("examples", ["…"])[0]
    return {key: make_sample(document, form["additionalProperties"])}


def inline(text: str) -> Markup:
    """Text of the description with its `code` and [links](https://…) as HTML; everything else is escaped."""
    text = CODE.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(LINK.sub(r'<a href="\2">\1</a>', text))  # noqa: S704 - escaped above
