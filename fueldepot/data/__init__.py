"""Generic code of data: snapshots of data sets, history and bulk writes, the reader of YAML files."""
