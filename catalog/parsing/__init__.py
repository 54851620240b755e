"""Parsing of texts about depots, from sources and people, into published values. Without database access."""
