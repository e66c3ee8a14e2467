"""Each example of docs/doors.md gives what it says, over the demo archive."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from indexer import open_index
from webui import create_app
from webui.settings import load_settings

DOC = (Path(__file__).parents[2] / "docs" / "doors.md").read_text(encoding="utf-8")
EXAMPLES = [shlex.split(line) for line in re.findall(r"^curl .*$", DOC, re.MULTILINE)]


@pytest.fixture
def client(small_index: Path) -> Iterator[FlaskClient]:
    with open_index(str(small_index)) as index:
        app = create_app(load_settings(None, {}, {"index": str(small_index)}), lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


@pytest.mark.parametrize("words", EXAMPLES, ids=lambda words: words[1].removeprefix("http://127.0.0.1:8080/"))
def test_an_example_gives_something(client: FlaskClient, small_index: Path, words: list[str]) -> None:
    with open_index(str(small_index)) as index:
        site = "http://" + index.search("archive", limit=1).hits[0].url.split("/")[2]
    headers = dict(part.split(": ", 1) for flag, part in zip(words, words[1:], strict=False) if flag == "-H")
    address = words[1].removeprefix("http://127.0.0.1:8080").replace("SITE", site)
    if address.startswith("/cdx"):
        address = address.replace("http://", "")
    answer = client.get(address, headers=headers, buffered=True)
    assert answer.status_code in (200, 302), address
    assert answer.status_code == 302 or answer.data
    if answer.headers["Content-Type"].startswith("application/json"):
        told = json.loads(answer.data)
        assert told and told != {"archived_snapshots": {}}
        assert not (isinstance(told, dict) and told.get("total", 1) == 0)


def test_each_door_of_the_table_has_an_example() -> None:
    shown = " ".join(words[1] for words in EXAMPLES)
    for address in re.findall(r"`(/[a-z./]+)", DOC.partition("## Examples")[0]):
        stem = "/" + address.strip("/").partition("/")[0].partition(".")[0]
        assert stem in shown, f"docs/doors.md shows no example of {address}"
