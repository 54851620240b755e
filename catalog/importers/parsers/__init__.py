"""Parsers of publishers' files into records, without database access; short ones stand in the modules of `sources`.

Each has a `parse` that returns records of `catalog.importers.records` and reports unusable rows, and a `recognises`.
`files`, `xml_rows` and `values` are shared.
"""
