"""Search of places and postcodes.

Who decides about the order: `ranking` between names that are found; `engine` which readings of a question are tried,
and in which order. `suggestions` gives the answer its form.
"""
