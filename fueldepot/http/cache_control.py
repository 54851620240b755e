"""How long callers and proxies may keep an answer: every value of `Cache-Control` that the service sends.

An answer that is kept longer than it holds is out of date; one that is asked for again costs a 304 without a query.
"""

REGISTER = "public, max-age=86400"
"""Names, codes, boundaries and yearly averages change a few times a year."""

CATALOG = "public, max-age=300"
"""Entries, prices, the legal state and every page change whenever an editor decides, and at midnight."""

DESCRIPTION = "public, max-age=3600"
"""What the API says of itself changes with a release only."""

NO_STORE = "no-store"
"""Errors, what tells about somebody's income, and the state of the service."""
