"""Holds a list of captures made by another tool against an index: is all of it there? Used by `check --cdxj`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from archiver.warc.cdxj import BadLine, CdxLine
from indexer.captures import Capture
from indexer.index import Index
from indexer.text.documents import payload_digest

MOST_TOLD = 1_000
_T = TypeVar("_T")


@dataclass(slots=True)
class ListComparison:
    """How a list and an index agree; lines = held + missing + differing + bad.

    held: captures of the list with the same address and time in the index, and the same content as far as both tell.
    differing: those whose content digest is another one. missing, different, unreadable: the first MOST_TOLD of each.
    """

    lines: int = 0
    held: int = 0
    missing: int = 0
    differing: int = 0
    bad: int = 0
    missing_captures: list[CdxLine] = field(default_factory=list)
    different_captures: list[CdxLine] = field(default_factory=list)
    bad_lines: list[BadLine] = field(default_factory=list)


def compare_with_list(index: Index, lines: Iterable[CdxLine | BadLine]) -> ListComparison:
    """Return how far the captures of a list are in the index. A list sorted by address is looked up fastest."""
    result = ListComparison()
    url, captures = "", list[Capture]()
    for line in lines:
        result.lines += 1
        if isinstance(line, BadLine):
            result.bad += 1
            _keep(result.bad_lines, line)
            continue
        if line.url != url:
            url, captures = line.url, index.captures(line.url, exact=True)
        same_time = [capture for capture in captures if capture.timestamp == line.timestamp]
        if not same_time:
            result.missing += 1
            _keep(result.missing_captures, line)
        elif any(_same_content(capture.digest, line.digest) for capture in same_time):
            result.held += 1
        else:
            result.differing += 1
            _keep(result.different_captures, line)
    return result


def _same_content(ours: str, theirs: str) -> bool:
    """Digests of the same kind that differ tell different content; anything else tells nothing."""
    ours, theirs = _named(ours), _named(theirs)
    if not ours or not theirs or ours.partition(":")[0] != theirs.partition(":")[0]:
        return True
    return ours == theirs


def _named(digest: str) -> str:
    """Return a digest with its kind; lists often write SHA-1 without one."""
    if digest in ("", "-"):
        return ""
    return payload_digest(digest if ":" in digest else f"sha1:{digest}")


def _keep(kept: list[_T], item: _T) -> None:
    if len(kept) < MOST_TOLD:
        kept.append(item)
