"""How dates, addresses and archived text are written on our pages; the templates' filters."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
# C0, C1, and the marks that turn the direction of text around: a title must not rearrange our page.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)


def clean(text: str) -> str:
    """Return archived text without control characters and direction marks."""
    return _CONTROLS.sub("", text)


def date_in_words(timestamp: str) -> str:
    """Return "3 May 2015" for 20150503140211; less for a shorter timestamp, "date unknown" for none."""
    year, month, day = timestamp[:4], timestamp[4:6], timestamp[6:8]
    if len(year) < 4 or not timestamp.isdigit():
        return "date unknown"
    if not month or not 1 <= int(month) <= 12:
        return str(int(year))
    name = f"{_MONTHS[int(month) - 1]} {int(year)}"
    return f"{int(day)} {name}" if day and 1 <= int(day) <= 31 else name


def time_utc(timestamp: str) -> str:
    """Return "14:02:11 UTC", or "" when the timestamp does not reach that far."""
    if len(timestamp) < 14 or not timestamp.isdigit():
        return ""
    return f"{timestamp[8:10]}:{timestamp[10:12]}:{timestamp[12:14]} UTC"


def iso_time(timestamp: str) -> str:
    """Return the timestamp for the `datetime` attribute of a time element, "" when it would be invalid."""
    if len(timestamp) < 14 or not timestamp.isdigit():
        return ""
    t = timestamp
    return f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:14]}Z"


def breadcrumb(url: str) -> list[str]:
    """Return host and path parts for "example.org › docs › page"; long ones are shortened in the middle.

    The host is shown in its ASCII form: letters of another script that look like
    Latin ones must not pass for them.
    """
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return [shorten(clean(url), 120)]
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            host = host.encode("ascii", "xmlcharrefreplace").decode("ascii")
    path = [shorten(clean(readable(part)), 40) for part in parts.path.split("/") if part]
    if len(path) > 4:
        path = [*path[:2], "…", path[-1]]
    if parts.query:
        path.append(shorten(clean("?" + readable(parts.query)), 40))
    return [clean(host) or shorten(clean(url), 120), *path]


def readable(text: str) -> str:
    """Return percent-encoded text as letters, if it is UTF-8; else as it stands."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters, with "…" where some were left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def number(value: int) -> str:
    """Return 12,431 for 12431."""
    return f"{value:,}"


def plural(count: int, word: str, many: str = "") -> str:
    """Return "1 capture" or "12,431 captures"."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def size_in_words(size_bytes: int) -> str:
    """Return "14 kB", "3.2 MB"."""
    if size_bytes < 1000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.0f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"


_TYPE_NAMES = {
    "text/html": "HTML",
    "application/xhtml+xml": "XHTML",
    "text/plain": "plain text",
    "application/pdf": "PDF",
    "application/xml": "XML",
    "text/xml": "XML",
    "application/json": "JSON",
}


def type_name(mime: str) -> str:
    """Return "HTML" for text/html; the media type itself where it has no such name."""
    return _TYPE_NAMES.get(mime, mime)


def live_address(url: str) -> str:
    """Return an address that a link to the live web may have: http and https only, else ""."""
    return url if url.lower().startswith(("http://", "https://")) else ""


def host_of(url: str) -> str:
    """Return the host of an address as `site:` takes it, "" when there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
