"""Tool about the use of the data."""

from typing import Annotated, Any, NotRequired

from django.utils import timezone
from pydantic import Field

from catalog.depots.attribution import LICENCES
from fueldepot.http.query import Query
from fueldepot.http.readers import whole
from fueldepot.mcp.answers import Citation, Findings, tool
from pages import api_rules
from pages.datasets import datasets_page
from pages.page import publisher


class UseQuery(Query):
    """Parameters of `rules_of_use`."""

    rule: Annotated[
        int | None,
        whole(1, api_rules.NUMBER_OF_RULES),
        Field(description="A number of a rule, for its text. Without it all titles."),
    ] = None


@tool(
    "Rules of use of these data, in order, and the data sets and origins of depots under each licence. With rule the "
    "text of that one.",
    rules=NotRequired[list[str]],
    licences=NotRequired[dict[str, list[str]]],
    text=NotRequired[str],
)
def rules_of_use(query: UseQuery) -> Findings:
    """Return the rules of use as the page of the API says them, and licences as the page of the data sets does."""
    page, rules = api_rules.rules_page(), api_rules.rules_of_use()
    content: dict[str, Any] = {"rules": [title for title, _ in rules], "licences": {}}
    for row in datasets_page(timezone.localdate()).sets:
        content["licences"].setdefault(row.licence, []).append(str(row.slug))
    for source, licence in LICENCES.items():
        content["licences"].setdefault(licence, []).append(f"depots/{source}")
    if query.rule:
        content = {"text": " ".join(rules[query.rule - 1])}
    return Findings(content, Citation(page.title, page.canonical, page.as_of, [publisher()["name"]]))
