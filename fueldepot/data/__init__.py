"""Database parts without a domain: versions of data sets, snapshots of them."""
