"""Sources, one module a publisher: each lists its `SOURCES`; nothing else names them."""
