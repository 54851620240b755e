"""Imports: fetch, parse, compare, write.

`download`: fetches and stores publishers' files. `parsers`: files to `records`. `sync`: compares records with the
database and writes, one module per data set. `registry`: parser, publisher and order of every format. `runner`: runs
steps in one transaction; `run_log` records each run. `publications`, `validation`, `freshness` and `refresh`: the
sources of `catalog/sources.yaml`, and the import of those that are due.
"""
