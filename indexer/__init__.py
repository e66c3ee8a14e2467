"""Archive files -> index -> hits: `text/` (bytes to tokens), `store/` (index on disk), `search/` (query to hits).

from indexer import build_index, open_index

build_index(["crawl.warc.gz"], "MyIndex")
with open_index("MyIndex") as index:
    print(index.search("finding aid").total)
"""

from typing import TYPE_CHECKING, Any

from indexer.captures import Around, Capture
from indexer.index import Index, open_index
from indexer.ledger import LedgerEntry, Statistics
from indexer.results import Results, Tree
from indexer.search.explaining import Explanation
from indexer.search.facets import Facets, FacetValue
from indexer.search.hits import Hit
from indexer.search.link_graph import GraphWish, LinkEdge, LinkGraph, LinkNode
from indexer.search.page_links import PageLink, PageLinks
from indexer.search.snippets import SnippetPart
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

if TYPE_CHECKING:
    from indexer.build import IndexOptions, Progress, build_index
    from indexer.maintenance import Optimized, optimize_index, remove_from_index, restore_to_index

_BUILDING = ("IndexOptions", "Progress", "build_index")
_MAINTENANCE = ("Optimized", "optimize_index", "remove_from_index", "restore_to_index")


def __getattr__(name: str) -> Any:
    """Import what builds an index when it is first asked for: searching does without it, and starts sooner."""
    if name in _BUILDING:
        from indexer import build

        return getattr(build, name)
    if name in _MAINTENANCE:
        from indexer import maintenance

        return getattr(maintenance, name)
    raise AttributeError(f"module 'indexer' has no attribute {name!r}")


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
