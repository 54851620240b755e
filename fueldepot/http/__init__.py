"""Generic HTTP code: parameters, validators, cache lifetimes, errors, limits, logging."""
