"""Search of places and postcodes.

Who decides about the order: `engine` which readings of a question are tried, and in which order; `index._name_tiers`
between names that begin with the text or contain it; `matching.RankTier` between names found word by word or in spite
of mistakes; `entries` between entries of one tier, by importance. `suggestions` gives the answer its form.
"""
