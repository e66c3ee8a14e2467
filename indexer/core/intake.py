"""A page that was read on its way into a batch (intake.h): words, links and language in one call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from indexer.core.batch import Batch
from indexer.core.language import MOST_SAMPLE, SCRIPTS, Sample, StopWords, StopWordTable
from indexer.core.library import core
from indexer.core.links import BatchLinks, addresses_in
from indexer.core.lists import Bytes as Told
from indexer.core.lists import check
from indexer.core.tokens import Tokenizer, encoded

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


class _Script(ctypes.Structure):
    """struct fa_language_script."""

    _fields_ = [("language", ctypes.c_char * 4), ("spare", ctypes.c_uint32), ("share", ctypes.c_double)]


class LanguageRules(ctypes.Structure):
    """struct fa_language_rules: how the language of a page is told; used by any thread."""

    _fields_ = [
        ("stop_words", StopWordTable),
        ("codes", ctypes.POINTER(_Code)),
        ("code_count", ctypes.c_size_t),
        ("languages", ctypes.c_uint64),
        ("scripts", _Script * SCRIPTS),
        ("few_words", ctypes.c_uint32),
        ("many_words", ctypes.c_uint32),
        ("few_letters", ctypes.c_uint32),
        ("few_characters", ctypes.c_uint32),
        ("near", ctypes.c_uint32),
        ("near_latin", ctypes.c_uint32),
        ("foreign", ctypes.c_double),
        ("speaks", ctypes.c_double),
        ("contradicts", ctypes.c_double),
        ("times", ctypes.c_double),
        ("clearly", ctypes.c_double),
        ("silent", ctypes.c_double),
    ]

    def __init__(
        self,
        stop_words: StopWords,
        codes: Sequence[LanguageCode],
        scripts: Sequence[tuple[str, float]],
        **numbers: float,
    ) -> None:
        """scripts: SCRIPTS pairs of a language and a share of letters. numbers: the other fields, by their names."""
        self._stop_words = stop_words  # its table has to live as long
        rows = (_Code * len(codes))()
        for row, code in zip(rows, codes, strict=True):
            row.written, row.told = code.written.encode(), code.told.encode()
            row.bit, row.is_foreign = code.bit, code.is_foreign
        languages = 0
        for code in codes:
            languages |= code.bit
        super().__init__(stop_words.table, rows, len(codes), languages, **numbers)
        for script, (language, share) in zip(self.scripts, scripts, strict=True):
            script.language, script.share = language.encode(), share


class Taken(ctypes.Structure):
    """struct fa_taken: what became of a page. left: bits of what is still to be done."""

    _fields_ = [
        ("left", ctypes.c_uint32),
        ("is_cut", ctypes.c_uint32),
        ("own", ctypes.c_uint64),
        ("_asked", Told),
        ("_is_settled", ctypes.c_uint32),
        ("_language", ctypes.c_char * 4),
        ("_declared", ctypes.c_char * 4),
        ("_text_size", ctypes.c_uint32),
        ("sample", Sample),
        ("_text", ctypes.c_uint8 * (4 * MOST_SAMPLE)),
    ]
    left: int
    is_cut: int
    own: int
    sample: Sample

    @property
    def language(self) -> str:
        """Without LEFT_LANGUAGE: the code of the language."""
        return str(self._language, "ascii")

    @property
    def declared(self) -> str:
        """The code of the language that the page declares, "" for none."""
        return str(self._declared, "ascii")

    @property
    def text(self) -> str:
        """With LEFT_LANGUAGE: what `sample` counts, in small letters; "" when page and text are to be read again."""
        return bytes(memoryview(self._text)[: self._text_size]).decode()

    @property
    def asked(self) -> list[str]:
        """With LEFT_ADDRESSES: the addresses that are to be explained, as BatchLinks.ask gives them."""
        return addresses_in(self._asked)


class _Intake(ctypes.Structure):
    """struct fa_intake."""

    _fields_ = [
        ("batch", ctypes.c_void_p),
        ("links", ctypes.c_void_p),
        ("tokens", ctypes.c_void_p),
        ("page", ctypes.c_void_p),
        ("rules", ctypes.POINTER(LanguageRules)),
        ("most", ctypes.c_size_t),
        ("taken", Taken),
    ]


core.fa_take_page.argtypes = [
    ctypes.POINTER(_Intake),
    *[ctypes.c_char_p, ctypes.c_size_t] * 2,
    ctypes.c_int,
]
core.fa_take_letters.argtypes = [
    ctypes.POINTER(_Intake),
    *[ctypes.c_char_p, ctypes.c_size_t] * 2,
    ctypes.c_uint32,
]


class Intake:
    """Takes the page that a handle has in hand, a pointer to struct fa_page, into a batch, again and again."""

    def __init__(
        self,
        batch: Batch,
        links: BatchLinks,
        tokenizer: Tokenizer,
        page: Any,
        rules: LanguageRules,
        most: int,
    ) -> None:
        """page: it has to live as long. most: code points that are indexed."""
        self._owners = batch, links, tokenizer
        tokens: Any = tokenizer.handle
        self._intake = _Intake(
            batch.handle,
            links.handle,
            ctypes.cast(tokens, ctypes.c_void_p),
            ctypes.cast(page, ctypes.c_void_p),
            ctypes.pointer(rules),
            most,
        )
        self.taken: Taken = self._intake.taken

    def take(self, url: str, header_language: str, *, in_utf_8: bool) -> Taken:
        """Add the words and links of the page, as far as its language and address are plain; return what is left to do.

        in_utf_8: whether it was written in UTF-8. What is returned is there until the next page. Raises MemoryError,
        OverflowError.
        """
        address, language = encoded(url), encoded(header_language)
        check(core.fa_take_page(self._intake, address, len(address), language, len(language), in_utf_8))
        return self.taken

    def take_letters(self, url: str, looks_like: tuple[str, int]) -> None:
        """Go on with a page whose language `take` has left, where there is a text: with its language and its words.

        looks_like: the language that the letters of the text look like, and how far they are from it. Raises as above.
        """
        address, name = encoded(url), looks_like[0].encode()
        check(core.fa_take_letters(self._intake, address, len(address), name, len(name), looks_like[1]))
