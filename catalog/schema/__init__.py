"""The published description of the location endpoints. Read by `make openapi` only; nothing here runs in a request."""
