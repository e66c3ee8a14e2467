"""The JSON that programs read, in one place: `findingaid search --json` and `/search?format=json` both come from here.

Knows neither Flask nor an index, so the command line can import it at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer import Hit, Results


def results_as_json(results: Results) -> dict[str, Any]:
    """Return the search answer as a dict ready for `json.dumps`; its keys are a contract and only ever grow.

    `total` counts documents. `title` is null for a page without one. `timestamp`
    has 14 digits. `file` is named as it was given to `index`; `offset` and
    `length` are those of the record's own member where it has one.
    """
    return {
        "query": results.query,
        "total": results.total,
        "took_ms": round(results.took_ms, 3),
        "hits": [hit_as_json(hit) for hit in results.hits],
    }


def hit_as_json(hit: Hit) -> dict[str, Any]:
    """Return one hit as a dict; the snippet is plain text, without marks and without HTML."""
    return {
        "url": hit.url,
        "title": hit.title,
        "timestamp": hit.timestamp,
        "score": hit.score,
        "snippet": "".join(part.text for part in hit.snippet),
        "file": hit.file,
        "offset": hit.offset,
        "length": hit.length,
        "captures": hit.captures,
        "versions": hit.versions,
    }
