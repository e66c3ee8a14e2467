"""What a query is made of: a tree of words, filters and operators that knows no index.

Leaves (Word, Phrase, Wildcard, Fuzzy) are looked up in the index and count for the score. Filters (Site, InUrl,
Type, Language, Status, Captured, LiveAt, Appeared, Vanished) only say which pages are meant. And, Or, Not and
Near join them. `describe` writes a tree as a line that parse_query reads back to the same tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexer.text.analysis import is_paired
from indexer.text.elements import ALT, ANCHOR, BODY, ELEMENTS, EMPHASIS, HEADING, URL

Elements = frozenset[int] | None
RUNNING_TEXT = frozenset({HEADING, ANCHOR, EMPHASIS, BODY, ALT})  # what `text:` stands for
FIRST_MOMENT, LAST_MOMENT = 0, 99999999999999  # 14 digits, as capture dates are


@dataclass(frozen=True, slots=True)
class Word:
    """One word. exact: only this spelling, not its stem. elements: where it must stand; None for anywhere.

    boost: factor for what it adds to the score; below 1 for words that were added to a query.
    """

    text: str
    exact: bool = False
    elements: Elements = None
    boost: float = 1.0

    def __hash__(self) -> int:
        return hash(self.text)  # the only part in which words of a query differ as a rule


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand one behind the other, as spelled.

    slop: by how many places in all the words may be moved to make the phrase; swapping two neighbours takes 2.
    """

    words: tuple[str, ...]
    elements: Elements = None
    slop: int = 0
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Every word that fits a pattern: * stands for any characters, also none, ? for one. "*" alone: any word."""

    pattern: str
    elements: Elements = None
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """Every word at most `edits` (1 or 2) changes away.

    A change is a letter added, left out or replaced, or two neighbours swapped.
    """

    text: str
    edits: int = 1
    elements: Elements = None
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Near:
    """Pages where the right part stands at most `distance` places before or behind the left one.

    The parts are leaves, Ors of leaves or, on the left, a Near: then its right part is what must be near.
    """

    left: Node
    right: Node
    distance: int


@dataclass(frozen=True, slots=True)
class Site:
    """Pages of a host and of the hosts below it."""

    host: str


@dataclass(frozen=True, slots=True)
class InUrl:
    """Pages with these words in their address; they do not count for the score."""

    part: Leaf


@dataclass(frozen=True, slots=True)
class Type:
    """Captures of a kind of file: "html", "pdf", "image", or a media type, also "image/*"."""

    name: str


@dataclass(frozen=True, slots=True)
class Language:
    """Pages in a language: "en", "pt"; "" where it is not known."""

    code: str


@dataclass(frozen=True, slots=True)
class Status:
    """Captures with an HTTP status: three digits, x for any."""

    digits: str


@dataclass(frozen=True, slots=True)
class Captured:
    """Captures made from `first` to `last`, both included: numbers of 14 digits."""

    first: int = FIRST_MOMENT
    last: int = LAST_MOMENT


@dataclass(frozen=True, slots=True)
class LiveAt:
    """Of each page the version that its latest capture up to this moment (14 digits, included) showed."""

    moment: int


@dataclass(frozen=True, slots=True)
class Appeared:
    """Of each page the matching version captured first, if that was from `first` to `last` (14 digits, included)."""

    first: int = FIRST_MOMENT
    last: int = LAST_MOMENT


@dataclass(frozen=True, slots=True)
class Vanished:
    """Of each page the matching version captured last, if that was from `first` to `last` (14 digits, included)
    and the page was captured again later."""

    first: int = FIRST_MOMENT
    last: int = LAST_MOMENT


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts. implied: the user wrote them side by side, without AND."""

    parts: tuple[Node, ...]
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts. implied: the user wrote them side by side, where that means any of them."""

    parts: tuple[Node, ...]
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """Pages that the part does not match."""

    part: Node


# Made once: a union that is written where it is asked for is made anew each time.
Leaf = Word | Phrase | Wildcard | Fuzzy
Spelled = Word | Phrase
Wide = Wildcard | Fuzzy
Group = And | Or
CaptureFilter = Captured | Status | Type
PageFilter = LiveAt | Appeared | Vanished
Filter = Site | InUrl | Type | Language | Status | Captured | LiveAt | Appeared | Vanished
Node = Leaf | Near | Filter | And | Or | Not


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts that a node joins; empty for leaves and filters."""
    if isinstance(node, Group):
        return node.parts
    if isinstance(node, Not):
        return (node.part,)
    if isinstance(node, Near):
        return (node.left, node.right)
    return ()


def words_asked(node: Node | None) -> int:
    """Return how many words a query looks for; each word of a phrase counts."""
    return sum(len(leaf.words) if isinstance(leaf, Phrase) else 1 for leaf in leaves(node))


def leaves(node: Node | None) -> list[Leaf]:
    """Return the leaves that count for the score, in their order: those not under a Not or a filter."""
    if isinstance(node, Leaf):
        return [node]
    if isinstance(node, Group):
        found: list[Leaf] = []
        for part in node.parts:
            if isinstance(part, Leaf):
                found.append(part)
            else:
                found += leaves(part)
        return found
    return leaves(node.left) + leaves(node.right) if isinstance(node, Near) else []


def all_leaves(node: Node | None) -> list[Leaf]:
    """Return every leaf of a tree, those under a Not and in a filter too, each once."""
    if node is None:
        return []
    found: list[Leaf] = []
    for part in every_node(node):
        if isinstance(part, Leaf):
            found.append(part)
        elif isinstance(part, InUrl):
            found.append(part.part)
    return list(dict.fromkeys(found))


def every_node(node: Node) -> list[Node]:
    """Return a node and all nodes below it, each before those that it joins."""
    found = [node]
    for part in children(node):
        if isinstance(part, Leaf):
            found.append(part)
        else:
            found += every_node(part)
    return found


# ---------------------------------------------------------------- a tree as a line


def describe(node: Node) -> str:
    """Return a query in one line that means the same when typed: parse_query gives this tree again."""
    if isinstance(node, Word) and node.elements is None and node.boost == 1:
        return _leaf(node)
    match node:
        case Word() | Phrase() | Wildcard() | Fuzzy():
            return _prefix(node.elements) + _leaf(node) + _boost(node)
        case Near():
            right = f"({describe(node.right)})" if isinstance(node.right, Near) else _grouped(node.right)
            return f"{_grouped(node.left)} NEAR/{node.distance} {right}"
        case And() | Or():
            joiner = " OR " if isinstance(node, Or) else " " if node.implied else " AND "
            return joiner.join(_grouped(part) for part in node.parts)
        case Not():
            return "NOT " + (
                f"({describe(node.part)})" if isinstance(node.part, Near) else _grouped(node.part)
            )
        case InUrl():
            part = replace(node.part, elements=None)
            return "inurl:" + describe(replace(part, exact=False) if isinstance(part, Word) else part)
        case _:
            return _filter(node)


def _boost(node: Leaf) -> str:
    return "^" + f"{node.boost:.3f}".rstrip("0").rstrip(".") if node.boost != 1 else ""


def _filter(node: Filter) -> str:
    match node:
        case Site():
            return f"site:{node.host}"
        case Type():
            return f"type:{node.name}"
        case Language():
            return f"lang:{node.code or 'unknown'}"
        case Status():
            return f"status:{node.digits}"
        case LiveAt():
            return f"at:{_until(node.moment)}"
        case Captured() if node.first == FIRST_MOMENT:
            return f"to:{_until(node.last)}"
        case Captured():
            return f"from:{_since(node.first)}" + (
                "" if node.last == LAST_MOMENT else f"..{_until(node.last)}"
            )
        case Appeared() | Vanished():
            name = "appeared" if isinstance(node, Appeared) else "vanished"
            first = "" if node.first == FIRST_MOMENT else _since(node.first)
            last = "" if node.last == LAST_MOMENT else _until(node.last)
            return f"{name}:{first}" if first == last else f"{name}:{first}..{last}"
        case _:
            raise TypeError(f"{node!r} is no filter")


def _since(moment: int) -> str:
    """Return the shortest date that begins at a moment."""
    digits = f"{moment:014}"
    return next((digits[:size] for size in (4, 6, 8) if digits[size:] == "0101000000"[size - 4 :]), digits)


def _until(moment: int) -> str:
    """Return the shortest date that ends at a moment."""
    digits = f"{moment:014}"
    if digits[8:] != "235959":
        return digits
    if digits[4:8] == "1231":
        return digits[:4]
    return digits[:8]


def _leaf(node: Leaf) -> str:
    match node:
        case Word():
            # a bare "and" would be an operator
            return ("=" if node.exact else "\\" if node.text in ("and", "or", "not") else "") + node.text
        case Phrase():
            return f'"{_spelled(node.words)}"' + (f"~{node.slop}" if node.slop else "")
        case Wildcard():
            return node.pattern
        case Fuzzy():
            return f"{node.text}~{node.edits}"


def _spelled(words: Sequence[str]) -> str:
    """Return a text that words_of parts into these words again; pairs of a script without spaces are joined."""
    text = words[0]
    for before, word in zip(words, words[1:], strict=False):
        if is_paired(before) and len(before) == 2 and word[0] == before[1]:
            text += word[1:]
        else:
            text += " " + word
    return text


def _prefix(elements: Elements) -> str:
    if not elements:
        return ""
    if elements == RUNNING_TEXT:
        return "text:"
    return ",".join(ELEMENTS[number] for number in sorted(elements)) + ":"


def _grouped(node: Node) -> str:
    return f"({describe(node)})" if isinstance(node, Group) else describe(node)


def within(node: Node, elements: frozenset[int]) -> Node:
    """Return the node with its leaves bound to elements; those that are bound already stay as they are."""
    match node:
        case Word() | Phrase() | Wildcard() | Fuzzy():
            return node if node.elements is not None else replace(node, elements=elements)
        case And() | Or():
            return replace(node, parts=tuple(within(part, elements) for part in node.parts))
        case Not():
            return Not(within(node.part, elements))
        case Near():
            return replace(node, left=within(node.left, elements), right=within(node.right, elements))
        case _:
            return node


def boosted(node: Node, boost: float) -> Node:
    """Return the node with its leaves counting so many times as much for the score, at most MAX_BOOST times."""
    match node:
        case Word() | Phrase() | Wildcard() | Fuzzy():
            return replace(node, boost=min(round(node.boost * boost, 3), MAX_BOOST))
        case And() | Or():
            return replace(node, parts=tuple(boosted(part, boost) for part in node.parts))
        case Near():
            return replace(node, left=boosted(node.left, boost), right=boosted(node.right, boost))
        case _:
            return node


MAX_BOOST = 1000.0
IN_ADDRESS = frozenset({URL})
