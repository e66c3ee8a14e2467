"""Command line and WSGI entry of Finding Aid.

Each command loads the settings once, hands each package its own part, calls one
function and prints. Results go to stdout, progress and logs to stderr. What a
command does not need is not imported: `findingaid search` must answer at once,
so Flask, numpy and rich are imported inside the commands that use them.

    findingaid COMMAND ...          installed
    python app.py COMMAND ...       from a checkout
    waitress-serve app:application  any WSGI server
"""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TypeVar

import click

import crawl_commands
from webui.settings import (
    Settings,
    SettingsError,
    as_toml,
    describe_settings,
    load_settings,
    settings_template,
)

if TYPE_CHECKING:
    from archiver.warc import Record
    from indexer import Hit, Index, Progress, Ranking

DONE, FAILED, MISUSED, WRONG_SETTINGS, DONE_WITH_DAMAGE = 0, 1, 2, 3, 4
DISK_FULL, LOCKED, INTERRUPTED = 6, 7, 130

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_log = logging.getLogger("findingaid")


class CommandError(Exception):
    """A command cannot do what was asked; the message is one line for the user."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# Entry points --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave the process with its exit code; any expected error is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = commands.main(arguments, prog_name="findingaid", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        sys.exit(_report(error))
    sys.exit(result if isinstance(result, int) else DONE)


def __getattr__(name: str) -> Any:
    if name == "application":  # built when a WSGI server asks for it, from settings file and environment
        from webui import create_app

        globals()[name] = create_app(load_settings())
        return globals()[name]
    raise AttributeError(f"module 'app' has no attribute {name!r}")


def _report(error: BaseException) -> int:
    """Tell the user about the error that ended a command, in one line, and return the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else FAILED
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        _complain("interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return error.exit_code
    if isinstance(error, click.ClickException):
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "findingaid"
        _complain(f"{error.format_message()} (see: {where} --help)")
        return error.exit_code
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("the command ended with", exc_info=error)
    code = _exit_code(error)
    if code is None:
        kind = type(error).__name__
        _complain(f"unexpected {kind}: {error} (archive.debug_flag = true shows where)")
        return FAILED
    if isinstance(error, OSError) and error.filename and error.strerror:
        _complain(f"{os.fsdecode(error.filename)}: {error.strerror}")
    else:
        _complain(str(error))
    return code


def _exit_code(error: BaseException) -> int | None:
    """Return the exit code of an expected error; None for one that nobody foresaw."""
    if isinstance(error, CommandError):
        return error.exit_code
    if isinstance(error, SettingsError):
        return WRONG_SETTINGS
    if isinstance(error, OSError):
        return DISK_FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else FAILED
    if "indexer" in sys.modules:  # otherwise nobody can have raised one of its errors
        from indexer import DiskFullError, IndexError_, WriterLockedError

        if isinstance(error, DiskFullError):
            return DISK_FULL
        if isinstance(error, WriterLockedError):
            return LOCKED
        if isinstance(error, IndexError_):
            return FAILED
    from archiver.warc.errors import ArchiveError
    from webui.errors import WebError

    return FAILED if isinstance(error, (ArchiveError, WebError)) else None


def clean(text: str) -> str:
    """Return archived text fit for a terminal: control and direction characters are gone."""
    return _CONTROLS.sub(" ", text).strip()


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _complain(message: str) -> None:
    click.echo(f"findingaid: {clean(message)}", err=True)


def _print_json(value: Any) -> None:
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


# What all commands share ---------------------------------------------------------------

_F = TypeVar("_F", bound=Callable[..., Any])


def _print_version(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        with contextlib.suppress(PackageNotFoundError):  # a checkout that is not installed has no number
            click.echo(f"findingaid {version('findingaid')}")
            context.exit()
        click.echo("findingaid, not installed")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show it."
)
@click.option(
    "--settings", "settings_file", metavar="FILE", help="Settings file (default: ./settings.toml if any)."
)
@click.pass_context
def commands(context: click.Context, settings_file: str | None) -> None:
    """Make a shelf of web-archive files searchable, and show pages as they were stored.

    \b
    findingaid demo                       try it on a small bundled site
    findingaid index ~/warcs              index a folder of WARC, ARC or WACZ files
    findingaid search "finding aid"       search on the command line
    findingaid serve                      search in a browser
    """
    context.obj = settings_file


def _with_settings(command: _F) -> _F:
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
        click.option("--job", metavar="ID", help="The job whose folders are used."),
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

_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def _assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text}: expected KEY=VALUE, such as search.k1=2", MISUSED)
    return key.strip(), value.strip()


def _ranking(settings: Settings) -> Ranking:
    from indexer import Ranking

    return Ranking(
        k1=settings.search.k1, idf=settings.search.idf, boost=settings.search.boost, b=settings.search.b
    )


@contextlib.contextmanager
def _opened_index(settings: Settings) -> Iterator[Index]:
    from indexer import open_index

    with open_index(settings.index_path, ranking=_ranking(settings)) as index:
        yield index


# crawl ---------------------------------------------------------------------------------

commands.add_command(crawl_commands.crawl)


# index ---------------------------------------------------------------------------------


@commands.command("index")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--workers", type=int, metavar="N", help="Processes that read archives (0: one for each core).")
@click.option("--rebuild", is_flag=True, help="Index everything again, beside the index in use, then swap.")
@_json_option
@_with_settings
def index_command(settings: Settings, paths: tuple[str, ...], rebuild: bool, as_json: bool) -> int:
    """Index archive files, or all files below folders.

    Without PATH the archive files of the job are indexed. Files that are indexed
    already and did not change are passed over.

    \b
    findingaid index crawl-2014.warc.gz more/
    findingaid index ~/warcs --index ~/warcs-index --workers 4
    """
    if not paths and not os.path.isdir(settings.arcs_path):
        raise CommandError(
            f"{settings.arcs_path}: the job has no such folder; name what to index: findingaid index PATH"
        )
    files = archive_files(paths or (settings.arcs_path,), settings.index_path)
    if not files:
        raise CommandError(f"{paths[0] if paths else settings.arcs_path}: there is no file to index")

    from indexer import IndexOptions, build_index

    options = IndexOptions(
        workers=settings.index.workers,
        rebuild=rebuild,
        page_limit_s=settings.index.page_limit_s,
        commit_s=settings.index.commit_s,
        ranking=_ranking(settings),
    )
    start = time.monotonic()
    with _progress_display() as show:
        statistics = build_index(files, settings.index_path, options=options, progress=show)
    seconds = time.monotonic() - start
    if as_json:
        from webui.json_shapes import statistics_as_json

        _print_json(statistics_as_json(statistics, seconds))
    else:
        click.echo(
            f"{_many(statistics.documents, 'page')} in {_many(statistics.versions, 'version')}, "
            f"{_many(statistics.captures, 'capture')}, {_many(statistics.records, 'record')}, "
            f"{_many(statistics.files, 'file')} ({seconds:.1f} s)"
        )
        click.echo(f"index: {clean(settings.index_path)}")
    if statistics.damaged:
        _complain(
            f"{_many(len(statistics.damaged), 'damaged place')}, all else is indexed (which: findingaid ledger)"
        )
        return DONE_WITH_DAMAGE
    return DONE


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
            raise CommandError(f"{path}: there is no such file or folder; nothing was indexed", MISUSED)
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise CommandError(f"{path}: neither a file nor a folder; nothing was indexed", MISUSED)
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
        raise CommandError(f"{folder}: cannot be read: {error.strerror}; nothing was indexed") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files_below(entry.path, entered)
        elif entry.is_file():
            yield entry.path


@contextlib.contextmanager
def _progress_display() -> Iterator[Callable[[Progress], None]]:
    """Yield what shows the progress: a bar on a terminal, a plain line every few seconds elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _PlainLines()
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


class _PlainLines:
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


# search --------------------------------------------------------------------------------


@commands.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(0, 1000), default=10, show_default=True, help="How many hits.")
@click.option(
    "--offset", type=click.IntRange(0), default=0, show_default=True, help="How many hits to pass over."
)
@_json_option
@_with_settings
def search_command(settings: Settings, query: str, limit: int, offset: int, as_json: bool) -> int:
    """Search the index.

    \b
    findingaid search "web archive" --limit 3
    findingaid search 'title:inventory -draft site:example.org' --json
    """
    with _opened_index(settings) as index:
        results = index.search(query, offset=offset, limit=limit, operator=settings.search.operator)
    if as_json:
        from webui.json_shapes import results_as_json

        _print_json(results_as_json(results))
        return DONE
    for notice in results.notices:
        _complain(notice)
    coloured = _has_colour()
    for rank, hit in enumerate(results.hits, start=offset + 1):
        click.echo("\n".join(_hit_lines(rank, hit, coloured)) + "\n", color=coloured)
    click.echo(
        f"{_many(results.total, 'page') if results.total else 'nothing'} found in {results.took_ms:.1f} ms",
        err=True,
    )
    return DONE


def _hit_lines(rank: int, hit: Hit, coloured: bool) -> list[str]:
    number = f"{rank:>3}. "
    indent = " " * len(number)
    title = clean(hit.title or "") or "(no title)"
    facts = [date_in_words(hit.timestamp)]
    if hit.captures > 1:
        facts.append(_many(hit.captures, "capture"))
    if hit.versions > 1:
        facts.append(_many(hit.versions, "version"))
    bold = "\x1b[1m{}\x1b[0m" if coloured else "{}"
    snippet = "".join(
        bold.format(text) if part.hit and text.strip() else text
        for part in hit.snippet
        for text in [_CONTROLS.sub(" ", part.text)]
    )
    file = f"{hit.file}!{hit.member}" if hit.member else hit.file
    lines = [
        number + bold.format(title),
        f"{indent}{clean(hit.url)}  {', '.join(facts)}",
        indent + snippet.strip(),
        f"{indent}{clean(file)} at byte {hit.offset}",
    ]
    return [line for line in lines if line.strip()]


def date_in_words(timestamp: str) -> str:
    """Return a 14-digit timestamp as a date that a person reads: 3 May 2015."""
    try:
        when = time.strptime(timestamp, "%Y%m%d%H%M%S")
    except ValueError:
        return timestamp or "no date"
    return f"{when.tm_mday} {_MONTHS[when.tm_mon - 1]} {when.tm_year}"


def _has_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


# evaluate ------------------------------------------------------------------------------


@commands.command("evaluate")
@click.argument("topics_file", metavar="TOPICS")
@click.argument("qrels_file", metavar="QRELS")
@click.option("--id-prefix", default="", metavar="URL", help="What makes a judged id an address.")
@click.option("--judged-only", is_flag=True, help="Leave pages without a judgement out of the lists first.")
@click.option(
    "--beta", type=click.FloatRange(0), default=1.0, show_default=True, help="Weight of recall in F-beta."
)
@click.option("--run", "run_file", metavar="FILE", help="Write the ranked lists in TREC form.")
@click.option("--compare", "changes", multiple=True, metavar="KEY=VALUE", help="Try other settings, too.")
@click.option("--per-topic", is_flag=True, help="Print the measures of each topic before the means.")
@_json_option
@_with_settings
def evaluate_command(
    settings: Settings,
    topics_file: str,
    qrels_file: str,
    id_prefix: str,
    judged_only: bool,
    beta: float,
    run_file: str | None,
    changes: tuple[str, ...],
    per_topic: bool,
    as_json: bool,
) -> int:
    """Measure how good the hits are: precision, recall, MAP, nDCG and more.

    TOPICS holds test questions, in TREC form or as lines of id, TAB, text; QRELS
    says which pages answer them, in TREC form. All --compare together are one
    other setting, and a randomisation test tells whether it differs.

    \b
    findingaid evaluate topics.txt qrels.txt --run run.txt
    findingaid evaluate topics.txt qrels.txt --compare search.k1=1.2 --compare search.boost.title=3
    """
    from indexer.evaluation import TopicsError, compare, evaluate, read_qrels, read_topics, write_run

    other = None
    if changes:
        other = settings.reloaded(dict(_search_assignment(text) for text in changes))
    try:
        topics, judgements = read_topics(topics_file), read_qrels(qrels_file)
    except TopicsError as error:
        raise CommandError(str(error)) from error
    with _opened_index(settings) as index:
        measure = functools.partial(
            evaluate, index, topics, judgements, id_prefix=id_prefix, judged_only=judged_only, beta=beta
        )
        first = measure(ranking=_ranking(settings))
        second = measure(ranking=_ranking(other)) if other else None
    if not first.topics:
        raise CommandError(f"{qrels_file}: no topic of {topics_file} has a judgement there")
    if first.without_judgements:
        _log.warning("%d topics have no judgement and are left out", len(first.without_judgements))
    if not first.finds_judged_pages:
        shown = next((ranked[0][0] for ranked in first.run.values() if ranked), "none")
        judged = next(iter(next(iter(judgements.values()))))
        _complain(f"no judged page was found; ids found: {shown}; ids judged: {judged} (see: --id-prefix)")
    if run_file:
        with open(run_file, "w", encoding="utf-8") as file:
            write_run(file, first.run)
    compared = compare(first, second) if second else {}
    if as_json:
        from webui.json_shapes import evaluation_as_json

        _print_json(evaluation_as_json(first, compared, changes))
        return DONE
    names = list(first.mean.named())
    if per_topic:
        click.echo("\t".join(["topic", *names]))
        for topic, measures in first.topics.items():
            click.echo("\t".join([clean(topic), *(f"{value:.4f}" for value in measures.named().values())]))
    click.echo(f"{'mean of ' + _many(len(first.topics), 'topic'):<22}" + _comparison_head(changes))
    for name, value in first.mean.named().items():
        shown = "map" if name == "average_precision" else name
        line = f"{shown:<22}{value:.4f}"
        if compared:
            other_one = compared[name]
            line += (
                f"  {other_one.second:.4f}  {other_one.difference:+.4f}  "
                f"{other_one.better:>6}  {other_one.worse:>5}  {other_one.p_value:.3f}"
            )
        click.echo(line)
    return DONE


def _comparison_head(changes: tuple[str, ...]) -> str:
    return "         other   change  better  worse  p       other: " + ", ".join(changes) if changes else ""


def _search_assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip().startswith("search."):
        raise CommandError(f"--compare {text}: expected search.KEY=VALUE, such as search.k1=2", MISUSED)
    return key.strip(), value.strip()


# cached --------------------------------------------------------------------------------


@commands.command("cached")
@click.argument("url", required=False)
@click.option(
    "--at", "timestamp", metavar="TIMESTAMP", help="The capture closest to this time (default: the newest)."
)
@click.option("--file", "file", metavar="FILE", help="Instead of URL: the archive file of the record.")
@click.option(
    "--offset", type=click.IntRange(0), metavar="N", help="With --file: the byte where the record starts."
)
@click.option("--member", default="", metavar="NAME", help="With --file: the archive inside a WACZ.")
@click.option("--raw", is_flag=True, help="The record as stored, header and block, instead of the page.")
@_with_settings
def cached_command(
    settings: Settings,
    url: str | None,
    timestamp: str | None,
    file: str | None,
    offset: int | None,
    member: str,
    raw: bool,
) -> int:
    """Write a page as it was stored to stdout: by its address, or by the place of its record.

    \b
    findingaid cached http://example.org/ --at 2015 > page.html
    findingaid cached --file crawl.warc.gz --offset 81920 --raw
    """
    if (url is None) == (file is None):
        raise click.UsageError("give either URL or --file FILE --offset N")
    if file is not None:
        from archiver.warc import find_record

        if offset is None:
            raise click.UsageError("--file needs --offset N, the byte where the record starts")
        if not os.path.isfile(file):
            raise CommandError(f"{file}: there is no such file")
        with find_record(file, offset, member) as record:
            _write_record(record, raw)
        return DONE
    if timestamp is not None and not re.fullmatch(r"\d{1,14}", timestamp):
        raise click.UsageError(f"--at {timestamp}: expected 1 to 14 digits, such as 2015 or 20150503140211")
    with _opened_index(settings) as index:
        capture = index.closest(url or "", timestamp)
        if capture is None:
            hint = "" if "://" in (url or "") else f"; an address begins with its scheme: http://{url}"
            raise CommandError(f"{url}: not archived here{hint} (to see what is: findingaid search WORDS)")
        with index.record(capture) as record:
            _write_record(record, raw)
    return DONE


def _write_record(record: Record, raw: bool) -> None:
    from archiver.warc import parse_response

    if raw:
        _copy_raw(record, sys.stdout.buffer)
    else:
        response = parse_response(record)
        if response is None:
            raise CommandError(f"the {record.type_name} record holds no page (--raw shows it as stored)")
        for problem in response.problems:
            _log.warning("%s: %s", record.url, problem)
        sys.stdout.buffer.write(response.body)
    sys.stdout.buffer.flush()


def _copy_raw(record: Record, out: BinaryIO) -> None:
    out.write(record.raw_header)
    while block := record.read(1 << 20):
        out.write(block)


# serve ---------------------------------------------------------------------------------


@commands.command("serve")
@click.option("--host", metavar="H", help="Address to listen on (default 127.0.0.1: this machine only).")
@click.option("--port", type=int, metavar="P", help="Port to listen on (default 8080; 0: any free one).")
@click.option("--unsafe-no-auth", is_flag=True, help="Let other machines in, although there is no password.")
@_with_settings
def serve_command(settings: Settings, unsafe_no_auth: bool) -> int:
    """Serve the search page and print its address. Ctrl-C ends it.

    \b
    findingaid serve --port 9000
    findingaid serve --index ~/warcs-index
    """
    if settings.index_option and not os.path.isdir(settings.index_path):
        raise CommandError(
            f"{settings.index_option}: there is no index (make it: findingaid index PATH --index DIR)"
        )
    if not (unsafe_no_auth or _is_loopback(settings.server.host)):
        found = f"{settings.server.host} lets other machines in, and there is no password"
        allowed = "127.0.0.1, ::1, localhost, or the option --unsafe-no-auth"
        raise SettingsError("settings", "server.host", found, allowed)
    _serve(settings)
    return DONE


def _serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, both of which are the way to end it; print the address once it answers."""
    from webui.server import run_server

    def stop(number: int, frame: object) -> None:
        raise SystemExit(DONE)  # waitress swallows other exceptions that come while it handles a connection

    def ready(address: str) -> None:
        click.echo(address)
        sys.stdout.flush()

    signal.signal(signal.SIGTERM, stop)
    with contextlib.suppress(KeyboardInterrupt):
        run_server(settings, ready)


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host in ("localhost", "::1", "[::1]") or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


# ledger, check, settings, demo ---------------------------------------------------------


@commands.command("ledger")
@_json_option
@_with_settings
def ledger_command(settings: Settings, as_json: bool) -> int:
    """Tell what became of every file and every record.

    \b
    findingaid ledger
    findingaid ledger --json | python3 -m json.tool
    """
    with _opened_index(settings) as index:
        entries = index.ledger()
    if as_json:
        from webui.json_shapes import ledger_entry_as_json

        _print_json([ledger_entry_as_json(entry) for entry in entries])
        return DONE
    for entry in entries:
        skipped = ", ".join(f"{count:,} {clean(reason)}" for reason, count in sorted(entry.skipped.items()))
        click.echo(f"{clean(entry.file)}: {entry.status}, {entry.format or 'no known format'}")
        click.echo(
            f"    {_many(entry.records, 'record')} = {_many(entry.captures, 'capture')} + "
            f"{sum(entry.skipped.values()):,} skipped{f' ({skipped})' if skipped else ''}; "
            f"{_many(entry.documents, 'page')}"
        )
        for damage in entry.damaged:
            click.echo(
                f"    damaged: {damage.length:,} bytes at byte {damage.offset}: {clean(damage.problem)}"
            )
    records, captures = sum(entry.records for entry in entries), sum(entry.captures for entry in entries)
    click.echo(f"{_many(len(entries), 'file')}, {_many(records, 'record')}, {_many(captures, 'capture')}")
    return DONE


@commands.command("check")
@_json_option
@_with_settings
def check_command(settings: Settings, as_json: bool) -> int:
    """Verify the checksums and cross references of an index; exit 1 when something is wrong.

    \b
    findingaid check --index ~/warcs-index
    """
    with _opened_index(settings) as index:
        problems = index.check()
    if as_json:
        _print_json({"index": settings.index_path, "problems": problems})
    else:
        for problem in problems:
            click.echo(clean(problem))
        if not problems:
            click.echo(f"{clean(settings.index_path)}: sound")
    return FAILED if problems else DONE


@commands.command("settings")
@click.option("--template", is_flag=True, help="Print a settings file with every default, to start from.")
@_json_option
@_with_settings
def settings_command(settings: Settings, template: bool, as_json: bool) -> int:
    """Print each setting, its value and where it comes from.

    \b
    findingaid settings
    findingaid settings --template > settings.toml
    """
    if template:
        click.echo(settings_template(), nl=False)
        return DONE
    if as_json:
        _print_json(
            [
                {
                    "key": info.key,
                    "value": settings.value(info.key),
                    "origin": settings.origin(info.key),
                    "default": info.default,
                    "unit": info.unit,
                    "allowed": info.allowed,
                    "help": info.help,
                }
                for info in describe_settings()
            ]
        )
        return DONE
    for info in describe_settings():
        value = as_toml(settings.value(info.key)) + (f" {info.unit}" if info.unit else "")
        click.echo(f"{info.key} = {clean(value)}  ({settings.origin(info.key)})")
    file = settings.path if settings.has_file else "none"
    click.echo(f"settings file: {clean(file)}", err=True)
    click.echo(f"index in use: {clean(settings.index_path)}", err=True)
    return DONE


def _archives_in(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".warc.gz"))


def _crawl_demo_site(archives: str) -> list[str]:
    """Crawl the bundled site, served on this machine, into the folder `archives`, and return the files.

    Two visits: the second finds one page changed and the others as before.
    """
    from archiver.crawl import CrawlJob, run_crawl
    from webui.demo import served_site

    port = before = 0
    for changed in (False, True):
        with served_site(changed=changed, port=port) as site:
            port = int(site.rpartition(":")[2])
            job = CrawlJob(
                id="demo",
                folder=os.path.dirname(archives),
                arcs_dir=os.path.basename(archives),
                seeds=(f"{site}/",),
                delay_s=0.0,
                allow_private=("127.0.0.1",),
                ports=(port,),
                min_free_mb=0.0,
            )
            result = run_crawl(job, again=changed)
        visit = "second visit" if changed else "first visit"
        click.echo(f"{visit} of {clean(site)}: {result.fetched - before:,} files fetched", err=True)
        before = result.fetched  # the crawl counts over all visits
    return _archives_in(archives)


@commands.command("demo")
@click.option(
    "--port", type=int, metavar="P", help="Port to listen on (default: 8080, or a free one if taken)."
)
@click.option("--no-serve", is_flag=True, help="Only make the archive and its index.")
@_with_settings
def demo_command(settings: Settings, no_serve: bool) -> int:
    """Crawl the bundled site twice into the job "demo", index it, serve it and print the address.

    \b
    findingaid demo
    """
    from indexer import IndexOptions, build_index
    from webui.errors import PortTakenError

    if settings.origin("archive.job_id") != "option":
        settings = settings.reloaded({"archive.job_id": "demo"})
    archives = _archives_in(settings.arcs_path) or _crawl_demo_site(settings.arcs_path)
    for archive in archives:
        click.echo(f"archive: {clean(archive)}", err=True)
    with _progress_display() as show:
        statistics = build_index(
            archives,
            settings.index_path,
            options=IndexOptions(workers=1, ranking=_ranking(settings)),
            progress=show,
        )
    click.echo(f"index: {clean(settings.index_path)}, {_many(statistics.documents, 'page')}", err=True)
    if no_serve:
        return DONE
    click.echo("the search page is at the address below; Ctrl-C ends it", err=True)
    try:
        _serve(settings)
    except PortTakenError:
        if settings.origin("server.port") == "option":
            raise
        _serve(settings.reloaded({"server.port": 0}))
    return DONE


if __name__ == "__main__":
    main()
