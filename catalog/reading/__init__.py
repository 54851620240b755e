"""What sources and people write about a depot, read into what the catalog publishes, or refused.

`hours`: a week of opening hours, from the rules that `hours_text` reads. `contacts`: tax numbers, telephones, web
addresses. `people`: whether a name is a private person's. Plain Python: nothing here knows the database.
"""
