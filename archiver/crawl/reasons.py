"""What a crawl says of an address or of itself in one word: why it was left out, why nothing came, why it ended.

The word stands in the state file, the log and JSON; its text is for readers: the command line prints it in English,
pages in the reader's language. Who gives a reason gives a member of this list, so that none is without a text.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from archiver.notices import N_


class Reason(StrEnum):
    """A word, and its text for readers, an id of the catalogues."""

    text: str

    def __new__(cls, word: str, text: str) -> Reason:
        member = str.__new__(cls, word)
        member._value_, member.text = word, text
        return member

    # why an address was left out
    TRAP = "trap", N_("trap")
    ROBOTS = "robots", N_("robots")
    BLOCKED_ADDRESS = "blocked-address", N_("blocked-address")
    DEPTH = "depth", N_("depth")
    SCOPE = "scope", N_("scope")
    EXCLUDED = "excluded", N_("excluded")
    REQUISITE = "requisite", N_("requisite")
    NOFOLLOW = "nofollow", N_("links that are not to be followed (nofollow)")
    REDIRECTS = "redirects", N_("too many redirects")
    # why nothing is kept of an answer
    OFF_TOPIC = "off-topic", N_("off-topic")
    NOINDEX = "noindex", N_("asks not to be indexed (noindex)")
    NOARCHIVE = "noarchive", N_("asks not to be archived (noarchive)")
    # why nothing came
    TIMEOUT = "timeout", N_("timeout")
    REFUSED = "refused", N_("refused")
    DNS = "dns", N_("dns")
    DISCONNECT = "disconnect", N_("disconnect")
    RESET = "reset", N_("reset")
    ADDRESS = "address", N_("address")
    TLS = "tls", N_("tls")
    HTTP = "http", N_("http")
    NOT_HTTP = "not-http", N_("not http")
    HEADER = "header", N_("header")
    CONNECT = "connect", N_("connect")
    ROBOTS_UNREACHABLE = "robots-unreachable", N_("robots.txt cannot be had")
    INTERNAL = "internal", N_("internal")
    # why it was not had whole
    LENGTH = "length", N_("length")
    TIME = "time", N_("time")
    UNSPECIFIED = "unspecified", N_("unspecified")
    LINKS = "links", N_("links")
    SITEMAP = "sitemap", N_("sitemap")
    REDIRECT_LOOP = "redirect-loop", N_("redirect loop")
    # what the log says of an answer
    REVISIT = "revisit", N_("revisit")
    NONE = "none", N_("none")
    # why a crawl ended or waits
    DONE = "done", N_("done")
    PAGE_LIMIT = "page_limit", N_("page_limit")
    BYTE_LIMIT = "byte_limit", N_("byte_limit")
    TIME_LIMIT = "time_limit", N_("time_limit")
    DISK_FULL = "disk_full", N_("disk_full")
    BLOCKED = "blocked", N_("pages of hosts that it may not reach are left")
    USER = "user", N_("user")
    ERROR = "error", N_("error")
    ASKED_TO = "asked to", N_("asked to")


MaybeReason = Reason | Literal[""]
"""A reason, or "" for none."""

FINISH_REASONS = (
    Reason.DONE,
    Reason.PAGE_LIMIT,
    Reason.BYTE_LIMIT,
    Reason.TIME_LIMIT,
    Reason.DISK_FULL,
    Reason.BLOCKED,
    Reason.USER,
    Reason.ERROR,
)


def reason_text(word: str) -> str:
    """Return the text of a reason, in English; a word that is none comes back as it is."""
    return _TEXTS.get(word, word)


_TEXTS = {str(reason): reason.text for reason in Reason}
