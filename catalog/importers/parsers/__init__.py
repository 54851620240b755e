"""Parsers of publishers' files into records, one module per format.

Each has `parse(path)`, which returns records of `catalog.importers.records` and reports unusable rows. `formats`
detects the format of a file. `files`, `shapefiles`, `xml_rows`, `teryt`, `osm_tags` and `values` are shared. Plain
Python without database access.
"""
