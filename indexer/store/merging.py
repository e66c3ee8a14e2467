"""Several segments -> one, part by part of its words, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.core.merge import ARRAYS, DamagedSourceError, Merge
from indexer.store.columns import VersionColumns
from indexer.store.errors import IndexCorruptError
from indexer.store.segment import Segment
from indexer.store.segment_writer import SegmentWriter
from indexer.store.stems import bits_of_versions

_BYTES_AT_ONCE = 4 << 20  # of lists


def merge_segments(
    path: str,
    segments: Sequence[Segment],
    dead: Sequence[Sequence[int]],
    more: Sequence[str] = (),
    *,
    is_overlay: bool = False,
) -> list[NDArray[np.int64]]:
    """Write one segment that holds the live versions of several; return for each segment its versions' new ordinals.

    dead: ordinals of each segment that are dropped; their new ordinal is -1. more: names of further columns that all
    segments have. is_overlay: as SegmentWriter.write takes it. Raises DiskFullError.
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
    arrays = [_arrays_of(segment) for segment in segments]
    merge = Merge(arrays, places, bits_of_versions(versions.language, versions.languages))
    writer = SegmentWriter(versions, merge.lists, os.path.dirname(path))
    is_more = True
    while is_more:
        try:
            is_more = merge.step(_BYTES_AT_ONCE)
        except DamagedSourceError as error:
            raise IndexCorruptError(
                f"{segments[error.number].path}: its lists do not fit each other;"
                " index the archives again with --rebuild"
            ) from error
        writer.take()
        for segment in segments:
            segment.file.let_go()
    columns = {
        name: np.concatenate(
            [segment.file.array(name)[place >= 0] for segment, place in zip(segments, places, strict=True)]
        )
        for name in more
    }
    writer.write(path, columns, is_overlay=is_overlay)
    return places


def _arrays_of(segment: Segment) -> dict[str, NDArray[Any]]:
    """Return the arrays that a merge reads, verified; they are not in memory then."""
    arrays = {}
    for name in ARRAYS:
        ends = segment.ends.get(name)
        arrays[name] = segment.file.array(name) if ends is None else ends.whole().astype(np.uint32)
        segment.file.let_go()
    arrays["extent"] = arrays["extent"].astype(np.uint32)
    return arrays


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
