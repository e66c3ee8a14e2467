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
import logging
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

import crawl_commands
import export_commands
import index_commands
import search_commands
from command_line import (
    DISK_FULL,
    DONE,
    FAILED,
    INTERRUPTED,
    LOCKED,
    WRONG_SETTINGS,
    CommandError,
    clean,
    complain,
    json_option,
    many,
    print_json,
    progress_display,
    ranking_of,
    with_settings,
)
from webui.setting_infos import SettingsError, as_toml, describe_settings, settings_template
from webui.settings import Settings, load_settings

_log = logging.getLogger("findingaid")

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
        complain("interrupted")
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return error.exit_code
    if isinstance(error, click.ClickException):
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "findingaid"
        complain(f"{error.format_message()} (see: {where} --help)")
        return error.exit_code
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("the command ended with", exc_info=error)
    code = _exit_code(error)
    if code is None:
        kind = type(error).__name__
        complain(f"unexpected {kind}: {error} (archive.debug_flag = true shows where)")
        return FAILED
    if isinstance(error, OSError) and error.filename and error.strerror:
        complain(f"{os.fsdecode(error.filename)}: {error.strerror}")
    else:
        complain(str(error))
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


# The group of all commands -------------------------------------------------------------


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


for _command in (
    crawl_commands.crawl,
    index_commands.index_command,
    index_commands.remove_command,
    index_commands.optimize_command,
    index_commands.ledger_command,
    index_commands.check_command,
    search_commands.search_command,
    search_commands.links_command,
    search_commands.cached_command,
    search_commands.evaluate_command,
    export_commands.export_group,
):
    commands.add_command(_command)


# serve ---------------------------------------------------------------------------------


@commands.command("serve")
@click.option("--host", metavar="H", help="Address to listen on (default 127.0.0.1: this machine only).")
@click.option("--port", type=int, metavar="P", help="Port to listen on (default 8080; 0: any free one).")
@click.option("--unsafe-no-auth", is_flag=True, help="Let other machines in, although there is no password.")
@with_settings
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
    if not (unsafe_no_auth or settings.server.password or _is_loopback(settings.server.host)):
        found = f"{settings.server.host} lets other machines in, and there is no password"
        allowed = (
            "a password (findingaid password), 127.0.0.1, ::1, localhost, or the option --unsafe-no-auth"
        )
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


@commands.command("password")
@click.option("--stdin", is_flag=True, help="Read the password from standard input, not from the terminal.")
@click.option("--remove", is_flag=True, help="Take the password away.")
@with_settings
def password_command(settings: Settings, stdin: bool, remove: bool) -> int:
    """Set the password that readers need, in the settings file; only its hash is kept. A running server must be started
    again.

    \b
    findingaid password
    """
    from werkzeug.security import generate_password_hash

    from webui.settings_file import save_password

    if remove:
        save_password(settings.path, "")
        click.echo("no password is needed any more", err=True)
        return DONE
    typed = (
        sys.stdin.readline().rstrip("\n")
        if stdin
        else click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    )
    if len(typed) < 8:
        raise CommandError("a password has at least 8 characters; nothing was changed")
    save_password(settings.path, generate_password_hash(typed, method="scrypt"))
    click.echo(f"the password is set in {clean(settings.path)}", err=True)
    return DONE


# settings, demo ------------------------------------------------------------------------


@commands.command("settings")
@click.option("--template", is_flag=True, help="Print a settings file with every default, to start from.")
@json_option
@with_settings
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
        print_json(
            [
                {
                    "key": info.key,
                    "value": settings.shown(info.key),
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
        value = as_toml(settings.shown(info.key)) + (f" {info.unit}" if info.unit else "")
        click.echo(f"{info.key} = {clean(value)}  ({settings.origin(info.key)})")
    file = settings.path if settings.has_file else "none"
    click.echo(f"settings file: {clean(file)}", err=True)
    for folder in settings.index_paths:
        click.echo(f"index in use: {clean(folder)}", err=True)
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
@with_settings
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
    with progress_display() as show:
        statistics = build_index(
            archives,
            settings.index_path,
            options=IndexOptions(workers=1, ranking=ranking_of(settings)),
            progress=show,
        )
    click.echo(f"index: {clean(settings.index_path)}, {many(statistics.documents, 'page')}", err=True)
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
