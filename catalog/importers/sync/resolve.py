"""From the codes that sources use to municipalities of the register."""

from catalog.models import FormerMunicipality, Municipality
from catalog.teryt import is_city_county

DISTRICT_KINDS = frozenset("89")
"""Seventh digits of districts of Warszawa (8) and delegations of Kraków, Łódź, Poznań and Wrocław (9)."""


class MunicipalityCodes:
    """Finds the municipality that a code of a source means. Two queries to make, none to ask."""

    def __init__(self) -> None:
        self.codes = set(Municipality.objects.values_list("teryt", flat=True))
        self.by_number = {code[:6]: code for code in self.codes}
        self.successors = dict(FormerMunicipality.objects.values_list("teryt", "successor_id"))

    def find(self, code: str) -> str | None:
        """The municipality of a code of six or seven digits; None when the register has none.

        Parts of a municipality (kinds 4 and 5), codes of an earlier kind and six-digit codes are found by number,
        districts by their city, vanished municipalities by their successor.
        """
        if code in self.codes:
            return code
        if code[:6] in self.by_number:
            return self.by_number[code[:6]]
        if code[6:] in DISTRICT_KINDS or is_city_county(code):
            return self.by_number.get(f"{code[:4]}01")
        return self.successors.get(code)
