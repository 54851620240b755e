"""Search of places and postcodes.

`entries` writes what can be found, when the register changes; `ranking` orders the names that match; `query` reads
a question by `query_words`, and `suggestions` answers it.
"""
