"""Resolution of codes in sources to present municipalities."""

from catalog.models import FormerMunicipality, Municipality
from catalog.territory.teryt import is_city_with_county_rights

DISTRICT_KINDS = frozenset("89")
"""Seventh digits of districts of Warszawa (8) and delegations of Kraków, Łódź, Poznań and Wrocław (9)."""


def district_of(code: str) -> str:
    """Return a code of seven digits if it is that of a district or delegation, else ""."""
    return code if code[6:] in DISTRICT_KINDS else ""


class MunicipalityCodes:
    """Resolves codes of sources. Two queries to create, none to look up."""

    def __init__(self) -> None:
        self.codes = set(Municipality.objects.values_list("teryt", flat=True))
        self.by_number = {code[:6]: code for code in self.codes}
        self.successors = dict(FormerMunicipality.objects.values_list("teryt", "successor_id"))

    def find(self, code: str) -> str | None:
        """Return the municipality of a code of six or seven digits; None if unknown.

        Parts of a municipality (kinds 4 and 5), codes of an earlier kind and six-digit codes are found by number,
        districts by their city, former municipalities by their successor.
        """
        if code in self.codes:
            return code
        if code[:6] in self.by_number:
            return self.by_number[code[:6]]
        if district_of(code) or is_city_with_county_rights(code):
            return self.by_number.get(f"{code[:4]}01")
        return self.successors.get(code)
