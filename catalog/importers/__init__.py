"""Imports: recognise, fetch, parse, compare, write.

`source`: what a source is; `sources`: one module a publisher, with its parser. `parsers`: what parsers share, and long
ones: files to `records`. `download`: fetches and keeps publishers' files. `sync`: compares records with the database
and writes. `registry`: files to steps; `runner`: runs steps in one transaction, and records each. `freshness` and
`refresh`: the sources that are due, and their import.
"""
