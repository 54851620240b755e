"""Parameters of the regulation endpoints."""

from collections.abc import Iterator, Mapping
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from catalog.api.params import POSTCODE, TERYT, Limit, Offset, Postcode, Teryt, Voivodeship
from fueldepot.http.params import BOOLEANS, Day, ParameterError, Switch, word_for
from fueldepot.http.query import Query, field, today_unless_given
from regulations.codes import Appliance

MUNICIPALITY_DIGITS = 7

ApplianceCode = Annotated[Appliance, word_for({code.value: code for code in Appliance})]
On = Annotated[Day, field("A day as YYYY-MM-DD, such as 2027-01-01. Without it today in Poland.", "2027-01-01")]


class RegulationsQuery(Query):
    """Parameters of `/regulations`. Of teryt, postcode and voivodeship the first given counts, in this order."""

    teryt: Annotated[
        Teryt | None, field(f"{TERYT} Any unit: the answer is the state of its voivodeship.", "1261011")
    ] = None
    postcode: Annotated[Postcode | None, field(f"{POSTCODE} The voivodeship that contains it.", "30-001")] = None
    voivodeship: Voivodeship | None = None
    on: On = today_unless_given()
    appliance: Annotated[
        ApplianceCode | None,
        field(
            "Code of an appliance to check in the municipality of `teryt` (7 digits) or `postcode`: the answer gains "
            "`requested_appliance`.",
            Appliance.BOILER_CLASS_3.value,
        ),
    ] = None
    binding: Annotated[
        Switch,
        field(
            "Only what binds or may bind the unit of `teryt` or `postcode`: of `deadlines`, `banned_fuels` and `acts` "
            "the others are left out, and so is what is empty, repeated or tells other units apart; every source "
            "stands once, in `sources` of the entry.",
            True,
        ),
    ] = False

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        if errors:
            return
        teryt = texts.get("teryt", "")
        if "appliance" in texts and not (len(teryt) == MUNICIPALITY_DIGITS if teryt else "postcode" in texts):
            message = "appliance is given without a municipality; give teryt with 7 digits, or postcode"
            yield ParameterError("teryt", "out_of_range" if teryt else "missing", message)
        if "binding" in texts and BOOLEANS[texts["binding"].lower()] and not {"teryt", "postcode"} & texts.keys():
            yield ParameterError("teryt", "missing", "binding is given without a unit; give teryt or postcode")


class DeadlinesQuery(Query):
    default_today = "from"

    first: Annotated[
        Day, field("A first day as YYYY-MM-DD, such as 2027-01-01. Without it today in Poland.", "2026-11-22")
    ] = Field(default=None, alias="from")  # type: ignore[assignment] # see `default_today`
    last: Annotated[
        Day | None, field("A last day as YYYY-MM-DD, such as 2027-12-31. Without it there is no end.", "2027-12-31")
    ] = Field(default=None, alias="to")
    limit: Limit = 20
    offset: Offset = 0
    voivodeship: Voivodeship | None = None
    appliance: Annotated[
        ApplianceCode | None,
        field(
            "Only deadlines that name this appliance in `appliances` or `unclear_appliances`.",
            Appliance.BOILER_CLASS_3.value,
        ),
    ] = None

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        if not errors and "to" in texts and texts["to"] < texts["from"]:
            message = f"to is {texts['to']}, before {texts['from']}, the first day; give a later one"
            yield ParameterError("to", "out_of_range", message)

    def query_string(self, *, offset: int, limit: int) -> str:
        """Return the parameters of another page."""
        values = self.model_copy(update={"offset": offset, "limit": limit}).model_dump(by_alias=True, exclude_none=True)
        return urlencode(values)


class CalendarQuery(Query):
    voivodeship: Voivodeship
    teryt: Annotated[
        Teryt | None,
        field(
            f"{TERYT} Only deadlines that bind this unit or a part of it; it must lie in the voivodeship.", "1261011"
        ),
    ] = None
    on: On = today_unless_given()
