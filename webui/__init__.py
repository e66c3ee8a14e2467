"""The web front end: search, cached pages, settings."""
