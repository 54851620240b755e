"""Admin of prices: moderation queue, price lists, plausible ranges. `prices.services` writes all changes."""

from prices.admin import decision_pages, plausible_ranges, prices  # noqa: F401 - register
