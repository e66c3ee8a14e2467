"""A parsed query as a flat program for the core: leaves with what they stand for in each segment, and nodes.

What a leaf stands for is kept with the snapshot: looking it up takes longer than reading lists. Filters become masks,
and those are kept, too.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat, starmap

import numpy as np
from numpy.typing import NDArray

from indexer.core import queries
from indexer.core.forms import NO_WORD, Forms, numbers_of
from indexer.search.filters import captures_mask, is_about_captures, language_mask, site_mask
from indexer.search.forms import forms_of
from indexer.search.nodes import (
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
    Spelled,
    Wide,
    Wildcard,
    Word,
    all_leaves,
    children,
    leaves,
)
from indexer.search.prepared import Bits, Prepared, packed
from indexer.search.proximity import pairs_of
from indexer.search.query import is_implied
from indexer.search.vocabulary import ANY_WORD, NOT_WIDE, Expansions
from indexer.store.bm25f import Ranking
from indexer.store.recent import Recent
from indexer.store.scratch import ScratchRooms
from indexer.store.snapshot import LiveSegment, Snapshot

_EVERYWHERE = (1 << queries.KINDS) - 1
_LEAVES_KNOWN = 4096  # of each state of an index
_MASKS_KNOWN = 8 << 20  # bytes
_FACTS_KNOWN = 16 << 20  # bytes, or more in large indexes:
_FACTS_A_VERSION = 800  # those of 320 frequent words; of each version that holds one its exact weight takes 8
_HEAD = queries.LEAF_FORMAT[:-2]  # of a leaf, without how often the query has it
_TAIL = struct.Struct("<II").pack
_NODE = struct.Struct(queries.NODE).pack

_NO_SPELLINGS: frozenset[str] = frozenset()

Masks = tuple[Bits, ...]


@dataclass(eq=False, slots=True)
class MadeLeaf:
    """A leaf as the core reads it. head: the struct without `times`; keep: what it points to.

    spellings: what it is spelled like in the layers in which it may be found: by segment and layer.
    """

    head: bytes
    keep: tuple[object, ...]
    spellings: tuple[tuple[str, ...], ...]
    always: frozenset[str]  # spellings that count wherever the leaf is found


@dataclass(slots=True)
class Made:
    """A program, its leaves in order (those that count for the score first), and what it points to.

    layout: of its answers.
    fact_keys: for each leaf the key of its facts, None for one that stands for other words each time. always: spellings
    that count wherever the leaves are found; is_told: whether others do not.
    """

    program: queries.Program
    prepared: Prepared
    layout: queries.Layout
    leaves: list[Leaf]
    fact_keys: list[MadeLeaf | None]
    scored: int
    made_leaves: list[MadeLeaf]
    always: frozenset[str]
    is_told: bool
    pairs: list[tuple[Word, Word]]
    keep: tuple[object, ...]


NO_FACTS = queries.Facts(0, 64, ())  # of a leaf of which it is not worth it


class KnownFacts(Recent[queries.Facts]):
    """What is kept of the words of a snapshot, by MadeLeaf. rooms: where it is written."""

    def __init__(self, versions: int) -> None:
        super().__init__(max(_FACTS_KNOWN, _FACTS_A_VERSION * versions), lambda facts: facts.size)
        self.rooms = ScratchRooms()


def facts_of(snapshot: Snapshot) -> KnownFacts:
    """Return what is kept of the words of a snapshot."""
    known: KnownFacts | None = snapshot.derived.get("facts")
    if known is None:
        known = snapshot.derived.setdefault("facts", KnownFacts(snapshot.versions))
    return known


def program_of(
    snapshot: Snapshot,
    tree: Node,
    ranking: Ranking,
    fold: float,
    expansions: Expansions,
    root: Node | Masks | None = None,
    within: Masks | None = None,
) -> Made:
    """Return the program of a tree; its `program` is not to be changed.

    fold: what the words with other accents count for; 0 for nothing. root: what says which versions match, if not the
    tree: another node, or masks by segment. within: the versions that are asked about; None: all.
    """
    return Compiler(snapshot, tree, ranking, fold, expansions).made(tree if root is None else root, within)


def has_other_accents(snapshot: Snapshot, tree: Node, ranking: Ranking) -> bool:
    """Tell whether the index holds a word of a tree with other accents, too: else looking for them finds no more."""
    as_typed, folded = (Compiler(snapshot, tree, ranking, fold, NOT_WIDE) for fold in (0.0, ranking.fold))
    return any(
        as_typed.forms_of(leaf)[:3] != folded.forms_of(leaf)[:3]
        for leaf in dict.fromkeys(all_leaves(tree))
        if isinstance(leaf, Word)
    )


class Compiler:
    """Makes the program of one tree. fold: what the words with other accents count for; 0 for nothing."""

    def __init__(
        self, snapshot: Snapshot, tree: Node, ranking: Ranking, fold: float, expansions: Expansions
    ) -> None:
        self._prepared, self._snapshot = Prepared.of(snapshot), snapshot
        self._tree, self._ranking, self._fold, self._expansions = tree, ranking, fold, expansions
        self._lives, self._template = self._prepared.program(snapshot, ranking)
        self._nodes: list[tuple[int, int, int, int]] = []
        self._args: list[int] = []
        self._masks: list[Masks] = []
        self._spans_known: dict[Node | tuple[Node, Node, int], int] = {}
        self._scored = leaves(tree)
        # how often each leaf counts for the score, those that do first
        self._times: dict[Leaf, int] = dict.fromkeys(self._scored, 1)
        self._scored_count = len(self._times)
        if self._scored_count < len(self._scored):
            self._times = {leaf: self._scored.count(leaf) for leaf in self._times}
        every = all_leaves(tree)
        if len(every) > self._scored_count:
            self._times |= {leaf: 0 for leaf in every if leaf not in self._times}
        self._numbers = dict(zip(self._times, range(len(self._times)), strict=True))

    def made(self, root: Node | Masks, within: Masks | None = None) -> Made:
        """Return the program whose matching versions are those of a node, or given as masks by segment."""
        number = self._mask(root) if isinstance(root, tuple) else self._node(root)
        if within is not None:
            number = self._add(queries.AND, args=(self._mask(within), number))
        made_leaves = [self._leaf(leaf) for leaf in self._numbers]
        leaf_bytes = [
            made.head + _TAIL(times, 0) for times, made in zip(self._times.values(), made_leaves, strict=True)
        ]
        masks = [queries.address(bits) for masks_of in self._masks for bits in masks_of]
        is_near = self._ranking.model == "bm25f" and self._ranking.near > 0
        pairs = pairs_of(self._scored) if is_near else []
        parts = (  # what has to lie at a multiple of eight bytes first
            b"".join(leaf_bytes),
            struct.pack(f"<{len(masks)}Q", *masks),
            b"".join(starmap(_NODE, self._nodes)),
            struct.pack(f"<{2 * len(pairs)}I", *(self._numbers[word] for pair in pairs for word in pair)),
            struct.pack(f"<{len(self._args)}I", *self._args),
        )
        data = b"".join(parts)
        begins = accumulate(map(len, parts), initial=_place(data))
        program = queries.Program.from_buffer_copy(self._template)
        program.leaves, program.masks, program.nodes, program.pairs, program.args, _ = begins
        program.leaf_count, program.scored_count = len(made_leaves), self._scored_count
        program.node_count, program.arg_count, program.mask_count = (
            len(self._nodes),
            len(self._args),
            len(self._masks),
        )
        program.pair_count, program.root = len(pairs), number
        scored = made_leaves[: self._scored_count]
        return Made(
            program,
            self._prepared,
            queries.layout_of(self._prepared.offsets[-1], len(made_leaves), program.segment_count),
            list(self._numbers),
            [
                made if isinstance(leaf, Spelled) else None
                for leaf, made in zip(self._numbers, made_leaves, strict=True)
            ],
            self._scored_count,
            made_leaves,
            _NO_SPELLINGS.union(*[made.always for made in scored]),
            all(made.always or not any(made.spellings) for made in scored),
            pairs,
            (data, self._masks, made_leaves, self._lives),
        )

    # ---------------------------------------------------------------- nodes

    def _add(self, op: int, value: int = 0, args: Sequence[int] = ()) -> int:
        self._nodes.append((op, value, len(self._args), len(args)))
        self._args += args
        return len(self._nodes) - 1

    def _mask(self, masks: Masks) -> int:
        self._masks.append(masks)
        return self._add(queries.MASK, len(self._masks) - 1)

    def _filter(self, key: Hashable, mask_of: Callable[[LiveSegment], NDArray[np.bool_]]) -> int:
        known: Recent[Masks] | None = self._snapshot.derived.get("masks")
        if known is None:
            known = self._snapshot.derived.setdefault("masks", Recent(_MASKS_KNOWN, _bytes_of))
        return self._mask(
            known.get(key, lambda: tuple(packed(mask_of(live)) for live in self._snapshot.segments))
        )

    def _node(self, node: Node) -> int:
        match node:
            case Word() | Phrase() | Wildcard() | Fuzzy():
                return self._add(queries.LEAF, self._numbers[node])
            case Site():
                return self._filter(node, lambda live: site_mask(node.host, live.segment))
            case Language():
                return self._filter(node, lambda live: language_mask(node, live.segment))
            case InUrl():
                return self._node(node.part)
            case Near():
                return self._add(queries.NEAR, args=(self._may_hold(node), self._spans(node)))
            case Not():
                return self._add(queries.NOT, args=(self._node(node.part),))
            case _ if is_about_captures(node):
                return self._filter(node, lambda live: captures_mask([node], live))
            case Or():
                return self._add(queries.OR, args=[self._node(part) for part in node.parts])
            case And():
                return self._add(queries.AND, args=self._all_of(node))
            case _:
                raise TypeError(f"{node!r} looks at all versions of a page")

    def _all_of(self, node: And) -> list[int]:
        """Return the nodes that all have to match, those of groups within the group among them: the core knows which
        to ask first."""
        about_captures = [part for part in node.parts if is_about_captures(part)]
        args = []
        for part in node.parts:
            if is_about_captures(part):
                continue
            args += self._all_of(part) if isinstance(part, And) else [self._node(part)]
        if about_captures:
            # together: one capture has to fit all of them
            key = And(tuple(about_captures))
            args.append(self._filter(key, lambda live: captures_mask(about_captures, live)))
        return args

    def _may_hold(self, node: Node) -> int:
        """Return the node of the versions that hold the words of a Near at all."""
        if isinstance(node, Leaf):
            return self._add(queries.LEAF, self._numbers[node])
        op = queries.OR if isinstance(node, Or) else queries.AND
        return self._add(op, args=[self._may_hold(part) for part in children(node)])

    def _spans(self, node: Node) -> int:
        """Return the node of the places of a part of a Near: of a Near, where its right part is near its left."""
        if node in self._spans_known:
            return self._spans_known[node]
        match node:
            case Word() | Phrase() | Wildcard() | Fuzzy():
                found = self._add(queries.SPANS, self._numbers[node])
            case Near():
                found = self._near(node.left, node.right, node.distance)
            case Or():
                found = self._add(queries.UNION, args=[self._spans(part) for part in node.parts])
            case And():
                found = self._add(queries.IN_ALL, args=[self._spans(part) for part in node.parts])
            case _:
                raise TypeError(f"{node!r} stands at no place")
        self._spans_known[node] = found
        return found

    def _near(self, left: Node, right: Node, distance: int) -> int:
        """Return the node of the places of `right` near `left`. Of a group of words side by side each must be near."""
        key = (left, right, distance)
        if key in self._spans_known:
            return self._spans_known[key]
        if isinstance(right, And):
            found = self._add(queries.IN_ALL, args=[self._near(left, part, distance) for part in right.parts])
        else:
            others = left.parts if isinstance(left, And) else (left,)
            parts = [self._spans(right), *(self._spans(part) for part in others)]
            found = self._add(queries.BESIDE, distance, parts)
        self._spans_known[key] = found
        return found

    # ---------------------------------------------------------------- leaves

    def forms_of(self, leaf: Word) -> Forms:
        """Return what a word stands for."""
        forms = self._leaf(leaf).keep[0]
        assert isinstance(forms, Forms)
        return forms

    def _leaf(self, leaf: Leaf) -> MadeLeaf:
        if isinstance(leaf, Wide) and leaf != Wildcard(ANY_WORD, leaf.elements, leaf.boost):
            return _expanded(leaf, self._snapshot, self._expansions)
        known: Recent[MadeLeaf] | None = self._snapshot.derived.get("leaves")
        if known is None:
            known = self._snapshot.derived.setdefault("leaves", Recent(_LEAVES_KNOWN))
        if isinstance(leaf, Word):
            # facts of it are of this ranking
            return known.get(
                (leaf, self._fold, id(self._lives)),
                lambda: _word(leaf, self._prepared, self._fold, self._ranking.other_forms, self._lives),
            )
        if isinstance(leaf, Phrase):
            return known.get(leaf, lambda: _phrase(leaf, self._snapshot, self._prepared))
        return _made(leaf, queries.ANY, self._snapshot, _Forms())


def _bytes_of(masks: Masks) -> int:
    return sum(bits.nbytes for bits in masks) + 1


class _Forms:
    """Forms as they are put together, segment by segment and layer by layer."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, float]] = []
        self.ends: list[int] = []
        self.spellings: list[tuple[str, ...]] = []

    def end(self, spellings: Sequence[str] = ()) -> None:
        self.ends.append(len(self.rows))
        self.spellings.append(tuple(spellings))


def _made(
    leaf: Leaf,
    kind: int,
    snapshot: Snapshot,
    forms: _Forms,
    *,
    slop: int = 0,
    length: int = 1,
) -> MadeLeaf:
    """Return a leaf of some forms; a layer that was not ended has none."""
    forms.ends += [len(forms.rows)] * (2 * len(snapshot.segments) - len(forms.ends))
    rows = b"".join(struct.pack(queries.FORM, *row) for row in forms.rows)
    ends = struct.pack(f"<{len(forms.ends)}I", *forms.ends)
    found = Forms(rows, ends, b"", frozenset())
    return _placed(leaf, kind, found, tuple(forms.spellings), slop=slop, length=length)


def _placed(
    leaf: Leaf,
    kind: int,
    found: Forms,
    spellings: tuple[tuple[str, ...], ...],
    *,
    slop: int = 0,
    length: int = 1,
    lives: object = None,
) -> MadeLeaf:
    """Return a leaf as the core reads it; its forms lie where they are."""
    elements = _EVERYWHERE if leaf.elements is None else sum(1 << number for number in leaf.elements)
    places = map(_place, (found.forms, found.ends, found.sets))
    head = struct.pack(_HEAD, *places, leaf.boost, kind, elements, slop, length)
    return MadeLeaf(head, (found, lives), spellings, found.spellings)


def _place(data: bytes) -> int:
    """Return where some bytes lie in memory; they have to stay as long as they are used there."""
    return ctypes.c_void_p.from_buffer(ctypes.c_char_p(data)).value or 0


def _word(leaf: Word, prepared: Prepared, fold: float, other_forms: float, lives: object) -> MadeLeaf:
    with prepared.telling_damage():
        found = forms_of(leaf, prepared.dictionaries, fold, other_forms)
    return _placed(leaf, queries.WORD, found, (), lives=lives)


def _phrase(leaf: Phrase, snapshot: Snapshot, prepared: Prepared) -> MadeLeaf:
    places = [place for place in range(len(leaf.words)) if not is_implied(leaf.words, place)]
    with prepared.telling_damage():
        rows = numbers_of(prepared.dictionaries, [leaf.words[place] for place in places])
    forms = _Forms()
    for words in rows:
        if NO_WORD not in words:
            forms.rows += zip(words, places, repeat(1.0))
        forms.end(leaf.words)
    return _made(leaf, queries.PHRASE, snapshot, forms, slop=leaf.slop, length=places[-1] + 1)


def _expanded(leaf: Wildcard | Fuzzy, snapshot: Snapshot, expansions: Expansions) -> MadeLeaf:
    forms = _Forms()
    if leaf not in expansions.words:
        return _made(leaf, queries.WORDS, snapshot, forms)
    factor_of = list(expansions.words[leaf].items())
    for live in snapshot.segments:
        for segment in live.layers:
            words = expansions.rows_of(leaf, segment)
            held = [
                (word, text, factor)
                for word, (text, factor) in zip(words, factor_of, strict=True)
                if word != NO_WORD
            ]
            forms.rows += [(word, 0, factor) for word, _, factor in held]
            forms.end([text for _, text, _ in held])
        if len(live.layers) == 1:
            forms.end()
    return _made(leaf, queries.WORDS, snapshot, forms)
