"""The archive formats (WARC, ARC, WACZ) and nothing else.

Shared by the indexer, the crawler and the web front end, so it stays small and
imports none of our other packages. Public names are listed here.
"""
