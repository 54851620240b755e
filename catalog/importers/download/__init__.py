"""Downloads of publishers' files: complete or not at all, stored with date, size and checksum.

A finished transfer is not trusted. The length must be the announced one, a zip must have its end and valid checksums,
JSON must be complete, CSV must not end within a row, and the file must have the format of its source. Until then it is
a `.part`, which the next attempt resumes if the server allows it.
"""

from catalog.importers.download.client import RetryPolicy
from catalog.importers.download.fetching import Fetcher
from catalog.importers.download.store import Download, DownloadBusy, DownloadFailed, Store

__all__ = ["Download", "DownloadBusy", "DownloadFailed", "Fetcher", "RetryPolicy", "Store"]
