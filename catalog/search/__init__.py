"""Search of places and postcodes.

`entries` writes what can be found, when the register changes; `ranking` orders the names that match; `engine` the
readings of a question, and forms the suggestions.
"""
