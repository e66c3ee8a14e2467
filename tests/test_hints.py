"""Each command that a message, a page, a help text or a document names can be typed as it stands."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from shelf import record

import app
from running import REPOSITORY, run_command

SOURCES = [
    *REPOSITORY.glob("*.py"),
    *(file for name in ("archiver", "indexer", "webui") for file in (REPOSITORY / name).rglob("*.py")),
]
PAGES = [
    *(REPOSITORY / "webui/templates").glob("*.html"),
    *REPOSITORY.glob("*.md"),
    *(REPOSITORY / "docs").glob("*.md"),
    *(REPOSITORY / "jobs").glob("*.md"),
]
# From the name of the program to where a sentence goes on: a bracket, a mark, an end of line, a comment behind blanks.
MENTION = re.compile(r"\bfindingaid ((?:(?![`<>()|]|  |[.,;:](?:\s|$)|[.,;:]?$).)+)", re.MULTILINE)
STANDS_FOR = "1"  # for what is filled in when the message is made: a path, a host, a number


def texts_of(source: Path) -> Iterator[str]:
    """Yield the texts of a Python file, with STANDS_FOR where something is filled in."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    parts = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(_part(value) for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def _part(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    return "" if "command_options" in ast.dump(value) or "crawl_options" in ast.dump(value) else STANDS_FOR


def mentions() -> Iterator[tuple[str, str]]:
    for source in SOURCES:
        for text in texts_of(source):
            for found in MENTION.finditer(text):
                yield str(source.relative_to(REPOSITORY)), found[1]
    for page in PAGES:
        text = re.sub(r"\{\{.*?\}\}", "", page.read_text(encoding="utf-8"))
        if page.suffix == ".md":  # there commands are set apart
            text = "\n".join(
                [
                    *re.findall(r"`(findingaid [^`\n]+)`", text),
                    *re.findall(r"^ *(findingaid .+)$", text, re.M),
                ]
            )
        for found in MENTION.finditer(text):
            yield str(page.relative_to(REPOSITORY)), found[1]


def parse(line: str) -> str:
    """Return "" when a command line is understood, else what is wrong with it."""
    try:
        words = shlex.split(line.replace("[", "").replace("]", "").replace("...", ""), comments=True)
    except ValueError:
        return ""  # a quotation of which the end is elsewhere
    shown: click.Command = app.commands
    context = click.Context(shown)
    name = "findingaid"
    while isinstance(shown, click.Group) and words:
        below = shown.get_command(context, words[0])
        if below is None:
            if isinstance(shown, type(app.commands.commands["crawl"])) and shown.name == "crawl":
                below, words = shown.commands["start"], ["start", *words]
            else:
                return f"there is no command {words[0]}"
        shown, name, words = below, words[0], words[1:]
    if not words:
        return ""  # the command alone is named
    try:
        shown.make_context(name, words)
    except click.exceptions.Exit:
        return ""
    except click.UsageError as error:
        return error.format_message()
    return ""


def test_every_command_that_is_named_is_understood() -> None:
    found = list(mentions())
    assert len(found) > 100
    places = {place for place, _ in found}
    assert {
        "indexer/store/layout.py",
        "webui/templates/home.html",
        "README.md",
        "crawl_commands.py",
    } <= places
    prose = re.compile(
        r"[A-Za-z]+ (?:[a-z]+ ){0,3}(?:has|that|is|and|of|with|ended|in|as|on|does|runs|shows|took|on)\b"
    )
    option_of_a_command = re.compile(r"[a-z ]+ --[a-z-]+")  # what a document calls by its name
    wrong = [
        (place, line, problem)
        for place, line in found
        if re.match("[a-z]", line)  # not where the command itself is filled in
        and (problem := parse(line))
        and not prose.match(line)
        and not (place.endswith(".md") and option_of_a_command.fullmatch(line))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "line", ["index PATH --indx x", "crawl status", "serve --port x", "ledgr", "export", "crawl set 01"]
)
def test_the_check_sees_what_fails(line: str) -> None:
    assert parse(line) or line in ("crawl status", "export"), "a name alone may be a name"


@pytest.mark.parametrize(
    "options", [(), ("--index", "my index"), ("--job", "03"), ("--settings", "my own/settings.toml")]
)
def test_hints_of_a_run_mean_the_same_index(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "my own").mkdir()
    (tmp_path / "my own/settings.toml").write_text("[search]\nk1 = 2.0\n")
    (tmp_path / "x.warc").write_bytes(record("http://a.example/", "<p>walrus")[:-30])
    indexed = run_command("index", "x.warc", *options, cwd=tmp_path)
    assert indexed.code == 4
    hint = re.search(r"which: findingaid (.*)\)", indexed.err)
    assert hint
    told = run_command(*shlex.split(hint[1]), cwd=tmp_path)
    assert told.code == 0 and "damaged" in told.out
    missing = run_command("cached", "http://b.example/", *options, cwd=tmp_path)
    hint = re.search(r"to see what is: findingaid (.*)\)", missing.err)
    assert hint and run_command(*shlex.split(hint[1]), cwd=tmp_path).code == 0


def test_a_job_that_runs_is_named_so_that_it_can_be_seen(tmp_path: Path) -> None:
    from archiver.crawl import CrawlError, CrawlJob, run_crawl
    from archiver.crawl.states import JobLock

    folder = str(tmp_path / "my jobs/01")
    lock = JobLock(folder)
    try:
        with pytest.raises(CrawlError) as raised:
            run_crawl(CrawlJob(folder=folder, seeds=("http://a.example/",)))
    finally:
        lock.release()
    hint = re.search(r"`findingaid (.*)`", str(raised.value))
    assert hint and shlex.split(hint[1]) == ["crawl", "status", folder]
