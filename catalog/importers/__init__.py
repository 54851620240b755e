"""Imports: recognise, fetch, parse, compare, write.

`source`: what a source is; `sources`: one module a publisher. `download`: fetches and keeps publishers' files.
`parsers`: files to `records`. `sync`: compares records with the database and writes.
`registry`: files to steps; `runner`: runs steps in one transaction, and records each. `freshness` and `refresh`: the
sources that are due, and their import.
"""
