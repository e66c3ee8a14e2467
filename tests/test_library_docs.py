"""The examples of docs/library.md run as they stand, and give what their comments say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from running import REPOSITORY
from tests.indexer.making import response, write_warc

PAGE = REPOSITORY / "docs/library.md"


def statements() -> list[tuple[str, str]]:
    """Return each statement of the page with the value that its comment promises, "" for none."""
    text = "\n".join(
        re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    )
    lines = text.splitlines()
    found = []
    for statement in ast.parse(text).body:
        assert statement.end_lineno is not None
        source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        promised = re.search(r"  # (.+)$", lines[statement.end_lineno - 1])
        found.append((source, promised[1] if promised else ""))
    return found


def test_the_examples_give_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "warcs").mkdir()
    herons = "<title>Grey herons</title><p>A grey heron waits."
    write_warc(
        tmp_path / "warcs/birds.warc.gz",
        [
            response("http://birds.example/", herons, date="2009-01-01T00:00:00Z"),
            response("http://birds.example/", herons, date="2011-01-01T00:00:00Z"),
            response(
                "http://birds.example/marsh/x",
                "<p>Another grey one: a heron. <a href=/>home</a>",
                date="2012-01-01T00:00:00Z",
            ),
            response(
                "http://boats.example/", "<title>Boats</title><p>No birds.", date="2012-01-01T00:00:00Z"
            ),
        ],
    )
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    promises = 0
    for source, promised in statements():
        body = re.search(r"^(with .*:\n) +(.+?)  # (.+)$", source, re.DOTALL)
        if body:  # the value inside a with statement
            source, promised = f"{body[1]}    value = {body[2]}", body[3]
            exec(source, names)
            value = names["value"]
        elif promised:
            exec(f"value = {source.split('  # ')[0]}", names)
            value = names["value"]
        else:
            exec(source, names)
            continue
        assert value == ast.literal_eval(promised), source
        promises += 1
    assert promises > 10
    assert "http://birds.example/marsh/x" in capsys.readouterr().out
