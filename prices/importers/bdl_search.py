"""Search for candidate variables of the series in the statistical office's data bank (`--find`).

The office publishes neither a naming scheme nor the numbers of the three series. The search is therefore wide: all
results for the search terms of a series and, if none fits, every variable below the category of prices that mentions
it. An operator chooses.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from prices.importers.bdl_client import CATEGORY, COUNTRY_LEVEL, BdlClient, BdlUnavailable
from prices.importers.bdl_parser import PLAIN_VALUE, mentions, named_like, read_year, trouble_with_unit
from prices.importers.records import VariableRecord
from prices.series import SeriesKind

MOST_CANDIDATES = 12
"""Most candidates per series; the years of each cost one request or more."""


@dataclass(frozen=True, slots=True)
class SeriesCandidate:
    """A variable that may be a series. years: those with a value for Poland, ascending. named: the name matches.

    trouble: why its unit differs from that of the series, "" when it does not.
    """

    variable: VariableRecord
    years: tuple[int, ...]
    named: bool
    trouble: str

    @property
    def fits(self) -> bool:
        """Whether name and unit match the series."""
        return self.named and not self.trouble

    def __str__(self) -> str:
        span = f"{self.years[0]}–{self.years[-1]} ({len(self.years)} years)" if self.years else "no value for Poland"
        verdict = "fits" if self.fits else self.trouble or "another name"
        return f"{self.variable.id}: {self.variable.name!r}, in {self.variable.unit}, {span}; {verdict}"


def find_candidates(client: BdlClient, series: SeriesKind) -> list[SeriesCandidate]:
    """Return candidates for a series: matching name and unit first, then matching name. Raises like `BdlClient.get`."""
    found = {variable.id: variable for term in series.search_terms for variable in search(client, term)}
    if not any(named_like(one, series) and not trouble_with_unit(one, series) for one in found.values()):
        found |= {one.id: one for one in client.variables_of(CATEGORY) if mentions(one, series.name_words[0])}
    ranked = sorted(found.values(), key=lambda one: rank(one, series))[:MOST_CANDIDATES]
    return [
        SeriesCandidate(one, years_of(client, one), named_like(one, series), trouble_with_unit(one, series))
        for one in ranked
    ]


def search(client: BdlClient, term: str) -> Iterator[VariableRecord]:
    """Yield the results of the API's search; none where it responds with 404."""
    try:
        yield from client.search_variables(term)
    except BdlUnavailable as error:
        if "status 404" not in str(error):
            raise


def rank(variable: VariableRecord, series: SeriesKind) -> tuple[bool, bool, int]:
    """Return the sort key of candidates: matching name first, then matching unit, then number."""
    return not named_like(variable, series), bool(trouble_with_unit(variable, series)), variable.id


def years_of(client: BdlClient, variable: VariableRecord) -> tuple[int, ...]:
    """Return the years with a value for Poland, ascending."""
    years = set()
    for page in client.data(variable.id, levels=(COUNTRY_LEVEL,)):
        for unit in page.results:
            for row in unit.get("values") or []:
                year = read_year(row.get("year")) if row.get("attrId") == PLAIN_VALUE else None
                if year is not None:
                    years.add(year)
    return tuple(sorted(years))
