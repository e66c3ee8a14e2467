"""What all commands of the command line share: exit codes, options, settings, progress, and how things are printed.

A module of commands (index_commands.py, search_commands.py, ...) takes from here; app.py adds its commands.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from archiver.errors import ExitCode, FindingAidError
from webui.index_access import ranking_from, widening_from
from webui.settings import Settings, load_settings

if TYPE_CHECKING:
    from indexer import Index, Progress

DONE, FAILED, MISUSED = ExitCode.DONE, ExitCode.FAILED, ExitCode.MISUSED
DONE_WITH_DAMAGE, INTERRUPTED = ExitCode.DONE_WITH_DAMAGE, ExitCode.INTERRUPTED

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


class CommandError(FindingAidError):
    """A command cannot do what was asked; the message is one line for the user."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# Printing ------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Return archived text fit for a terminal: control and direction characters are gone."""
    return CONTROLS.sub(" ", text).strip()


def many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def complain(message: str) -> None:
    click.echo(f"findingaid: {clean(message)}", err=True)


def print_json(value: Any) -> None:
    """Print one JSON document in ASCII, so that neither encoding nor terminal can spoil it."""
    click.echo(json.dumps(value))


class _TerminalHandler(logging.Handler):
    """Writes log lines to whatever stderr is now, so that they appear above a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        lines = self.format(record).split("\n")
        print("\n".join(clean(line) if i == 0 else line for i, line in enumerate(lines)), file=sys.stderr)  # noqa: T201


def _set_up_logging(level: int) -> None:
    handler = _TerminalHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)


# Options and settings ------------------------------------------------------------------

_F = TypeVar("_F", bound=Callable[..., Any])


def with_settings(command: _F) -> _F:
    """Give a command the options that every command has, and the loaded settings as first argument."""

    @functools.wraps(command)
    @click.pass_context
    def run(context: click.Context, /, **parameters: Any) -> Any:
        options = dict(_assignment(text) for text in parameters.pop("assignments"))
        options["archive.jobs_path"] = parameters.pop("jobs_path")
        options["archive.job_id"] = parameters.pop("job")
        options["index"] = parameters.pop("index_dir")
        for parameter, key in _SETTING_OF_OPTION.items():
            if parameter in parameters:
                options[key] = parameters.pop(parameter)
        settings = load_settings(parameters.pop("settings_file") or context.obj, None, options)
        quiet, verbose = parameters.pop("quiet"), parameters.pop("verbose")
        level = logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING
        _set_up_logging(logging.DEBUG if settings.archive.debug_flag else level)
        return command(settings, **parameters)

    options = (
        click.option("--index", "index_dir", metavar="DIR", help="The index folder; needs no settings file."),
        click.option(
            "--job",
            metavar="ID",
            help='The job whose folders are used; to search several as one: 01,02 or "*".',
        ),
        click.option("--jobs-path", metavar="DIR", help="The folder that holds the jobs."),
        click.option("--settings", "settings_file", metavar="FILE", help="Settings file."),
        click.option(
            "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Any other setting, once."
        ),
        click.option("-v", "--verbose", is_flag=True, help="Log each step."),
        click.option("-q", "--quiet", is_flag=True, help="Log errors only."),
    )
    decorated: Any = run
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]


# Options of single commands that stand for a setting.
_SETTING_OF_OPTION = {"workers": "index.workers", "host": "server.host", "port": "server.port"}

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def _assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text}: expected KEY=VALUE, such as search.k1=2", MISUSED)
    return key.strip(), value.strip()


@contextlib.contextmanager
def opened_index(settings: Settings) -> Iterator[Index]:
    from indexer import open_index

    ranking, widening = ranking_from(settings), widening_from(settings)
    with open_index(settings.index_paths, ranking=ranking, widening=widening) as index:
        yield index


# Files -----------------------------------------------------------------------------------


def archive_files(paths: Iterable[str], index_path: str = "") -> list[str]:
    """Return the files to index: those named, and those below the folders named, each once.

    Below a folder, names that start with a dot, the index folder and what is no
    regular file are passed over; a folder is entered once however many links lead
    there. Files keep the name they were reached by; folders come in sorted order.
    Raises CommandError for a path that does not exist, before anything is done.
    """
    paths = list(paths)
    for path in paths:
        if not os.path.exists(path):
            raise CommandError(f"{path}: there is no such file or folder; nothing was done", MISUSED)
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise CommandError(f"{path}: neither a file nor a folder; nothing was done", MISUSED)
    files: dict[str, str] = {}
    entered = {os.path.realpath(index_path)} if index_path else set()
    for path in paths:
        for file in _files_below(path, entered) if os.path.isdir(path) else (path,):
            files.setdefault(os.path.realpath(file), file)
    return list(files.values())


def _files_below(folder: str, entered: set[str]) -> Iterator[str]:
    real = os.path.realpath(folder)
    if real in entered:
        return
    entered.add(real)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise CommandError(f"{folder}: cannot be read: {error.strerror}; nothing was done") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files_below(entry.path, entered)
        elif entry.is_file():
            yield entry.path


# Progress ------------------------------------------------------------------------------


@contextlib.contextmanager
def progress_display() -> Iterator[Callable[[Progress], None]]:
    """Yield what shows the progress: a bar on a terminal, a plain line every few seconds elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield PlainLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %", markup=False),
        TextColumn("{task.fields[counts]}", markup=False),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, counts="")

        def show(progress: Progress) -> None:
            for problem in progress.problems:
                bar.console.print(clean(problem), markup=False, highlight=False, soft_wrap=True)
            total = progress.bytes_total or None
            bar.update(task, completed=progress.bytes_done, total=total, counts=_counts(progress))

        yield show


class PlainLines:
    """Writes progress as plain lines, one in five seconds."""

    every_s = 5.0

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        for problem in progress.problems:
            click.echo(clean(problem), err=True)
        now = time.monotonic()
        if now - self._last < self.every_s:
            return
        self._last = now
        left = ""
        if progress.bytes_done and progress.bytes_total:
            seconds = progress.seconds * (progress.bytes_total - progress.bytes_done) / progress.bytes_done
            left = f", about {seconds:.0f} s left"
        click.echo(_counts(progress) + left, err=True)


def _counts(progress: Progress) -> str:
    rate = progress.pages / progress.seconds if progress.seconds else 0
    return (
        f"{progress.files_done:,}/{progress.files_total:,} files  {progress.records:,} records  "
        f"{progress.pages:,} pages  {rate:,.0f} pages/s"
    )
