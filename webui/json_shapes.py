"""The JSON that programs read, in one place: `findingaid ... --json` and `/search?format=json` come from here.

Knows neither Flask nor an index, so the command line can import it at no cost.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archiver.warc import Damage
    from indexer import (
        Capture,
        Explanation,
        Hit,
        LedgerEntry,
        PageLink,
        PageLinks,
        Removal,
        Results,
        Statistics,
    )
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


def web_hit_as_json(hit: Hit, archives: str, root: str) -> dict[str, Any]:
    """Return one hit as it is told over the web: with its addresses, and without the folders of the server.

    archives: the folder of the job's archives; root: what addresses of ours begin with.
    """
    from webui.addresses import cached_address, replay_address

    shown = {
        **hit_as_json(hit),
        "file": shown_file(hit.file, archives),
        "snippet_parts": [{"t": part.text, "hit": part.hit} for part in hit.snippet],
        "cached_url": cached_address(hit.url, hit.timestamp, root, digest=hit.digest),
        "raw_url": replay_address(hit.url, hit.timestamp, "id_", root, digest=hit.digest),
        "record_url": cached_address(hit.url, hit.timestamp, root, digest=hit.digest, view="record"),
        **{name: getattr(hit, name) for name in ("first", "last", "language", "mime", "status", "folded")},
    }
    if hit.member:
        shown["member"] = hit.member
    return shown


def shown_file(name: str, archives: str) -> str:
    """Return how a file is named over the web: below the folder of the archives, as it was named, else by its name.

    Never a whole path, nor one that leads upwards.
    """
    if os.path.isabs(name):
        name = os.path.relpath(name, os.path.abspath(archives))
    name = os.path.normpath(name)
    return os.path.basename(name) if name.startswith("..") else name


def capture_as_json(capture: Capture, archives: str, root: str, digest: str = "") -> dict[str, Any]:
    """Return one capture as it is told over the web.

    digest: of the payload, where address and time alone do not name it. title: null for what has none.
    """
    from webui.addresses import cached_address, replay_address

    url, timestamp = capture.url, capture.timestamp
    return {
        "url": url,
        "timestamp": timestamp,
        "title": capture.title,
        "type": capture.type,
        "status": capture.status,
        "mime": capture.mime,
        "digest": capture.digest,
        "file": shown_file(capture.location.path, archives),
        "member": capture.location.member,
        "offset": capture.location.offset,
        "length": capture.location.length,
        "inner": capture.location.inner,
        "cached_url": cached_address(url, timestamp, root, digest=digest),
        "raw_url": replay_address(url, timestamp, "id_", root, digest=digest),
        "record_url": cached_address(url, timestamp, root, digest=digest, view="record"),
    }


def page_links_as_json(links: PageLinks, root: str) -> dict[str, Any]:
    """Return the links of a page as they are told over the web: pages that point to it, and where it points."""
    return {
        "total_links_in": links.total_in,
        "total_links_out": links.total_out,
        "links_in": [_web_link(link, root) for link in links.incoming],
        "links_out": [_web_link(link, root) for link in links.outgoing],
    }


def _web_link(link: PageLink, root: str) -> dict[str, Any]:
    from webui.addresses import cached_address

    cached = cached_address(link.url, link.timestamp, root) if link.is_archived else None
    return {**link_as_json(link), "cached_url": cached}


def link_as_json(link: PageLink) -> dict[str, Any]:
    """Return a link of a page as the dict that `links --json` lists."""
    return {**asdict(link), "texts": list(link.texts)}


def totals_as_json(statistics: Statistics) -> dict[str, Any]:
    """Return what the whole index holds as it is told over the web: without the damage, which names files."""
    names = (
        "files",
        "records",
        "captures",
        "copies",
        "documents",
        "versions",
        "sites",
        "first",
        "last",
        "impossible_dates",
    )
    return {name: getattr(statistics, name) for name in names} | {"skipped": dict(statistics.skipped)}


def statistics_as_json(statistics: Statistics, seconds: float) -> dict[str, Any]:
    """Return what `index --json` ends with: the totals of the whole index after a run of so many seconds."""
    return {
        "files": statistics.files,
        "records": statistics.records,
        "captures": statistics.captures,
        "copies": statistics.copies,
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
