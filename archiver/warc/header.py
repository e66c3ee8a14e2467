"""Record headers: where one begins, and what its fields say. WARC here, ARC in `arc.py`.

Read leniently: version 0.9 to 1.1 and what people wrote beside it, line feeds
without carriage returns, folded lines, field names in any case, any bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from .arc import (
    ARC_LINE,
    ARC_LINE_WITHOUT_LENGTH,
    ARC_SCAN,
    ARC_SCAN_ANYWHERE,
    CERTAIN_LINE,
    parse_arc_header,
)
from .limits import Limits
from .record import number_of

NEWLINES = re.compile(rb"[\r\n]*")
HEAD_END = re.compile(rb"\n\r{0,2}\n")
"""The blank line; two returns in it come from a line end that was translated twice."""

WARC_START = re.compile(rb"WARC/", re.IGNORECASE)
WARC_SCAN = re.compile(rb"WARC/\d+\.\d+[^\r\n]{0,40}\r?\n(?=[!-9;-~]+[ \t]*:)")
"""A WARC header in the middle of other bytes: the version line and a field below it."""

PACKED = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|\x28\xb5\x2f\xfd")
"""Magic numbers of gzip and Zstandard."""

KNOWN_START = re.compile(rb"WARC/|(https?|ftp|dns|filedesc|metadata|whois|urn):", re.IGNORECASE)
"""What most headers begin with: tells "http:" from "ttp:", which could be a scheme as well."""

LONGEST_SCAN = 9 * 1024
"""No match of the patterns above is longer, so scans of a stream overlap by this much."""


@dataclass(slots=True)
class Head:
    """What the header of a record says.

    size: bytes of the header, blank line included.
    length: of the block as claimed; -1 if there is no usable number.
    """

    dialect: str
    version: str
    type_name: str
    url: str
    date: str
    content_type: str
    length: int
    truncated: str
    fields: list[tuple[str, str]]
    size: int


def starts_with_header(data: bytes, at: int = 0, dialect: str = "") -> bool:
    """Is there a record header exactly at `data[at]`? dialect: "WARC", "ARC", or "" for either.

    Behind WARC records an ARC header is one all the same if it leaves no doubt: some files are joined from both.
    """
    if WARC_START.match(data, at):
        return True
    if dialect == "WARC":
        return CERTAIN_LINE.match(data, at) is not None
    return _arc_line(data, at) is not None


def _arc_line(data: bytes, at: int) -> re.Match[bytes] | None:
    return ARC_LINE.match(data, at) or ARC_LINE_WITHOUT_LENGTH.match(data, at)


def find_header(data: bytes, at: int, end: int, dialect: str) -> int:
    """Return where the next record header begins in `data[at:end]`, judged strictly; -1 if nowhere.

    The header itself may go on behind `end`.
    """
    place = end
    if dialect != "WARC":  # first, so that in an ARC file the second search is short
        found = ARC_SCAN.search(data, at, end + LONGEST_SCAN)
        if found and found.start(1) < end:
            place = found.start(1)
        found = ARC_SCAN_ANYWHERE.search(data, at, place + LONGEST_SCAN)
        if found and found.start() < place:
            place = found.start()
    if data.find(b"WARC/", at, place + 4) < 0:  # ten times as fast, and most blocks are searched in vain
        return place if place < end else -1
    found = WARC_SCAN.search(data, at, place + LONGEST_SCAN)
    if found and found.start() < place:
        place = found.start()
    return place if place < end else -1


def breaks_off(data: bytes, at: int, most: int, plain: bool = False) -> int:
    """Return where the last other header begins inside of the WARC header at `data[at]`; -1 if there is none.

    So it is left by a writer that was killed. most: bytes of a header at the most.
    plain: in a file without compression packed data may follow, too.
    """
    end = HEAD_END.search(data, at, at + most)
    packed = PACKED.search(data, at, end.start() if end else at + LONGEST_SCAN) if plain else None
    if packed:
        return packed.start()
    if not end:
        return -1
    place = data.rfind(b"WARC/", at + 5, end.start())
    again = WARC_SCAN.match(data, place, end.end()) if place >= 0 else None
    if not again:
        return -1
    line = data[data.rfind(b"\n", at, place) + 1 : place].lower()
    if line[-1:] in (b" ", b"\t", b":") and not line.startswith((b"warc-", b"content-")):
        return -1  # the value of a field
    fields = data[place : end.end()].lower()
    return place if b"\nwarc-type" in fields and b"\ncontent-length" in fields else -1


def parse_header(data: bytes, at: int, limits: Limits) -> Head | None:
    """Return the header that begins at `data[at]`; None if it has no end in `data` or within the limit."""
    if WARC_START.match(data, at):
        return _parse_warc(data, at, limits)
    line = _arc_line(data, at)
    return _parse_arc(line) if line else None


def _parse_warc(data: bytes, at: int, limits: Limits) -> Head | None:
    found = HEAD_END.search(data, at, at + limits.header_bytes)
    if not found:
        return None
    size = found.end() - at
    text = decode(data[at : found.start()])
    version, _, rest = text.partition("\n")
    fields, known = parse_fields(rest, limits.header_fields)
    version = version.rstrip()
    if version.count(" ") > 3:
        return _parse_old(version.split(), size)
    get = known.get
    return Head(
        dialect="WARC",
        version=version,
        type_name=get("warc-type", ""),
        url=_bare_url(get("warc-target-uri") or get("warc-subject-uri", "")),
        date=timestamp_of(get("warc-date", "")),
        content_type=get("content-type", ""),
        length=number_of(get("content-length", "")),
        truncated=get("warc-truncated", ""),
        fields=fields,
        size=size,
    )


def _parse_old(words: list[str], size: int) -> Head:
    """WARC 0.9 had all on one line: version, length of the record, type, URL, date, content type, id.

    Its length counts the header in and no file in the wild has it right, so it is not believed.
    """
    words += [""] * 7
    names = ("Content-Length", "WARC-Type", "WARC-Target-URI", "WARC-Date", "Content-Type", "WARC-Record-ID")
    fields = [(name, word) for name, word in zip(names, words[1:], strict=False) if word]
    return Head("WARC", words[0], words[2], words[3], timestamp_of(words[4]), words[5], -1, "", fields, size)


def _parse_arc(line: re.Match[bytes]) -> Head:
    arc = parse_arc_header(line.group())
    fields = [("WARC-Target-URI", arc.url), ("WARC-Date", arc.date), ("WARC-IP-Address", arc.ip)]
    fields += [("Content-Type", arc.content_type), ("Content-Length", arc.length)]
    kind = "warcinfo" if arc.url.startswith("filedesc:") else ""
    return Head(
        dialect="ARC",
        version="ARC/2.0" if arc.version_2 else "ARC/1.0",
        type_name=kind,
        url=arc.url,
        date=timestamp_of(arc.date),
        content_type=arc.content_type,
        length=number_of(arc.length),
        truncated="",
        fields=fields,
        size=len(line.group()),
    )


def decode(raw: bytes) -> str:
    """Return header bytes as text: UTF-8, or else Latin-1, which never fails."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def parse_fields(text: str, most: int) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return the header fields of `text` in order (at most `most`), and the first value by lower-case name.

    Lines that begin with a blank continue the one above; lines without a colon are dropped.
    """
    fields: list[tuple[str, str]] = []
    known: dict[str, str] = {}
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        if not colon or line[0] in " \t":
            if line[:1] in (" ", "\t") and fields and line.strip():
                _unfold(fields, known, line.strip())
            continue
        name = name.strip()
        value = value.strip()
        fields.append((name, value))
        name = name.lower()
        if name not in known:
            known[name] = value
    del fields[most:]
    return fields, known


def _unfold(fields: list[tuple[str, str]], known: dict[str, str], more: str) -> None:
    name, value = fields[-1]
    joined = f"{value} {more}".strip()
    fields[-1] = (name, joined)
    if known[name.lower()] == value:
        known[name.lower()] = joined


def _bare_url(url: str) -> str:
    return url[1:-1].strip() if url[:1] == "<" and url[-1:] == ">" else url


ISO_DATE = re.compile(
    r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?)?)?)?)?"
    r"\s*(?:Z|([+-])(\d\d):?(\d\d))?\s*$",
    re.IGNORECASE,
)


def timestamp_of(text: str) -> str:
    """Return a WARC or ARC date as 14 digits in UTC; "" if it cannot be read.

    Understood besides the standard form: fractions, offsets, missing parts
    (taken as the earliest), and ARC dates of 4 to 18 digits, cut at 14.
    """
    if len(text) == 20 and text[19] == "Z" and text[10] == "T":
        digits = text[:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16] + text[17:19]
    elif text.isdigit() and text.isascii() and 4 <= len(text) <= 18:
        digits = (text + "00000101000000"[len(text) :])[:14] if len(text) < 14 else text[:14]
    else:
        return _timestamp_of_odd(text)
    return digits if len(digits) == 14 and _is_date(digits) else ""


def _is_date(digits: str) -> bool:
    if not (digits.isdigit() and digits.isascii()):
        return False
    if "01" <= digits[4:6] <= "12" and "01" <= digits[6:8] <= "28" and digits[8:10] < "24":
        return digits[10:12] < "60" and digits[12:] < "60" and digits[:4] > "0000"
    try:
        datetime.strptime(digits, "%Y%m%d%H%M%S")
    except ValueError:
        return False
    return True


def _timestamp_of_odd(text: str) -> str:
    found = ISO_DATE.match(text)
    if not found:
        return ""
    parts = [int(part or least) for part, least in zip(found.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)]
    year, month, day, hour, minute, second = parts
    try:
        when = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if found[7]:
            offset = (int(found[8]) * 60 + int(found[9])) * 60
            when = datetime.fromtimestamp(when.timestamp() - (offset if found[7] == "+" else -offset), UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{when.year:04}{when:%m%d%H%M%S}"
