"""The calculator: what a household states and a day in, a result out. Plain functions, exact decimals, no Django.

    result = calculate(application, rules.on(day), day)

Order of the arithmetic: the limit of an item is its unit limit × quantity; its subsidy is the lesser of the limit and
intensity × net cost (the limit where no cost is known); the subsidies of table 3 together are held to the limit of
their sum. Costs, limits and subsidies are cut to the grosz, so that no subsidy ever exceeds what it may be;
the own contribution is rounded to the grosz, half up.
"""

from subsidy.calculator.calculate import calculate
from subsidy.calculator.result import Result, Row, Variant

__all__ = ["Result", "Row", "Variant", "calculate"]
