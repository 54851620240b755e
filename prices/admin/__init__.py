"""Admin of prices: moderation queue, price lists, plausible ranges. `prices.services` writes all changes."""

from prices.admin import prices, visits  # noqa: F401 - register
