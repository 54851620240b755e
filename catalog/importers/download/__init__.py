"""Fetching a publisher's file: whole or not at all, kept with its date, size and checksum.

A download is never trusted because it ended. Its length must be the announced one, a zip must have its end and every
member its sum, JSON must close, CSV must not end within a row, and the file must be of the form that the source is
known for. Until then it is a `.part`, which the next attempt continues where the server allows it.
"""

from catalog.importers.download.client import Patience
from catalog.importers.download.fetching import Fetcher
from catalog.importers.download.store import Download, DownloadBusy, DownloadFailed, Store

__all__ = ["Download", "DownloadBusy", "DownloadFailed", "Fetcher", "Patience", "Store"]
