"""Search of places and postcodes.

`ranking` orders the names that match; `engine` the readings of a question. `suggestions` forms the answer.
"""
