"""Bringing sources in: fetch, parse, compare, write.

`download`: a publisher's file, fetched and kept. `parsers`: files into records (`records`). `sync`: records beside what
is stored, one module a data set. `steps`: which form is read and written by whom, and in which order. `run`: all that
in one transaction; `recorded`: with a line in the log of imports. `publications`, `fetched` and `refresh`: what
`catalog/sources.yaml` says, and bringing in whatever is due.
"""
