"""The graph of a crawl: drawn by a script where there is one, as a picture and a table without.

/crawl/JOB/graph           ?level=hosts or pages
/crawl/JOB/graph.json      what is drawn            /crawl/JOB/graph.gexf, .csv   the whole graph for other programs
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TextIO
from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, render_template, request, url_for

from archiver.crawl import is_job_id, linked_sites
from archiver.crawl.graph import CrawlGraph, write_edges_csv, write_gexf, write_json, write_nodes_csv
from archiver.errors import FindingAidError
from webui.application import as_json_response, error_response, site
from webui.asked import wants_json
from webui.graph_drawing import MOST_IN_PICTURE, MOST_IN_TABLE, GraphLink, GraphNode, GraphView, draw
from webui.i18n import gettext as _
from webui.words import crawl_word

blueprint = Blueprint("graphs", __name__)

MOST_NODES = 2_000  # above it pages are drawn as their hosts
_EXPORTS: dict[str, tuple[Callable[[CrawlGraph, TextIO], None], str, str]] = {
    "gexf": (write_gexf, "application/gexf+xml; charset=utf-8", "graph.gexf"),
    "nodes.csv": (write_nodes_csv, "text/csv; charset=utf-8", "nodes.csv"),
    "edges.csv": (write_edges_csv, "text/csv; charset=utf-8", "edges.csv"),
    "full.json": (write_json, "application/json; charset=utf-8", "graph.json"),
}


@blueprint.get("/crawl/<job>/graph.json", endpoint="crawl_graph_json")
@blueprint.get("/crawl/<job>/graph")
def crawl_graph(job: str) -> Response:
    folder = _folder(job)
    if folder is None:
        return error_response(404, _("No such job"), _("There is no crawl job of this name."))
    try:
        view = crawl_view(folder, request.args.get("level", ""))
    except FindingAidError:
        view = GraphView("pages", (), (), 0)  # never started
    return as_json_response(view.as_json()) if wants_json() else make_response(render_page(view, job))


@blueprint.get("/crawl/<job>/graph-<kind>")
def export(job: str, kind: str) -> Response:
    folder = _folder(job)
    if folder is None or kind not in _EXPORTS:
        return error_response(404, _("Nothing here"), _("There is no such file."))
    write, content_type, name = _EXPORTS[kind]
    try:
        graph = CrawlGraph(folder)
    except FindingAidError:
        return error_response(404, _("No such job"), _("There is no crawl job of this name."))
    response = Response(_streamed(graph, write), content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="crawl-{job}-{name}"'
    return response


def _streamed(graph: CrawlGraph, write: Callable[[CrawlGraph, TextIO], None]) -> Iterator[bytes]:
    """Yield what `write` writes, about 64 kB at a time: a graph of a million nodes is never in memory whole."""
    import queue
    import threading

    parts: queue.Queue[bytes | None] = queue.Queue(maxsize=8)
    gone = threading.Event()

    class Pipe(io.StringIO):
        def write(self, text: str) -> int:
            count = super().write(text)
            if self.tell() > 1 << 16:
                self.pass_on()
            return count

        def pass_on(self) -> None:
            if gone.is_set():
                raise BrokenPipeError
            parts.put(self.getvalue().encode("utf-8", "replace"))
            self.seek(0)
            self.truncate()

    def run() -> None:
        pipe = Pipe(newline="")
        try:
            write(graph, pipe)
            pipe.pass_on()
        except BrokenPipeError:
            pass  # the reader has gone
        finally:
            graph.close()
            parts.put(None)

    threading.Thread(target=run, daemon=True).start()
    try:
        while (part := parts.get()) is not None:
            yield part
    finally:
        gone.set()
        while not parts.empty():
            parts.get()


def render_page(view: GraphView, job: str) -> str:
    """Return the page of a graph: picture, table, and the place where the script draws."""
    drawn, lines = draw(view, MOST_IN_PICTURE)
    return render_template(
        "graph.html",
        job=job,
        view=view,
        drawn=drawn,
        lines=lines,
        table=view.foremost(MOST_IN_TABLE),
        groups=list(view.nodes[0].groups) if view.nodes else [],
        most=MOST_NODES,
        exports=[
            (label, url_for("graphs.export", job=job, kind=kind))
            for kind, label in zip(_EXPORTS, ("GEXF", "CSV (nodes)", "CSV (links)", "JSON"), strict=True)
        ],
        data=url_for("graphs.crawl_graph_json", job=job, level=view.level, texts="page"),
    )


def crawl_view(folder: str, level: str) -> GraphView:
    """Return the pages of a crawl, or its hosts when asked or when there are too many pages. Raises CrawlError."""
    graph = CrawlGraph(folder, limit=MOST_NODES + 1)
    try:
        nodes = list(graph.nodes())
        if level == "hosts" or (level != "pages" and len(nodes) > MOST_NODES):
            return _hosts_view(folder)
        shown = nodes[:MOST_NODES]
        known = {node.id for node in shown}
        edges = [e for e in graph.edges() if e.source in known and e.target in known]
    finally:
        graph.close()
    coming, going = Counter(edge.target for edge in edges), Counter(edge.source for edge in edges)
    return GraphView(
        "pages",
        [
            GraphNode(
                node.id,
                node.url.partition("//")[2],
                _search_address(f"inurl:{node.url}") if node.state != "done" else _cached(node.url),
                1 + coming[node.id],
                {
                    "host": urlsplit(node.url).netloc,
                    "status": crawl_word(str(node.status or node.reason or node.state)),
                    "depth": "" if node.depth is None else str(node.depth),
                    "topic": {None: "", True: _("on topic"), False: _("off topic")}[node.on_topic],
                },
                node.title or crawl_word(node.state),
                coming[node.id],
                going[node.id],
            )
            for node in shown
        ],
        [GraphLink(edge.source, edge.target, 1) for edge in edges],
        _page_count(folder) if len(nodes) > MOST_NODES else len(nodes),
    )


def _hosts_view(folder: str) -> GraphView:
    sites, links, total = linked_sites(folder, MOST_NODES)
    return GraphView(
        "hosts",
        [
            GraphNode(
                found.id,
                urlsplit(found.origin).netloc,
                _search_address("site:" + (urlsplit(found.origin).hostname or "")),
                1 + found.fetched,
                {
                    "suffix": (urlsplit(found.origin).hostname or "").rpartition(".")[2],
                    "status": _("fetched") if found.fetched else _("failed") if found.failed else _("not fetched"),
                },
                _("%(fetched)s fetched, %(failed)s failed, %(known)s known", fetched=found.fetched,
                  failed=found.failed, known=found.known),
                found.links_in,
                found.links_out,
            )
            for found in sites
        ],
        [GraphLink(link.source, link.target, link.count) for link in links],
        total,
    )  # fmt: skip


def _page_count(folder: str) -> int:
    return sum(site_.known for site_ in linked_sites(folder, 1 << 30)[0])


def _cached(url: str) -> str:
    from webui.addresses import captures_address

    return captures_address(url, "*", request.script_root)


def _search_address(query: str) -> str:
    return url_for("search.search", q=query)


def _folder(job: str) -> str | None:
    folder = os.path.join(site().settings.jobs_path, job)
    return folder if is_job_id(job) and os.path.isdir(folder) and not os.path.islink(folder) else None
