"""The command `findingaid crawl`: starts crawls, looks on, and passes commands on to running ones.

app.py adds the group with `commands.add_command(crawl)`. What a command does
not need is imported where it is needed, so that other commands start at once.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from archiver.errors import ExitCode, FindingAidError, exit_code_of
from command_line import CONTROLS, DONE, FAILED, clean, complain
from webui.index_access import index_options_from, ranking_from, widening_from
from webui.settings import Settings, load_settings

if TYPE_CHECKING:
    from archiver.crawl import CrawlJob, Numbers
    from archiver.crawl.job import SeedSource

_INDEX_EVERY_S = 1.0
_LOCKED_S = 60.0  # how long a crawl that is over waits for another run to end, to index its last pages


class _CrawlGroup(click.Group):
    """A group whose command `start` needs no name: `crawl JOB` and `crawl --seed URL` start a crawl."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        if arguments and arguments[0] not in self.commands and arguments[0] not in ("-h", "--help"):
            arguments = ["start", *arguments]
        return super().parse_args(context, arguments)


@click.group("crawl", cls=_CrawlGroup, invoke_without_command=False)
def crawl() -> None:
    """Crawl sites into standard WARC files, and steer crawls that run.

    \b
    findingaid crawl --seed https://example.org/            crawl a site into the job in use
    findingaid crawl --seed https://example.org/ --job 02 --depth 2 --index
    findingaid crawl 02                                     go on with job 02
    findingaid crawl 02 --again                             visit its pages anew
    findingaid crawl status 02                              how far is it
    findingaid crawl set 02 delay_s=5 threads=2             change it while it runs

    All options of a crawl: findingaid crawl start --help
    """


# Starting ------------------------------------------------------------------------------


@crawl.command("start")
@click.argument("job", required=False, metavar="[JOB]")
@click.option(
    "--seed", "seeds", multiple=True, metavar="URL", help="Where to start; may be given several times."
)
@click.option(
    "--seed-file",
    "seed_files",
    multiple=True,
    metavar="FILE",
    help="A file with a seed on each line (-: stdin).",
)
@click.option(
    "--seeds-from",
    "sources",
    multiple=True,
    nargs=2,
    metavar="KIND WHERE",
    help="Find seeds: sitemap SITE, index DIR, search ENDPOINT, cdx ENDPOINT.",
)
@click.option("--query", metavar="TEXT", help="What to ask the sources for (default: the topic).")
@click.option("--job", "job_option", metavar="ID", help="The job to crawl into.")
@click.option("--jobs-path", metavar="DIR", help="The folder that holds the jobs.")
@click.option("--settings", "settings_file", metavar="FILE", help="Settings file.")
@click.option("--scope", metavar="S", help="page, subtree, host, domain or web.")
@click.option("--depth", type=int, metavar="N", help="Links from a seed to the farthest page (default 3).")
@click.option("--order", metavar="O", help="bfs (near first), dfs (deep first) or best (by topic).")
@click.option("--topic", metavar="TEXT", help="Keep only pages about this.")
@click.option("--keep-all", is_flag=True, default=None, help="With --topic: keep the other pages too.")
@click.option("--threads", type=int, metavar="N", help="Requests at the same time (default 8).")
@click.option(
    "--delay", "delay_s", type=float, metavar="S", help="Shortest pause for a host, in seconds (default 1)."
)
@click.option("--max-pages", type=int, metavar="N", help="Stop after so many pages.")
@click.option("--max-mb", type=float, metavar="N", help="Stop after so many MB.")
@click.option("--max-minutes", type=float, metavar="N", help="Stop after so many minutes.")
@click.option(
    "--page-size", "page_size_kb", type=int, metavar="KB", help="Cut longer pages (default 64,000 kB)."
)
@click.option("--include", multiple=True, metavar="RE2", help="Only pages whose address matches.")
@click.option("--exclude", multiple=True, metavar="RE2", help="Leave out addresses that match.")
@click.option("--user-agent", metavar="NAME", help="Product name and version sent to servers.")
@click.option("--contact", metavar="WHERE", help="A web or mail address where site owners reach you.")
@click.option("--ignore-robots", is_flag=True, help="Do not obey robots.txt (written into the archive).")
@click.option("--no-requisites", is_flag=True, help="Leave out pictures, styles, scripts and fonts.")
@click.option(
    "--allow-private", multiple=True, metavar="HOST", help="A host that may have a private address."
)
@click.option("--again", is_flag=True, help="Visit the job's pages anew and keep what changed.")
@click.option("--index", "with_index", is_flag=True, help="Index what is fetched while the crawl runs.")
@click.option("--index-dir", metavar="DIR", help="Index it there, not into the job's own index.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@click.option("-v", "--verbose", is_flag=True, help="Log each step.")
@click.option("-q", "--quiet", is_flag=True, help="No progress; log errors only.")
def start(
    job: str | None,
    seed_files: tuple[str, ...],
    sources: tuple[tuple[str, str], ...],
    query: str | None,
    job_option: str | None,
    jobs_path: str | None,
    settings_file: str | None,
    allow_private: tuple[str, ...],
    again: bool,
    with_index: bool,
    index_dir: str | None,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    ignore_robots: bool,
    no_requisites: bool,
    **options: Any,
) -> int:
    """Start a crawl, or go on with one that was stopped or killed."""
    logging.basicConfig(
        level=logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING,
        force=True,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    from archiver.crawl import run_crawl
    from archiver.crawl.job import SeedSource

    settings = _settings(settings_file, jobs_path, job_option or (job if job and os.sep not in job else None))
    given = {key: value for key, value in options.items() if value not in (None, ())}
    if ignore_robots:
        given["obey_robots"] = False
    if no_requisites:
        given["requisites"] = False
    places = [("file", path) for path in seed_files] + list(sources)
    if places:
        given["sources"] = tuple(SeedSource(kind, where, query or "") for kind, where in places)
    crawl_job = _job(settings, _folder(settings, job), given, allow_private)
    part = settings.archive
    index_path = os.path.abspath(index_dir or os.path.join(crawl_job.folder, part.index_dir, part.index_name))
    along = _IndexAlong(crawl_job.archive_folder, index_path, settings) if with_index or index_dir else None
    with _display(quiet or as_json) as show, along or contextlib.nullcontext():
        result = run_crawl(
            crawl_job, progress=show, again=again, providers={"index": _seeds_from_index(settings)}
        )
    for message in result.messages:
        complain(message)
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        skipped, cut = _by_reason(result.skipped), _by_reason(result.cut)
        click.echo(
            f"{result.state} ({_reason_text(result.reason)}): {result.fetched:,} fetched, {result.failed:,} failed"
            f"{f', left out: {skipped}' if skipped else ''}{f', not had whole: {cut}' if cut else ''}"
            f" ({result.seconds:.1f} s)"
        )
        click.echo(f"archives: {clean(crawl_job.archive_folder)} ({len(result.archives)} files)")
        if along and os.path.isdir(index_path):
            place = clean(index_path)
            click.echo(f"index: {place} (to search it: findingaid search WORDS --index {shlex.quote(place)})")
    return result.exit_code or (along.exit_code if along else DONE)


def _settings(settings_file: str | None, jobs_path: str | None, job: str | None) -> Settings:
    context = click.get_current_context().find_root()
    chosen = settings_file or (context.obj if isinstance(context.obj, str) else None)
    return load_settings(chosen, None, {"archive.jobs_path": jobs_path, "archive.job_id": job})


def _folder(settings: Settings, job: str | None) -> str:
    """Return the folder of the job: JOB may be an id, a folder or a job file."""
    if job and (os.sep in job or job.endswith(".toml")):
        return os.path.abspath(os.path.dirname(job) if job.endswith(".toml") else job)
    return settings.job_path


def _job(settings: Settings, folder: str, given: dict[str, Any], allow_private: tuple[str, ...]) -> CrawlJob:
    """Return the job of a folder: options before its job file, that before the settings."""
    from dataclasses import replace

    from archiver.crawl import change_job, load_job
    from archiver.crawl.job import JOB_FILE
    from webui.crawl_process import job_from_settings

    arcs = settings.archive.arcs_dir.strip("/") or "Arcs"
    if os.path.exists(os.path.join(folder, JOB_FILE)):
        job = load_job(folder, arcs_dir=arcs)
        if "seeds" in given:
            given["seeds"] = tuple(dict.fromkeys((*job.seeds, *given["seeds"])))
    else:
        if "seeds" not in given and "sources" not in given:
            raise click.UsageError(f"{folder} holds no job yet: give --seed URL")
        job = job_from_settings(settings, folder)
    job = change_job(job, given, where="option")
    return replace(job, allow_private=allow_private)


def _seeds_from_index(settings: Settings) -> Callable[[SeedSource], list[str]]:
    def provider(source: SeedSource) -> list[str]:
        from indexer import open_index

        folder = source.where or settings.index_path
        with open_index(folder, ranking=ranking_from(settings), widening=widening_from(settings)) as index:
            return [
                hit.url for hit in index.search(source.query, limit=source.limit, with_snippets=False).hits
            ]

    return provider


class _IndexAlong:
    """Indexes the archives of a crawl while they grow, from a thread of its own, and once more when the crawl is over.

    exit_code: of what was in the way of the last time; DONE when all is indexed.
    """

    def __init__(self, archives: str, index_path: str, settings: Settings) -> None:
        self.exit_code: int = DONE
        self._archives, self._index_path = archives, index_path
        self._options = index_options_from(settings, workers=1)
        self._indexed: dict[str, int] = {}  # sizes of files that have been indexed
        self._told = ""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *exc: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _INDEX_EVERY_S
        while not self._is_over.wait(pause):
            began = time.monotonic()
            self._index_what_is_new()
            pause = max(_INDEX_EVERY_S, 3 * (time.monotonic() - began))  # most of the time is for the crawl
        deadline = time.monotonic() + _LOCKED_S
        while self._index_what_is_new() == ExitCode.LOCKED and time.monotonic() < deadline:
            time.sleep(_INDEX_EVERY_S)
        if self.exit_code == ExitCode.LOCKED:
            rest = f"findingaid index {shlex.quote(self._archives)} --index {shlex.quote(self._index_path)}"
            complain(f"{self._index_path}: another process writes it; to index the rest: {rest}")

    def _index_what_is_new(self) -> int:
        """Index what came since the last time and return the exit code of what was in the way, DONE for nothing."""
        from indexer import build_index

        sizes = _sizes_of_archives(self._archives)
        new = [path for path, size in sizes.items() if self._indexed.get(path) != size]
        self.exit_code = DONE
        try:
            if new:
                build_index(sorted(new), self._index_path, options=self._options)
                self._indexed = sizes
        except (FindingAidError, OSError) as error:
            self.exit_code = exit_code_of(error) or FAILED
            if self.exit_code != ExitCode.LOCKED and str(error) != self._told:
                self._told = str(error)
                complain(f"indexing: {error}")
        return self.exit_code


def _sizes_of_archives(folder: str) -> dict[str, int]:
    """Return the sizes of the archives in a folder, closed and growing, by path."""
    from archiver.warc.growing import final_name

    sizes = {}
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if final_name(entry.name).endswith(".warc.gz"):
                with contextlib.suppress(FileNotFoundError):  # closed at this moment
                    sizes[entry.path] = entry.stat().st_size
    return sizes


@contextlib.contextmanager
def _display(silent: bool) -> Iterator[Callable[[Numbers], None] | None]:
    """Yield what shows the live numbers: a panel on a terminal, a line every ten seconds elsewhere."""
    if silent:
        yield None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            yield lambda numbers: live.update(Text("\n".join(status_lines(numbers.now))), refresh=True)
    else:
        last = [time.monotonic()]

        def line(numbers: Numbers) -> None:
            if time.monotonic() - last[0] >= 10:
                last[0] = time.monotonic()
                click.echo(status_lines(numbers.now)[0], err=True)

        yield line


# Looking on and steering -----------------------------------------------------------------


def _job_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--settings", "settings_file", metavar="FILE", help="Settings file."),
        click.option("--jobs-path", metavar="DIR", help="The folder that holds the jobs."),
        click.argument("job"),
    ):
        command = option(command)
    return command


@crawl.command("status")
@_job_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--watch", is_flag=True, help="Show it anew each second until the crawl is over.")
def status_command(
    job: str, jobs_path: str | None, settings_file: str | None, as_json: bool, watch: bool
) -> int:
    """Show how far a crawl is: counts, rates, hosts, disk."""
    from archiver.crawl import crawl_status

    folder = _folder(_settings(settings_file, jobs_path, job if os.sep not in job else None), job)
    while True:
        status = crawl_status(folder)
        click.echo(json.dumps(status) if as_json else "\n".join(status_lines(status)))
        if not watch or status["state"] in ("finished", "crashed"):
            return 0
        time.sleep(1)


def _steering(name: str, help_text: str) -> None:
    @crawl.command(name, help=help_text)
    @_job_argument
    def command(job: str, jobs_path: str | None, settings_file: str | None) -> int:
        return _send(job, jobs_path, settings_file, name, {})


for _name, _help in (
    ("pause", "Let a running crawl pause once its requests are answered."),
    ("resume", "Let a paused crawl go on."),
    ("stop", "End a crawl in order; `findingaid crawl JOB` goes on with it later."),
):
    _steering(_name, _help)


@crawl.command("add")
@_job_argument
@click.argument("seeds", nargs=-1, required=True, metavar="URL...")
def add_command(job: str, seeds: tuple[str, ...], jobs_path: str | None, settings_file: str | None) -> int:
    """Add seeds to a job; a crawl that runs takes them at once, another with its next start."""
    return _send(job, jobs_path, settings_file, "add", {"seeds": list(seeds)})


@crawl.command("set")
@_job_argument
@click.argument("values", nargs=-1, required=True, metavar="KEY=VALUE...")
def set_command(job: str, values: tuple[str, ...], jobs_path: str | None, settings_file: str | None) -> int:
    """Change a crawl while it runs: threads, delay_s, scope, depth, exclude, max_pages...

    \b
    findingaid crawl set 01 threads=4 delay_s=2.5
    findingaid crawl set 01 'exclude=\\.pdf$' 'exclude=/calendar/'
    """
    from archiver.crawl import CrawlJob

    arguments: dict[str, Any] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"{text}: expected KEY=VALUE, such as delay_s=2")
        default = getattr(CrawlJob(), key, None)
        try:
            if isinstance(default, tuple):
                arguments.setdefault(key, []).extend([value] if value else [])
            elif isinstance(default, bool):
                arguments[key] = {"true": True, "false": False}[value.lower()]
            elif isinstance(default, int):
                arguments[key] = int(value)
            elif isinstance(default, float):
                arguments[key] = float(value)
            else:
                arguments[key] = value
        except (ValueError, KeyError):
            raise click.UsageError(f"{text}: {key} cannot be {value!r}") from None
    return _send(job, jobs_path, settings_file, "set", arguments)


@crawl.command("graph")
@_job_argument
@click.argument("path", metavar="FILE")
@click.option("--fetched-only", is_flag=True, help="Leave out addresses that were not fetched.")
@click.option(
    "--limit", type=int, default=0, metavar="N", help="At most so many addresses, nearest to the seeds first."
)
def graph_command(
    job: str, path: str, fetched_only: bool, limit: int, jobs_path: str | None, settings_file: str | None
) -> int:
    """Write the graph of a crawl: FILE ends in .gexf, .csv or .json."""
    from archiver.crawl.graph import export_graph

    folder = _folder(_settings(settings_file, jobs_path, job if os.sep not in job else None), job)
    for name in export_graph(folder, path, fetched_only=fetched_only, limit=limit):
        click.echo(name)
    return 0


def _send(
    job: str, jobs_path: str | None, settings_file: str | None, command: str, arguments: dict[str, Any]
) -> int:
    """Send a command and wait a little for the answer of the crawl."""
    from archiver.crawl import is_running, send_command
    from archiver.crawl.states import command_answer

    folder = _folder(_settings(settings_file, jobs_path, job if os.sep not in job else None), job)
    number = send_command(folder, command, arguments)
    if not is_running(folder):
        click.echo("noted for the next start")
        return 0
    for _ in range(50):
        answer = command_answer(folder, number)
        if answer is not None:
            click.echo(clean(answer))
            return 0 if not answer.startswith("not possible") else FAILED
        time.sleep(0.1)
    click.echo("sent; the crawl has not answered yet")
    return 0


def _by_reason(counts: dict[str, int]) -> str:
    by_count = sorted(counts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{n:,} {_reason_text(reason)}" for reason, n in by_count)


def _reason_text(word: str) -> str:
    from archiver.crawl.reasons import reason_text

    return reason_text(word)


def status_lines(status: dict[str, Any]) -> list[str]:
    """Return a crawl's numbers as lines for a terminal."""

    def number(key: str) -> str:
        return f"{status.get(key) or 0:,}"

    skipped, cut = _by_reason(status.get("skipped", {})), _by_reason(status.get("cut", {}))
    failures = _by_reason(status.get("failures", {}))
    reason = f" ({_reason_text(status['reason'])})" if status.get("reason") else ""
    lines = [
        f"{status.get('job', '')} {status['state']}{reason}: {number('fetched')} fetched, {number('queued')} queued, "
        f"{number('failed')} failed, {number('pages_per_s')} pages/s, {number('kb_per_s')} kB/s",
        f"  left out: {skipped or 'nothing'}; near-duplicates: {number('near_duplicates')}; "
        f"received {(status.get('bytes') or 0) / 1e6:,.1f} MB; {number('disk_free_mb')} MB free on the disk",
    ]
    if failures:
        lines.append(f"  failed: {failures}")
    if cut:
        lines.append(f"  not had whole: {cut}")
    if status.get("on_topic_share") is not None:
        lines.append(f"  on topic: {status['on_topic_share'] * 100:.0f} % of the pages")
    if status.get("queued") and (status.get("eta_s") or 0) > 0:
        lines.append(f"  about {status['eta_s'] / 60:,.0f} minutes if no more pages are found")
    lines += [
        f"  {host['host']}: {host['queued']:,} queued, pause {host['pause_s']:.1f} s"
        for host in status.get("hosts", [])[:5]
    ]
    return [CONTROLS.sub(" ", line).rstrip() for line in lines]
