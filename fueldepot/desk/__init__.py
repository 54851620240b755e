"""Pages of the editors' desk about the whole service: its start page, decisions, statistics, logins."""
