"""Values behind a field -> filters: hosts, dates, statuses, types, languages; used by the parser in query.py."""

from __future__ import annotations

from datetime import datetime, timedelta

from archiver.notices import Notice
from indexer.search.nodes import (
    FIRST_MOMENT,
    LAST_MOMENT,
    Appeared,
    Captured,
    Filter,
    Language,
    LiveAt,
    Site,
    Status,
    Type,
    Vanished,
)
from indexer.text.languages import STEMMERS

_CODES = {name: code for code, name in STEMMERS.items() if code}
_FILE_ENDINGS = frozenset(
    "asp aspx bmp c cfg cgi class conf cpp css csv doc docx dll exe gif gz h htm html ico ini jar java jpeg jpg"
    " js json jsp log md mp3 mp4 pdf php pl png ppt ps py rb rtf sh shtml svg tar tex tgz txt warc wav xhtml xls"
    " xml zip".split()
)


class NoValue(ValueError):
    """What stands behind a field is none of its values; the text says what it takes."""


def filter_of(name: str, text: str) -> Filter:
    """Return the filter that a field with this value means. Raises NoValue."""
    if name == "site":
        return Site(host_of(text))
    if name == "type":
        return Type(_type(text))
    if name == "lang":
        return Language(_language(text))
    if name == "status":
        return Status(_status(text))
    if name in ("appeared", "vanished", "from"):
        first, last = _range(text, name)
        if name == "from":
            return Captured(first, last)
        return Appeared(first, last) if name == "appeared" else Vanished(first, last)
    first, last = _period(text, name)
    if name == "at":
        return LiveAt(last)
    if name == "to":
        return Captured(last=last)
    if name == "before":
        return Captured(last=_shifted(first, -1))
    return Captured(first=_shifted(last, 1))


def host_of(text: str) -> str:
    """Return the host that a text names, also within an address, without dots or stars around it. Raises NoValue."""
    host = text.strip().lower()
    host = host.partition("://")[2] or host
    for end in "/:?#":
        host = host.partition(end)[0]
    host = host.strip("*.")
    if not host or host[0] == "-" or not all(c.isalnum() or c in "-._" for c in host):
        raise NoValue(Notice("site: takes the name of a host, such as site:example.org or site:uk"))
    return host


def _type(text: str) -> str:
    name = text.strip().lower()
    if name.endswith("/"):
        name += "*"
    main, slash, sub = name.partition("/")
    if not main[:1].isalnum() or not all(
        c.isascii() and (c.isalnum() or c in "-+._") for c in main + sub.replace("*", "")
    ):
        raise NoValue(Notice("type: takes html, text, pdf, image and the like, or a media type"))
    return name if slash else main


def _language(text: str) -> str:
    name = text.strip().lower().replace("_", "-").partition("-")[0]
    code = _CODES.get(name, name)
    if code in ("unknown", "none"):
        return ""
    if not (2 <= len(code) <= 3 and code.isascii() and code.isalpha()):
        raise NoValue(Notice("lang: takes the code of a language, such as lang:en"))
    return code


def _status(text: str) -> str:
    digits = "".join("x" if character in "xX*?" else character for character in text.strip())
    if 1 <= len(digits) < 3 and digits.endswith("x"):
        digits = digits.ljust(3, "x")
    if len(digits) != 3 or not all(character in "0123456789x" for character in digits):
        raise NoValue(Notice("status: takes three digits, such as status:200 or status:4xx"))
    return digits


def _range(text: str, name: str) -> tuple[int, int]:
    """Return the first and last moment of "2009", "2009..2010", and for one end left open "2009.." or "..2010"."""
    begin, dots, end = text.partition("..")
    if dots and (begin or end):
        first = _period(begin, name)[0] if begin else FIRST_MOMENT
        return first, _period(end, name)[1] if end else LAST_MOMENT
    first, last = _period(text, name)
    return first, LAST_MOMENT if name == "from" else last


def _period(text: str, name: str) -> tuple[int, int]:
    """Return the first and last moment of a date, as numbers of 14 digits."""
    try:
        return period_of(text)
    except ValueError:
        raise NoValue(
            Notice(
                "%(field)s: takes a date, such as %(field)s:2009, %(field)s:2009-05 or %(field)s:20090517",
                field=name,
            )
        ) from None


def period_of(text: str) -> tuple[int, int]:
    """Return the first and last moment of a date: a year, month, day, hour, minute or second. Raises ValueError.

    Read are 4 to 14 digits (2009, 200905, ... 20090517123000), and dates with - or / and, behind a T, a time.
    """
    day, _, clock = text.strip().upper().removesuffix("Z").partition("T")
    if "-" in day or "/" in day:
        year, *rest = day.replace("/", "-").split("-")
        if len(year) != 4 or len(rest) > 2 or not all(1 <= len(part) <= 2 for part in rest):
            raise ValueError(text)
        day = year + "".join(part.zfill(2) for part in rest)
    digits = day + clock.replace(":", "")
    if not (digits.isascii() and digits.isdecimal() and len(digits) in (4, 6, 8, 10, 12, 14)):
        raise ValueError(text)
    if not 1900 <= int(digits[:4]) <= 9998:
        raise ValueError(text)
    first = (digits + "00000101000000"[len(digits) :]).ljust(14, "0")
    datetime.strptime(first, "%Y%m%d%H%M%S")
    last = digits
    if len(last) == 4:
        last += "12"
    if len(last) == 6:
        import calendar  # most queries name no month, and it looks up names in the locale

        last += str(calendar.monthrange(int(last[:4]), int(last[4:]))[1])
    last += "235959"[len(last) - 8 :]
    return int(first), int(last)


def _shifted(moment: int, seconds: int) -> int:
    shifted = datetime.strptime(str(moment), "%Y%m%d%H%M%S") + timedelta(seconds=seconds)
    return int(shifted.strftime("%Y%m%d%H%M%S"))


def as_address(text: str) -> str | None:
    """Return the web address that a text typed into the search box seems to be, None for other texts.

    "example.org/a" gives "http://example.org/a"; a name of a file ("index.html") or of a person at a host is none.
    """
    text = text.strip()
    if not text or any(character.isspace() or character in '"<>()@' for character in text):
        return None
    scheme, colon, rest = text.partition("://")
    if colon:
        return text if scheme.lower() in ("http", "https", "ftp") and rest else None
    authority = text.partition("/")[0].partition("?")[0].partition("#")[0]
    host, _, port = authority.partition(":")
    labels = host.lower().removesuffix(".").split(".")
    if port and not (port.isascii() and port.isdecimal()):
        return None
    if not all(label and all(c.isalnum() or c in "-_" for c in label) for label in labels):
        return None
    if labels == ["localhost"] and (port or "/" in text):
        return "http://" + text
    if len(labels) == 4 and all(label.isdecimal() and len(label) < 4 for label in labels):
        return "http://" + text
    top = labels[-1]
    is_host = len(labels) > 1 and len(top) > 1 and (top.isalpha() or top.startswith("xn--"))
    is_file = top in _FILE_ENDINGS and len(labels) == 2 and authority == text and not port
    return "http://" + text if is_host and not is_file else None
