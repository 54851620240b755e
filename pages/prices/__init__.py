"""Pages of prices, each also as of a past day: all fuels, one fuel in Poland, one fuel in a voivodeship.

Median, number and arithmetic come from the API's responses, changes and series from the same snapshot.
"""
