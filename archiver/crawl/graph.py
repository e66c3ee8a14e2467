"""The graph of a crawl: addresses and the links between them, for drawing and for other programs."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from archiver.cells import as_text_cell
from archiver.crawl.errors import JobError
from archiver.crawl.items import NO_DEPTH, UrlState
from archiver.crawl.job import STATE_FILE
from archiver.crawl.links import LinkKind
from archiver.crawl.statefile import StateFile
from archiver.files import whole_text_file

FORMATS = ("gexf", "csv", "json")


@dataclass(frozen=True, slots=True)
class Node:
    """An address. state: "done", "queued", "skipped"...; depth None for what is known as a page's requisite only."""

    id: int
    url: str
    state: str
    reason: str
    status: int
    mime: str
    depth: int | None
    on_topic: bool | None
    title: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A link. kind: "page", "requisite" or "redirect"."""

    source: int
    target: int
    kind: str


class CrawlGraph:
    """Reads the graph of a job, also while it runs.

    fetched_only: leave out addresses that were not fetched, and links to them.
    limit: at most so many nodes, the nearest to the seeds; 0 means all.
    """

    def __init__(self, job_dir: str, *, fetched_only: bool = False, limit: int = 0) -> None:
        self._file = StateFile(os.path.join(job_dir, STATE_FILE), read_only=True, cache_mb=8)
        self._where = "u.kind IN (0, 1)" + (" AND u.state = 2" if fetched_only else "")
        self._limit = limit or -1

    def nodes(self) -> Iterator[Node]:
        """Yield the addresses, those nearest to a seed first."""
        for number, url, state, reason, status, mime, depth, on_topic, title in self._file.execute(
            "SELECT u.id, u.url, u.state, IFNULL(u.reason, ''), IFNULL(p.status, 0), IFNULL(p.mime, ''), u.depth,"
            f" p.on_topic, IFNULL(p.title, '') FROM urls u LEFT JOIN pages p ON p.url = u.id WHERE {self._where}"
            " ORDER BY u.depth, u.id LIMIT ?",
            (self._limit,),
        ):
            yield Node(
                number,
                url,
                UrlState(state).name.lower().replace("_", " "),
                reason,
                status,
                mime,
                depth if depth < NO_DEPTH else None,
                None if on_topic is None else bool(on_topic),
                title,
            )

    def edges(self) -> Iterator[Edge]:
        """Yield the links between the addresses that `nodes` gives."""
        chosen = (
            f"SELECT u.id FROM urls u WHERE {self._where} ORDER BY u.depth, u.id LIMIT {int(self._limit)}"
        )
        for source, target, kind in self._file.execute(
            f"SELECT source, target, kind FROM edges WHERE source IN ({chosen}) AND target IN ({chosen})"
            " ORDER BY source, target"
        ):
            yield Edge(source, target, LinkKind(kind).name.lower())

    def close(self) -> None:
        """Close the job's state file."""
        self._file.close()


def export_graph(
    job_dir: str, path: str, kind: str = "", *, fetched_only: bool = False, limit: int = 0
) -> tuple[str, ...]:
    """Write a job's graph and return the files written: one, or for CSV `NAME-nodes.csv` and `NAME-edges.csv`.

    kind: one of FORMATS; "" takes the ending of `path`. Raises JobError.
    """
    kind = kind or os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in FORMATS:
        raise JobError(f"{path}: graph format {kind!r}, expected one of {', '.join(FORMATS)}")
    graph = CrawlGraph(job_dir, fetched_only=fetched_only, limit=limit)
    try:
        if kind == "csv":
            stem = path.removesuffix(".csv")
            names = (f"{stem}-nodes.csv", f"{stem}-edges.csv")
            for name, write in zip(names, (write_nodes_csv, write_edges_csv), strict=True):
                with whole_text_file(name, newline="") as file:
                    write(graph, file)
            return names
        with whole_text_file(path) as file:
            (write_gexf if kind == "gexf" else write_json)(graph, file)
        return (path,)
    finally:
        graph.close()


def write_gexf(graph: CrawlGraph, out: TextIO) -> None:
    """Write GEXF 1.3, which Gephi and others read."""
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n'
        '<graph defaultedgetype="directed">\n<attributes class="node">\n'
    )
    names = ("state", "reason", "status", "mime", "depth", "on_topic", "title")
    for number, name in enumerate(names):
        kind = {"status": "integer", "depth": "integer", "on_topic": "boolean"}.get(name, "string")
        out.write(f'<attribute id="{number}" title="{name}" type="{kind}"/>\n')
    out.write(
        '</attributes>\n<attributes class="edge"><attribute id="0" title="kind" type="string"/></attributes>\n<nodes>\n'
    )
    for node in graph.nodes():
        values = ((n, getattr(node, name)) for n, name in enumerate(names))
        marks = "".join(
            f'<attvalue for="{n}" value={quoteattr(_xml_text(v))}/>' for n, v in values if v not in (None, "")
        )
        out.write(
            f'<node id="{node.id}" label={quoteattr(_xml_text(node.url))}><attvalues>{marks}</attvalues></node>\n'
        )
    out.write("</nodes>\n<edges>\n")
    for number, edge in enumerate(graph.edges()):
        out.write(
            f'<edge id="{number}" source="{edge.source}" target="{edge.target}"><attvalues>'
            f'<attvalue for="0" value="{escape(edge.kind)}"/></attvalues></edge>\n'
        )
    out.write("</edges>\n</graph>\n</gexf>\n")


def write_json(graph: CrawlGraph, out: TextIO) -> None:
    """Write {"nodes": [...], "edges": [...]}, one line each."""
    out.write('{"nodes": [')
    out.writelines(_json_lines(asdict(node) for node in graph.nodes()))
    out.write('],\n"edges": [')
    out.writelines(_json_lines(asdict(edge) for edge in graph.edges()))
    out.write("]}\n")


def _json_lines(items: Iterator[dict[str, Any]]) -> Iterator[str]:
    for number, item in enumerate(items):
        yield (",\n" if number else "\n") + json.dumps(item, ensure_ascii=False)


def write_nodes_csv(graph: CrawlGraph, out: TextIO) -> None:
    """Write the nodes as CSV; cells that a spreadsheet would take for a formula get an apostrophe in front."""
    writer = csv.writer(out)
    writer.writerow(("id", "url", "state", "reason", "status", "mime", "depth", "on_topic", "title"))
    for node in graph.nodes():
        writer.writerow([_cell(v) for v in asdict(node).values()])


def write_edges_csv(graph: CrawlGraph, out: TextIO) -> None:
    """Write the edges as CSV, with the names that Gephi expects."""
    writer = csv.writer(out)
    writer.writerow(("Source", "Target", "Kind"))
    for edge in graph.edges():
        writer.writerow((edge.source, edge.target, edge.kind))


def _cell(value: object) -> object:
    if isinstance(value, str):
        text = "".join(c for c in value if c.isprintable())
        return as_text_cell(text)
    return value


def _xml_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "".join(
        c
        for c in str(value)
        if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff")
    )
