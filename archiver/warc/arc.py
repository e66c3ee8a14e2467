"""ARC header lines. ARC is read as a dialect of WARC: the same `Record` comes out.

Version 1 has five fields on one line, version 2 has ten:
    http://a.example/ 192.0.2.7 20040925001013 text/html 202
    http://a.example/ 192.0.2.7 20040925001013 text/html 200 9f8a1c - 209 a.arc 202
Fields are parted by single blanks, yet real files have blanks in the URL and in
the media type, several blanks or a tab in the place of one, control and non-ASCII
bytes in the URL, and dates of all lengths.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_LINE = 8 * 1024

ARC_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]{1,30}:[^\n]{0,%d}[ \t]-?\d{1,300}[ \t]*\r?\n" % LONGEST_LINE)
"""A header line where one is expected: scheme, anything, a number at the end."""

ARC_LINE_WITHOUT_LENGTH = re.compile(
    rb"[A-Za-z][A-Za-z0-9+.\-]{1,30}:[^\n]{0,%d}[ \t]"
    rb"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{2,40}|-)[ \t]{1,4}\d{14}[ \t]"
    rb"[^\n]{0,400}[ \t](?:[+\-]?[\d.,eE]{1,300}|-|0[xX][0-9A-Fa-f]{1,16}|[^\x00-\x7f]{1,16})[ \t]*\r?\n"
    % LONGEST_LINE
)
"""The same with an address and a date, and a number that is none: +5, 1e3, -. CDX lines end in a digest."""

_CERTAIN = (
    rb"[A-Za-z][A-Za-z0-9+.\-]{1,30}:[^\n]{0,%d}?[ \t]"
    rb"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{2,40}|-)[ \t]{1,4}\d{8,18}[ \t]"
    rb"(?:[^\n]{0,400}[ \t])?\d{1,300}\r?\n" % LONGEST_LINE
)
ARC_SCAN = re.compile(rb"\n(" + _CERTAIN + rb")")
"""The same in the middle of other bytes: an address and a date must be there, behind a line end."""

ARC_SCAN_ANYWHERE = re.compile(
    rb"https?://[^\s]{1,2048}[ \t]\d{1,3}(?:\.\d{1,3}){3}[ \t]\d{14}[ \t][^\n]{0,200}[ \t]\d{1,300}\r?\n"
)
"""The same without a line end before it, as some writers leave it: all has to be as it is in most headers."""

CERTAIN_LINE = re.compile(_CERTAIN)
"""A header line that cannot be taken for anything else, for files where none is expected."""

_ADDRESS = r"(?P<ip>\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{2,40}|-)"
_VERSION_1 = re.compile(
    rf"(?P<url>.+)[ \t]{_ADDRESS}[ \t]{{1,4}}(?P<date>\d{{4,18}})[ \t](?P<mime>.*)[ \t](?P<length>\S+)",
    re.DOTALL,
)
_VERSION_2 = re.compile(
    rf"(?P<url>.+) {_ADDRESS} (?P<date>\d{{4,18}}) (?P<mime>.*) (?:\d{{1,3}}|-) \S+ .* (?:\d+|-) \S+ (?P<length>\S+)",
    re.DOTALL,
)


class ArcHeader(NamedTuple):
    url: str
    ip: str
    date: str
    content_type: str
    length: str
    version_2: bool


def parse_arc_header(line: bytes) -> ArcHeader:
    """Return the fields of a header line that matches `ARC_LINE` or `ARC_LINE_WITHOUT_LENGTH`.

    The last address followed by a date parts the URL from the rest, so that
    blanks in the URL do no harm, even those before something like an address.
    A line without such a pair is split at its last four blanks.
    """
    try:
        text = line.strip(b"\r\n").rstrip().decode()
    except UnicodeDecodeError:
        text = line.strip(b"\r\n").rstrip().decode("latin-1")
    for pattern in (_VERSION_2, _VERSION_1):
        found = pattern.fullmatch(text)
        if found:
            return ArcHeader(
                found["url"].rstrip(),
                found["ip"],
                found["date"],
                found["mime"].strip(),
                found["length"],
                pattern is _VERSION_2,
            )
    parts = text.rsplit(" ", 4)
    parts = [""] * (5 - len(parts)) + parts if len(parts) < 5 else parts
    url, ip, date, mime, length = parts
    return ArcHeader(url or text.split(" ")[0], ip, date, mime, length, False)
