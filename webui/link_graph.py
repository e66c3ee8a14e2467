"""The graph of links of the index that is served: drawn by a script, or as a picture with a table where there is none.

/graph?q=&site=&type=&lang=&from=&to=   the pages that a search finds, with the links between them; all without a search
      &url=                             one page and what is linked with it; a search then only colours the pages
      &depth=0|1|2&level=pages|hosts    how many links away pages may be; above 2,000 pages their hosts are drawn
/graph.json                             what is drawn
/graph-gexf, -nodes.csv, -edges.csv     the same, larger, for other programs
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for

from archiver.notices import Notice
from indexer import GraphWish, LinkGraph, LinkNode
from webui.addresses import archived_url, cached_address
from webui.application import as_json_response, error_response, site
from webui.asked import wants_json
from webui.formats import number
from webui.graph_drawing import MOST_IN_PICTURE, MOST_IN_TABLE, GraphLink, GraphNode, GraphView, draw
from webui.graph_files import FILES, GraphFile, written
from webui.i18n import gettext as _
from webui.i18n import ngettext
from webui.limits import Slots
from webui.preferences import SIZES
from webui.search_request import FILTERS, SearchRequest, parse_search

blueprint = Blueprint("link_graph", __name__)

DEPTHS = ("0", "1", "2")
LEVELS = ("", "pages", "hosts")
PARAMETERS = frozenset(("q", "url", "depth", "level", "format", *FILTERS))
MOST_NODES, MOST_LINKS = 2_000, 20_000
MOST_NODES_IN_FILE, MOST_LINKS_IN_FILE = 20_000, 200_000
_LONGEST_S = 10.0
_places = Slots(2, Notice("graphs"))


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """What a request asks for. url: the page in the middle, "" for none. depth, level: "" where nothing is said."""

    search: SearchRequest
    url: str
    depth: str
    level: str

    def parameters(self, **changes: object) -> dict[str, Any]:
        """Return the parameters of /graph that ask for this, with some changes."""
        values: dict[str, Any] = {
            **self.search.parameters(),
            "url": self.url,
            "depth": self.depth,
            "level": self.level,
            **changes,
        }
        return {
            name: value for name, value in values.items() if name in PARAMETERS and value not in ("", None)
        }


@blueprint.get("/graph.json", endpoint="show_json")
@blueprint.get("/graph")
def show() -> Response:
    """Show the graph, or tell it to a program."""
    if wants_json() and (unknown := sorted(set(request.args) - PARAMETERS - {"texts"})):
        names = ", ".join(sorted(PARAMETERS))
        return error_response(
            400, "Unknown parameter", f"{unknown[0][:50]}: no such parameter; there are {names}."
        )
    if request.args.get("format", "html") not in ("", "html", "json"):
        return error_response(400, _("Unknown format"), _("format: expected html or json."))
    try:
        wanted = parse_graph_request()
    except ValueError as error:
        return error_response(400, _("That request cannot be read"), str(error))
    graph = _graph(wanted, MOST_NODES, MOST_LINKS)
    view = view_of(graph, wanted)
    if wants_json():
        return as_json_response({"query": wanted.search.query, "url": wanted.url, **view.as_json(),
                                 "notices": [*wanted.search.notices, *graph.notices]})  # fmt: skip
    drawn, lines = draw(view, MOST_IN_PICTURE)
    return make_response(
        render_template(
            "link_graph.html",
            wanted=wanted,
            graph=graph,
            view=view,
            drawn=drawn,
            lines=lines,
            table=view.foremost(MOST_IN_TABLE),
            groups=list(view.nodes[0].groups) if view.nodes else [],
            most=MOST_NODES,
            most_in_file=MOST_NODES_IN_FILE,
            notices=[*wanted.search.notices, *graph.notices],
            data=url_for("link_graph.show_json", **wanted.parameters(level=view.level), texts="page"),
            exports=[
                (file.label, url_for("link_graph.export", kind=kind, **wanted.parameters(level=view.level)))
                for kind, file in FILES.items()
            ],
        )
    )


@blueprint.get("/graph-<kind>")
def export(kind: str) -> Response:
    """Give the graph as a file."""
    file = FILES.get(kind)
    if file is None:
        return error_response(404, _("Nothing here"), _("There is no such file."))
    try:
        wanted = parse_graph_request()
    except ValueError as error:
        return error_response(400, _("That request cannot be read"), str(error))
    view = view_of(_graph(wanted, MOST_NODES_IN_FILE, MOST_LINKS_IN_FILE), wanted)
    return _as_file(view, file)


def _as_file(view: GraphView, file: GraphFile) -> Response:
    response = make_response(written(view, file))
    response.headers["Content-Type"] = file.content_type
    response.headers["Content-Disposition"] = f'attachment; filename="links-{file.name}"'
    return response


def parse_graph_request() -> GraphRequest:
    """Read the parameters of the request; raises ValueError and BadAddressError."""
    arguments = request.args.to_dict()
    for name, known in (("depth", ("", *DEPTHS)), ("level", LEVELS)):
        if arguments.get(name, "") not in known:
            expected = ", ".join(value for value in known if value)
            raise ValueError(_("%(name)s: expected one of %(values)s.", name=name, values=expected))
    wanted = parse_search({name: arguments[name] for name in arguments if name in PARAMETERS}, SIZES[-1])
    url = arguments.get("url", "").strip()
    return GraphRequest(
        wanted, archived_url(url) if url else "", arguments.get("depth", ""), arguments.get("level", "")
    )


def _graph(wanted: GraphRequest, nodes: int, links: int) -> LinkGraph:
    depth = int(wanted.depth or ("1" if wanted.url else "0"))
    with _places.take(), site().index_access.lease() as index:
        return index.link_graph(
            wanted.search.query,
            filters=wanted.search.filters(),
            url=wanted.url,
            wish=GraphWish(depth, wanted.level, nodes, links),
            operator=site().settings.search.operator,
            budget_s=_LONGEST_S,
        )


# ---------------------------------------------------------------- how it is shown


def view_of(graph: LinkGraph, wanted: GraphRequest) -> GraphView:
    """Return a graph of links as it is drawn."""
    searched = bool(wanted.search.query or wanted.search.filters())
    make = _page_node if graph.level == "pages" else _host_node
    has_steps = any(node.steps for node in graph.nodes)
    return GraphView(
        graph.level,
        [make(node, wanted, searched=searched, has_steps=has_steps) for node in graph.nodes],
        [GraphLink(edge.source, edge.target, edge.count) for edge in graph.edges],
        graph.total,
        graph.total_edges,
        graph.is_whole,
    )


def _page_node(node: LinkNode, wanted: GraphRequest, *, searched: bool, has_steps: bool) -> GraphNode:
    groups = {"host": node.host, "status": str(node.status or "")}
    return GraphNode(
        node.number,
        node.name.partition("//")[2] or node.name,
        cached_address(node.name, node.timestamp, request.script_root, view="details"),
        1 + node.links_in,
        groups | _more_groups(node, searched=searched, has_steps=has_steps),
        node.title or "",
        node.links_in,
        node.links_out,
        url_for("link_graph.show", url=node.name, q=wanted.search.query or None),
    )


def _host_node(node: LinkNode, wanted: GraphRequest, *, searched: bool, has_steps: bool) -> GraphNode:
    count = ngettext("%(count)s page", "%(count)s pages", node.pages, count=number(node.pages))
    return GraphNode(
        node.number,
        node.name,
        _address("search.search", wanted.search.parameters(site=node.name)),
        node.pages,
        {"suffix": node.name.rpartition(".")[2]} | _more_groups(node, searched=searched, has_steps=has_steps),
        count,
        node.links_in,
        node.links_out,
        _address("link_graph.show", wanted.parameters(site=node.name, url="", depth="", level="pages")),
    )


def _more_groups(node: LinkNode, *, searched: bool, has_steps: bool) -> dict[str, str]:
    groups = {}
    if searched:
        groups["matched"] = _("found") if node.matched else _("not found")
    if has_steps:
        groups["depth"] = str(node.steps)
    return groups


def _address(view: str, parameters: Mapping[str, Any]) -> str:
    return url_for(view, **parameters)
