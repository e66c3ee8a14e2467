"""The tokenizer of the core (tokens.h), called once a text: strings in, strings and numpy arrays out."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from indexer.core.library import OK, core

DOTLESS_I = 1  # enum fa_folding
COMPOUND, PAIR, PICTURE = 1, 2, 4  # enum fa_token_flag
SEPARATOR, WORD, PAIRED, SINGLE = range(4)  # enum fa_class
ELEMENTS = 10
MAX_WORD = 64  # FA_MAX_WORD
WHOLE = ctypes.c_size_t(-1).value
TOKEN = np.dtype(
    [
        ("hash", "<u8"),
        ("begin", "<u4"),
        ("size", "<u4"),
        ("from", "<u4"),
        ("to", "<u4"),
        ("rank", "<u4"),
        ("flags", "u1"),
        ("element", "u1"),
        ("section", "u1"),
        ("spare", "u1"),
    ]
)


class Bytes(ctypes.Structure):
    """struct fa_bytes."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Buffer(ctypes.Structure):
    """struct fa_buffer; what the core has put there is given back by fa_pieces_free."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("room", ctypes.c_size_t)]


core.fa_pieces_free.argtypes = [ctypes.POINTER(Buffer)]
core.fa_pieces_free.restype = None


class _Tokens(ctypes.Structure):
    """struct fa_tokens."""

    _fields_ = [
        ("normal", ctypes.c_void_p),
        ("normal_size", ctypes.c_size_t),
        ("tokens", ctypes.c_void_p),
        ("token_count", ctypes.c_size_t),
        ("code_points", ctypes.c_size_t),
        ("used", ctypes.c_size_t),
        ("cut", ctypes.c_uint32),
        ("extent", ctypes.c_uint32),
        ("lengths", ctypes.c_uint32 * ELEMENTS),
    ]


class _Section(ctypes.Structure):
    """struct fa_section."""

    _fields_ = [
        ("text", Bytes),
        ("pieces", ctypes.c_void_p),
        ("piece_count", ctypes.c_size_t),
        ("element", ctypes.c_uint32),
        ("folding", ctypes.c_uint32),
    ]


class Wanted:
    """Words that are looked for, normalized; used by any thread."""

    def __init__(self, words: Iterable[str]) -> None:
        by_hash = sorted({hash_of(word): word for word in words}.items())
        self.words = [word for _, word in by_hash]
        self.hashes = (ctypes.c_uint64 * len(by_hash))(*[number for number, _ in by_hash])


@lru_cache(maxsize=64)
def _numbers_type(bits: int) -> type[ctypes.Array[ctypes.c_uint32]]:
    return ctypes.c_uint32 * (1 << bits)


def numbers(room: int) -> ctypes.Array[ctypes.c_uint32]:
    """Return room for so many numbers, or some more: an array type for each size takes ten times as long to make."""
    return _numbers_type(max(0, room - 1).bit_length())()


_Handle = ctypes.POINTER(_Tokens)
core.fa_tokens_new.restype = _Handle
core.fa_tokens_free.argtypes = [_Handle]
core.fa_tokens_free.restype = None
for _name in ("fa_normalize", "fa_tokenize"):
    getattr(core, _name).argtypes = [_Handle, Bytes, ctypes.c_uint32, ctypes.c_size_t]
core.fa_tokenize_sections.argtypes = [_Handle, ctypes.POINTER(_Section), ctypes.c_size_t, ctypes.c_size_t]
core.fa_tokens_of_page.argtypes = [_Handle, ctypes.c_void_p, Bytes, ctypes.c_uint32, ctypes.c_size_t]
core.fa_find_words.argtypes = [
    _Handle,
    Bytes,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_size_t,
]
core.fa_find_words.restype = ctypes.c_size_t
core.fa_set_secret.argtypes = [ctypes.POINTER(ctypes.c_uint64)]
core.fa_set_secret.restype = None
core.fa_hash.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
core.fa_hash.restype = ctypes.c_uint64
core.fa_class_of.argtypes = [ctypes.c_uint32]
core.fa_set_secret((ctypes.c_uint64 * 4).from_buffer_copy(os.urandom(32)))


class Tokenizer:
    """A handle of the core, used for one text after the other by one thread at a time.

    What the properties give is copied out of the handle.
    """

    def __init__(self) -> None:
        self._handle = core.fa_tokens_new()
        if not self._handle:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            core.fa_tokens_free(self._handle)
            self._handle = None

    def normalize(self, text: bytes, folding: int = 0, most: int = WHOLE) -> bytes:
        """Return the text as it is compared. Raises MemoryError and ValueError (a text of 2 GB)."""
        check(core.fa_normalize(self._handle, Bytes(text, len(text)), folding, most))
        return self.normal

    def count(self, text: bytes, folding: int = 0) -> int:
        """Return how many tokens a text has. Raises like normalize."""
        check(core.fa_tokenize(self._handle, Bytes(text, len(text)), folding, WHOLE))
        return int(self._handle.contents.token_count)

    def tokenize(self, text: bytes, folding: int = 0, most: int = WHOLE) -> NDArray[np.void]:
        """Return the tokens of a text, of dtype TOKEN. Raises like normalize."""
        check(core.fa_tokenize(self._handle, Bytes(text, len(text)), folding, most))
        return self.tokens

    def tokenize_sections(
        self, sections: Sequence[tuple[int, bytes, int, NDArray[np.uint32] | None]], most: int = WHOLE
    ) -> NDArray[np.void]:
        """Return the tokens of a page, see find_words."""
        self.find_words(sections, most)
        return self.tokens

    def find_words(
        self, sections: Sequence[tuple[int, bytes, int, NDArray[np.uint32] | None]], most: int = WHOLE
    ) -> None:
        """Find the words of a page, and leave them where they are. Raises like normalize.

        sections: (element, text, folding, pieces) in their order; pieces: None, or rows of (first byte, element) that
        rise and begin at 0.
        """
        rows = (_Section * len(sections))()
        for row, (element, text, folding, pieces) in zip(rows, sections, strict=True):
            row.text, row.element, row.folding = Bytes(text, len(text)), element, folding
            if pieces is not None:
                row.pieces, row.piece_count = pieces.ctypes.data, len(pieces)
        check(core.fa_tokenize_sections(self._handle, rows, len(sections), most))

    def find_words_of_page(self, page: object, url_words: bytes, folding: int, most: int = WHOLE) -> None:
        """Find the words of a page as fa_page_read has it, and leave them where they are. Raises like normalize.

        page: a pointer to struct fa_page. url_words: what of its address is indexed.
        """
        words = Bytes(url_words, len(url_words))
        check(core.fa_tokens_of_page(self._handle, page, words, folding, most))

    @property
    def handle(self) -> object:
        """What other functions of the core take: the struct fa_tokens of the text in hand."""
        return self._handle

    def find(self, text: bytes, wanted: Wanted, each: int, most: int) -> list[tuple[int, int, int, int]]:
        """Return where words stand in a text: (start, end, rank, place in wanted.words), by rising start.

        start, end: characters; rank: place among the words of the text. each: so many places of one word are told;
        most: of all. Raises like normalize.
        """
        spots, count = self.spots(text, wanted, each, most)
        told = spots[: 4 * count]
        return list(zip(told[::4], told[1::4], told[2::4], told[3::4], strict=True))

    def spots(
        self, text: bytes, wanted: Wanted, each: int, most: int = WHOLE
    ) -> tuple[ctypes.Array[ctypes.c_uint32], int]:
        """Return the same as `struct fa_spot`, four numbers each, and how many there are. Raises like normalize."""
        check(core.fa_tokenize(self._handle, Bytes(text, len(text)), 0, WHOLE))
        words = len(wanted.words)
        room = min(most, self._handle.contents.token_count, each * words)
        spots = numbers(4 * room)
        if not room:
            return spots, 0
        left = numbers(words)
        left[:words] = [min(each, room)] * words
        given = Bytes(text, len(text))
        return spots, core.fa_find_words(self._handle, given, wanted.hashes, left, words, spots, room)

    @property
    def normal(self) -> bytes:
        """The normalized text."""
        told = self._handle.contents
        return ctypes.string_at(told.normal, told.normal_size) if told.normal_size else b""

    @property
    def tokens(self) -> NDArray[np.void]:
        """The tokens, of dtype TOKEN."""
        told = self._handle.contents
        if not told.token_count:
            return np.zeros(0, dtype=TOKEN)
        data = ctypes.string_at(told.tokens, told.token_count * TOKEN.itemsize)
        return np.frombuffer(data, dtype=TOKEN)

    @property
    def lengths(self) -> list[int]:
        """Tokens of each element."""
        return list(self._handle.contents.lengths)

    @property
    def extent(self) -> int:
        """One more than the greatest position, 0 without words."""
        return int(self._handle.contents.extent)

    @property
    def is_cut(self) -> bool:
        """Whether the text goes on behind what was looked at."""
        return bool(self._handle.contents.cut)

    @property
    def used(self) -> int:
        """Bytes of the (last) text that were looked at."""
        return int(self._handle.contents.used)


def check(status: int) -> None:
    if status != OK:
        raise (
            MemoryError
            if status == 1
            else ValueError(f"text that the tokenizer does not take (status {status})")
        )


_local = threading.local()


def tokenizer() -> Tokenizer:
    """Return the tokenizer of this thread."""
    found: Tokenizer | None = getattr(_local, "tokenizer", None)
    if found is None:
        found = _local.tokenizer = Tokenizer()
    return found


def let_go() -> None:
    """Give back what the tokenizer of this thread needed for a long text: a server has many threads."""
    _local.tokenizer = None


def encoded(text: str) -> bytes:
    """Return a text as the core takes it."""
    return text.encode("utf-8", "surrogatepass")


def decoded(text: bytes) -> str:
    """Return a text of the core."""
    return text.decode("utf-8", "surrogatepass")


def hash_of(word: str) -> int:
    """Return the hash that the tokens of a word have in this process."""
    spelled = encoded(word)
    return int(core.fa_hash(spelled, len(spelled)))


def class_of(character: str) -> int:
    """Return the class of a character as it stands: SEPARATOR, WORD, PAIRED or SINGLE."""
    return int(core.fa_class_of(ord(character)))


if sys.byteorder != "little":
    raise ImportError("the core needs a processor that has the lowest byte first")
