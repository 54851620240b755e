"""Web parts without a domain: validators, lifetimes in caches."""
