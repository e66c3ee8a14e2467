"""The docs say what is true: commands, options, settings, targets of make, links and paths exist; the README runs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import app
from archiver.errors import ExitCode
from running import Run, clean_environment, command, stop
from webui.setting_infos import as_toml, describe_settings

REPOSITORY = Path(__file__).parents[1]
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/*.md"),
        REPOSITORY / "jobs/README.md",
        REPOSITORY / "benchmarks/README.md",
    ]
)


def fenced_lines(page: Path) -> Iterator[str]:
    for block in re.findall(
        r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        yield from block.splitlines()


def commands_in(page: Path) -> list[str]:
    return [line.strip() for line in fenced_lines(page) if line.strip().startswith("findingaid ")]


def context_of(shown: click.Command) -> click.Context:
    return click.Context(shown)


def options_of(shown: click.Command) -> list[click.Option]:
    """Return the options of a command, and of all commands below it."""
    below = shown.commands.values() if isinstance(shown, click.Group) else ()
    own = [parameter for parameter in shown.params if isinstance(parameter, click.Option)]
    return own + [option for command in below for option in options_of(command)]


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_command_shown_is_understood(page: Path) -> None:
    for line in commands_in(page):
        name, *arguments = shlex.split(line, comments=True)[1:]
        shown = app.commands.get_command(click.Context(app.commands), name)
        assert shown is not None, f"{line}: there is no command {name}"
        while isinstance(shown, click.Group) and (
            below := shown.get_command(context_of(shown), arguments[0])
        ):
            shown, name, *arguments = below, *arguments
        shown.make_context(name, arguments)  # raises UsageError for an option that does not exist


@pytest.mark.parametrize("name", sorted(app.commands.commands))
def test_each_command_and_each_of_its_options_is_described(name: str) -> None:
    text = (REPOSITORY / "docs/commands.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    own = [section for section in sections if section.startswith(f"findingaid {name}")]
    assert len(own) == 1, f"docs/commands.md needs one section on findingaid {name}"
    for option in options_of(app.commands.commands[name]):
        longest = max(option.opts, key=len)
        assert longest in own[0] + head, f"docs/commands.md does not tell what {longest} of {name} does"


def test_each_exit_code_is_described() -> None:
    text = (REPOSITORY / "docs/commands.md").read_text(encoding="utf-8")
    for code in ExitCode:
        assert f"\n| {code} | " in text


def test_each_setting_is_described_as_it_is() -> None:
    text = (REPOSITORY / "docs/settings.md").read_text(encoding="utf-8")
    rows = [
        f"| `{info.key}`{' ✎' if info.editable else ''} | `{as_toml(info.default)}` "
        f"| {info.unit} | {info.allowed} | {info.help} |"
        for info in describe_settings()
    ]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), f"{name_of(page)} links to {target}"


def test_each_place_on_the_map_exists() -> None:
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    places = re.findall(
        r"`((?:archiver|indexer|webui|tests|benchmarks|docs|app|settings)[\w/.-]*(?:/|\.\w+))`", text
    )
    assert len(places) > 10
    for place in places:
        assert (REPOSITORY / place).exists() or re.fullmatch(r"(\w+\.)+\w+", place), (
            f"ARCHITECTURE.md names {place}"
        )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_script_shown_exists(page: Path) -> None:
    for line in fenced_lines(page):
        if line.startswith("python "):
            assert (REPOSITORY / line.split()[1]).is_file(), f"{name_of(page)}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_target_of_make_exists(page: Path) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(
        r"\bmake ([a-z][a-z-]+)`|^make ([a-z-]+)$", page.read_text(encoding="utf-8"), re.MULTILINE
    ):
        assert re.search(rf"^{target[0] or target[1]}:", makefile, re.MULTILINE), (
            f"{name_of(page)}: make {target}"
        )


def test_the_commands_of_the_readme_run(
    findingaid: Callable[..., Run], sample_warc: Path, tmp_path: Path
) -> None:
    (tmp_path / "warcs").mkdir()
    shutil.copy(sample_warc, tmp_path / "warcs")
    shown = commands_in(REPOSITORY / "README.md")
    assert {shlex.split(line)[1] for line in shown} >= {"index", "search", "cached", "serve", "ledger"}
    for line in shown:
        arguments = shlex.split(line)[1:]
        if arguments[0] == "crawl":
            continue  # needs the internet; tests/test_crawl_commands.py crawls a site of its own
        if arguments[0] == "serve":
            serve_and_stop(arguments, tmp_path)
            continue
        done = findingaid(*arguments)
        assert done.code == 0, f"{line}: {done.err}"
        assert done.out, f"{line} printed nothing"


def serve_and_stop(arguments: list[str], folder: Path) -> None:
    server = subprocess.Popen(
        command(*arguments, "--port", "0"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=clean_environment(),
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("http://127.0.0.1:")
    finally:
        stop(server)
    assert server.returncode == 0
