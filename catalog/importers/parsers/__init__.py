"""From publishers' files to records: one module a form, and what they share.

Each has `parse(path)`, which yields records of `catalog.importers.records` and says what it could not use. `formats`
tells which file is of which form. `files`, `shapefiles`, `xml_rows`, `teryt`, `osm_tags` and `values` are shared. Plain
Python: nothing here knows the database.
"""
