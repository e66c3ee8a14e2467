"""A graph as it is shown: nodes and what they are coloured by, links, and a drawing that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_IN_PICTURE, MOST_IN_TABLE = 150, 100
_ROUNDS = 80


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node. weight: at least 1, its size. groups: what it may be coloured by. about: what a reader is told of it.

    around: address of the graph of what is near it, "" for none.
    """

    id: int
    label: str
    href: str
    weight: int
    groups: dict[str, str]
    about: str
    links_in: int = 0
    links_out: int = 0
    around: str = ""


@dataclass(frozen=True, slots=True)
class GraphLink:
    """A link between two nodes of the same drawing; weight: how many links it stands for."""

    source: int
    target: int
    weight: int


@dataclass(frozen=True, slots=True)
class GraphView:
    """What is drawn. level: "pages" or "hosts". total: nodes that there are; `nodes` may hold fewer, the foremost.

    total_links: between these nodes, of which `links` may hold fewer; -1 if it holds all. is_whole: False when time
    ran out while links were looked for.
    """

    level: str
    nodes: Sequence[GraphNode]
    links: Sequence[GraphLink]
    total: int
    total_links: int = -1
    is_whole: bool = True

    @property
    def all_links(self) -> int:
        """How many links there are between the nodes."""
        return len(self.links) if self.total_links < 0 else self.total_links

    def foremost(self, most: int) -> list[GraphNode]:
        """Return the heaviest nodes, for a table."""
        return sorted(self.nodes, key=lambda node: (-node.weight, node.label))[:most]

    def as_json(self) -> dict[str, object]:
        """Return what graph.js draws."""
        return {
            "level": self.level,
            "total": self.total,
            "total_links": self.all_links,
            "is_whole": self.is_whole,
            "heaviest": max((node.weight for node in self.nodes), default=1),
            "nodes": [
                {
                    "id": n.id,
                    "label": n.label,
                    "href": n.href,
                    "weight": n.weight,
                    "groups": n.groups,
                    "about": n.about,
                    "around": n.around,
                    "links_in": n.links_in,
                    "links_out": n.links_out,
                }
                for n in self.nodes
            ],
            "edges": [{"source": e.source, "target": e.target, "weight": e.weight} for e in self.links],
        }


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node with its place in a square of 1,000 by 1,000."""

    node: GraphNode
    x: float
    y: float
    radius: float
    named: bool


def draw(view: GraphView, most: int) -> tuple[list[DrawnNode], list[tuple[float, float, float, float]]]:
    """Return the places of the `most` heaviest nodes, and (x1, y1, x2, y2) of the links between them.

    Fruchterman and Reingold 1991: springs along links, every node pushes all others away, steps that get smaller.
    """
    nodes = sorted(view.nodes, key=lambda node: (-node.weight, node.id))[:most]
    if not nodes:
        return [], []
    number = {node.id: place for place, node in enumerate(nodes)}
    pairs = sorted(
        {
            (number[link.source], number[link.target])
            for link in view.links
            if link.source in number and link.target in number and link.source != link.target
        }
    )
    places = _places(len(nodes), np.array(pairs, dtype=np.int64).reshape(-1, 2))
    heaviest = max(node.weight for node in nodes)
    drawn = [
        DrawnNode(
            node, round(x, 1), round(y, 1), round(6 + 18 * (node.weight / heaviest) ** 0.5, 1), rank < 25
        )
        for rank, (node, (x, y)) in enumerate(zip(nodes, places.tolist(), strict=True))
    ]
    lines = [(drawn[a].x, drawn[a].y, drawn[b].x, drawn[b].y) for a, b in pairs]
    return drawn, lines


def _places(count: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    turn = (
        np.arange(count) * 2.399963
    )  # the golden angle spreads the start places evenly, and always the same
    places = np.sqrt(np.arange(count) + 0.5)[:, None] * np.column_stack((np.cos(turn), np.sin(turn)))
    spread = np.sqrt(count)
    for step in range(_ROUNDS):
        away = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.sqrt((away**2).sum(axis=2)), 0.05)
        push = (away / (distance**2)[:, :, None]).sum(axis=1)
        if len(pairs):
            along = places[pairs[:, 1]] - places[pairs[:, 0]]
            pull = along * np.sqrt((along**2).sum(axis=1))[:, None]
            np.add.at(push, pairs[:, 0], pull)
            np.add.at(push, pairs[:, 1], -pull)
        push -= places * 0.15
        length = np.maximum(np.sqrt((push**2).sum(axis=1)), 1e-9)
        reach = 0.25 * spread * (1 - step / _ROUNDS) + 0.01
        places = places + push * (np.minimum(length, reach) / length)[:, None]
    low, high = places.min(axis=0), places.max(axis=0)
    scaled: NDArray[np.float64] = 110 + 780 * (places - low) / np.maximum(high - low, 1e-9)
    return scaled
