"""Pages on their way into a batch (intake.h): read, and their words, links and languages found, many in one call."""

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
ALL_TAKEN, STOPPED_LEFT, STOPPED_UNREAD = range(3)  # enum fa_stop
MOST_PAGES, _LONGEST_TITLE = 64, 4000  # FA_MOST_PAGES, FA_LONGEST_TITLE


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


class GivenPage(NamedTuple):
    """A page that is to be read and taken: its markup in UTF-8, `size` bytes from `begin` on, and what is known of it.

    language: that of the HTTP header. in_utf_8: whether it was written so. offset, inner: where its record lies, to be
    shown while it is read.
    """

    data: bytes
    begin: int
    size: int
    url: str
    language: str
    in_utf_8: bool
    offset: int
    inner: int


class GivenPages(ctypes.Structure):
    """struct fa_pages: up to MOST_PAGES pages that are read and taken in one call, and what the core tells of them."""

    _fields_ = [
        ("_data", ctypes.c_char_p * MOST_PAGES),
        ("_url", ctypes.c_char_p * MOST_PAGES),
        ("_header", ctypes.c_char_p * MOST_PAGES),
        ("_begin", ctypes.c_uint64 * MOST_PAGES),
        ("_size", ctypes.c_uint64 * MOST_PAGES),
        ("_url_size", ctypes.c_uint64 * MOST_PAGES),
        ("_header_size", ctypes.c_uint64 * MOST_PAGES),
        ("_offset", ctypes.c_int64 * MOST_PAGES),
        ("_inner", ctypes.c_int64 * MOST_PAGES),
        ("_in_utf_8", ctypes.c_uint8 * MOST_PAGES),
        ("_language", ctypes.c_uint8 * (4 * MOST_PAGES)),
        ("_title_end", ctypes.c_uint32 * MOST_PAGES),
        ("_is_cut", ctypes.c_uint8 * MOST_PAGES),
        ("_titles", ctypes.c_uint8 * (MOST_PAGES * _LONGEST_TITLE)),
    ]

    def give(self, pages: Sequence[GivenPage]) -> None:
        """Put pages in the place of those before; with none, what those needed is let go."""
        if not pages:
            self._data[:] = (None,) * MOST_PAGES
            return
        count = len(pages)
        data, begins, sizes, urls, languages, in_utf_8, offsets, inners = zip(*pages, strict=True)
        assert all(
            0 <= begin <= begin + size <= len(page)
            for page, begin, size in zip(data, begins, sizes, strict=True)
        )
        self._data[:count] = data
        addresses, headers = list(map(encoded, urls)), list(map(encoded, languages))
        self._url[:count], self._url_size[:count] = addresses, list(map(len, addresses))
        self._header[:count], self._header_size[:count] = headers, list(map(len, headers))
        self._begin[:count], self._size[:count], self._in_utf_8[:count] = begins, sizes, in_utf_8
        self._offset[:count], self._inner[:count] = offsets, inners

    def empty(self, place: int) -> bool:
        """Let a page have no markup; tell whether it had some."""
        had, self._size[place] = self._size[place], 0
        return bool(had)

    def told(self, begin: int, end: int) -> list[tuple[str, str, bool]]:
        """Return (language, title as far as it is told, whether there is more text than is indexed) of pages taken."""
        ends = self._title_end[max(0, begin - 1) : end]
        if begin == 0:
            ends.insert(0, 0)
        titles = bytes(memoryview(self._titles)[ends[0] : ends[-1]])
        shift = ends[0]
        languages = bytes(memoryview(self._language)[4 * begin : 4 * end])
        return [
            (
                languages[place : place + 4].rstrip(b"\0").decode("ascii"),
                titles[low - shift : high - shift].decode("utf-8", "replace"),
                bool(is_cut),
            )
            for place, low, high, is_cut in zip(
                range(0, len(languages), 4), ends, ends[1:], self._is_cut[begin:end], strict=False
            )
        ]


core.fa_take_pages.argtypes = [
    ctypes.POINTER(_Intake),
    ctypes.c_void_p,
    ctypes.POINTER(GivenPages),
    ctypes.POINTER(ctypes.c_uint32),
    ctypes.c_uint32,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_uint32),
]
core.fa_take_letters.argtypes = [
    ctypes.POINTER(_Intake),
    ctypes.POINTER(GivenPages),
    ctypes.c_uint32,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.c_uint32,
]


class Intake:
    """Takes pages into a batch. Each is read into the same handle, a pointer to struct fa_page, and is then in hand."""

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

    def take_pages(self, pages: GivenPages, begin: int, end: int, now_ms: int, shown: Any) -> tuple[int, int]:
        """Read pages and add their words and links, from one place to another; return behind which it stopped, and why.

        ALL_TAKEN; STOPPED_LEFT: the last page, which is in hand, is not as most are, see `taken` for what is left to
        do; STOPPED_UNREAD: the next page cannot be read. shown: an array of numbers, struct fa_shown, to which
        now_ms is the time. Raises MemoryError, OverflowError.
        """
        at, stop = ctypes.c_uint32(begin), ctypes.c_uint32()
        page = self._intake.page
        check(core.fa_take_pages(self._intake, page, pages, at, end, now_ms, shown, stop))
        return at.value, stop.value

    def take_letters(self, pages: GivenPages, end: int, looks_like: tuple[str, int]) -> None:
        """Go on with the page before `end`, whose language is left and which has a text: with its language and words.

        looks_like: the language that the letters of the text look like, and how far they are from it. Raises as above.
        """
        name = looks_like[0].encode()
        check(core.fa_take_letters(self._intake, pages, end, name, len(name), looks_like[1]))
