#!/usr/bin/env python
"""Django's command line. It works on the database that DATABASE_URL names; `embedded` is that of `make run`."""

from fueldepot.__main__ import main

if __name__ == "__main__":
    main()
