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
import gc
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
from archiver.errors import ExitCode, exit_code_of
from command_line import (
    DONE,
    CommandError,
    clean,
    complain,
    json_option,
    many,
    print_json,
    progress_display,
    with_settings,
)
from webui.index_access import index_options_from
from webui.setting_infos import SettingsError, as_toml, describe_settings, settings_template
from webui.settings import Settings, load_settings

_log = logging.getLogger("findingaid")
_OBJECTS_BETWEEN_LOOKS = 50_000  # for garbage in cycles, of which we make little; 700 by default

# Entry points --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave the process with its exit code; any expected error is one line on stderr."""
    # modules are no garbage: looking for it again and again while they are imported took a tenth of a search's time
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = commands.main(arguments, prog_name="findingaid", standalone_mode=False)
        code = result if isinstance(result, int) else ExitCode.DONE
        sys.stdout.flush()
    except BaseException as error:
        with contextlib.suppress(OSError):  # stderr may lie on the full disk, too
            _tell(error)
        code = _exit_code(error)
        _drop_output()
    sys.exit(code)


def __getattr__(name: str) -> Any:
    if name == "application":  # built when a WSGI server asks for it, from settings file and environment
        from webui import create_app

        globals()[name] = create_app(load_settings())
        return globals()[name]
    raise AttributeError(f"module 'app' has no attribute {name!r}")


def _tell(error: BaseException) -> None:
    """Tell the user about the error that ended a command, in one line; nothing for an end in order."""
    if isinstance(error, (SystemExit, BrokenPipeError)):  # the reader of our output has seen enough
        return
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        complain("interrupted")
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
    elif isinstance(error, click.ClickException):
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "findingaid"
        complain(f"{error.format_message()} (see: {where} --help)")
    else:
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("the command ended with", exc_info=error)
        if exit_code_of(error) is None:
            kind = type(error).__name__
            complain(f"unexpected {kind}: {error} (archive.debug_flag = true shows where)")
        elif isinstance(error, OSError) and error.filename and error.strerror:
            complain(f"{os.fsdecode(error.filename)}: {error.strerror}")
        else:
            complain(str(error))


def _exit_code(error: BaseException) -> int:
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else ExitCode.FAILED
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return ExitCode.INTERRUPTED
    code = exit_code_of(error)
    return ExitCode.FAILED if code is None else code


def _drop_output() -> None:
    """Let go of what could not be written to stdout: Python would try again at its end, and change the exit code."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    from indexer import build_index
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
            options=index_options_from(settings, workers=1),
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
