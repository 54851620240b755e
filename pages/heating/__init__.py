"""The comparison of heating costs, which rests on prices and on rules, so that neither app can have it."""
