"""Parameters of an operation as a pydantic model: it reads them, words refusals, and describes them.

    class LocateQuery(Query):
        lat: Latitude
        lon: Longitude

    query = LocateQuery.parse(request.META["QUERY_STRING"])

The first sentence of a parameter's description says what the parameter accepts, and refusals repeat it. Raw text is
checked before pydantic sees it: Django's QueryDict replaces invalid UTF-8 and keeps the last of repeated keys, and
pydantic accepts exponents, Arabic digits and line feeds around a number.

An answer is the dict that a view returns, typed by a TypedDict. mypy checks the dict, `fueldepot.http.api_description`
publishes the fields:

    class UnitJson(TypedDict):
        '''A municipality.'''

        name: Annotated[str, example("Kraków")]
        '''Name of the municipality.'''
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self
from urllib.parse import quote as percent_encode

from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from fueldepot.http.params import BLANKS, BOOLEANS, InvalidParameters, ParameterError, quote, read_text, split_pairs

PRIVATE_FAULTS = {
    "malformed": "is unreadable (the value is not repeated here)",
    "out_of_range": "is out of range (the value is not repeated here)",
    "ambiguous": "can be read in two ways (the value is not repeated here): three digits behind the only point or "
    "comma are decimals or thousands; write thousands without a mark, decimals with two or four digits",
}
"""What is said of a value that no message repeats, by the error code."""

Pairs = Iterable[tuple[str, str]]


def split_query(raw: str) -> list[tuple[str, str]]:
    """Return names and values of a WSGI query string, which is percent-encoded, in Latin-1."""
    return [*split_pairs(raw.encode("latin-1"))]


def today_unless_given() -> Any:
    """Return the default of `Query.default_today`."""
    return Field(default=None)


class Query(BaseModel):
    """Base of the parameters of operations. Unknown parameters are ignored; `ignored` names them."""

    model_config = ConfigDict(frozen=True)

    empty_is_absent: ClassVar[bool] = False
    private: ClassVar[Collection[str]] = ()
    """Parameters whose values no message repeats."""
    synonyms: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Names of parameters by other names, of which only one may be given."""
    hidden: ClassVar[Collection[str]] = ()
    """Parameters that the API description leaves out."""
    default_today: ClassVar[str] = "on"
    """Parameter whose default is the day of the request."""

    _ignored: tuple[str, ...] = PrivateAttr(())

    @property
    def ignored(self) -> tuple[str, ...]:
        """Unknown names in the order of the request; without empty values where these count as not given."""
        return self._ignored

    @classmethod
    def parse(cls, raw: str | Pairs, *, today: date | None = None, **path: str) -> Self:
        """Read a query string, or the names and values of a body; raises InvalidParameters with every error.

        raw: see `split_query`. path: the parameters of the path.
        """
        values: dict[str, list[str]] = {}
        for name, value in split_query(raw) if isinstance(raw, str) else raw:
            values.setdefault(name, []).append(value)
        if cls.empty_is_absent:
            values = {name: several for name, several in values.items() if len(several) > 1 or several[0].strip(BLANKS)}
        written = {name: synonym for synonym, name in cls.synonyms.items() if synonym in values}
        errors = cls.rename(values)
        names = cls.names()
        ignored = tuple(name for name in values if name not in names and name.strip())
        texts = {}
        for name in (values.keys() & names) - path.keys() - errors.keys():
            try:
                texts[name] = read_text(values[name])
            except PydanticCustomError as error:
                errors[name] = cls.describe_error(written.get(name, name), error.type, error.message())
        if today and cls.default_today in names and cls.default_today not in errors:
            texts.setdefault(cls.default_today, today.isoformat())
        try:
            query = cls.model_validate({**texts, **path}, context={"today": today})
        except ValidationError as error:
            for details in error.errors(include_url=False):
                name = str(details["loc"][0])
                if name not in errors:
                    code, text = details["type"], str(details["input"])
                    fault = "is missing" if code == "missing" else details["msg"]
                    errors[name] = cls.describe_error(written.get(name, name), code, fault, text)
        mistakes = [errors[name] for name in names if name in errors]
        mistakes += cls.compare(texts, errors)
        if mistakes:
            raise InvalidParameters(mistakes, ignored)
        query._ignored = ignored
        return query

    @classmethod
    def read(cls, raw: str, *, today: date | None = None) -> tuple[Self, dict[str, str]]:
        """Read the query string of a page: what is invalid counts as missing.

        Returns the parameters, none of which is required, and the codes of the errors by name.
        """
        try:
            return cls.parse(raw, today=today), {}
        except InvalidParameters as refused:
            codes = {error.parameter: error.code for error in refused.errors}
            valid = [pair for pair in split_query(raw) if pair[0] not in codes]
            return cls.parse(valid, today=today), codes

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterable[ParameterError]:
        """Return errors that concern several parameters.

        texts: as given, trimmed, with the default of `default_today`. errors: of single parameters.
        """
        return ()

    @classmethod
    def rename(cls, values: dict[str, list[str]]) -> dict[str, ParameterError]:
        """Give synonyms their parameter's name; return an error for each parameter that is given under both."""
        errors = {}
        for synonym, name in cls.synonyms.items():
            if synonym in values:
                if name in values:
                    message = f"{name} and its synonym {synonym} are both given; give one of them"
                    errors[name] = ParameterError(name, "repeated", message)
                values[name] = values.pop(synonym)
        return errors

    @classmethod
    @cache
    def names(cls) -> tuple[str, ...]:
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def describe_error(cls, name: str, code: str, fault: str, text: str = "") -> ParameterError:
        """Return an error that says what a parameter accepts. fault: what is wrong; if empty, `text` is."""
        if name in cls.private:
            fault = PRIVATE_FAULTS.get(code, fault)
        message = f"{name} {fault or f'is {quote(text)}'}"
        if code != "ambiguous":  # its fault says what to give
            message += f"; give {cls.accepted(name)}"
        if code == "empty" and name not in cls.required():
            message += ", or leave the parameter out"
        return ParameterError(name, code, message)

    @classmethod
    @cache
    def accepted(cls, name: str) -> str:
        """Return what a parameter accepts: its choices, or the first sentence of its description with its range."""
        schema = cls.schemas()[name]
        if "enum" in schema:
            return f"one of {', '.join(map(str, schema['enum']))}"
        if schema.get("type") == "boolean":
            return f"one of {', '.join(BOOLEANS)}"
        sentence = schema["description"].partition(". ")[0].removesuffix(".")
        words = sentence[0].lower() + sentence[1:]
        ends = [f"{word} {schema[key]}" for word, key in (("from", "minimum"), ("to", "maximum")) if key in schema]
        return ", ".join((words, " ".join(ends))) if ends else words

    @classmethod
    @cache
    def schemas(cls) -> Mapping[str, dict[str, Any]]:
        """Return the JSON schema of each parameter by its name: without titles, null and absent defaults."""
        schemas = {name: plain_schema(schema) for name, schema in cls.model_json_schema()["properties"].items()}
        for synonym, name in cls.synonyms.items():
            schema = {key: value for key, value in schemas[name].items() if key != "default"}
            description = f"Synonym of `{name}`; give only one of them."
            schemas[synonym] = {**schema, "description": description, "deprecated": True}
        return schemas

    @classmethod
    @cache
    def required(cls) -> frozenset[str]:
        return frozenset(field.alias or name for name, field in cls.model_fields.items() if field.is_required())

    @classmethod
    def parameters(cls, *in_path: str) -> list[OpenApiParameter]:
        """Return the parameters for drf-spectacular. in_path: names of those in the path."""
        return [
            OpenApiParameter(
                name,
                {key: value for key, value in schema.items() if key not in {"description", "deprecated"}},
                OpenApiParameter.PATH if name in in_path else OpenApiParameter.QUERY,
                required=name in cls.required(),
                description=schema["description"],
                deprecated="deprecated" in schema,
            )
            for name, schema in cls.schemas().items()
            if name not in cls.hidden
        ]

    @classmethod
    def body(
        cls, description: str, required_together: Mapping[str, list[str]], *, nullable: bool = False
    ) -> dict[str, Any]:
        """Return the schema of a request body with the parameters, without defaults.

        Client generators make a field with a default required. nullable: null counts as not given.
        """
        properties = {}
        for name, schema in cls.schemas().items():
            properties[name] = {key: value for key, value in schema.items() if key != "default"}
            if nullable:
                properties[name]["type"] = [schema["type"], "null"]
                if "enum" in schema:
                    properties[name]["enum"] = [*schema["enum"], None]
        return {
            "type": "object",
            "description": description,
            "properties": properties,
            "dependentRequired": dict(required_together),
        }


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter or field without its title, and without null if it is a parameter's absence."""
    schemas = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    merged = {**(schemas[0] if len(schemas) == 1 else {}), **schema}
    return {
        key: value
        for key, value in merged.items()
        if key != "title" and not (key == "anyOf" and len(schemas) == 1) and not (key == "default" and value is None)
    }


EXAMPLE_SITE = "https://sklady.example.pl"

Day = date
"""A day; where a field is called `date`."""

Url = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


def field(description: str, *examples: Any, **constraints: Any) -> Any:
    """Return the description of a parameter or field, with examples as they are written in a query."""
    return Field(description=description, examples=[*examples] or None, **constraints)


def example(value: Any, doc: str | None = None, **constraints: Any) -> Any:
    """Return an example of a field of an answer, and constraints of pydantic's `Field`, such as `ge` and `pattern`.

    doc: the description, where it is computed or belongs to the items of a list.
    """
    return Field(description=doc, examples=[value], **constraints)


class OneOf:
    """Annotation of a text or number that is one of several, or null if None is among them."""

    def __init__(self, *words: str | int | None) -> None:
        self.words = [str(word) if isinstance(word, str) else word for word in words]

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        name = "integer" if isinstance(self.words[0], int) else "string"
        kind = [name, "null"] if None in self.words else name
        return {key: value for key, value in handler(schema).items() if key != "anyOf"} | {
            "type": kind,
            "enum": self.words,
        }


MOST_IGNORED = 10
"""Names in `X-Ignored-Parameters`; further ones are left out."""

LONGEST_IGNORED = 60
"""Characters of a name in `X-Ignored-Parameters`: all of them stay far below what a proxy keeps for headers."""


def list_ignored(names: Sequence[str]) -> str:
    """Return the first names for a header: percent-encoded, long ones cut short with `...`."""
    encoded = [percent_encode(name, safe="") for name in names[:MOST_IGNORED]]
    return ", ".join(
        name if len(name) <= LONGEST_IGNORED else re.sub("%.?$", "", name[:LONGEST_IGNORED]) + "..." for name in encoded
    )
