"""Generic database code: snapshots of data sets, bulk writes, history."""
