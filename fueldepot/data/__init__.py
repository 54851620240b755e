"""Generic database code: versions and snapshots of data sets, bulk writes, history."""
