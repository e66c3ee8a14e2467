"""How dates, numbers, addresses and archived text are written on our pages; the templates' filters.

Dates and numbers follow the reader's language (English where there is no reader), with Western digits in all of them:
they stand beside timestamps and addresses that have no others.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from babel import Locale
from babel.dates import format_skeleton, get_date_format
from babel.numbers import format_decimal
from flask_babel import gettext as _
from flask_babel import ngettext

from webui.preferences import reader

# C0, C1, and the marks that turn the direction of text around: a title must not rearrange our page.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)


def clean(text: str) -> str:
    """Return archived text without control characters and direction marks."""
    return text if text.isprintable() else _CONTROLS.sub("", text)


def locale() -> Locale:
    """Return the locale of the reader; that of English as written in Britain where there is none: 3 May 2015."""
    return reader().locale


def locale_name() -> str:
    """Return the name of the locale of the reader."""
    return reader().locale_name


# no other number of a date is one of these, or holds it
_SOME_YEAR, _DAYS_OF_ALL = 2004, 28
_YEAR_OR_DAY = re.compile(f"({_SOME_YEAR}|{_DAYS_OF_ALL})")
_BRITISH_NAME = "en_GB"


def date_in_words(timestamp: str) -> str:
    """Return "3 May 2015" for 20150503140211; less for a shorter timestamp, "date unknown" for none."""
    return _date(timestamp[:8], locale_name()) or str(_("date unknown"))


def dates_in(name: str) -> Callable[[str], str]:
    """Return `date_in_words` for the readers whose locale has a name; of no date at all it says "date unknown"."""
    return lambda timestamp: _date(timestamp[:8], name) or str(_("date unknown"))


def english_date(timestamp: str) -> str:
    """Return the date in English, whoever reads it: for what is kept or copied."""
    return _date(timestamp[:8], _BRITISH_NAME) or "date unknown"


@lru_cache(maxsize=4096)
def _date(day: str, name: str) -> str:
    if len(day) < 4 or not (day.isascii() and day.isdigit()):
        return ""
    year, month, number = int(day[:4]), int(day[4:6] or 0), int(day[6:8] or 0)
    if year < 1:
        return str(year)
    if not 1 <= month <= 12:
        return str(format_skeleton("y", date(year, 1, 1), locale=name))
    # a month, or a day that the month does not have: all of them have the first ones
    if number < 1 or (number > _DAYS_OF_ALL and number > monthrange(year, month)[1]):
        return str(format_skeleton("yMMMM", date(year, month, 1), locale=name))
    before, between, behind, year_first, day_form = _around_year_and_day(month, name)
    day_written = day_form(number)
    if year_first:
        return f"{before}{year}{between}{day_written}{behind}"
    return f"{before}{day_written}{between}{year}{behind}"


@lru_cache(maxsize=256)
def _around_year_and_day(month: int, name: str) -> tuple[str, str, str, bool, Callable[[int], str]]:
    """Return what stands before, between and behind year and day in the dates of a month.

    Also whether the year is first, and what writes the day. Babel takes as long for one date as for all of a hit.
    """
    locale = Locale.parse(name)
    form = get_date_format("long", locale)
    written = str(form.apply(date(_SOME_YEAR, month, _DAYS_OF_ALL), locale))
    before, first, between, _second, behind = _YEAR_OR_DAY.split(written)
    return before, between, behind, first == str(_SOME_YEAR), "{:02}".format if "dd" in form.pattern else str


def month_name(number: int) -> str:
    """Return "January" for 1, as it stands alone in a list."""
    return str(locale().months["stand-alone"]["wide"][number])


def time_utc(timestamp: str) -> str:
    """Return "14:02:11 UTC", or "" when the timestamp does not reach that far."""
    if len(timestamp) < 14 or not timestamp.isdigit():
        return ""
    time = f"{timestamp[8:10]}:{timestamp[10:12]}:{timestamp[12:14]} UTC"
    # kept together, and in this order, in text that runs from right to left
    return f"\u2066{time}\u2069" if locale().text_direction == "rtl" else time


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
    path = path_parts(parts.path)
    if parts.query:
        path.append(shorten(clean("?" + readable(parts.query)), 40))
    return [clean(host) or shorten(clean(url), 120), *path]


def path_parts(path: str) -> list[str]:
    """Return the parts of the path of an address, for `breadcrumb`."""
    parts = list(filter(None, path.split("/")))
    if len(parts) > 4:
        parts[2:-1] = ["…"]
    if path.isprintable() and "%" not in path and len(max(parts, key=len, default="")) <= 40:
        return parts
    return [
        shorten(clean(readable(part)), 40) if len(part) > 40 or "%" in part else clean(part) for part in parts
    ]


def readable(text: str) -> str:
    """Return percent-encoded text as letters, if it is UTF-8; else as it stands."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters, with "…" where some were left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def number(value: float) -> str:
    """Return 12,431 for 12431."""
    return _grouped(value, locale_name())


def number_in(locale_name: str) -> Callable[[int], str]:
    """Return `number` for readers with the locale of a name."""
    return (
        "{:,}".format if locale_name == _BRITISH_NAME else lambda value: _grouped_by_babel(value, locale_name)
    )


def _grouped(value: float, name: str) -> str:
    if type(value) is int and name == _BRITISH_NAME:
        return f"{value:,}"
    return _grouped_by_babel(value, name)


@lru_cache(maxsize=4096)
def _grouped_by_babel(value: float, name: str) -> str:
    return str(format_decimal(value, locale=name))


def commas(texts: Iterable[str]) -> str:
    """Return texts as one list: "3 captures, 2 versions"."""
    return str(_(", ")).join(texts)


def decimal(value: float, places: int) -> str:
    """Return 0.500 for 0.5 and three places."""
    return str(format_decimal(value, f"#,##0.{'0' * places}", locale=locale_name()))


def size_in_words(size_bytes: int) -> str:
    """Return "14 kB", "3.2 MB", "2.4 GB"."""
    if size_bytes < 1000:
        return str(ngettext("%(count)s byte", "%(count)s bytes", size_bytes, count=number(size_bytes)))
    if size_bytes < 1_000_000:
        return str(_("%(size)s kB", size=number(round(size_bytes / 1000))))
    if size_bytes < 1_000_000_000:
        return str(_("%(size)s MB", size=decimal(size_bytes / 1_000_000, 1)))
    return str(_("%(size)s GB", size=decimal(size_bytes / 1_000_000_000, 1)))


_TYPE_NAMES = {
    "text/html": "HTML",
    "application/xhtml+xml": "XHTML",
    "application/pdf": "PDF",
    "application/xml": "XML",
    "text/xml": "XML",
    "application/json": "JSON",
}


def type_name(mime: str) -> str:
    """Return "HTML" for text/html; the media type itself where it has no such name."""
    return str(_("plain text")) if mime == "text/plain" else _TYPE_NAMES.get(mime, mime)


def live_address(url: str) -> str:
    """Return an address that a link to the live web may have: http and https only, else ""."""
    return url if url.lower().startswith(("http://", "https://")) else ""


def host_of(url: str) -> str:
    """Return the host of an address as `site:` takes it, "" when there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
