"""`make bench`: how fast and how large the service is, as ratios inside one run."""
