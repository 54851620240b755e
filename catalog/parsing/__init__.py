"""Parsing of texts about depots, from sources and people, into published values.

`opening_hours`: a week, from the rules that `opening_hours_text` reads. `contacts`: tax numbers, telephones, web
addresses. `personal_names`: whether a name is a private person's. `fuels_in_names`: fuels that a name states. Plain
Python without database access.
"""
