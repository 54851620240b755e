"""The calculator: pure functions of an application and the rules of a day, in exact decimals, without Django.

    result = calculate(application, rules.on(day))

Order of the arithmetic: the limit of an item is its unit limit × quantity; its subsidy is the lesser of the limit and
intensity × net cost (the limit where no cost is known); the limit of table 3 caps the sum of its subsidies. Costs,
limits and subsidies are truncated to the grosz, so that no subsidy exceeds its bound; the own contribution is rounded
to the grosz, half up.
"""

from subsidy.calculator.calculate import calculate
from subsidy.calculator.rows import ItemRow, Result, Variant

__all__ = ["ItemRow", "Result", "Variant", "calculate"]
