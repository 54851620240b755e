"""The page of the API: its rules of use, and a table of its operations made from the description."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.conf import settings
from django.template import engines
from django.urls import reverse

from catalog.api import params
from catalog.depots.snapshot import depots
from fueldepot.http.description import document
from fueldepot.http.links import site_url
from fueldepot.http.params import text_pattern
from fueldepot.http.rate_limit import RateLimit
from pages.page import Crumb, Page, publisher
from pages.polish import whole
from subsidy.application import ENVELOPE

AS_OF = date(2026, 11, 23)
"""The day on which the rules last changed; renew it with every change of their text."""

NUMBER_OF_RULES = 10
"""As many as the specification has."""

AREAS, COSTS = ", ".join(ENVELOPE), "cost_…"

GROUPS = {AREAS: "powierzchnia prac w m²: ", COSTS: "koszt netto pozycji o tej nazwie w zł: "}
"""Parameters that share a row, and what they are."""

PATTERNS = {
    text_pattern(params.QUERY_MIN_LENGTH): f"tekst, co najmniej {params.QUERY_MIN_LENGTH} znaki",
    params.POSTCODE_PATTERN.pattern: "kod pocztowy, na przykład 30-001",
    params.TERYT_PATTERN.pattern: "kod TERYT województwa, powiatu lub gminy (2, 4 lub 7 cyfr)",
    params.COUNTY_PATTERN.pattern: "kod TERYT powiatu (4 cyfry)",
    params.MUNICIPALITY_PATTERN.pattern: "kod TERYT gminy (7 cyfr)",
    params.VOIVODESHIP_PATTERN.pattern: "nazwa województwa albo 2 cyfry TERYT",
}
"""What patterns of parameters accept."""

SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z`])")
PLAIN_DAY = re.compile(r"A (first |last )?day as YYYY-MM-DD, such as \S+\.")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or a group of them. accepted: in Polish. use: in English, with backticks; "" where that is all."""

    name: str
    accepted: str
    use: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A row of the table. like: the path of an earlier one with the same many parameters, "" for none.

    example: a working absolute URL, "" for POST. command: an example to run.
    """

    method: str
    path: str
    answer: str
    parameters: tuple[Parameter, ...]
    like: str
    example: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage(Page):
    """The page. base_url: of the endpoints. openapi, docs: paths of the description of the API.

    rate_limit: a sentence. contact: an e-mail address, "" for none. The texts stand in `pages/_api_rules.md`.
    """

    template: ClassVar[str] = "pages/api_rules"

    site_name: str
    base_url: str
    endpoints: tuple[Endpoint, ...]
    rate_limit: str
    contact: str
    openapi: str
    docs: str

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the API as schema.org's WebAPI."""
        return [
            {
                "@type": "WebAPI",
                "name": f"{settings.SITE_NAME}: API",
                "description": self.description,
                "url": self.canonical,
                "documentation": site_url(self.docs),
                "termsOfService": f"{self.canonical}#zasady",
                "provider": publisher(),
            }
        ]


WINDOWS = {1: "sekundę", 60: "minutę", 3600: "godzinę"}


def describe_rate_limit(limit: RateLimit | None) -> str:
    """Return what is asked of callers, and the limit of this installation, in Polish."""
    request = "Prosimy o najwyżej jedno zapytanie na sekundę z jednego adresu."
    if limit is None:
        return request
    return f"{request} Limit serwera: {limit.requests} na {WINDOWS[int(limit.window_s)]}, mogą przyjść naraz."


def rules_of_use() -> list[tuple[str, str]]:
    """Return title and text of each rule of use, NUMBER_OF_RULES of them, names of fields in backticks."""
    texts = engines["jinja2"].env.get_template("pages/_api_rules.md")  # type: ignore[attr-defined] # Jinja2's backend
    rules: list[tuple[str, str]] = texts.make_module({"page": rules_page()}).rules
    return rules


def rules_page() -> RulesPage:
    return RulesPage(
        title="API i zasady korzystania z danych",
        description="Bezpłatne, otwarte API katalogu składów opału: zasady korzystania, limity, adresy i przykłady.",
        path=reverse("api-rules"),
        breadcrumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        site_name=settings.SITE_NAME,
        base_url=site_url(reverse("api-index")),
        rate_limit=describe_rate_limit(settings.RATE_LIMIT),
        contact=settings.CONTACT_EMAIL,
        openapi=reverse("v1:openapi"),
        docs=reverse("v1:docs"),
        endpoints=tuple(endpoints()),
    )


def endpoints() -> Iterator[Endpoint]:
    """Yield the operations of the description, in its order. The example of a depot is an existing one."""
    first_with: dict[tuple[Parameter, ...], str] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            parameters = describe_parameters(operation.get("parameters", []))
            command = shlex.split(operation["x-codeSamples"][0]["source"])
            example = command[-1] if method == "get" else ""
            if operation["operationId"] == "getStore":
                number = min((row.id for row in depots.get().rows), default=1)
                example = f"{example.rpartition('/')[0]}/{number}"
            earlier = first_with.setdefault(parameters, path)
            like = earlier if earlier != path and len(parameters) > 2 else ""
            answer = operation["x-summary-pl"]
            yield Endpoint(method.upper(), path, answer, parameters, like, example, shlex.join(command))


def describe_parameters(parameters: list[dict[str, Any]]) -> tuple[Parameter, ...]:
    """Return the parameters of an operation without deprecated ones, each group as one."""
    rows: dict[str, Parameter] = {}
    for parameter in parameters:
        name, schema = parameter["name"], parameter["schema"]
        label = AREAS if name in ENVELOPE else COSTS if name.startswith("cost_") else name
        sentences = SENTENCE_END.split(parameter["description"])
        says_form = ("pattern" in schema and "`" not in sentences[0]) or PLAIN_DAY.fullmatch(sentences[0])
        use = sentences[-1:] if label in GROUPS else sentences[1:2] if says_form else sentences[:2]
        where = "w adresie: " if parameter["in"] == "path" else ""
        needed = ", wymagane" if parameter.get("required") and not where else ""
        if not parameter.get("deprecated"):
            accepted = f"{where}{GROUPS.get(label, '')}{describe_values(schema)}{needed}"
            rows.setdefault(label, Parameter(label, accepted, " ".join(use)))
    return tuple(rows.values())


def describe_values(schema: dict[str, Any]) -> str:
    """Return what a schema accepts, in Polish."""
    if "enum" in schema:
        accepted = f"jedno z: {', '.join(map(str, schema['enum']))}"
    elif "pattern" in schema:
        accepted = PATTERNS[schema["pattern"]]
    elif schema["type"] in {"integer", "number"}:
        ends = [f"{word} {write(schema[key])}" for word, key in (("od", "minimum"), ("do", "maximum")) if key in schema]
        accepted = " ".join(["liczba całkowita" if schema["type"] == "integer" else "liczba", *ends])
    else:
        accepted = {"boolean": "tak albo nie", "date": "dzień RRRR-MM-DD"}[schema.get("format", schema["type"])]
    if "default" not in schema:
        return accepted
    return f"{accepted}{';' if 'enum' in schema else ','} domyślnie {write(schema['default'])}"


def write(value: bool | float | str) -> str:
    """Return a bound or default in Polish."""
    if isinstance(value, bool):
        return "tak" if value else "nie"
    return whole(value) if isinstance(value, int) else str(value).replace(".", ",")
