"""Imports: recognise, fetch, parse, compare, write.

`sources`: one module a publisher, with its parser; `parsers`: what they share, and long ones: files to `records`.
`download` fetches files, which `sources` checks; `freshness` tells which are due; `sync_…` compare and write.
`import_steps` turns files to steps and imports what is due; `runner` runs steps in one transaction, and records each.
"""
