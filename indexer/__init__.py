"""Archive files -> index -> hits: `text/` (bytes to tokens), `store/` (index on disk), `search/` (query to hits)."""
