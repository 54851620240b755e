"""`make bench`: speed and memory of the service, as ratios within one run."""
