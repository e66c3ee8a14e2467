"""Vectors of pages: how much each word counts in a page, for feedback and for pages like another.

The index is inverted and holds no list of the words of a page; the few pages that are needed here are read
again from their archive, about 2 ms each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.search.lexicon import holdings
from indexer.search.searcher import Found
from indexer.store.bm25f import Ranking, norms, saturate
from indexer.store.snapshot import Snapshot
from indexer.text.analysis import analyze_pages, is_paired
from indexer.text.elements import PageText
from indexer.text.languages import STOP_WORDS, is_stemmable, stem_words

# Gives the address and the text of a page found; None when its archive cannot be read now.
PageReader = Callable[[Found], tuple[str, PageText] | None]
MOST_MARKUP = 60_000  # characters of a page that are looked at


@dataclass(slots=True)
class Terms:
    """The terms of some pages, columns of the matrices below. A term is a stem, named by its most frequent spelling.

    weights: BM25F weight of each term in each page, shape (pages, terms), saturated: between 0 and 1.
    held: how many versions of the index hold the term, at least 1; languages: of each page.
    """

    words: list[str]
    stems: list[str]
    weights: NDArray[np.float64]
    held: NDArray[np.int64]
    languages: list[str]

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def none(cls) -> Terms:
        """Return the terms of no pages."""
        return cls([], [], np.zeros((0, 0)), np.zeros(0, dtype=np.int64), [])


def terms_of(snapshot: Snapshot, pages: Sequence[tuple[str, PageText]], ranking: Ranking) -> Terms:
    """Return the terms of pages, each given as (address, text) with the code of its language in the text.

    Stop words and numbers of the pages' languages are no terms, nor are single letters.
    """
    tokens = analyze_pages(pages)
    norm = norms(ranking, tokens.lengths.astype(np.int64), snapshot.means)
    document, word, element = tokens.document, tokens.word.astype(np.int64), tokens.element
    width = len(tokens.words)
    weight = np.bincount(
        document.astype(np.int64) * width + word, norm[document, element], minlength=len(pages) * width
    ).reshape(len(pages), width)
    languages = [page.language for _, page in pages]
    stops = {stop for language in languages for stop in STOP_WORDS.get(language or "en", ())}
    main = Counter(languages).most_common(1)[0][0] if languages else ""
    stems = stem_words(main, [text if is_stemmable(text) else "" for text in tokens.words])
    groups: dict[str, list[int]] = {}
    for number, (text, stem) in enumerate(zip(tokens.words, stems, strict=True)):
        if text not in stops and (len(text) > 1 or is_paired(text)) and not text.isdigit():
            groups.setdefault(stem or text, []).append(number)
    total = weight.sum(axis=0)
    order = [number for members in groups.values() for number in members]
    firsts = np.cumsum([0, *(len(members) for members in groups.values())])[:-1].astype(np.int64)
    if not order:
        return Terms([], [], np.zeros((len(pages), 0)), np.zeros(0, dtype=np.int64), languages)
    held = np.add.reduceat(holdings(snapshot, [tokens.words[number] for number in order]), firsts)
    summed = np.add.reduceat(weight[:, order], firsts, axis=1)
    return Terms(
        [tokens.words[max(members, key=lambda number: total[number])] for members in groups.values()],
        list(groups),
        saturate(ranking, summed),
        np.clip(held, 1, max(1, snapshot.versions)),
        languages,
    )


def unit(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows of length 1; rows of zeros stay."""
    lengths = np.sqrt((weights * weights).sum(axis=-1, keepdims=True))
    result: NDArray[np.float64] = np.divide(weights, lengths, out=np.zeros_like(weights), where=lengths > 0)
    return result
