"""CDXJ: lists of captures that web-archive tools pass to each other. Used by the exports and by `check --cdxj`.

A line is `KEY SP TIMESTAMP SP JSON`, the lines sorted by their bytes:

    org,example)/a 20150503140211 {"url": "http://example.org/a", "mime": "text/html", "status": "200", ...}

The key is `urls.urlkey`. The older CDX form, a table with a head line, is read as well.
"""

from __future__ import annotations

import gzip
import heapq
import json
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

from .errors import ArchiveError
from .urls import urlkey

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

    def text(self, key: str = "") -> str:
        """Return the line, without a line end, in ASCII. key: another one than the urlkey of the address."""
        told = {name: value for name in ("url", "mime", "status", "digest", "length", "offset", "filename")
                if (value := getattr(self, name))}  # fmt: skip
        return f"{key or urlkey(self.url)} {self.timestamp} {json.dumps(told)}"


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that tells no capture; number counts from 1."""

    number: int
    problem: str


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
    except zlib.error as error:
        raise CdxError(f"{path}: the gzip data is broken: {error}") from error


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
