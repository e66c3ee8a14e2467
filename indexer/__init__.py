"""Archive files -> index -> hits: `text/` (bytes to tokens), `store/` (index on disk), `search/` (query to hits).

from indexer import build_index, open_index

build_index(["crawl.warc.gz"], "MyIndex")
with open_index("MyIndex") as index:
    print(index.search("finding aid").total)
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# numpy starts threads for the algebra of matrices when it is imported, which takes longer than all of numpy else;
# a process of ours multiplies hardly any. Who imported numpy before, or asks for threads, has them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from indexer.build import IndexOptions, Progress, build_index
    from indexer.captures import Around, Capture
    from indexer.core.passages import SnippetPart
    from indexer.index import Index, open_index
    from indexer.ledger import LedgerEntry, Statistics
    from indexer.maintenance import Optimized, optimize_index, remove_from_index, restore_to_index
    from indexer.results import Results, Tree
    from indexer.search.explaining import Explanation
    from indexer.search.facets import Facets, FacetValue
    from indexer.search.hits import Hit
    from indexer.search.link_graph import GraphWish, LinkEdge, LinkGraph, LinkNode
    from indexer.search.page_links import PageLink, PageLinks
    from indexer.search.suggest import Suggestion
    from indexer.search.tree import TreeNode
    from indexer.search.widening import AddedWord, Widening
    from indexer.store.bm25f import Ranking
    from indexer.store.errors import (
        DiskFullError,
        IndexCorruptError,
        IndexError_,
        IndexMissingError,
        IndexNotWritableError,
        IndexVersionError,
        WorkerError,
        WriterLockedError,
    )
    from indexer.store.removal import NothingToRemoveError, Removal
    from indexer.text.elements import ELEMENTS

_PLACES = {
    "build": "IndexOptions Progress build_index",
    "captures": "Around Capture",
    "index": "Index open_index",
    "ledger": "LedgerEntry Statistics",
    "maintenance": "Optimized optimize_index remove_from_index restore_to_index",
    "results": "Results Tree",
    "search.explaining": "Explanation",
    "search.facets": "Facets FacetValue",
    "search.hits": "Hit",
    "search.link_graph": "GraphWish LinkEdge LinkGraph LinkNode",
    "search.page_links": "PageLink PageLinks",
    "core.passages": "SnippetPart",
    "search.suggest": "Suggestion",
    "search.tree": "TreeNode",
    "search.widening": "AddedWord Widening",
    "store.bm25f": "Ranking",
    "store.errors": "DiskFullError IndexCorruptError IndexError_ IndexMissingError IndexNotWritableError"
    " IndexVersionError WorkerError WriterLockedError",
    "store.removal": "NothingToRemoveError Removal",
    "text.elements": "ELEMENTS",
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: a crawl needs none of them, a search not what builds an index."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'indexer' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"indexer.{_PLACE_OF[name]}"), name)
    return found


__all__ = [
    "ELEMENTS",
    "AddedWord",
    "Around",
    "Capture",
    "DiskFullError",
    "Explanation",
    "FacetValue",
    "Facets",
    "GraphWish",
    "Hit",
    "Index",
    "IndexCorruptError",
    "IndexError_",
    "IndexMissingError",
    "IndexNotWritableError",
    "IndexOptions",
    "IndexVersionError",
    "LedgerEntry",
    "LinkEdge",
    "LinkGraph",
    "LinkNode",
    "NothingToRemoveError",
    "Optimized",
    "PageLink",
    "PageLinks",
    "Progress",
    "Ranking",
    "Removal",
    "Results",
    "SnippetPart",
    "Statistics",
    "Suggestion",
    "Tree",
    "TreeNode",
    "Widening",
    "WorkerError",
    "WriterLockedError",
    "build_index",
    "open_index",
    "optimize_index",
    "remove_from_index",
    "restore_to_index",
]
