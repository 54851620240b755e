"""The desk about the whole service: its start page, the daily letter of what waits, logins."""
