"""Which variables of the statistical office are the three series.

A variable belongs to a series only if both its name and its unit match. The office publishes neither a naming scheme
nor the numbers, so `--find` searches widely and an operator chooses.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog.importers.records import BadInput, Note
from catalog.text import fold
from prices.importers.bdl import CATEGORY, COUNTRY_LEVEL, PLAIN_VALUE, BdlClient, VariableRecord, read_year
from prices.series import BY_SLUG, SERIES, SeriesKind

MOST_CANDIDATES = 12
"""Most candidates per series; the years of each cost one request or more."""


def mentions(variable: VariableRecord, words: Iterable[str]) -> bool:
    """Whether the variable's name contains any of some folded words."""
    name = f" {fold(variable.name)} "
    return any(f" {word} " in name for word in words)


def named_like(variable: VariableRecord, series: SeriesKind) -> bool:
    """Whether the variable's name matches the series, regardless of its unit."""
    return all(mentions(variable, words) for words in series.name_words)


def trouble_with_unit(variable: VariableRecord, series: SeriesKind) -> str:
    """Return why the variable's unit differs from that of the series; "" when it does not.

    The office states the unit as złoty and the quantity in the name: "… - za 1 t".
    """
    if variable.unit == series.unit:
        return ""
    if variable.unit == "zł" and mentions(variable, series.price_of):
        return ""
    return f"the unit of variable {variable.id} is not {series.unit}: {variable.name!r}, in {variable.unit!r}"


def choose(variables: Iterable[VariableRecord]) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Return the variables by slug of the series, and the reasons against others.

    A series with several matching variables gets none.
    """
    chosen, notes = {}, []
    by_id = {variable.id: variable for variable in variables}
    for series in SERIES:
        named = {
            variable: trouble_with_unit(variable, series) for variable in by_id.values() if named_like(variable, series)
        }
        notes += [Note(series.slug, trouble) for trouble in named.values() if trouble]
        fitting = [variable for variable, trouble in named.items() if not trouble]
        if len(fitting) == 1:
            chosen[series.slug] = fitting[0]
        elif fitting:
            listed = "; ".join(f"{variable.id} {variable.name}" for variable in fitting)
            notes.append(
                Note(series.slug, f"several variables fit, choose one by import_prices_gus --variable: {listed!r}")
            )
        else:
            notes.append(Note(series.slug, "no variable fits by name and unit"))
    return chosen, notes


def check_chosen(slug: str, variable: VariableRecord) -> None:
    """Raise BadInput unless a variable chosen by the operator has the unit of the series."""
    trouble = trouble_with_unit(variable, BY_SLUG[slug])
    if trouble:
        raise BadInput(f"variable {variable.id}", trouble)


@dataclass(frozen=True, slots=True)
class SeriesCandidate:
    """A variable that may be a series. years: those with a value for Poland, ascending. named: the name matches.

    trouble: why its unit differs from that of the series, "" when it does not.
    """

    variable: VariableRecord
    years: tuple[int, ...]
    named: bool
    trouble: str

    def __str__(self) -> str:
        span = f"{self.years[0]}–{self.years[-1]} ({len(self.years)} years)" if self.years else "no value for Poland"
        verdict = self.trouble or ("fits" if self.named else "another name")
        return f"{self.variable.id}: {self.variable.name!r}, in {self.variable.unit}, {span}; {verdict}"


def find_candidates(client: BdlClient, series: SeriesKind) -> list[SeriesCandidate]:
    """Return candidates for a series: matching name and unit first, then matching name. Raises like `BdlClient.get`.

    All results of the API's search for its terms and, if none fits, every variable below the category of prices that
    mentions it.
    """

    def rank(variable: VariableRecord) -> tuple[bool, bool, int]:
        return not named_like(variable, series), bool(trouble_with_unit(variable, series)), variable.id

    variables = {variable.id: variable for term in series.search_terms for variable in client.search_variables(term)}
    if not any(rank(variable)[:2] == (False, False) for variable in variables.values()):
        below = client.variables_of(CATEGORY)
        variables |= {variable.id: variable for variable in below if mentions(variable, series.name_words[0])}
    return [
        SeriesCandidate(
            variable, years_of(client, variable), named_like(variable, series), trouble_with_unit(variable, series)
        )
        for variable in sorted(variables.values(), key=rank)[:MOST_CANDIDATES]
    ]


def years_of(client: BdlClient, variable: VariableRecord) -> tuple[int, ...]:
    """Return the years with a value for Poland, ascending."""
    pages = client.data(variable.id, levels=(COUNTRY_LEVEL,))
    rows = (row for page in pages for unit in page.results for row in unit.get("values") or [])
    years = {read_year(row.get("year")) for row in rows if row.get("attrId") == PLAIN_VALUE}
    return tuple(sorted(year for year in years if year is not None))
