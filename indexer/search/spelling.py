"""Did you mean: a query with other words of this archive in the place of words that it hardly holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from indexer.search.lexicon import Lexicon, holdings
from indexer.search.nodes import And, Group, Node, Word
from indexer.search.widening import plain_words
from indexer.store.snapshot import Snapshot
from indexer.text.analysis import is_paired
from indexer.text.languages import is_stemmable

FEW_PAGES = 10  # a query that finds as many needs no other spelling
_SHORTEST, _TWO_CHANGES_FROM = (
    4,
    7,
)  # letters of words that are looked at, and of those that may have two changes
_MUCH_RARER = 5  # how many times more versions must hold another spelling
_TRIES, _MOST_WORDS = 3, 8
_CHANGE, _PARTING = 3.0, 4.0  # what a change, and a blank, cost against the logarithm of the versions


def other_spellings(snapshot: Snapshot, tree: Node | None) -> Iterator[Node]:
    """Yield queries with other words of the index in the place of rare ones, the likeliest first; at most three.

    Words are misspelled, run together or torn apart. Whether more pages match is for the caller to see.
    """
    words = list(dict.fromkeys(word.text for word in plain_words(tree) if _is_looked_at(word.text)))[
        :_MOST_WORDS
    ]
    if tree is None:
        return
    seen = {tree}
    options = {word: found for word in words if (found := _better_words(snapshot, word))}
    candidates = [_joined(tree, joint) for joint in _joints(snapshot, tree)]
    for place in range(_TRIES if options else 0):
        chosen = {word: found[min(place, len(found) - 1)] for word, found in options.items()}
        candidates.append(_respelled(tree, chosen))
    for candidate in islice(candidates, _TRIES + 1):
        if candidate not in seen:
            seen.add(candidate)
            yield candidate


def _is_looked_at(word: str) -> bool:
    return len(word) >= _SHORTEST and is_stemmable(word) and not is_paired(word)


def _better_words(snapshot: Snapshot, word: str) -> list[str]:
    """Return words (or two, parted by a blank) that more versions hold than `word`, the likeliest first."""
    if not snapshot.segments:
        return []
    edits = 2 if len(word) >= _TWO_CHANGES_FROM else 1
    parts = [(word[:place], word[place:]) for place in range(2, len(word) - 1)]
    own, *held_parts = holdings(snapshot, [word, *chain.from_iterable(parts)]).tolist()
    needed = _MUCH_RARER * (own + 1)
    least = -(
        -needed // len(snapshot.segments)
    )  # what as many hold together, some segment holds its share of
    changes = {
        other: changed
        for live in snapshot.segments
        for _, other, changed in Lexicon.of(live.segment).alike(word, edits, least=least)
    }
    changes.pop(word, None)
    likelihood = {
        other: math.log(held) - _CHANGE * changes[other]
        for other, held in zip(changes, holdings(snapshot, list(changes)).tolist(), strict=True)
        if held >= needed and is_stemmable(other)
    }
    for (left, right), held in zip(parts, map(min, held_parts[::2], held_parts[1::2]), strict=True):
        if held >= needed:
            likelihood[f"{left} {right}"] = math.log(held) - _PARTING
    return sorted(likelihood, key=lambda other: (-likelihood[other], other))[:_TRIES]


def _joints(snapshot: Snapshot, tree: Node) -> list[tuple[Word, Word]]:
    """Return neighbouring words that the index holds as one word, more often than the rarer of them."""
    if not isinstance(tree, Group):
        return []
    pairs = [
        (left, right)
        for left, right in zip(tree.parts, tree.parts[1:], strict=False)
        if isinstance(left, Word) and isinstance(right, Word) and left.elements == right.elements
    ]
    if not pairs:
        return []
    held = holdings(snapshot, [text for a, b in pairs for text in (a.text, b.text, a.text + b.text)]).reshape(
        -1, 3
    )
    return [
        pair
        for pair, (left, right, joined) in zip(pairs, held.tolist(), strict=True)
        if joined >= _MUCH_RARER * (min(left, right) + 1)
    ]


def _joined(tree: Node, joint: tuple[Word, Word]) -> Node:
    assert isinstance(tree, Group)
    left, right = joint
    place = next(i for i in range(len(tree.parts)) if tree.parts[i : i + 2] == (left, right))
    word = replace(left, text=left.text + right.text)
    parts = (*tree.parts[:place], word, *tree.parts[place + 2 :])
    return replace(tree, parts=parts) if len(parts) > 1 else word


def _respelled(tree: Node, chosen: dict[str, str]) -> Node:
    if isinstance(tree, Word):
        if tree.exact or tree.text not in chosen:
            return tree
        words = tuple(replace(tree, text=text) for text in chosen[tree.text].split())
        return words[0] if len(words) == 1 else And(words, implied=True)
    if isinstance(tree, Group):
        parts: list[Node] = []
        for part in tree.parts:
            new = _respelled(part, chosen)
            joins = isinstance(tree, And) and tree.implied and isinstance(new, And) and isinstance(part, Word)
            parts.extend(new.parts if joins and isinstance(new, And) else [new])
        return replace(tree, parts=tuple(parts))
    return tree
