"""Search of places, postcodes and depots.

`entries` writes what can be found, when the register changes; `ranking` orders the names that match; `query` reads
a question by `vocabulary`, and `engine` answers it.
"""
