"""English synonyms from WordNet 3.0, of the sense that fits the other words of the query.

The data is one file, indexer/search/wordnet.gz; scripts/make_wordnet.py makes it and describes its lines. It is read
when first asked for, which takes about 0.1 s and 9 MB; a word is then found by bisection.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from indexer.search.widening import AddedWord, Widening
from indexer.text.analysis import words_of
from indexer.text.languages import is_stemmable, stem_words

# Endings that are taken off, and what is put in their place, to find the lemma of a form.
_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("ies", "y"), ("men", "man"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
_SHORTEST = 3  # letters of a lemma that an ending may leave


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one meaning. broader: number of the synset above it; definition: its words that are no stop words."""

    number: int
    lemmas: tuple[str, ...]
    broader: int | None
    definition: tuple[str, ...]


class WordNet:
    """The synsets and lemmas of the file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))

    @cached_property
    def _first_lemma(self) -> int:
        """The line after the empty one."""
        gaps: NDArray[np.int64] = np.diff(self._ends)
        return int(np.flatnonzero(gaps == 1)[0]) + 2

    def _line(self, number: int) -> bytes:
        start = int(self._ends[number - 1]) + 1 if number else 0
        return self._data[start : int(self._ends[number])]

    def synset(self, number: int) -> Synset:
        lemmas, broader, definition = self._line(number).decode().split("\t")
        return Synset(
            number, tuple(lemmas.split("|")), int(broader) if broader else None, tuple(definition.split())
        )

    def entry(self, lemma: str) -> str:
        """Return what stands behind a lemma or an irregular form; "" when the file has none."""
        wanted = lemma.encode("utf-8", "replace")
        low, high = self._first_lemma, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            key, _, value = self._line(middle).partition(b"\t")
            if key == wanted:
                return value.decode()
            if key < wanted:
                low = middle + 1
            else:
                high = middle
        return ""

    def senses(self, word: str) -> list[Synset]:
        """Return the meanings of a word, the most frequent first; of a form that is no lemma those of its lemmas."""
        numbers: list[int] = []
        for lemma in self._lemmas_of(word):
            numbers += [int(number) for number in self.entry(lemma).split() if number != ">"]
        return [self.synset(number) for number in dict.fromkeys(numbers)]

    def _lemmas_of(self, word: str) -> list[str]:
        entry = self.entry(word)
        if entry.startswith(">"):
            return entry.removeprefix(">\t").split("|")
        if entry:
            return [word]
        found = [base for base in bases_of(word) if (known := self.entry(base)) and not known.startswith(">")]
        return found[:1]

    def best_sense(self, word: str, context: set[str]) -> Synset | None:
        """Return the meaning of a word whose surroundings share most with some stems; of equal ones the most frequent.

        Surroundings: its definition and its lemmas, those of the broader meaning, and that one's definition. None for
        a word that is not known. Source: Lesk, "Automatic sense disambiguation using machine readable dictionaries"
        (1986), simplified.
        """
        best, most = None, -1
        for sense in self.senses(word):
            near = list(sense.definition) + [
                part for lemma in sense.lemmas for part in lemma.split() if lemma != word
            ]
            if sense.broader is not None:
                above = self.synset(sense.broader)
                near += [*above.definition, *(part for lemma in above.lemmas for part in lemma.split())]
            shared = len(context.intersection(stem_words("en", near)))
            if shared > most:
                best, most = sense, shared
        return best


def bases_of(word: str) -> list[str]:
    """Return the lemmas that a word may be a regular form of, whether they exist or not."""
    bases = [
        word.removesuffix(ending) + instead
        for ending, instead in _ENDINGS
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _SHORTEST
    ]
    return list(dict.fromkeys(bases))


@cache
def wordnet() -> WordNet:
    """Return WordNet as it ships with the program."""
    return WordNet(gzip.decompress(resources.files("indexer.search").joinpath("wordnet.gz").read_bytes()))


def synonyms_of(words: list[str], options: Widening) -> dict[str, list[AddedWord]]:
    """Return for each word of a query its synonyms in the sense that fits the other words; words without are missing.

    Synonyms that the query has already, or that share the stem of one of its words, are left out.
    """
    data = wordnet()
    words = [word for word in words if is_stemmable(word)]
    stems = dict(zip(words, stem_words("en", words), strict=True))
    found: dict[str, list[AddedWord]] = {}
    for word in stems:
        sense = data.best_sense(word, {stem for other, stem in stems.items() if other != word})
        texts = [" ".join(words_of(lemma)) for lemma in sense.lemmas] if sense else []
        texts = [text for text in texts if text and stem_words("en", [text])[0] not in stems.values()]
        chosen = list(dict.fromkeys(texts))[: options.wordnet_words]
        if chosen:
            found[word] = [AddedWord(text, options.wordnet_weight, "wordnet", word) for text in chosen]
    return found
