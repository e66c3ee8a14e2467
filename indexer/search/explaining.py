"""Why a page has its score: the parts it is made of. They add up to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ElementShare:
    """What the occurrences in one element bring.

    count: occurrences, other forms of the word at what they count for. length, mean: of the element in this page and
    in all that have it. norm: boost / ((1 - b) + b * length / mean). weight: count * norm. score: share of the
    word's score.
    """

    element: str
    count: float
    length: int
    mean: float
    boost: float
    norm: float
    weight: float
    score: float


@dataclass(frozen=True, slots=True)
class WordShare:
    """What a word or phrase of the query brings: score = idf * times * saturation.

    times: how often the query has it, with its boost. weight: sum over the elements. saturation: 1 /
    (1 + (k1 / weight) ** slope); in a model other than BM25F what stands for it there.
    """

    text: str
    idf: float
    times: float
    weight: float
    saturation: float
    score: float
    elements: tuple[ElementShare, ...] = ()


@dataclass(frozen=True, slots=True)
class PairShare:
    """What two words of the query bring by standing near each other; weight: as that of a word."""

    text: str
    weight: float
    score: float


@dataclass(frozen=True, slots=True)
class PriorShare:
    """What a page has ahead: name "depth" (value: of its address) or "linked" (value: other sites that link to it)."""

    name: str
    value: int
    score: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a score: those of words, pairs and priors, and `whole` for a model that scores no single words."""

    model: str
    score: float
    words: tuple[WordShare, ...] = ()
    pairs: tuple[PairShare, ...] = ()
    priors: tuple[PriorShare, ...] = ()
    whole: float = 0.0

    def total(self) -> float:
        """Return the sum of all parts: the score, but for rounding."""
        parts: list[WordShare | PairShare | PriorShare] = [*self.words, *self.pairs, *self.priors]
        return self.whole + sum(part.score for part in parts)
