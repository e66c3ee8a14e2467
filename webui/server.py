"""Runs the application under waitress; used by `findingaid serve` and `findingaid demo`."""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from archiver.errors import FindingAidError
from archiver.memory import give_memory_back, tune_memory
from webui.errors import PortTakenError, WebError
from webui.index_access import IndexAccess
from webui.processes import (
    PAGES_FOR_TWO,
    ConnectionCounts,
    how_many,
    run_in_processes,
    threads_of_each,
)

if TYPE_CHECKING:
    from flask import Flask

    from webui.settings import Settings

log = logging.getLogger(__name__)

_GIVE_BACK_EVERY_S = 3.0
_LONGEST_REHEARSAL_S = 10.0
# How long to go on with frequent words, for all processes and in each of them, and with how many at most.
_REHEARSAL_S, _OWN_REHEARSAL_S, _FREQUENT_WORDS = 3.0, 0.5, 160
_MANY_PAGES = 2_000  # of fewer ones there is nothing to work out that takes long
_HELD_BY_NO_PAGE = "zqxjkvwzqxjkv"
_COLLECT_EVERY = 10_000  # objects; a page makes some thousand, nearly all of which go by themselves


def run_server(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; `ready` is called with the address once connections are accepted.

    Raises PortTakenError when another program listens there, WebError when the
    address cannot be listened on.
    """
    share_memory_between_threads()
    host, port = settings.server.host, settings.server.port
    listener = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = settings.server.base_url or f"http://{shown}:{listener.getsockname()[1]}/"
    processes = how_many(settings.server.processes, lambda: IndexAccess(settings).pages())
    try:
        if processes == 1:
            app = _application(settings, 1)
            _rehearse(app, _REHEARSAL_S)
            keep_what_is_there()
            _serve(app, listener, settings.server.threads, ready and (lambda: ready(address)))
            return
        with metrics_of_all():
            app = _application(settings, processes)
            _rehearse(app, _REHEARSAL_S)
            _index_of(app).rest()
            keep_what_is_there()  # it is shared as long as nobody writes to it
            listener.setblocking(False)
            threads = threads_of_each(settings.server.threads, processes)
            counts = ConnectionCounts(processes)

            def begun() -> None:
                counts.wait_for_all(_LONGEST_REHEARSAL_S)
                _index_of(app).reopen()  # this process answers nobody: a file that is replaced shall go
                if ready is not None:
                    ready(address)

            run_in_processes(
                processes, lambda place: _serve(app, listener, threads, shares=(counts, place)), begun
            )
    finally:
        listener.close()


def _application(settings: Settings, processes: int) -> Flask:
    from webui import create_app

    app = create_app(settings, processes=processes)
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)  # once for all processes, and not while the first readers wait
    return app


def _rehearse(app: Flask, most_s: float, *, words_at_once: int = 1) -> None:
    """Make a page of results and one that found nothing: else the first readers wait half a second for what they need.

    What is imported, worked out of the index and read of languages then is there for all others. The words of a large
    index are put in order for other spellings when these are first asked for: of a million pages that takes seconds.
    Then for most_s seconds go on with the words that most pages hold, of which nearly all queries have one: the first
    264 others take a fifth less. A process that was split from another one finds each page of memory that it writes to
    copied at the first time, some 150 for each of its first pages: it asks for several words at once, no page that is
    kept.
    """
    access = _index_of(app)
    pages = access.rehearse()
    if not 0 < pages <= PAGES_FOR_TWO:
        return
    words: list[str] = []
    if pages >= _MANY_PAGES:
        with access.lease() as index:
            words = index.frequent_words(_FREQUENT_WORDS)
    together = [" ".join(words[at : at + words_at_once]) for at in range(0, len(words), words_at_once)]
    until = time.monotonic() + most_s
    for number, query in enumerate(("a", _HELD_BY_NO_PAGE, *together)):
        if number >= 2 and time.monotonic() > until:
            break
        with app.test_request_context("/search", query_string={"q": query}):
            try:
                app.view_functions["search.search"]()
            except FindingAidError as error:
                log.info("%s: cannot be searched yet: %s", query, error)  # readers are told what to do


def _index_of(app: Flask) -> IndexAccess:
    """Return the index that an application searches."""
    access: IndexAccess = app.extensions["findingaid"].index_access
    return access


def _serve(
    app: Flask,
    listener: socket.socket,
    threads: int,
    ready: Callable[[], None] | None = None,
    shares: tuple[ConnectionCounts, int] | None = None,
) -> None:
    from webui.connections import make_server

    asked = threading.Event()
    threading.Thread(target=_give_memory_back, args=(asked,), name="memory", daemon=True).start()

    def noted(environ: Any, start_response: Any) -> Any:
        asked.set()
        return app(environ, start_response)

    server = make_server(noted, listener, threads)
    if shares is not None:
        _rehearse(app, _OWN_REHEARSAL_S, words_at_once=2)
        server.shares_with_others(*shares)
    if ready is not None:
        ready()
    try:
        server.run()
    finally:
        server.close()


@contextlib.contextmanager
def metrics_of_all() -> Iterator[None]:
    """Have the processes split from this one count together; call it before anything imports prometheus_client."""
    with tempfile.TemporaryDirectory(prefix="findingaid-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def keep_what_is_there() -> None:
    """Take modules, templates and the application out of what Python looks through for garbage.

    With its own settings Python spent a twentieth of a page of results on looking through them again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY)


def share_memory_between_threads() -> None:
    """Let all threads of this process use the same pool of memory; call it before they start.

    glibc gives each thread a pool of its own and returns little of it: after 4,000
    cached pages with 8 clients the server held 237 MB, with two pools 143 MB, at the
    same speed; after 280 searches of a million pages 222 MB with two, 197 MB with one.
    """
    # what a large page took goes back to the system once it is shown
    tune_memory(arenas=1, mmap_threshold=4 << 20, trim_threshold=4 << 20)


def _give_memory_back(asked: threading.Event) -> None:
    """Give back what large lists of a search took, some seconds after pages were asked for; runs without end."""
    while True:
        asked.wait()
        time.sleep(_GIVE_BACK_EVERY_S)
        asked.clear()
        give_memory_back()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the address; raises PortTakenError or WebError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(host, port) from error
        raise WebError(f"{host}:{port}: cannot listen there: {error.strerror or error}") from error
    return listener
