"""Token columns of a batch of pages -> a segment on disk.

A batch is inverted by one sort: word, version, element and position of an occurrence
are packed into one 64-bit number, so that sorting the numbers sorts the occurrences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.store.segment import (
    FOLDS,
    PAIRS,
    Occurrences,
    SegmentWriter,
    Stems,
    VersionColumns,
    sort_words,
    stem_key,
)
from indexer.text.analysis import Tokens, is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import has_stemmer, is_stemmable, stem_words


def write_batch(
    path: str,
    groups: Sequence[Tokens],
    versions: VersionColumns,
    more: Mapping[str, NDArray[np.integer]] | None = None,
) -> None:
    """Write the segment of a batch; the pages of the groups, in order, are the versions. Raises DiskFullError.

    more: further columns, as SegmentWriter.write takes them.
    """
    numbers: dict[str, int] = {}
    word_columns = []
    for tokens in groups:
        local = np.fromiter(
            (numbers.setdefault(word, len(numbers)) for word in tokens.words),
            dtype=np.int64,
            count=len(tokens.words),
        )
        word_columns.append(local[tokens.word])
    rank, words, ids = sort_words(list(numbers))
    sizes = [len(tokens.extents) for tokens in groups]
    first_version = np.cumsum([0, *sizes])
    occurrences = _sorted_occurrences(
        words,
        rank[np.concatenate(word_columns)] if word_columns else np.zeros(0, dtype=np.int64),
        np.concatenate(
            [tokens.document + first for tokens, first in zip(groups, first_version, strict=False)]
        )
        if groups
        else np.zeros(0, dtype=np.int64),
        np.concatenate([tokens.element for tokens in groups]) if groups else np.zeros(0, dtype=np.uint8),
        np.concatenate([tokens.position for tokens in groups]) if groups else np.zeros(0, dtype=np.int64),
    )
    writer = SegmentWriter(versions)
    writer.add(occurrences, ids)
    writer.write(path, stems_of(occurrences, versions.language, versions.languages), more)


def _sorted_occurrences(
    words: list[str],
    word: NDArray[np.int64],
    version: NDArray[np.int64],
    element: NDArray[np.uint8],
    position: NDArray[np.integer],
) -> Occurrences:
    """Return the occurrences sorted by word, version, element, position."""
    version_bits = int(version.max(initial=0)).bit_length()
    position_bits = int(position.max(initial=0)).bit_length()
    if len(words).bit_length() + version_bits + 4 + position_bits > 64:
        order = np.lexsort((position, element, version, word))
        return Occurrences(
            words,
            word[order],
            version[order].astype(np.int64),
            element[order],
            position[order].astype(np.int64),
        )
    key = word.astype(np.uint64)
    for column, bits in ((version, version_bits), (element, 4), (position, position_bits)):
        key <<= np.uint64(bits)
        key |= column.astype(np.uint64)
    key.sort()

    def take(bits: int) -> NDArray[np.int64]:
        column = (key & np.uint64((1 << bits) - 1)).astype(np.int64)
        np.right_shift(key, np.uint64(bits), out=key)
        return column

    sorted_position, sorted_element, sorted_version = take(position_bits), take(4), take(version_bits)
    return Occurrences(
        words, key.astype(np.int64), sorted_version, sorted_element.astype(np.uint8), sorted_position
    )


def stems_of(occurrences: Occurrences, language: NDArray[np.integer], languages: list[str]) -> Stems:
    """Return which words share a stem, for each language that has a stemmer, among the versions in that language."""
    stemmed = [number for number, name in enumerate(languages) if has_stemmer(name)]
    seen = np.zeros((len(languages), len(occurrences.words)), dtype=bool)
    seen[language[occurrences.version], occurrences.word] = True
    return stems_of_words(occurrences.words, {languages[n]: np.flatnonzero(seen[n]) for n in stemmed})


def stems_of_words(words: list[str], by_language: dict[str, NDArray[np.int64]]) -> Stems:
    """Return the rows of Stems for the words (by index) that occur in each language.

    Beside them stand rows under the names FOLDS and PAIRS: words by their spellings without accents, and pairs of a
    script without spaces by their first character.
    """
    keys: list[int] = []
    rows: list[int] = []
    for index, word in enumerate(words):
        if not word.isascii():
            for fold in folds_of(word):
                keys.append(stem_key(FOLDS, fold))
                rows.append(index)
            if len(word) == 2 and is_paired(word):
                keys.append(stem_key(PAIRS, word[0]))
                rows.append(index)
    for language, indexes in by_language.items():
        stemmed = [index for index in indexes.tolist() if is_stemmable(words[index])]
        stems = stem_words(language, [words[index] for index in stemmed])
        sharing = Counter(stems)
        known: dict[str, int] = {}
        for index, stem in zip(stemmed, stems, strict=True):
            if sharing[stem] > 1 or words[index] != stem:
                key = known.get(stem)
                if key is None:
                    key = known[stem] = stem_key(language, stem)
                keys.append(key)
                rows.append(index)
    key_column = np.asarray(keys, dtype=np.uint64)
    by_key = np.argsort(key_column, kind="stable")
    return Stems(key_column[by_key], np.asarray(rows, dtype=np.uint32)[by_key])
