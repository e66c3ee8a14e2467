"""Runs the application under waitress; used by `findingaid serve` and `findingaid demo`."""

from __future__ import annotations

import errno
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
