"""Archive files -> index -> hits: `text/` (bytes to tokens), `store/` (index on disk), `search/` (query to hits).

    from indexer import build_index, open_index

    build_index(["crawl.warc.gz"], "MyIndex")
    with open_index("MyIndex") as index:
        print(index.search("finding aid").total)
"""

from indexer.build import IndexOptions, Progress, build_index
from indexer.index import Capture, Hit, Index, LedgerEntry, Results, Statistics, open_index
from indexer.search.snippets import SnippetPart
from indexer.store.bm25f import Ranking
from indexer.store.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexError_,
    IndexMissingError,
    IndexVersionError,
    WorkerError,
    WriterLockedError,
)
from indexer.text.elements import ELEMENTS

__all__ = [
    "ELEMENTS", "Capture", "DiskFullError", "Hit", "Index", "IndexCorruptError", "IndexError_", "IndexMissingError",
    "IndexOptions", "IndexVersionError", "LedgerEntry", "Progress", "Ranking", "Results", "SnippetPart", "Statistics",
    "WorkerError", "WriterLockedError", "build_index", "open_index",
]
