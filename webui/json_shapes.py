"""The JSON that programs read, in one place: `findingaid ... --json` and `/search?format=json` come from here.

Knows neither Flask nor an index, so the command line can import it at no cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archiver.warc import Damage
    from indexer import Explanation, Hit, LedgerEntry, Removal, Results, Statistics
    from indexer.evaluation import Comparison, Evaluation


def results_as_json(results: Results) -> dict[str, Any]:
    """Return the search answer as a dict ready for `json.dumps`; its keys are a contract and only ever grow.

    `total` counts documents. `title` is null for a page without one. `timestamp`
    has 14 digits. `file` is named as it was given to `index`; `offset` and
    `length` are those of the record's own member where it has one; `inner` is where
    the record begins in the unpacked member, 0 unless several records share it.
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
        "inner": hit.inner,
        "captures": hit.captures,
        "versions": hit.versions,
        **({"explanation": explanation_as_json(hit.explanation)} if hit.explanation else {}),
    }


def explanation_as_json(explanation: Explanation) -> dict[str, Any]:
    """Return what a score is made of: the `score` of every word, pair and prior, and `whole`, add up to its `score`."""
    return asdict(explanation)


def statistics_as_json(statistics: Statistics, seconds: float) -> dict[str, Any]:
    """Return what `index --json` ends with: the totals of the whole index after a run of so many seconds."""
    return {
        "files": statistics.files,
        "records": statistics.records,
        "captures": statistics.captures,
        "documents": statistics.documents,
        "versions": statistics.versions,
        "skipped": dict(statistics.skipped),
        "damaged": [
            {"file": _file_of(damage), "offset": damage.offset, "problem": damage.problem}
            for damage in statistics.damaged
        ],
        "seconds": round(seconds, 3),
    }


def ledger_entry_as_json(entry: LedgerEntry) -> dict[str, Any]:
    """Return one line of the ledger as the dict that `ledger --json` lists."""
    return {
        "file": entry.file,
        "status": entry.status,
        "format": entry.format,
        "records": entry.records,
        "captures": entry.captures,
        "documents": entry.documents,
        "skipped": dict(entry.skipped),
        "damaged": [
            {"offset": damage.offset, "length": damage.length, "problem": damage.problem}
            for damage in entry.damaged
        ],
    }


def removal_as_json(removal: Removal) -> dict[str, Any]:
    """Return one removal as the dict that `remove --json` lists; `lifted` is null while it is in force."""
    return {
        "kind": removal.kind,
        "target": removal.target,
        "captures": removal.captures,
        "pages": removal.pages,
        "at": removal.at,
        "who": removal.who,
        "reason": removal.reason,
        "lifted": removal.lifted or None,
    }


def evaluation_as_json(
    evaluation: Evaluation, compared: Mapping[str, Comparison], changes: Sequence[str]
) -> dict[str, Any]:
    """Return what `evaluate --json` prints; `map` is the mean of the topics' `average_precision`.

    compared: by measure, empty when nothing was compared; changes: the other settings, as KEY=VALUE.
    """
    mean = evaluation.mean.named()
    result: dict[str, Any] = {
        "topics": {topic: measures.named() for topic, measures in evaluation.topics.items()},
        "mean": {**mean, "map": mean["average_precision"]},
        "without_judgements": list(evaluation.without_judgements),
    }
    if compared:
        result["compare"] = {
            "settings": list(changes),
            "measures": {
                name: {
                    "first": one.first,
                    "second": one.second,
                    "difference": one.difference,
                    "better": one.better,
                    "worse": one.worse,
                    "p_value": one.p_value,
                }
                for name, one in compared.items()
            },
        }
    return result


def _file_of(damage: Damage) -> str:
    return f"{damage.path}!{damage.member}" if damage.member else damage.path
