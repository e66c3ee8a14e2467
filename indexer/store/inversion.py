"""Token columns of a batch of pages -> a segment on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indexer.core.batch import Batch
from indexer.store.columns import VersionColumns
from indexer.store.segment_writer import SegmentWriter
from indexer.store.stems import bits_of_versions
from indexer.text.analysis import Tokens


def write_batch(
    path: str,
    groups: Sequence[Tokens],
    versions: VersionColumns,
    more: Mapping[str, NDArray[np.integer]] | None = None,
    *,
    is_overlay: bool = False,
    is_synced: bool = True,
) -> None:
    """Write the segment of a batch; the pages of the groups, in order, are the versions. Raises DiskFullError.

    more, is_overlay, is_synced: as SegmentWriter.write takes them.
    """
    batch = Batch()
    for tokens in groups:
        batch.add(
            tokens.words, tokens.word, tokens.document, tokens.element, tokens.position, len(tokens.extents)
        )
    write_inverted(path, batch, versions, more, is_overlay=is_overlay, is_synced=is_synced)


def write_inverted(
    path: str,
    batch: Batch,
    versions: VersionColumns,
    more: Mapping[str, NDArray[np.integer]] | None = None,
    *,
    is_overlay: bool = False,
    is_synced: bool = True,
) -> None:
    """Write the segment of a batch in the core, whose pages are the versions; the batch is used up."""
    writer = SegmentWriter(versions, batch.invert(bits_of_versions(versions.language, versions.languages)))
    writer.take()
    writer.write(path, more, is_overlay=is_overlay, is_synced=is_synced)
