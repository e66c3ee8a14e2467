"""What a browser test is given: a running site, and a server that must hear nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from webui.settings import Settings


@dataclass
class Canary:
    """A server beside the site; what it hears got out."""

    address: str = ""
    heard: list[str] = field(default_factory=list)
    body: bytes = b"canary"
    content_type: str = "text/html"


@dataclass
class Site:
    """A running site."""

    address: str
    settings: Settings
