"""Public forms of owners and readers; editors decide on their submissions."""
