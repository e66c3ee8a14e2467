"""The crawl graph, in three formats."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from archiver.crawl import JobError
from archiver.crawl.graph import export_graph
from tests.archiver.crawl.site import page


@pytest.fixture
def crawled(crawl_of: Any) -> str:
    crawl = crawl_of(
        {
            "a.example": {
                "/": page("Start & <more>\x01", ["/1", "http://b.example/"]),
                "/1": page("=cmd()", ["/"]),
            }
        }
    )
    crawl.run()
    return str(crawl.folder)


def test_gexf_is_sound_xml_with_nodes_and_edges(crawled: str, tmp_path: Path) -> None:
    (path,) = export_graph(crawled, str(tmp_path / "g.gexf"))
    names = {"g": "http://gexf.net/1.3"}
    root = ElementTree.parse(path).getroot()
    labels = [n.get("label", "") for n in root.findall(".//g:node", names)]
    assert [label.rpartition("/")[2] for label in labels] == ["", "1", ""]
    assert len(root.findall(".//g:edge", names)) == 3


def test_json(crawled: str, tmp_path: Path) -> None:
    (path,) = export_graph(crawled, str(tmp_path / "g.json"))
    graph = json.loads(Path(path).read_text("utf-8"))
    assert [(n["state"], n["status"], n["depth"]) for n in graph["nodes"]] == [
        ("done", 200, 0),
        ("done", 200, 1),
        ("skipped", 0, 1),
    ]
    assert graph["edges"][0]["kind"] == "page"


def test_csv_holds_no_formulas(crawled: str, tmp_path: Path) -> None:
    nodes, edges = export_graph(crawled, str(tmp_path / "g.csv"))
    rows = list(csv.DictReader(Path(nodes).read_text("utf-8").splitlines()))
    assert [r["title"] for r in rows] == ["Start & <more>", "'=cmd()", ""]
    assert len(Path(edges).read_text("utf-8").splitlines()) == 4


def test_only_what_was_fetched(crawled: str, tmp_path: Path) -> None:
    (path,) = export_graph(crawled, str(tmp_path / "g.json"), fetched_only=True)
    graph = json.loads(Path(path).read_text("utf-8"))
    assert (len(graph["nodes"]), len(graph["edges"])) == (2, 2)


def test_unknown_format_is_refused(crawled: str, tmp_path: Path) -> None:
    with pytest.raises(JobError, match="expected one of gexf, csv, json"):
        export_graph(crawled, str(tmp_path / "g.dot"))
