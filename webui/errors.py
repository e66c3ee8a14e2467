"""Errors of the web front end.

WebError
├── PortTakenError       another program listens where we are to listen
├── BusyError            too much of one kind is asked for at once; a little later it goes
└── BadAddressError      the path of a request names no web address
"""

from __future__ import annotations

from archiver.errors import FindingAidError
from archiver.notices import Notice


class WebError(FindingAidError):
    """Something that the web front end cannot do; the message is one line for the user."""


class PortTakenError(WebError):
    """The address is in use."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"{host}:{port}: another program already listens there; "
            f"stop it, or choose another with --port {port + 1 if port < 65535 else 8000}"
        )
        self.host = host
        self.port = port


class BusyError(WebError):
    """Too much of one kind is asked for at once."""

    def __init__(self, what: str) -> None:
        super().__init__(Notice("too many %(what)s at once; come again in a few seconds", what=what))


class BadAddressError(WebError):
    """What stands where a web address should stand is none."""
