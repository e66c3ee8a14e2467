"""Several segments -> one, by ranges of word ids, in bounded memory.

MD5 ids are spread evenly, so a range of ids is a share of every segment; one range is in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store.columns import Occurrences, VersionColumns, order_words
from indexer.store.inversion import stems_of_words, words_by_language
from indexer.store.segment import Segment
from indexer.store.segment_writer import SegmentWriter
from indexer.text.languages import has_stemmer

_OCCURRENCES_AT_ONCE = 250_000
_IDS = 1 << 32


def merge_segments(
    path: str,
    segments: Sequence[Segment],
    dead: Sequence[Sequence[int]],
    more: Sequence[str] = (),
) -> list[NDArray[np.int64]]:
    """Write one segment that holds the live versions of several; return for each segment its versions' new ordinals.

    dead: ordinals of each segment that are dropped; their new ordinal is -1. more: names of further columns that all
    segments have. Raises DiskFullError.
    """
    places = []
    total = 0
    for segment, gone in zip(segments, dead, strict=True):
        alive = np.ones(len(segment), dtype=bool)
        alive[list(gone)] = False
        place = np.where(alive, np.cumsum(alive) - 1 + total, -1)
        total += int(alive.sum())
        places.append(place)
    versions = _join_versions(segments, places)
    writer = SegmentWriter(versions, os.path.dirname(path))
    words: list[str] = []
    by_language: dict[str, list[NDArray[np.int64]]] = {
        name: [] for name in versions.languages if has_stemmer(name)
    }
    occurrences = sum(segment.occurrences for segment in segments)
    shares = max(1, -(-occurrences // _OCCURRENCES_AT_ONCE))
    for share in range(shares):
        low, high = _IDS * share // shares, _IDS * (share + 1) // shares
        part, ids = _join_range(segments, places, low, high)
        for segment in segments:
            segment.file.let_go()
        writer.add(part, ids)
        for name, found in words_by_language(part, versions.language, versions.languages).items():
            by_language[name].append(found + len(words))
        words.extend(part.words)
    writer.write(
        path,
        stems_of_words(words, {name: np.concatenate(found) for name, found in by_language.items() if found}),
        {
            name: np.concatenate(
                [
                    segment.file.array(name)[place >= 0]
                    for segment, place in zip(segments, places, strict=True)
                ]
            )
            for name in more
        },
    )
    return places


def _join_versions(segments: Sequence[Segment], places: Sequence[NDArray[np.int64]]) -> VersionColumns:
    hosts: dict[str, int] = {}
    languages: dict[str, int] = {}
    columns = []
    for segment, place in zip(segments, places, strict=True):
        own = segment.version_columns()
        alive = place >= 0
        host = np.array([hosts.setdefault(name, len(hosts)) for name in own.hosts], dtype=np.uint32)
        language = np.array(
            [languages.setdefault(name, len(languages)) for name in own.languages], dtype=np.uint32
        )
        columns.append(
            (
                own.document[alive],
                own.key[alive],
                own.lengths[alive],
                own.extent[alive],
                host[own.host[alive]],
                language[own.language[alive]],
            )
        )
    document, key, lengths, extent, host, language = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    return VersionColumns(document, key, lengths, extent, host, language, list(hosts), list(languages))


def _join_range(
    segments: Sequence[Segment], places: Sequence[NDArray[np.int64]], low: int, high: int
) -> tuple[Occurrences, NDArray[np.uint32]]:
    """Return the occurrences of all words with low <= id < high, sorted, and the ids of these words."""
    numbers: dict[str, int] = {}
    ids_so_far = np.zeros(0, dtype=np.uint32)
    columns: tuple[list[NDArray[Any]], ...] = ([], [], [], [])
    for segment, place in zip(segments, places, strict=True):
        first, last = segment.word_ids.whole().astype(np.int64).searchsorted((low, high))
        own = segment.occurrences_of(int(first), int(last))
        version = place.astype(np.int32)[own.version]
        alive = version >= 0
        # only words that a live version holds get a number
        is_used = np.zeros(len(own.words), dtype=bool)
        is_used[own.word[alive]] = True
        used = np.flatnonzero(is_used)
        local = np.zeros(len(own.words), dtype=np.int32)
        local[used] = [numbers.setdefault(own.words[index], len(numbers)) for index in used.tolist()]
        id_of = np.zeros(len(numbers), dtype=np.uint32)
        id_of[: len(ids_so_far)] = ids_so_far
        id_of[local[used]] = segment.word_ids[first:last][used]
        ids_so_far = id_of
        columns[0].append(local[own.word[alive]])
        columns[1].append(version[alive])
        columns[2].append(own.element[alive])
        columns[3].append(own.position[alive])
        del own, version, alive
    rank, words, ids = order_words(list(numbers), ids_so_far)
    # A common word has millions of occurrences: what is not needed any more goes at once.
    word = _joined(columns[0])
    if len(words):
        word = rank.astype(np.int32)[word]
    version, element, position = map(_joined, columns[1:])
    if len(words) > 1:
        # each segment's part is sorted already, so a stable sort by word alone keeps versions in order
        order = np.argsort(word, kind="stable")
        word, version, element, position = word[order], version[order], element[order], position[order]
    return Occurrences(words, word, version, element, position), ids


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the parts as one array; the list is emptied."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole
