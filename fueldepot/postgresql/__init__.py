"""Django's PostgreSQL backend, which loses neither time nor answers to a server that went away. See `base`."""
