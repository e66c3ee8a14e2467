"""A page that was read on its way into a batch (intake.h): words, links and language in one call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

from indexer.core.batch import Batch
from indexer.core.language import StopWords, StopWordTable
from indexer.core.library import core
from indexer.core.links import BatchLinks, addresses_in
from indexer.core.lists import Bytes as Told
from indexer.core.lists import check
from indexer.core.tokens import Bytes, Tokenizer, encoded

LEFT_LANGUAGE, LEFT_WORDS, LEFT_LINKS, LEFT_ADDRESSES = 1, 2, 4, 8  # enum fa_left


class LanguageCode(NamedTuple):
    """What a declared language means: see fa_language_code in language.h."""

    written: str
    told: str
    bit: int
    is_foreign: bool


class _Code(ctypes.Structure):
    """struct fa_language_code."""

    _fields_ = [
        ("written", ctypes.c_char * 4),
        ("told", ctypes.c_char * 4),
        ("bit", ctypes.c_uint64),
        ("is_foreign", ctypes.c_uint32),
        ("spare", ctypes.c_uint32),
    ]


class _Rules(ctypes.Structure):
    """struct fa_language_rules."""

    _fields_ = [
        ("stop_words", StopWordTable),
        ("codes", ctypes.POINTER(_Code)),
        ("code_count", ctypes.c_size_t),
        ("languages", ctypes.c_uint64),
        ("few_words", ctypes.c_uint32),
        ("spare", ctypes.c_uint32),
        ("speaks", ctypes.c_double),
        ("contradicts", ctypes.c_double),
        ("times", ctypes.c_double),
    ]


class LanguageRules:
    """How the declared language of a page is judged; used by any thread."""

    def __init__(
        self,
        stop_words: StopWords,
        codes: Sequence[LanguageCode],
        *,
        few_words: int,
        speaks: float,
        contradicts: float,
        times: float,
    ) -> None:
        self._stop_words = stop_words
        self._codes = (_Code * len(codes))()
        for row, code in zip(self._codes, codes, strict=True):
            row.written, row.told = code.written.encode(), code.told.encode()
            row.bit, row.is_foreign = code.bit, code.is_foreign
        languages = 0
        for code in codes:
            languages |= code.bit
        self.table = _Rules(
            stop_words.table, self._codes, len(codes), languages, few_words, 0, speaks, contradicts, times
        )


class Taken(ctypes.Structure):
    """struct fa_taken: what became of a page. left: bits of what is still to be done; language: its code in ASCII."""

    _fields_ = [
        ("left", ctypes.c_uint32),
        ("is_cut", ctypes.c_uint32),
        ("language", ctypes.c_char * 4),
        ("spare", ctypes.c_uint32),
        ("own", ctypes.c_uint64),
        ("_asked", Told),
    ]
    left: int
    is_cut: int
    language: bytes
    own: int

    @property
    def asked(self) -> list[str]:
        """With LEFT_ADDRESSES: the addresses that are to be explained, as BatchLinks.ask gives them."""
        return addresses_in(self._asked)


core.fa_take_page.argtypes = [
    *[ctypes.c_void_p] * 4,
    Bytes,
    Bytes,
    ctypes.POINTER(_Rules),
    ctypes.c_int,
    ctypes.c_size_t,
    ctypes.POINTER(Taken),
]


def take_page(
    batch: Batch,
    links: BatchLinks,
    tokenizer: Tokenizer,
    page: object,
    url: str,
    header_language: str,
    rules: LanguageRules,
    most: int,
    *,
    in_utf_8: bool,
) -> Taken:
    """Add the words and links of a page, a pointer to struct fa_page, as far as its language and address are plain.

    in_utf_8: whether it was written in UTF-8. most: code points that are indexed. Raises MemoryError, OverflowError.
    """
    taken = Taken()
    address, language = encoded(url), encoded(header_language)
    check(
        core.fa_take_page(
            batch.handle,
            links.handle,
            tokenizer.handle,
            page,
            Bytes(address, len(address)),
            Bytes(language, len(language)),
            rules.table,
            in_utf_8,
            most,
            taken,
        )
    )
    return taken
