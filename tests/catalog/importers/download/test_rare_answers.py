"""Answers that no publisher should give, and a kept file that somebody has cut."""

import pytest

from catalog.importers.download import DownloadFailed


def test_nothing_has_changed_says_a_publisher_who_was_not_asked_that(fetcher, sources, publishers):
    publishers.always = {"/PL.zip": 304}
    with pytest.raises(DownloadFailed, match="answered 304; check the address in the file of sources"):
        fetcher.fetch(sources["geonames-postcodes"])


def test_a_kept_file_that_was_cut_is_fetched_anew(fetcher, sources):
    first = fetcher.fetch(sources["geonames-postcodes"])
    whole = first.path.read_bytes()
    first.path.write_bytes(whole[:-1])
    second = fetcher.fetch(sources["geonames-postcodes"])
    assert (second.fresh, second.path.read_bytes()) == (True, whole)
