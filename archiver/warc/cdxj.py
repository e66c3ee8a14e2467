"""CDXJ: lists of captures that web-archive tools pass to each other. Used by the exports and by `check --cdxj`.

A line is `KEY SP TIMESTAMP SP JSON`, the lines sorted by their bytes:

    org,example)/a 20150503140211 {"url": "http://example.org/a", "mime": "text/html", "status": "200", ...}

The key is SURT as those tools make it, coarser than `urls.surt_key`: letter case, `www.`, the order of the query,
session ids and a slash at the end do not count. The older CDX form, a table with a head line, is read as well.
"""

from __future__ import annotations

import gzip
import heapq
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

from .errors import ArchiveError
from .urls import surt_key

_WWW = re.compile(r"^((?:[^,)]+,)+)www\d*(?=[:)])")
_SESSION = re.compile(
    r";jsessionid=[0-9a-z]{32}(?=\?|$)|"
    r"(?<=[?&])(?:phpsessid=[0-9a-z]{32}|jsessionid=[0-9a-z]{32}|sid=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24})(?:&|$)"
)
_IPV4 = re.compile(r"^\d+(\.\d+){3}(?=[:)])")
_IPV6 = re.compile(r"^\[([0-9a-f:.]+)\]")
_ESCAPED = re.compile(r"%([2-7][0-9A-Fa-f])")
_ESCAPED_PERCENT = re.compile(r"%25(?=[0-9A-Fa-f]{2})")
_MOST_ROUNDS = 10
_LONGEST_LINE = 1 << 18
_TIMESTAMP = re.compile(r"\d{14}(\d{3})?")
_CDX_LETTERS = {"N": "key", "b": "timestamp", "a": "url", "m": "mime", "s": "status", "k": "digest",
                "S": "length", "V": "offset", "g": "filename"}  # fmt: skip
_SORTED_AT_ONCE = 16 << 20


class CdxError(ArchiveError):
    """A file that is no list of captures, or cannot be read as one."""


@dataclass(frozen=True, slots=True)
class CdxLine:
    """One capture as such a list tells it. Strings as they stand in the list; "" for what it does not tell."""

    url: str
    timestamp: str
    mime: str = ""
    status: str = ""
    digest: str = ""
    length: str = ""
    offset: str = ""
    filename: str = ""

    def text(self) -> str:
        """Return the line, without a line end, in ASCII."""
        told = {name: value for name in ("url", "mime", "status", "digest", "length", "offset", "filename")
                if (value := getattr(self, name))}  # fmt: skip
        return f"{cdx_key(self.url)} {self.timestamp} {json.dumps(told)}"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that tells no capture; number counts from 1."""

    number: int
    problem: str


def cdx_key(url: str) -> str:
    """Return the key by which other tools sort and find an address; without blanks, in ASCII."""
    try:
        key = _all_unescaped(surt_key(url)).lower()
    except ValueError:
        return _one_word(url)
    # others turn addresses of machines round as well, and write those of IPv6 without brackets
    key = _IPV4.sub(lambda found: ",".join(reversed(found[0].split("."))), key)
    key = _IPV6.sub(r"\1", key)
    key = _WWW.sub(lambda found: found[1].rstrip(","), key)
    key = _SESSION.sub("", key)
    before, mark, query = key.partition("?")
    if not before.endswith(")/"):
        before = before.rstrip("/")
    query = "&".join(sorted(query.rstrip("&").split("&"))) if mark else ""
    return _one_word(before + ("?" + query if query else ""))


def _all_unescaped(text: str) -> str:
    """Undo escapes, escaped ones as well, as the common SURT does; what must stay escaped stays."""
    for _ in range(_MOST_ROUNDS):
        before, text = text, _ESCAPED.sub(_unescaped, _ESCAPED_PERCENT.sub("%", text))
        if text == before:
            break
    return text


def _unescaped(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return escape[0] if character in " #%\x7f" else character


def _one_word(text: str) -> str:
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in raw)


# ---------------------------------------------------------------- reading


def read_cdx(path: str) -> Iterator[CdxLine | BadLine]:
    """Yield the captures of a CDXJ or CDX file, plain or gzip; lines that tell none come as BadLine.

    Raises CdxError when the file cannot be read.
    """
    letters: list[str] = []
    try:
        with open(path, "rb") as file:
            plain: IO[bytes] = file
            if file.peek(2)[:2] == b"\x1f\x8b":
                plain = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
            number = 0
            while raw := plain.readline(_LONGEST_LINE):
                number += 1
                if len(raw) == _LONGEST_LINE and not raw.endswith(b"\n"):
                    while not raw.endswith(b"\n") and (raw := plain.readline(_LONGEST_LINE)):
                        pass
                    yield BadLine(number, f"longer than {_LONGEST_LINE} bytes")
                    continue
                line = raw.decode("utf-8", "replace").strip("\r\n")
                if number == 1 and line.lstrip().startswith("CDX "):
                    letters = line.split()[1:]
                elif line.strip() and not line.startswith(("!", ";", "#")):
                    yield _from_table(line, letters, number) if letters else _from_json(line, number)
    except OSError as error:
        raise CdxError(f"{path}: cannot be read: {error.strerror or error}") from error
    except EOFError as error:
        raise CdxError(f"{path}: the gzip data ends too early") from error


def _from_json(line: str, number: int) -> CdxLine | BadLine:
    _key, _, rest = line.partition(" ")
    timestamp, _, block = rest.partition(" ")
    if not _TIMESTAMP.fullmatch(timestamp):
        return BadLine(number, f"expected KEY TIMESTAMP JSON, found {line[:60]!r}")
    try:
        told = json.loads(block)
    except (ValueError, RecursionError):
        return BadLine(number, f"the part behind the timestamp is no JSON: {block[:60]!r}")
    if not isinstance(told, dict) or not told.get("url"):
        return BadLine(number, "the JSON names no url")
    values = {name: str(told[name]) for name in ("mime", "status", "digest", "length", "offset", "filename")
              if told.get(name) is not None}  # fmt: skip
    return CdxLine(str(told["url"]), timestamp[:14], **values)


def _from_table(line: str, letters: list[str], number: int) -> CdxLine | BadLine:
    cells = line.split()
    if len(cells) != len(letters):
        return BadLine(number, f"{len(cells)} fields, the head line names {len(letters)}")
    told = {_CDX_LETTERS[letter]: cell for letter, cell in zip(letters, cells, strict=True)
            if letter in _CDX_LETTERS and cell != "-"}  # fmt: skip
    told.pop("key", None)
    if not told.get("url") or not _TIMESTAMP.fullmatch(told.get("timestamp", "")):
        return BadLine(number, "no address, or no timestamp of 14 digits")
    told["timestamp"] = told["timestamp"][:14]
    return CdxLine(**told)


# ---------------------------------------------------------------- sorting


class SortedLines:
    """Lines to be sorted by their bytes, more than fit in memory; parts of 16 MiB are sorted and kept on disk."""

    def __init__(self) -> None:
        self._parts = ExitStack()
        self._files: list[IO[bytes]] = []
        self._lines: list[bytes] = []
        self._size = 0
        self.count = 0

    def add(self, line: str) -> None:
        """Take a line, without its line end."""
        raw = line.encode("utf-8", "backslashreplace") + b"\n"
        self._lines.append(raw)
        self._size += len(raw)
        self.count += 1
        if self._size >= _SORTED_AT_ONCE:
            file = self._parts.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # noqa: SIM115
            file.writelines(sorted(self._lines))
            self._files.append(file)
            self._lines, self._size = [], 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines in order, each with its line end."""
        for file in self._files:
            file.seek(0)
        return heapq.merge(*self._files, sorted(self._lines))

    def close(self) -> None:
        """Remove the parts from the disk."""
        self._parts.close()

    def __enter__(self) -> SortedLines:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
