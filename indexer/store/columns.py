"""What a segment is made of, as columns of numbers: versions, occurrences of words, stems.

The core makes them (indexer.core), segment.py reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.text.elements import ELEMENTS

MAX_VERSIONS = 1 << 16
KINDS = len(ELEMENTS)
RANK_BLOCK = 256  # pairs for which it is told how many shapes that stand apart are before them


def word_id(word: str) -> int:
    """Return the MD5-8 id of a word: the first 8 hex digits of its MD5, as a number.

    Two words may share an id; inside the index a word is always known by id and spelling.
    """
    import hashlib

    return int.from_bytes(
        hashlib.md5(word.encode("utf-8", "replace"), usedforsecurity=False).digest()[:4], "big"
    )


@dataclass(slots=True)
class VersionColumns:
    """What a segment keeps of its versions; row i is the version of ordinal i.

    document: number of the page's address in the catalogue; key: first 8 bytes of the MD5 of the
    address, which orders versions of equal score; lengths: occurrences by element, shape (n, KINDS);
    extent: one more than the greatest position; host, language: indexes into the two lists.
    """

    document: NDArray[np.uint32]
    key: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    extent: NDArray[np.uint32]
    host: NDArray[np.uint32]
    language: NDArray[np.uint32]
    hosts: list[str]
    languages: list[str]

    def __len__(self) -> int:
        return len(self.document)


@dataclass(slots=True)
class Occurrences:
    """Columns of occurrences: sorted by word, version, element, position; word counts into `words`."""

    words: list[str]
    word: NDArray[np.signedinteger]
    version: NDArray[np.signedinteger]
    element: NDArray[np.uint8]
    position: NDArray[np.signedinteger]

    def __len__(self) -> int:
        return len(self.word)


FOLDS, PAIRS = "~fold", "~pair"  # stand in the place of a language


def stem_name(language: str, stem: str) -> str:
    """Return what a stem is listed under; its key is made of it."""
    return f"{language}:{stem}"
