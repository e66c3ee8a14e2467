"""Serving the web front end with waitress: the socket, who may reach it, and how it ends."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
from collections.abc import Callable

from .settings import Settings, SettingsError


class PortError(Exception):
    """The address cannot be listened on; the message says which, why and what to try."""


class _StopServing(BaseException):
    """SIGTERM came."""


def serve(
    settings: Settings,
    announce: Callable[[str], None],
    *,
    unsafe_no_auth: bool = False,
    any_port_if_taken: bool = False,
) -> None:
    """Serve until SIGTERM (returns) or SIGINT (raises KeyboardInterrupt).

    announce: called with the address once it can be reached.
    any_port_if_taken: take a free port when the one of the settings is taken.

    Raises SettingsError for an address that lets other machines in, unless
    `unsafe_no_auth`, and PortError when it cannot be listened on.
    """
    host = settings.server.host
    if not (unsafe_no_auth or is_loopback(host)):
        raise SettingsError(
            "settings",
            "server.host",
            f"{host} lets other machines in, and there is no password",
            "127.0.0.1, ::1, localhost, or the option --unsafe-no-auth",
        )
    listener = _listen(host, settings.server.port, any_port_if_taken)
    port = listener.getsockname()[1]

    import waitress

    from . import create_app

    # The pages check the Host header, so they need to know the port that was really taken.
    application = create_app(settings.reloaded({"server.port": port}))
    server = waitress.create_server(
        application,
        sockets=[listener],
        threads=settings.server.threads,
        ident="",
        clear_untrusted_proxy_headers=True,
    )

    def stop(number: int, frame: object) -> None:
        raise _StopServing

    before = signal.signal(signal.SIGTERM, stop)
    try:
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
        server.run()
    except _StopServing:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        server.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host in ("localhost", "::1") or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


def _listen(host: str, port: int, any_port_if_taken: bool) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or not any_port_if_taken:
                raise
            listener.bind((host, 0))
        listener.listen(128)
        return listener
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = "it is taken (another one: --port N; any free one: --port 0)" if taken else _reason(error)
        raise PortError(f"cannot listen on {host} port {port}: {reason}") from error


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "there is no such address"
    return os.strerror(error.errno) if error.errno else str(error)
