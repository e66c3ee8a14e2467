"""The commands that hand captures to other tools: export wacz, export cdxj. app.py adds them."""

from __future__ import annotations

import gzip
import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from archiver.files import whole_file
from command_line import (
    DONE,
    DONE_WITH_DAMAGE,
    MISUSED,
    CommandError,
    archive_files,
    complain,
    json_option,
    many,
    opened_index,
    print_json,
    with_settings,
)
from webui.settings import Settings

if TYPE_CHECKING:
    from archiver.warc.wacz_writer import WaczWriter
    from indexer import Index
    from indexer.listing import KeyRange
    from webui.exports import LeftOut

_SHOWN = 20


@click.group("export")
def export_group() -> None:
    """Hand captures to other tools, as a WACZ file or as a list in CDXJ.

    \b
    findingaid export wacz "web archive" -o found.wacz
    findingaid export cdxj -o index.cdxj
    """
    # an export that is ended leaves nothing half done behind
    with suppress(ValueError):  # outside of the main thread nobody sends signals
        signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


# wacz ----------------------------------------------------------------------------------


@export_group.command("wacz")
@click.argument("words", nargs=-1, metavar="[QUERY]")
@click.option("-o", "--output", required=True, metavar="FILE", help="The WACZ file to write; must not exist.")
@click.option("--site", metavar="HOST", help="All captures of a host and of the hosts below it.")
@click.option(
    "--url", metavar="URL", help="All captures of a page; with * at its end, of all that begins so."
)
@click.option("--all", "is_all", is_flag=True, help="All captures of the index, or of the job.")
@click.option("--from", "first", default="", metavar="TIME", help="Only captures from then on: 2015, 201505.")
@click.option("--to", "last", default="", metavar="TIME", help="Only captures up to then.")
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="How many pages of a QUERY.",
)
@click.option(
    "--every-capture", is_flag=True, help="All captures of the pages of a QUERY, not only those found."
)
@click.option("--no-parts", is_flag=True, help="Leave pictures, styles and frames of pages out.")
@click.option("--no-text", is_flag=True, help="Leave the text of pages out of the list of pages.")
@click.option("--title", default="", metavar="TEXT", help="What the file calls itself.")
@json_option
@with_settings
def wacz_command(
    settings: Settings,
    words: tuple[str, ...],
    output: str,
    site: str | None,
    url: str | None,
    is_all: bool,
    first: str,
    last: str,
    limit: int,
    every_capture: bool,
    no_parts: bool,
    no_text: bool,
    title: str,
    as_json: bool,
) -> int:
    """Write pages into a WACZ file, which players such as ReplayWeb.page show.

    Pages come by a QUERY, of a --site, at a --url, or --all. Their records are
    copied as they lie, and their pictures, styles and frames come along.

    \b
    findingaid export wacz "title:inventory" -o inventory.wacz
    findingaid export wacz --site example.org --from 2015 -o example.wacz
    findingaid export wacz --job 01 --all -o job.wacz
    """
    from archiver.warc.wacz_writer import WaczWriter
    from webui.exports import WaczExport, captures_found, captures_listed

    query = " ".join(words).strip()
    chosen = [
        name
        for name, wanted in (("QUERY", query), ("--site", site), ("--url", url), ("--all", is_all))
        if wanted
    ]
    if len(chosen) != 1:
        raise CommandError(
            f"expected one of QUERY, --site, --url and --all, found {' and '.join(chosen) or 'none'}", MISUSED
        )
    if query and (first or last):
        raise CommandError(
            "--from and --to go with --site, --url and --all; a query says from:2015 to:2016", MISUSED
        )
    started = time.monotonic()
    with opened_index(settings) as index:
        if query:
            captures = captures_found(
                index, query, operator=settings.search.operator, limit=limit, every_capture=every_capture
            )
        else:
            captures = captures_listed(
                index, _range(index, site, url), first=_bound(first, "0"), last=_bound(last, "9")
            )
        name = query or site or url or "All captures"
        about = {
            "findingaid": {"chosen_by": chosen[0].lstrip("-").lower(), "query": query or site or url or ""}
        }
        with WaczWriter(output, title=title or name, software=_software(), about=about) as writer:
            export = WaczExport(index, writer, with_parts=not no_parts, with_text=not no_text)
            export.add_all(captures, _Lines())
            if not writer.records:
                raise CommandError(
                    f"nothing to export: {_nothing(export.left_out)}; {output} was not written"
                )
    seconds = time.monotonic() - started
    if as_json:
        print_json(
            {
                "file": output,
                "captures": writer.records,
                "as_they_lay": writer.as_they_lay,
                "pages": writer.pages,
                "bytes": os.path.getsize(output),
                "left_out": _left_out_as_json(export.left_out),
                "seconds": round(seconds, 3),
            }
        )
    else:
        click.echo(
            f"{output}: {many(writer.pages, 'page')}, {many(writer.records, 'capture')}, "
            f"{os.path.getsize(output):,} bytes ({seconds:.1f} s)"
        )
    return _told(export.left_out)


def _range(index: Index, site: str | None, url: str | None) -> KeyRange:
    from indexer.listing import KeyRange
    from webui.addresses import with_scheme

    try:
        if site:
            return KeyRange.of(with_scheme(site), "domain")
        if url:
            whole = with_scheme(url)
            if whole.endswith("*"):
                return KeyRange.of(whole.removesuffix("*"), "prefix")
            return index.range_of(whole)
    except ValueError as error:
        raise CommandError(str(error), MISUSED) from error
    return KeyRange.everything()


def _bound(text: str, filling: str) -> str:
    digits = "".join(character for character in text if character not in "-: TZ")
    if digits and not (digits.isascii() and digits.isdigit() and 4 <= len(digits) <= 14):
        raise CommandError(f"{text}: expected a time such as 2015, 201505 or 20150503140211", MISUSED)
    return digits.ljust(14, filling) if digits else ""


# cdxj ----------------------------------------------------------------------------------


@export_group.command("cdxj")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write; packed if it ends in .gz.")
@click.option("--site", metavar="HOST", help="Only captures of a host and of the hosts below it.")
@click.option(
    "--url", metavar="URL", help="Only captures of a page; with * at its end, of all that begins so."
)
@click.option("--from", "first", default="", metavar="TIME", help="Only captures from then on: 2015, 201505.")
@click.option("--to", "last", default="", metavar="TIME", help="Only captures up to then.")
@click.option("--full-paths", is_flag=True, help="Write whole paths of archive files, not their names alone.")
@with_settings
def cdxj_command(
    settings: Settings,
    paths: tuple[str, ...],
    output: str,
    site: str | None,
    url: str | None,
    first: str,
    last: str,
    full_paths: bool,
) -> int:
    """List captures as CDXJ, sorted, for pywb, OutbackCDX and other tools.

    Without PATH the captures of the index are listed; archive files named by
    PATH are read without an index.

    \b
    findingaid export cdxj -o index.cdxj
    findingaid export cdxj --site example.org --from 2015
    findingaid export cdxj crawl-2014.warc.gz more/ -o index.cdxj.gz
    """
    from archiver.warc.cdxj import SortedLines
    from webui.exports import CdxjExport, captures_listed, cdx_line

    if paths and (site or url or first or last):
        raise CommandError(
            "--site, --url, --from and --to choose from an index; they do not go with PATH", MISUSED
        )
    with SortedLines() as lines:
        export = CdxjExport(lines, full_paths=full_paths)
        damaged = 0
        if paths:
            damaged = _read_files(paths, export)
        else:
            with opened_index(settings) as index:
                for capture in captures_listed(
                    index, _range(index, site, url), first=_bound(first, "0"), last=_bound(last, "9")
                ):
                    export.add(cdx_line(capture), capture.location)
        _write_lines(lines, output)
        complain(f"{many(lines.count, 'capture')} listed") if output != "-" else None
    return max(_told(export.left_out), DONE_WITH_DAMAGE if damaged else DONE)


def _read_files(paths: tuple[str, ...], export: Any) -> int:
    """Read archive files and add their captures; return how many hold damage, each told on stderr."""
    from indexer.text.documents import FileEntry, read_captures

    damaged = 0
    for path in archive_files(paths):
        entry = FileEntry(path)
        for found in read_captures(path, entry):
            export.add_found(found)
        if entry.status == "not an archive" and path not in paths:
            continue  # lists and notes lie beside archives in folders
        if entry.damaged:
            damaged += 1
            complain(f"{path}: {entry.status}: {entry.damaged[0].problem}")
    return damaged


def _write_lines(lines: Any, output: str) -> None:
    if output == "-":
        for line in lines:
            sys.stdout.buffer.write(line)
        return
    with whole_file(output) as file:
        if output.endswith(".gz"):
            with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packer:
                packer.writelines(lines)
        else:
            file.writelines(lines)


# what both tell ------------------------------------------------------------------------


class _Lines:
    """Tells on stderr every few seconds how far an export is."""

    every_s = 5.0

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, writer: WaczWriter) -> None:
        now = time.monotonic()
        if now - self._last >= self.every_s:
            self._last = now
            click.echo(f"{many(writer.pages, 'page')}, {many(writer.records, 'capture')}", err=True)


def _told(left_out: LeftOut) -> int:
    """Tell what was left out, and return the exit code."""
    for url, timestamp, reason in left_out.places[:_SHOWN]:
        complain(f"left out: {timestamp or 'no date'} {url[:300]}: {reason}")
    if left_out.count > _SHOWN:
        complain(f"left out: {many(left_out.count - _SHOWN, 'more capture')}")
    return DONE_WITH_DAMAGE if left_out.count else DONE


def _left_out_as_json(left_out: LeftOut) -> dict[str, Any]:
    return {
        "count": left_out.count,
        "captures": [
            {"url": url, "timestamp": timestamp, "reason": reason}
            for url, timestamp, reason in left_out.places
        ],
    }


def _nothing(left_out: LeftOut) -> str:
    return left_out.places[0][2] if left_out.places else "no capture fits"


def _software() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"findingaid {version('findingaid')}"
    except PackageNotFoundError:
        return "findingaid"
