"""A graph as it is shown, written for other programs: GEXF for Gephi, tables, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO
from xml.sax.saxutils import quoteattr

from webui.feeds import as_cell, as_xml
from webui.graph_drawing import GraphView


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A form that a graph can be written in."""

    label: str
    name: str
    content_type: str
    write: Callable[[GraphView, TextIO], None]


def written(view: GraphView, file: GraphFile) -> bytes:
    """Return a graph in one of the forms."""
    text = io.StringIO(newline="")
    file.write(view, text)
    return text.getvalue().encode("utf-8", "replace")


def _write_gexf(view: GraphView, out: TextIO) -> None:
    """Write GEXF 1.3; the attributes of a node are what it can be coloured by, its title and its links."""
    names = [*(view.nodes[0].groups if view.nodes else ()), "about", "links_in", "links_out"]
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n'
        '<graph defaultedgetype="directed">\n<attributes class="node">\n'
    )
    for number, name in enumerate(names):
        kind = "integer" if name.startswith("links_") else "string"
        out.write(f'<attribute id="{number}" title="{name}" type="{kind}"/>\n')
    out.write("</attributes>\n<nodes>\n")
    for node in view.nodes:
        values = [*node.groups.values(), node.about, str(node.links_in), str(node.links_out)]
        marks = "".join(
            f'<attvalue for="{number}" value={_quoted(value)}/>'
            for number, value in enumerate(values)
            if value
        )
        out.write(f'<node id="{node.id}" label={_quoted(node.label)}><attvalues>{marks}</attvalues></node>\n')
    out.write("</nodes>\n<edges>\n")
    for number, link in enumerate(view.links):
        out.write(
            f'<edge id="{number}" source="{link.source}" target="{link.target}" weight="{link.weight}"/>\n'
        )
    out.write("</edges>\n</graph>\n</gexf>\n")


def _quoted(value: str) -> str:
    return quoteattr(as_xml(value))


def _write_nodes(view: GraphView, out: TextIO) -> None:
    table = csv.writer(out, lineterminator="\r\n")
    groups = list(view.nodes[0].groups) if view.nodes else []
    table.writerow(("Id", "Label", *groups, "about", "links_in", "links_out"))
    for node in view.nodes:
        row = (node.id, node.label, *node.groups.values(), node.about, node.links_in, node.links_out)
        table.writerow([as_cell(value) for value in row])


def _write_links(view: GraphView, out: TextIO) -> None:
    """Write the links with the names that Gephi expects."""
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(("Source", "Target", "Weight"))
    table.writerows((link.source, link.target, link.weight) for link in view.links)


def _write_json(view: GraphView, out: TextIO) -> None:
    json.dump(view.as_json(), out, ensure_ascii=True)


FILES = {
    "gexf": GraphFile("GEXF", "graph.gexf", "application/gexf+xml; charset=utf-8", _write_gexf),
    "nodes.csv": GraphFile(
        "CSV (nodes)", "nodes.csv", "text/csv; charset=utf-8; header=present", _write_nodes
    ),
    "edges.csv": GraphFile(
        "CSV (links)", "edges.csv", "text/csv; charset=utf-8; header=present", _write_links
    ),
    "full.json": GraphFile("JSON", "graph.json", "application/json", _write_json),
}
