"""Which versions of a segment match a whole query: the tree, evaluated with masks of one byte a version.

A segment has at most 65,536 versions, so that a mask fits the processor's cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.search.deadline import OutOfTime, Portion
from indexer.search.filters import captures_mask, is_about_captures, language_mask, site_mask
from indexer.search.matches import Match
from indexer.search.positions import Spans, portions
from indexer.search.query import (
    And,
    Fuzzy,
    InUrl,
    Language,
    Leaf,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Site,
    Wildcard,
    Word,
    all_leaves,
    children,
)
from indexer.store.snapshot import LiveSegment

Ordinals = NDArray[np.int64]
Mask = NDArray[np.bool_]


def tree_ordinals(node: Node, live: LiveSegment, matches: dict[Leaf, Match], portion: Portion) -> Ordinals:
    """Return the versions of a segment that match the query, rising; see tree_mask."""
    if isinstance(node, Word | Phrase | Wildcard | Fuzzy):
        return matches[node].ordinals
    if isinstance(node, And):
        return _all_of(node, live, matches, portion)
    return tree_mask(node, live, matches, portion).nonzero()[0]


def _all_of(node: And, live: LiveSegment, matches: dict[Leaf, Match], portion: Portion) -> Ordinals:
    """Return the versions that match all parts: the leaf that fewest hold says which are looked at for the others."""
    held_by = [matches[part] for part in node.parts if isinstance(part, Word | Phrase | Wildcard | Fuzzy)]
    if not held_by:
        return _all_of_mask(node, live, matches, portion).nonzero()[0]
    held_by.sort(key=lambda match: match.count)
    held = held_by[0].ordinals
    for match in held_by[1:]:
        if not len(held):
            return held
        held = match.holding(held)
    others = tuple(part for part in node.parts if not isinstance(part, Word | Phrase | Wildcard | Fuzzy))
    if others and len(held):
        held = held[_all_of_mask(And(others), live, matches, portion).take(held)]
    return held


def tree_mask(node: Node, live: LiveSegment, matches: dict[Leaf, Match], portion: Portion) -> Mask:
    """Return for each version of a segment whether the query matches it; removed versions are not left out here.

    portion: told from which version on the time was up. Not for filters that look at all versions of a page.
    """
    match node:
        case Word() | Phrase() | Wildcard() | Fuzzy():
            mask = np.zeros(len(live.segment), dtype=bool)
            matches[node].mark(mask)
            return mask
        case Site():
            return site_mask(node.host, live.segment)
        case Language():
            return language_mask(node, live.segment)
        case InUrl():
            return tree_mask(node.part, live, matches, portion)
        case Near():
            return _near_mask(node, live, matches, portion)
        case Not():
            return ~tree_mask(node.part, live, matches, portion)
        case _ if is_about_captures(node):
            return captures_mask([node], live)
        case Or():
            mask = np.zeros(len(live.segment), dtype=bool)
            for part in node.parts:
                if isinstance(part, Word | Phrase | Wildcard | Fuzzy):
                    matches[part].mark(mask)
                else:
                    mask |= tree_mask(part, live, matches, portion)
            return mask
        case And():
            return _all_of_mask(node, live, matches, portion)
        case _:
            raise TypeError(f"{node!r} looks at all versions of a page")


def _all_of_mask(node: And, live: LiveSegment, matches: dict[Leaf, Match], portion: Portion) -> Mask:
    about_captures = [part for part in node.parts if is_about_captures(part)]
    mask = captures_mask(about_captures, live) if about_captures else np.ones(len(live.segment), dtype=bool)
    for part in node.parts:
        if not mask.any():
            break
        if not is_about_captures(part):
            mask &= tree_mask(part, live, matches, portion)
    return mask


# ---------------------------------------------------------------- near


def _near_mask(node: Near, live: LiveSegment, matches: dict[Leaf, Match], portion: Portion) -> Mask:
    """Return for each version whether it holds the right part of a Near close to its left one."""
    size = len(live.segment)
    candidates = np.flatnonzero(_may_hold(node, size, matches))
    mask = np.zeros(size, dtype=bool)
    # of the many words of a wildcard many more positions are read, and the clock is to be looked at in between
    share = 4 if any(isinstance(leaf, Wildcard | Fuzzy) for leaf in all_leaves(node)) else 1
    for first, last in portions(live.segment.extent[candidates].astype(np.int64) * share):
        try:
            portion.check()
            spans = _spans(node, candidates[first:last], matches, portion)
        except OutOfTime:
            portion.end_at(int(candidates[first]))
            break
        mask |= spans.versions(size)
    return mask


def _may_hold(node: Node, size: int, matches: dict[Leaf, Match]) -> Mask:
    """Return for each version whether it holds the words of a Near at all."""
    if isinstance(node, Word | Phrase | Wildcard | Fuzzy):
        mask = np.zeros(size, dtype=bool)
        matches[node].mark(mask)
        return mask
    first, *others = children(node)
    mask = _may_hold(first, size, matches)
    for part in others:
        join = np.logical_or if isinstance(node, Or) else np.logical_and
        join(mask, _may_hold(part, size, matches), out=mask)
    return mask


def _spans(node: Node, versions: Ordinals, matches: dict[Leaf, Match], portion: Portion) -> Spans:
    """Return where a part of a Near stands in some versions: of a Near, where its right part is near its left."""
    portion.check()
    match node:
        case Word() | Phrase() | Wildcard() | Fuzzy():
            return matches[node].spans(versions)
        case Near():
            return _near_spans(node.left, node.right, node.distance, versions, matches, portion)
        case Or():
            return Spans.joined([_spans(part, versions, matches, portion) for part in node.parts])
        case And():
            return _in_all([_spans(part, versions, matches, portion) for part in node.parts], versions)
        case _:
            raise TypeError(f"{node!r} stands at no place")


def _near_spans(
    left: Node,
    right: Node,
    distance: int,
    versions: Ordinals,
    matches: dict[Leaf, Match],
    portion: Portion,
) -> Spans:
    """Return the spans of `right` that are near `left`. Of a group of words side by side each must be near."""
    if isinstance(right, And):
        return _in_all(
            [_near_spans(left, part, distance, versions, matches, portion) for part in right.parts], versions
        )
    spans = _spans(right, versions, matches, portion)
    for part in left.parts if isinstance(left, And) else (left,):
        spans = spans.near(_spans(part, versions, matches, portion), distance)
    return spans


def _in_all(several: list[Spans], versions: Ordinals) -> Spans:
    """Return the spans of all, in the versions where each has one."""
    size = int(versions[-1]) + 1 if len(versions) else 0
    held = np.ones(size, dtype=bool)
    for spans in several:
        held &= spans.versions(size)
    return Spans.joined(several).in_versions(held)
