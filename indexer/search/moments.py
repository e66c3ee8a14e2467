"""Filters that look at all versions of a page together: at:, appeared:, vanished:.

They need the masks of every segment, since the versions of a page may lie in different ones. Pages are told
apart by the key of their address. Masks here are lists: one for each segment, in the order of the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexer.search.filters import is_about_captures
from indexer.search.nodes import (
    LAST_MOMENT,
    And,
    Appeared,
    LiveAt,
    Node,
    Not,
    Or,
    PageFilter,
    Vanished,
    all_leaves,
    every_node,
)
from indexer.store.snapshot import LiveSegment
from indexer.store.timeline import CaptureColumns

Mask = NDArray[np.bool_]
Moments = NDArray[np.uint64]


@lru_cache(maxsize=1024)
def looks_at_pages(node: Node) -> bool:
    """Tell whether a query needs all versions of a page to be answered."""
    return any(isinstance(part, PageFilter) for part in every_node(node))


def page_masks(
    node: Node,
    segments: Sequence[LiveSegment],
    masks_of: Callable[[Node, list[Mask]], list[Mask]],
    pages: Callable[[], PageOrder],
    within: list[Mask] | None = None,
) -> list[Mask]:
    """Return for each segment which versions match; what it says of versions that are not `within` has no meaning.

    masks_of: (node, within) -> the same for nodes that need not look at pages. What takes long is asked about the
    versions that are left alone, and not at all where none is.
    pages: the order of the versions of these segments by page.
    """
    within = _everything(segments) if within is None else within
    if not _any(within):
        return within
    if not looks_at_pages(node):
        return masks_of(node, within)
    match node:
        case LiveAt():
            return _live_at(node.moment, segments, pages())
        case Not():
            return [~mask for mask in page_masks(node.part, segments, masks_of, pages, within)]
        case Or():
            found, left = [np.zeros_like(mask) for mask in within], within
            for part in _cheapest_first(Or, node.parts):
                masks = page_masks(part, segments, masks_of, pages, left)
                found = _joined(found, _joined(masks, left, np.logical_and), np.logical_or)
                left = _joined(left, found, np.greater)
            return found
        case Appeared() | Vanished():
            return _turned([node], _everything(segments), segments, pages)
        case And():
            turns = [part for part in node.parts if isinstance(part, Appeared | Vanished)]
            others = _captures_together(
                [part for part in node.parts if not isinstance(part, Appeared | Vanished)]
            )
            # which version of a page is the first that matches does not depend on what is asked of it elsewhere
            left = _everything(segments) if turns else within
            for part in _cheapest_first(And, others):
                masks = page_masks(part, segments, masks_of, pages, left)
                left = _joined(left, masks, np.logical_and)
            return _turned(turns, left, segments, pages)
        case _:
            raise TypeError(f"{node!r} holds no filter on pages")


def _cheapest_first(join: type[And | Or], parts: Sequence[Node]) -> list[Node]:
    """Return the parts of an And or Or: filters on pages, then together what need not look at pages, then the rest."""
    on_pages = [part for part in parts if looks_at_pages(part)]
    others = [part for part in parts if not looks_at_pages(part)]
    return [
        *(part for part in on_pages if not all_leaves(part)),
        *([join(tuple(others))] if len(others) > 1 else others),
        *(part for part in on_pages if all_leaves(part)),
    ]


def _captures_together(parts: Sequence[Node]) -> list[Node]:
    """Return the parts of an And with those about captures as one: one capture has to fit all of them."""
    about = tuple(part for part in parts if is_about_captures(part))
    others = [part for part in parts if not is_about_captures(part)]
    return [*others, And(about)] if len(about) > 1 else list(parts)


def _everything(segments: Sequence[LiveSegment]) -> list[Mask]:
    return [np.ones(len(live.segment), dtype=bool) for live in segments]


def _any(masks: list[Mask]) -> bool:
    return any(mask.any() for mask in masks)


def _joined(ones: list[Mask], others: list[Mask], join: Callable[[Mask, Mask], Mask]) -> list[Mask]:
    return [join(one, other) for one, other in zip(ones, others, strict=True)]


def _live_at(moment: int, segments: Sequence[LiveSegment], pages: PageOrder) -> list[Mask]:
    """Return the versions that the latest capture of their page up to a moment showed."""
    latest = _split([_latest(live.captures, moment) for live in segments])
    shown = (latest.joined > 0) & (latest.joined == pages.greatest(latest.joined))
    return latest.parts_of(shown)


def _turned(
    turns: list[Appeared | Vanished],
    masks: list[Mask],
    segments: Sequence[LiveSegment],
    order: Callable[[], PageOrder],
) -> list[Mask]:
    """Leave of the matching versions of each page the first (appeared) or the last (vanished), if it is in time."""
    if not turns:
        return masks
    pages = order()
    first = _split([_first(live.captures) for live in segments])
    last = _split([_latest(live.captures, LAST_MOMENT) for live in segments])
    matching = np.concatenate(masks) & (last.joined > 0)
    kept = np.ones(len(matching), dtype=bool)
    shown = np.zeros(len(matching), dtype=bool)
    for turn in turns:
        if isinstance(turn, Appeared):
            # the least first date: the greatest of what is left to the end of time
            dates, rank = first.joined, np.uint64(LAST_MOMENT) - first.joined
        else:
            dates, rank = last.joined, last.joined
        rank = np.where(matching, rank, np.uint64(0))
        is_it = matching & (rank == pages.greatest(rank))
        shown |= is_it
        is_it &= (dates >= np.uint64(turn.first)) & (dates <= np.uint64(turn.last))
        if isinstance(turn, Vanished):
            is_it &= last.joined < pages.greatest(last.joined)
        kept &= pages.greatest(is_it.astype(np.uint64)) > 0
    return first.parts_of(kept & shown)


def _first(columns: CaptureColumns) -> Moments:
    """Return the first known capture date of each version, 0 where there is none."""
    return _at(columns, _begins(columns) + _counts_up_to(columns, 0))


def _latest(columns: CaptureColumns, moment: int) -> Moments:
    """Return the latest known capture date of each version up to a moment, 0 where there is none."""
    counts = _counts_up_to(columns, moment)
    return np.where(counts > 0, _at(columns, _begins(columns) + counts - 1), np.uint64(0))


def _begins(columns: CaptureColumns) -> NDArray[np.int64]:
    return np.append(0, columns.ends.astype(np.int64))[: len(columns.ends)]


def _counts_up_to(columns: CaptureColumns, moment: int) -> NDArray[np.int64]:
    """Return how many captures of each version are not later than a moment; those of unknown date come first."""
    before = np.append(0, np.cumsum(columns.timestamp <= np.uint64(moment)))
    counts: NDArray[np.int64] = before[columns.ends.astype(np.int64)] - before[_begins(columns)]
    return counts


def _at(columns: CaptureColumns, rows: NDArray[np.int64]) -> Moments:
    """Return the date at a row of each version, 0 where the row is not one of its own."""
    inside = (rows >= _begins(columns)) & (rows < columns.ends)
    dates = np.append(columns.timestamp, np.uint64(0))
    found: Moments = np.where(inside, dates[np.clip(rows, 0, len(dates) - 1)], np.uint64(0))
    return found


class _split:
    """One array for all segments, and the way back to one for each."""

    def __init__(self, parts: list[Moments]) -> None:
        self.joined: Moments = np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)
        self._ends = np.cumsum([len(part) for part in parts])[:-1]

    def parts_of(self, mask: Mask) -> list[Mask]:
        return np.split(mask, self._ends)


class PageOrder:
    """The versions of all segments, page by page; made once for each state of an index."""

    def __init__(self, segments: Sequence[LiveSegment]) -> None:
        keys = np.concatenate([live.segment.key for live in segments])
        self._order = np.argsort(keys, kind="stable")
        ordered = keys[self._order]
        self._starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        self._sizes = np.diff(np.append(self._starts, len(keys)))

    def greatest(self, moments: Moments) -> Moments:
        """Return for each version the greatest of the moments of all versions of its page."""
        greatest = np.maximum.reduceat(moments[self._order], self._starts)
        spread = np.empty(len(moments), dtype=np.uint64)
        spread[self._order] = np.repeat(greatest, self._sizes)
        return spread
