"""The commands that make an index, keep it and tell of it: index, remove, optimize, ledger, check. app.py adds them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from command_line import (
    DONE,
    DONE_WITH_DAMAGE,
    FAILED,
    INTERRUPTED,
    MISUSED,
    CommandError,
    archive_files,
    clean,
    complain,
    json_option,
    many,
    opened_index,
    print_json,
    progress_display,
    with_settings,
)
from webui.index_access import index_options_from, ranking_from
from webui.settings import Settings

if TYPE_CHECKING:
    from indexer import Removal

# index ---------------------------------------------------------------------------------


@click.command("index")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--workers", type=int, metavar="N", help="Processes that read archives (0: one for each core).")
@click.option("--rebuild", is_flag=True, help="Index everything again, beside the index in use, then swap.")
@json_option
@with_settings
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
            f"{settings.arcs_path}: the job has no such folder; name what to index:"
            f" findingaid index PATH{settings.command_options()}"
        )
    files = archive_files(paths or (settings.arcs_path,), settings.index_path)
    if not files:
        raise CommandError(f"{paths[0] if paths else settings.arcs_path}: there is no file to index")

    from indexer.worker_process import end_early, start_early

    if rebuild or not os.path.isdir(settings.index_path):
        start_early(files, settings.index.workers)
    from indexer import build_index

    named = paths or (settings.arcs_path,)
    options = index_options_from(
        settings,
        found=frozenset(files) - frozenset(named),
        folders=tuple(path for path in named if os.path.isdir(path)),
        look_in=(settings.arcs_path,) if os.path.isdir(settings.arcs_path) else (),
        rebuild=rebuild,
    )
    start = time.monotonic()
    try:
        with progress_display() as show:
            statistics = build_index(files, settings.index_path, options=options, progress=show)
    except KeyboardInterrupt as error:
        kept = "the index in use is as it was" if rebuild else "what was read is kept"
        raise CommandError(
            f"interrupted; {kept}: run the same command again to carry on", INTERRUPTED
        ) from error
    finally:
        end_early()  # when it did not come to a run
    seconds = time.monotonic() - start
    if as_json:
        from webui.json_shapes import statistics_as_json

        print_json(statistics_as_json(statistics, seconds))
    else:
        click.echo(
            f"{many(statistics.documents, 'page')} in {many(statistics.versions, 'version')}, "
            f"{many(statistics.captures, 'capture')}, {many(statistics.records, 'record')}, "
            f"{many(statistics.files, 'file')} ({seconds:.1f} s)"
        )
        click.echo(f"index: {clean(settings.index_path)}")
    damaged = sum(damage.places for damage in statistics.damaged)
    if damaged:
        which = f"findingaid ledger{settings.command_options()}"
        complain(f"{many(damaged, 'damaged place')}, all else is indexed (which: {which})")
        return DONE_WITH_DAMAGE
    return DONE


# remove, optimize ----------------------------------------------------------------------


@click.command("remove")
@click.argument("url", required=False)
@click.option("--site", metavar="HOST", help="Instead of URL: all pages of a host and the hosts below it.")
@click.option("--file", "file", metavar="FILE", help="Instead of URL: all that an archive file holds.")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept with the removal.")
@click.option("--undo", is_flag=True, help="Lift the removal; the next index run reads the pages again.")
@click.option("--list", "listed", is_flag=True, help="List what was removed, by whom, when and why.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@with_settings
def remove_command(
    settings: Settings,
    url: str | None,
    site: str | None,
    file: str | None,
    reason: str,
    undo: bool,
    listed: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Take a page, a site or an archive file out of the index, and keep it out.

    It is gone at once from search, captures, cached pages and counts, and stays
    out when its files are read again. The archive files are not touched.

    \b
    findingaid remove http://example.org/private.html --reason "request of 3 May"
    findingaid remove --site example.org --yes
    findingaid remove --undo --site example.org
    """
    from indexer import remove_from_index, restore_to_index

    if listed:
        with opened_index(settings) as index:
            _tell_removals(index.removals(), as_json)
        return DONE
    given = [
        (kind, text) for kind, text in (("url", url), ("site", site), ("file", file)) if text is not None
    ]
    if len(given) != 1:
        raise click.UsageError("give one of URL, --site HOST and --file FILE")
    kind, target = given[0]

    def confirm(captures: int, pages: int) -> bool:
        if yes or not captures:
            return True
        if not sys.stdin.isatty():
            raise click.UsageError("add --yes where nobody can be asked")
        return click.confirm(
            f"Take {many(captures, 'capture')} of {many(pages, 'page')} out of the index?", err=True
        )

    def act(folder: str) -> list[Removal]:
        ranking = ranking_from(settings)
        if undo:
            return restore_to_index(folder, kind, target, ranking=ranking)
        removal = remove_from_index(
            folder, kind, target, reason=reason, who=_who(), ranking=ranking, confirm=confirm
        )
        return [removal] if removal is not None else []

    try:
        done = _in_each_index(settings, act)
    except ValueError as error:
        raise CommandError(str(error), MISUSED) from error
    if not done:
        raise CommandError("nothing was removed")
    _tell_removals(done, as_json)
    if undo:
        complain("the next run of findingaid index that names their files reads these pages again")
    return DONE


def _in_each_index(settings: Settings, act: Callable[[str], list[Removal]]) -> list[Removal]:
    """Return what was done in the indexes in use; it is an error only if none of them holds what is named."""
    from indexer import NothingToRemoveError

    done: list[Removal] = []
    nothing: NothingToRemoveError | None = None
    for folder in settings.index_paths:
        try:
            done += act(folder)
        except NothingToRemoveError as error:
            nothing = error
    if nothing is not None and not done:
        raise nothing
    return done


def _indexes(settings: Settings) -> str:
    return ", ".join(settings.index_paths)


def _who() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no such user in this container
        return ""


def _tell_removals(removals: Sequence[Removal], as_json: bool) -> None:
    if as_json:
        from webui.json_shapes import removal_as_json

        print_json([removal_as_json(removal) for removal in removals])
        return
    for removal in removals:
        click.echo(_removal_line(removal))


def _removal_line(removal: Removal) -> str:
    by = f" by {removal.who}" if removal.who else ""
    why = f": {removal.reason}" if removal.reason else ""
    lifted = f" (lifted {removal.lifted})" if removal.lifted else ""
    return clean(
        f"removed {removal.at}{by}: {removal.kind} {removal.target}, {many(removal.captures, 'capture')} of "
        f"{many(removal.pages, 'page')}{why}{lifted}"
    )


@click.command("optimize")
@json_option
@with_settings
def optimize_command(settings: Settings, as_json: bool) -> int:
    """Merge the index into as few segments as possible, and drop for good what was removed.

    Searches work beside it. After Ctrl-C the same command carries on.

    \b
    findingaid optimize --index ~/warcs-index
    """
    from indexer import optimize_index

    start = time.monotonic()
    try:
        done = optimize_index(
            settings.index_path,
            ranking=ranking_from(settings),
            progress=lambda step, done, total: click.echo(f"{step}: {done:,} of {total:,}", err=True),
        )
    except KeyboardInterrupt as error:
        text = "interrupted; what was merged is kept: run the same command again to carry on"
        raise CommandError(text, INTERRUPTED) from error
    seconds = time.monotonic() - start
    if as_json:
        print_json(
            {
                "segments_before": done.segments_before,
                "segments": done.segments,
                "bytes_before": done.bytes_before,
                "bytes": done.bytes,
                "dropped_versions": done.dropped_versions,
                "seconds": round(seconds, 3),
            }
        )
        return DONE
    click.echo(
        f"{many(done.segments_before, 'segment')} merged into {done.segments:,}, "
        f"{many(done.dropped_versions, 'removed version')} dropped, "
        f"{done.bytes_before / 1e6:,.1f} MB packed into {done.bytes / 1e6:,.1f} MB ({seconds:.1f} s)"
    )
    return DONE


# ledger, check -------------------------------------------------------------------------


@click.command("ledger")
@click.option("--damaged", is_flag=True, help="Only files that hold damage, or could not be read.")
@json_option
@with_settings
def ledger_command(settings: Settings, damaged: bool, as_json: bool) -> int:
    """Tell what became of every file and every record.

    \b
    findingaid ledger
    findingaid ledger --damaged
    findingaid ledger --json > ledger.json
    """
    with opened_index(settings) as index:
        entries = [entry for entry in index.ledger() if entry.damaged or not damaged]
        removals = index.removals()
    if as_json:
        from webui.json_shapes import ledger_entry_as_json

        print_json([ledger_entry_as_json(entry) for entry in entries])
        return DONE
    for entry in entries:
        skipped = ", ".join(f"{count:,} {clean(reason)}" for reason, count in sorted(entry.skipped.items()))
        click.echo(f"{clean(entry.file)}: {entry.status}, {entry.format or 'no known format'}")
        click.echo(
            f"    {many(entry.records, 'record')} = {many(entry.captures, 'capture')} + "
            f"{sum(entry.skipped.values()):,} skipped{f' ({skipped})' if skipped else ''}; "
            f"{many(entry.documents, 'page')}"
        )
        for damage in entry.damaged:
            click.echo(
                f"    damaged: {damage.length:,} bytes at byte {damage.offset}: {clean(damage.problem)}"
            )
    records, captures = sum(entry.records for entry in entries), sum(entry.captures for entry in entries)
    click.echo(f"{many(len(entries), 'file')}, {many(records, 'record')}, {many(captures, 'capture')}")
    if not damaged:
        _tell_removals(removals, False)
    return DONE


@click.command("check")
@click.option(
    "--cdxj", "list_file", metavar="FILE", help="Are all captures of this CDXJ or CDX list in the index?"
)
@json_option
@with_settings
def check_command(settings: Settings, list_file: str | None, as_json: bool) -> int:
    """Verify the checksums and cross references of an index; exit 1 when something is wrong.

    Archives that are not there any more are named as a warning. With --cdxj, a list
    of captures that another tool made is held against the index instead.

    \b
    findingaid check --index ~/warcs-index
    findingaid check --cdxj ~/pywb/collections/web/indexes/index.cdxj
    """
    if list_file is not None:
        return _check_list(settings, list_file, as_json)
    with opened_index(settings) as index:
        problems = index.check()
        missing = [] if problems else [entry.path for entry in index.missing_files()]
    if as_json:
        print_json({"index": _indexes(settings), "problems": problems, "missing": missing})
    else:
        for problem in problems:
            click.echo(clean(problem))
        if not problems:
            click.echo(f"{clean(_indexes(settings))}: sound")
        for path in missing:
            complain(
                f"warning: {path}: this archive is not there any more; its pages are found, but cannot be shown"
                f" (where it lies now: findingaid index FOLDER{settings.command_options(one_job=True)})"
            )
    return FAILED if problems else DONE


def _check_list(settings: Settings, list_file: str, as_json: bool) -> int:
    from archiver.warc.cdxj import read_cdx
    from indexer.comparing import compare_with_list

    with opened_index(settings) as index:
        found = compare_with_list(index, read_cdx(list_file))
    bad = [f"line {line.number}: {line.problem}" for line in found.bad_lines]
    if as_json:
        print_json(
            {
                "list": list_file,
                "lines": found.lines,
                "held": found.held,
                "missing": found.missing,
                "differing": found.differing,
                "bad": found.bad,
                "missing_captures": [
                    {"url": line.url, "timestamp": line.timestamp} for line in found.missing_captures
                ],
                "different_captures": [
                    {"url": line.url, "timestamp": line.timestamp, "digest": line.digest}
                    for line in found.different_captures
                ],
                "bad_lines": bad,
            }
        )
    else:
        for what, lines in (("missing", found.missing_captures), ("other content", found.different_captures)):
            for line in lines:
                click.echo(f"{what}: {line.timestamp} {clean(line.url)}")
        for problem in bad:
            complain(f"{list_file}: {problem}")
        click.echo(
            f"{many(found.lines, 'line')} = {found.held:,} in the index + {found.missing:,} missing + "
            f"{found.differing:,} with other content + {found.bad:,} unreadable"
        )
    if found.missing or found.differing:
        return FAILED
    return DONE_WITH_DAMAGE if found.bad else DONE
