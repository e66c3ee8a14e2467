"""A query and filters chosen beside it, such as facets, made one query."""

from __future__ import annotations

from dataclasses import replace

from indexer.search.query import And, Query


def narrowed(query: Query, filters: Query) -> Query:
    """Return a query for the pages that both ask for; what the words of the query mean does not change by filters.

    A query without words is its filters alone.
    """
    if filters.tree is None or query.tree is None:
        return query if filters.tree is None else replace(filters, text=query.text, notices=query.notices)
    chosen = filters.tree.parts if isinstance(filters.tree, And) else (filters.tree,)
    asked = query.tree.parts if isinstance(query.tree, And) else (query.tree,)
    implied = query.tree.implied if isinstance(query.tree, And) else True
    return replace(
        query, tree=And((*asked, *chosen), implied=implied), notices=(*query.notices, *filters.notices)
    )
