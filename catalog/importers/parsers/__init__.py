"""What parsers of publishers' files share, and long ones; short ones are in `sources`. Without database access."""
