"""Token columns of a batch of pages -> a segment on disk.

A batch is inverted by one sort: word, version, element and position of an occurrence
are packed into one 64-bit number, so that sorting the numbers sorts the occurrences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.store.columns import FOLDS, PAIRS, Occurrences, Stems, VersionColumns, sort_words, stem_key
from indexer.store.segment_writer import SegmentWriter
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
    # for each group the numbers of its words in the batch, numbered as they come
    batch_numbers = [
        np.fromiter(
            (numbers.setdefault(word, len(numbers)) for word in tokens.words),
            dtype=np.int64,
            count=len(tokens.words),
        )
        for tokens in groups
    ]
    rank, words, ids = sort_words(list(numbers))
    del numbers
    occurrences = _sorted_occurrences(words, groups, [rank[own] for own in batch_numbers])
    writer = SegmentWriter(versions)
    writer.add(occurrences, ids)
    writer.write(path, stems_of(occurrences, versions.language, versions.languages), more)


def _sorted_occurrences(
    words: list[str], groups: Sequence[Tokens], ranks: Sequence[NDArray[np.int64]]
) -> Occurrences:
    """Return the occurrences sorted by word, version, element, position.

    ranks: for each group the places of its words among `words`.
    """
    first_version = np.cumsum([0, *(len(tokens.extents) for tokens in groups)])
    version_bits = int(first_version[-1]).bit_length()
    position_bits = max((int(tokens.extents.max(initial=0)) for tokens in groups), default=0).bit_length()
    if len(words).bit_length() + version_bits + 4 + position_bits > 64:
        return _sorted_columns(words, groups, ranks, first_version)
    # a group at a time, so that a batch is in memory as numbers of 64 bits and its tokens, not as columns besides
    key = np.empty(sum(len(tokens.word) for tokens in groups), dtype=np.uint64)
    end = 0
    for tokens, own, version in zip(groups, ranks, first_version.tolist(), strict=False):
        part = key[end : end + len(tokens.word)]
        end += len(tokens.word)
        part[:] = own[tokens.word]
        for column, bits in (
            (tokens.document + np.uint32(version), version_bits),
            (tokens.element, 4),
            (tokens.position, position_bits),
        ):
            part <<= np.uint64(bits)
            part |= column
    key.sort()

    def take(bits: int) -> NDArray[np.int64]:
        column = (key & np.uint64((1 << bits) - 1)).astype(np.int64)
        np.right_shift(key, np.uint64(bits), out=key)
        return column

    position, element, version_column = take(position_bits), take(4).astype(np.uint8), take(version_bits)
    return Occurrences(words, key.view(np.int64), version_column, element, position)


def _sorted_columns(
    words: list[str],
    groups: Sequence[Tokens],
    ranks: Sequence[NDArray[np.int64]],
    first_version: NDArray[np.int64],
) -> Occurrences:
    """Return the same where an occurrence does not fit into 64 bits."""
    word = np.concatenate([own[tokens.word] for tokens, own in zip(groups, ranks, strict=True)])
    version = np.concatenate(
        [tokens.document + first for tokens, first in zip(groups, first_version, strict=False)]
    ).astype(np.int64)
    element = np.concatenate([tokens.element for tokens in groups])
    position = np.concatenate([tokens.position for tokens in groups]).astype(np.int64)
    order = np.lexsort((position, element, version, word))
    return Occurrences(words, word[order], version[order], element[order], position[order])


def stems_of(occurrences: Occurrences, language: NDArray[np.integer], languages: list[str]) -> Stems:
    """Return which words share a stem, for each language that has a stemmer, among the versions in that language."""
    return stems_of_words(occurrences.words, words_by_language(occurrences, language, languages))


def words_by_language(
    occurrences: Occurrences, language: NDArray[np.integer], languages: list[str]
) -> dict[str, NDArray[np.int64]]:
    """Return which words (by index, rising) occur in versions of each language that has a stemmer.

    Pages may declare 18,000 languages, of which some thirty have one: all others share a row.
    """
    stemmed = [number for number, name in enumerate(languages) if has_stemmer(name)]
    row_of = np.full(len(languages), len(stemmed), dtype=np.uint8)
    row_of[stemmed] = np.arange(len(stemmed))
    seen = np.zeros((len(stemmed) + 1, len(occurrences.words)), dtype=bool)
    seen[row_of[language][occurrences.version], occurrences.word] = True
    return {languages[number]: np.flatnonzero(seen[row]) for row, number in enumerate(stemmed)}


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
