"""Search of places, postcodes and depots.

`entries` writes what can be found, when the register changes; `ranking` orders the names that match; `query` reads
a question by `query_words`, and `engine` answers it.
"""
