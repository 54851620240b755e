"""Documented fields of answers and parameters, which the API description publishes.

An answer is the dict that a view returns, typed by a TypedDict. mypy checks the dict, `fueldepot.openapi.schema`
publishes the fields:

    @answer
    class UnitJson(TypedDict):
        '''A municipality.'''

        name: Annotated[str, example("Kraków")]
        '''Name of the municipality.'''
"""

from datetime import date
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, WithJsonSchema, with_config

EXAMPLE_SITE = "https://sklady.example.pl"
"""Base URL of the examples."""

Answer = TypeVar("Answer", bound=type)

ANSWERS: dict[str, Any] = {}
"""Answers and their parts by the names of their classes."""

_with_docstrings = with_config(ConfigDict(use_attribute_docstrings=True))


def answer(cls: Answer) -> Answer:
    """Publish a TypedDict whose fields have their descriptions as docstrings below them."""
    ANSWERS[cls.__name__] = _with_docstrings(cls)
    return cls


Day = date
"""A day; where a field is called `date`."""

Url = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


def field(description: str, value: Any, **constraints: Any) -> Any:
    """Return the description of a parameter, with an example as it is written in a query."""
    return Field(description=description, examples=[value], **constraints)


def example(value: Any, doc: str | None = None, **constraints: Any) -> Any:
    """Return an example of a field of an answer, and constraints of pydantic's `Field`, such as `ge` and `pattern`.

    doc: the description, where it is computed or belongs to the items of a list.
    """
    return Field(description=doc, examples=[value], **constraints)


def doc(text: str, **constraints: Any) -> Any:
    """Return a description of a field without an example."""
    return Field(description=text, **constraints)


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
