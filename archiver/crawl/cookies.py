"""Cookies that redirects set, for pages that cannot be had without; used by the visitor.

A cookie wall sends everybody who comes without a cookie round in a circle. Such
an address is asked for once more with the cookies that its own host set on the
way. No other request carries any, and no host sees those of another, nor the
same host on another port.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from archiver.warc.record import Headers

MOST_HOSTS = 1_000  # those that set a cookie last
MOST_COOKIES = 50  # of a host
LONGEST_COOKIE = 4_096


class Cookies:
    """Remembers the cookies of each host; safe from many threads."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, dict[str, tuple[str, bool]]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, url: str, headers: Headers) -> None:
        """Note what an answer from this address sets, or takes back."""
        fields = headers.get_all("Set-Cookie")
        if not fields:
            return
        with self._lock:
            known = self._hosts.setdefault(_host(url), {})
            self._hosts.move_to_end(_host(url))
            for field in fields:
                pair, *attributes = (part.strip(" \t") for part in field.split(";"))
                name, equals, value = pair.partition("=")
                if not (
                    name and equals and pair.isascii() and pair.isprintable() and len(pair) <= LONGEST_COOKIE
                ):
                    continue
                if _is_over(attributes):
                    known.pop(name, None)
                elif name in known or len(known) < MOST_COOKIES:
                    known[name] = (value, any(attribute.lower() == "secure" for attribute in attributes))
            if len(self._hosts) > MOST_HOSTS:
                self._hosts.popitem(last=False)

    def field_for(self, url: str) -> str:
        """Return the value of the Cookie field for an address, "" when its host set none."""
        is_secure = url.startswith("https:")
        with self._lock:
            known = self._hosts.get(_host(url), {})
            return "; ".join(
                f"{n}={value}" for n, (value, secure) in known.items() if is_secure or not secure
            )


def _host(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or parts.scheme}"


def _is_over(attributes: list[str]) -> bool:
    """Does the cookie end with these attributes? Max-Age goes before Expires."""
    values = {
        name.strip().lower(): value.strip() for name, _, value in (a.partition("=") for a in attributes)
    }
    age = values.get("max-age", "")
    if age.lstrip("-").isdecimal():
        return age.startswith("-") or not age.strip("0")
    try:
        end = parsedate_to_datetime(values.get("expires", ""))
    except (ValueError, TypeError):
        return False
    return end.replace(tzinfo=end.tzinfo or UTC) <= datetime.now(UTC)
