"""The tokenizer of the core against a walk letter by letter, on what letters do to each other."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from indexer.core import make_unicode
from indexer.core.library import core
from indexer.core.make_unicode import OUTPUT
from indexer.core.tokens import (
    COMPOUND,
    DOTLESS_I,
    MAX_WORD,
    PAIR,
    PICTURE,
    TOKEN,
    Bytes,
    Tokenizer,
    Wanted,
    decoded,
    encoded,
    hash_of,
)
from indexer.text.analysis import word_spans_of
from indexer.text.elements import BODY, EMPHASIS, TITLE, URL
from tests.indexer.plain import compounds_of, kind_of, tokens_of
from tests.indexer.plain_text import MOST_MARKS, normalize

TABLES = OUTPUT.read_text(encoding="ascii").split('FA_UNICODE_VERSION "')[1].split('"')[0]
same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != TABLES,
    reason=f"this Python knows Unicode {unicodedata.unidata_version}, the core {TABLES}",
)

# What meets in no text, but may: a few of each kind that is treated in its own way.
KINDS = (
    "aB9é ++#_-\n.I\uff0b\uff03",
    "\u0301\u0316\u0345\u0344\u0308\u0327\u0300\u0307\u0338\U0001d165\U0001d16e\u0f71\u0f72\u0f73",
    "\u05b8\u05c1\u05bf\u064e\u0654\u0653\u0655\u0670\u06d6\u06e1",
    "\u093c\u094d\u3099\u309a\uff9e\uff9f\u0e48\u0e38",
    "\u0640\u0627\u0648\u0623\u0622\u064a\u06d5\u06c1\u0649\u05d0\u05e9\ufb2a\ufe71\ufefb\ufdfa\ufdfb\ufdfc",
    "日本カがｶﾊﾞ각\u1100\u1161\u11a8ภาษ\u0e33\u1025\u102e\u1780\u17d2",
    "\u00ad\u200d\ufe0f\u034f",
    "´™①½ﬁİıſßẞŉǰΐςΣͅᾳᾼῼΆ℃№㈱\u2126\u212b\u1e9b",
    "\U0001f600☃❤\ud800\udfff\0\ufffd",
    "\u09c7\u09be\u09d7\u0b47\u0b3e\u0cca\u0cd5\u0dd9\u0dca\u0dcf\U00011131\U00011127",
)
ALL_KINDS = "".join(KINDS)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer()


def words(tokenizer: Tokenizer, text: str) -> tuple[list[str], list[str]]:
    """Return the words and the compounds of a text."""
    tokens = tokenizer.tokenize(encoded(text))
    normal = tokenizer.normal
    found: tuple[list[str], list[str]] = ([], [])
    for token in tokens:
        begin, size = int(token["begin"]), int(token["size"])
        found[int(token["flags"]) & COMPOUND].append(decoded(normal[begin : begin + size]))
    return found


def agrees(tokenizer: Tokenizer, text: str) -> bool:
    plain = normalize(text)
    return decoded(tokenizer.normalize(encoded(text))) == plain and words(tokenizer, text) == (
        [word for word, _ in tokens_of(plain)],
        [word for word, _ in compounds_of(plain)],
    )


def agrees_in_turkish(tokenizer: Tokenizer, text: str) -> bool:
    return decoded(tokenizer.normalize(encoded(text), DOTLESS_I)) == normalize(text, "tr")


@same_unicode
def test_every_character_alone_and_beside_others(tokenizer: Tokenizer) -> None:
    """Of the large blocks of one kind every 97th."""
    differing = []
    for code in range(sys.maxunicode + 1):
        if (0x3500 < code < 0x9F00 or 0xAD00 < code < 0xD700 or code > 0x20100) and code % 97:
            continue
        character = chr(code)
        texts = [character]
        if code < 0x30000 and code % 5 == 0:
            texts += [f"a{character}b", f"e\u0301{character}\u0323\u05b8", f"{character}\u0301"]
        if not all(agrees(tokenizer, text) for text in texts):
            differing.append(hex(code))
    assert differing == []


@same_unicode
def test_all_pairs_of_kinds_of_characters(tokenizer: Tokenizer) -> None:
    pairs = [one + other for one in ALL_KINDS for other in ALL_KINDS]
    assert [
        text for text in pairs if not agrees(tokenizer, text) or not agrees_in_turkish(tokenizer, text)
    ] == []


def mixtures(seed: int, count: int) -> Iterator[str]:
    chosen = random.Random(seed)
    marks = [chr(code) for code in range(0x300, 0x1F000) if unicodedata.combining(chr(code))]
    anything = [chr(code) for code in range(0x20000) if unicodedata.category(chr(code)) not in ("Cn", "Co")]
    for _ in range(count):
        match chosen.randrange(5):
            case 0:
                yield "".join(chosen.choices(ALL_KINDS, k=chosen.randint(1, 12)))
            case 1:
                yield "".join(chosen.choice(chosen.choice(KINDS)) for _ in range(chosen.randint(1, 40)))
            case 2:
                yield "".join(chosen.choices(anything, k=chosen.randint(1, 8)))
            case 3:
                yield "".join(
                    chosen.choice(marks if chosen.random() < 0.6 else anything)
                    for _ in range(chosen.randint(1, 14))
                )
            case _:
                few = chosen.choices(marks + list(KINDS[1] + KINDS[6]), k=chosen.randint(1, 4))
                yield "".join(
                    chosen.choice("aéا日x")
                    + "".join(chosen.choices(few, k=chosen.randint(0, 70)))
                    + chosen.choice(ALL_KINDS)
                    for _ in range(3)
                )


@same_unicode
@pytest.mark.parametrize("seed", range(3))
def test_mixtures_of_scripts_and_marks(tokenizer: Tokenizer, seed: int) -> None:
    seed += int(os.environ.get("FINDINGAID_SEED", "0")) * 1000
    for text in mixtures(seed, 2_000):
        assert agrees(tokenizer, text), ascii(text)
        assert agrees_in_turkish(tokenizer, text), ascii(text)


@same_unicode
@pytest.mark.parametrize("seed", range(3))
def test_places_in_the_source(tokenizer: Tokenizer, seed: int) -> None:
    """The source of a word is what it was made of: normalized, it holds that word."""
    for text in mixtures(seed + 100, 500):
        spans = word_spans_of(text)
        assert [start for _, start, _ in spans] == sorted(start for _, start, _ in spans)
        assert [word for word, _, _ in spans if word[-1] not in "+#"] == words(tokenizer, text)[0]
        for word, start, end in spans:
            assert 0 <= start < end <= len(text)
            own = text[start:end]
            assert word.rstrip("+#")[:1] in normalize(own), (ascii(text), word, own)


@pytest.mark.parametrize(
    "text, spans",
    [
        ("a ﷺ", [("a", 0, 1), ("صلى", 2, 3), ("الله", 2, 3), ("عليه", 2, 3), ("وسلم", 2, 3)]),
        ("½ x", [("1", 0, 1), ("2", 0, 1), ("x", 2, 3)]),
        ("ｶﾞｽ", [("ガス", 0, 3), ("ス", 2, 3)]),
        ("e\u0301a", [("éa", 0, 3)]),
        ("x\u00ady\u00ad z", [("xy", 0, 3), ("z", 5, 6)]),
        ("שָׁלוֹם", [("שלום", 0, 7)]),
        ("I\u0307x", [("i\u0307x", 0, 3)]),
        ("C++ ℃", [("c", 0, 1), ("c++", 0, 3), ("c", 4, 5)]),
        ("\ud800a\ud800", [("a", 1, 2)]),
    ],
)
def test_a_place_is_that_of_the_letters(text: str, spans: list[tuple[str, int, int]]) -> None:
    assert word_spans_of(text) == spans


@pytest.mark.parametrize(
    "text, words_there",
    [
        (b"a\xffb", ["a", "b"]),
        (b"caf\xc3", ["caf"]),
        (b"caf\xc3\xa9\x80x", ["caf\u00e9", "x"]),
        (b"\xe2\x82x \xf0\x9f\x98 y", ["x", "y"]),
        (b"\xc0\x80 \xe0\x80\x80 \xf4\x90\x80\x80 \xf8\x88\x80\x80\x80 z", ["z"]),
        (b"x\xed\xa0\x80y", ["x", "y"]),
        (b"e\xcc\x81\xff\xcc\x81", ["\u00e9", "\u0301"]),
    ],
)
def test_bytes_that_are_no_utf_8_part_words(
    tokenizer: Tokenizer, text: bytes, words_there: list[str]
) -> None:
    tokens = tokenizer.tokenize(text)
    normal = tokenizer.normal
    assert [
        normal[token["begin"] : token["begin"] + token["size"]].decode() for token in tokens
    ] == words_there
    assert all(0 <= token["from"] < token["to"] <= len(text) for token in tokens)


def test_any_bytes_are_taken(tokenizer: Tokenizer) -> None:
    chosen = random.Random(7)
    text = encoded("".join(mixtures(5, 300)))
    for _ in range(3_000):
        spoiled = bytearray(text[(start := chosen.randrange(len(text))) : start + chosen.randrange(200)])
        for _ in range(chosen.randrange(4)):
            if spoiled:
                spoiled[chosen.randrange(len(spoiled))] = chosen.randrange(256)
        whole = tokenizer.tokenize(bytes(spoiled), chosen.randrange(2), chosen.choice([5, 50, 1 << 40]))
        normal = tokenizer.normal
        assert tokenizer.used <= len(spoiled)
        assert all(token["begin"] + token["size"] <= len(normal) for token in whole)
        assert all(token["from"] < token["to"] <= tokenizer.used for token in whole)
        assert (np.diff(whole["from"].astype(np.int64)) >= 0).all()


@pytest.mark.parametrize("room", range(0, 14))
def test_so_many_code_points_are_looked_at(tokenizer: Tokenizer, room: int) -> None:
    text = "ab é\u0301日½ c"
    whole = normalize(text)
    normal = decoded(tokenizer.normalize(encoded(text), 0, room))
    assert len(normal) <= room
    assert whole.startswith(normal)
    assert tokenizer.is_cut == (room < len(whole))
    used = encoded(text)[: tokenizer.used].decode()
    assert normalize(used) == normal
    # nothing that would fit is left out
    fitting = [
        n for n in range(len(text) + 1) if len(normalize(text[:n])) <= room and n != text.index("\u0301")
    ]
    assert len(used) == fitting[-1]


def test_a_page_has_positions_elements_and_lengths(tokenizer: Tokenizer) -> None:
    running = b"one <b>two".replace(b"<b>", b"") + b" three"
    pieces = np.array([[0, BODY], [2, EMPHASIS], [7, BODY]], dtype=np.uint32)
    tokens = tokenizer.tokenize_sections(
        [(TITLE, b"a b", 0, None), (URL, b"", 0, None), (URL, b"c++", 0, None), (BODY, running, 0, pieces)]
    )
    assert tokens["rank"].tolist() == [0, 1, 66, 66, 99, 100, 101]
    assert tokens["element"].tolist() == [TITLE, TITLE, URL, URL, BODY, EMPHASIS, BODY]
    assert tokens["section"].tolist() == [0, 0, 2, 2, 3, 3, 3]
    assert tokenizer.extent == 102
    assert tokenizer.lengths == [2, 0, 0, 1, 0, 0, 2, 2, 0, 0]


def test_a_letter_and_its_mark_in_two_elements_are_one(tokenizer: Tokenizer) -> None:
    pieces = np.array([[0, BODY], [1, EMPHASIS], [1, EMPHASIS]], dtype=np.uint32)
    [token] = tokenizer.tokenize_sections([(BODY, "e\u0301".encode(), 0, pieces)])
    assert tokenizer.normal.decode() == "é"
    assert token["element"] == BODY


def test_words_of_an_address_are_there_when_the_title_takes_the_room(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.tokenize_sections(
        [(TITLE, b"a b c d", 0, None), (URL, b"x y", 0, None), (BODY, b"z", 0, None)], most=4
    )
    assert tokens["element"].tolist() == [TITLE, TITLE, URL, URL]
    assert tokenizer.is_cut


def test_what_a_token_is(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokenize("c# 日本 ☃".encode())["flags"].tolist() == [0, COMPOUND, PAIR, PAIR, PICTURE]


def test_pieces_of_no_element_are_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError):
        tokenizer.tokenize_sections([(BODY, b"a", 0, np.array([[0, 10]], dtype=np.uint32))])
    with pytest.raises(ValueError):
        tokenizer.tokenize_sections([(10, b"a", 0, None)])
    assert tokenizer.tokenize(b"a").size == 1, "the handle is as good as before"


def test_equal_words_have_equal_hashes_and_others_others(tokenizer: Tokenizer) -> None:
    spelled = [f"{'w' * (number % 40)}{number}é"[: 1 + number % 50] for number in range(5_000)]
    tokens = tokenizer.tokenize(encoded(" ".join(spelled)))
    normal = tokenizer.normal
    there = [decoded(normal[token["begin"] : token["begin"] + token["size"]]) for token in tokens]
    by_word = dict(zip(there, tokens["hash"].tolist(), strict=True))
    assert [by_word[word] for word in there] == tokens["hash"].tolist()
    assert len(set(by_word.values())) == len(by_word)
    assert all(hash_of(word) == found for word, found in by_word.items())


@pytest.mark.parametrize(
    "unit",
    [
        "\u0301\u0316", "\u0640\u0301\u0640\u0316", "\u00ad", "\u1161", "\u3099", "\u0f73", "\u0344", "\ufdfa",
        "\U0001d165", "日", "a", "+", "\u0627\u0653", "\u00ad\u0301", "\ud800",
    ],
    ids=ascii,
)  # fmt: skip
def test_time_and_memory_grow_with_the_text(unit: str) -> None:
    """A hundred times the text takes no ten thousand times as long; looked at with room for jumps of the clock."""
    tokenizer = Tokenizer()
    took = []
    for times in (2_000, 200_000):
        text = encoded("a" + unit * times)
        began = time.thread_time()
        tokenizer.tokenize(text)
        took.append(time.thread_time() - began)
    assert took[1] < 2_000 * max(took[0], 1e-4)
    assert took[1] < 3


@same_unicode
def test_more_marks_than_a_letter_has_are_left_out(tokenizer: Tokenizer) -> None:
    for count in range(MOST_MARKS - 2, MOST_MARKS + 3):
        for marks in ("\u0301", "\u0316\u0301", "\u05b8", "\u0e48", "\u0e48\u0301", "\u0344"):
            text = "a" + marks * count + "b"
            assert agrees(tokenizer, text), ascii(text)


@same_unicode
@pytest.mark.parametrize("count", [65_533, 65_534, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("unit", ["\u0640", "\u0640\u0301", "\u1161"], ids=ascii)
def test_a_letter_with_what_no_letter_has(tokenizer: Tokenizer, unit: str, count: int) -> None:
    """Vowel points, stretches and vowels in a row: looked at together up to a limit, and never lost."""
    text = "b" + unit * count + "\u0301c"
    normal = decoded(tokenizer.normalize(encoded(text)))
    assert normal[0] == "b" and normal[-1] == "c"
    assert unicodedata.normalize("NFD", normal) == unicodedata.normalize("NFD", normalize(text))
    assert agrees(tokenizer, "b" + unit * 1_000 + "\u0301c")


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="a core that watches itself keeps what was freed"
)
@pytest.mark.parametrize("unit", ["\u0640\u0301", "\u1161", "\u0344\u0640", "\u05b8", "\u0301"], ids=ascii)
def test_letters_that_depend_on_each_other_take_little_memory(unit: str) -> None:
    code = (
        "import re\n"
        "from indexer.core.tokens import Tokenizer, encoded\n"
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
        f"text = encoded('a' + {unit!a} * (4 << 20))[:8 << 20]\n"
        "tokenizer = Tokenizer()\n"
        "before = peak()\n"
        "tokenizer.count(text)\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # text and classes, places of what has changed its size, tokens
    assert float(done.stdout) < 8 * (1 + 1.25 * 2 + 6 + 12)


def test_the_layout_of_a_token_is_that_of_c() -> None:
    assert TOKEN.itemsize == 32
    assert kind_of("a") == "word"


@same_unicode
@pytest.mark.slow
def test_tables_are_those_of_this_unicode() -> None:
    assert make_unicode.made() == Path(OUTPUT).read_text(encoding="ascii")


@pytest.mark.parametrize("seed", range(2))
def test_words_that_are_looked_for_are_found_where_they_stand(tokenizer: Tokenizer, seed: int) -> None:
    for text in mixtures(seed + 200, 300):
        text = f"{text} cat {text} c++"
        rank = -1
        expected: list[tuple[int, int, int, str]] = []
        for word, start, end in word_spans_of(text):
            rank += word[-1] not in "+#"
            expected.append((start, end, rank, word))
        some = sorted({word for _, _, _, word in expected})[:: seed + 1]
        wanted = Wanted([*some, "elsewhere"])
        found = tokenizer.find(encoded(text), wanted, len(text), len(text) * 20)
        told = [(start, end, rank, wanted.words[which]) for start, end, rank, which in found]
        assert told == [row for row in expected if row[3] in some]
        # so many of each, and so many of all
        first = {word: [row for row in expected if row[3] == word][:1] for word in some}
        once = tokenizer.find(encoded(text), wanted, 1, len(text) * 20)
        assert sorted((start, end) for start, end, _, _ in once) == sorted(
            row[:2] for [row] in first.values()
        )
        assert tokenizer.find(encoded(text), wanted, len(text), 2) == found[:2]
    assert tokenizer.find(b"cat", Wanted([]), 1, 1) == []
    assert tokenizer.find(b"", Wanted(["cat"]), 1, 1) == []


core.fa_find_in_text.argtypes = [
    *core.fa_find_words.argtypes[:3], ctypes.c_void_p, *core.fa_find_words.argtypes[3:],
    ctypes.POINTER(ctypes.c_size_t),
]  # fmt: skip


def starts_of(words: Iterable[str]) -> ctypes.Array[ctypes.c_uint64]:
    """Return what fa_find_in_text knows words by at first: a bit for the first byte of each, by size."""
    starts = [0] * (MAX_WORD + 1)
    for word in map(encoded, words):
        if 0 < len(word) <= MAX_WORD:
            starts[len(word)] |= 1 << (word[0] & 63)
    return (ctypes.c_uint64 * len(starts))(*starts)


PLAIN = (
    "a",
    "Cat",
    "C++",
    "c#",
    "x9",
    "i++j",
    "f#",
    "++",
    "the#",
    "inside",
    "eightbyt",
    "Ninebytes",
    "y" * 62,
)


def found_alone(
    tokenizer: Tokenizer, text: bytes, wanted: Wanted, each: int, most: int
) -> list[tuple[int, int, int]]:
    """Return what fa_find_in_text tells of some words: their characters from and to, and which they are."""
    count, found = len(wanted.words), ctypes.c_size_t()
    spots, left = (ctypes.c_uint32 * (4 * most))(), (ctypes.c_uint32 * count)(*[each] * count)
    given = Bytes(text, len(text))
    assert not core.fa_find_in_text(
        tokenizer.handle, given, wanted.hashes, starts_of(wanted.words), left, count, spots, most, found
    )
    told = spots[: 4 * found.value]
    return list(zip(told[::4], told[1::4], told[3::4], strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_words_are_found_without_the_others_where_they_are_found_with_them(
    tokenizer: Tokenizer, seed: int
) -> None:
    """Parts of ASCII of any length, beside others or not; so many spots of each word, and so many of all."""
    chance = random.Random(seed + 300)
    for mixture in mixtures(seed + 300, 200):
        parts = []
        for _ in range(chance.randrange(6)):
            words = [
                chance.choice([*PLAIN, "z" * chance.randrange(60, 70)]) for _ in range(chance.randrange(40))
            ]
            parts += [*words, mixture[: chance.randrange(len(mixture) + 1)] if chance.randrange(2) else "é"]
        text = encoded("".join(part + chance.choice(" \n.") for part in parts) + chance.choice(["", *PLAIN]))
        known = sorted({word for word, _, _ in word_spans_of(decoded(text))})
        wanted = Wanted([*chance.sample(known, len(known) // (1 + seed)), "elsewhere"])
        each, most = chance.choice([(1, 1000), (3, 1000), (len(text), 9), (len(text), 2 * len(text) + 1)])
        expected = [(start, end, which) for start, end, _, which in tokenizer.find(text, wanted, each, most)]
        assert found_alone(tokenizer, text, wanted, each, most) == expected


@pytest.mark.parametrize(
    "joining", ["", "\u0301", "\u200d", "\u0338", "\u3099", "\ufe0f", "ü", "検", "#", "+"]
)
def test_whatever_parts_words_parts_those_that_are_found_without_the_others(
    tokenizer: Tokenizer, joining: str
) -> None:
    """Each character beyond ASCII that is no letter, and some of the letters, with what may join it."""
    chance = random.Random(joining)
    others = [chr(code) for code in range(0x80, 0x11000) if not 0xD800 <= code < 0xE000]
    others = [one for one in others if not one.isalpha() or chance.randrange(50) == 0]
    wanted = Wanted(["c#", "c++", "c", "cat", "cats", "catch"])
    for at in range(0, len(others), 10):
        words = (
            chance.choice(["c#", "c+", "C++", "Cat", "cat ", " cats", "CATCH.", "ca"]) for _ in range(10)
        )
        text = encoded(
            "".join(f"{word}{one}{joining}" for word, one in zip(words, others[at:], strict=False)) + "cat"
        )
        expected = [(start, end, which) for start, end, _, which in tokenizer.find(text, wanted, 99, 99)]
        assert found_alone(tokenizer, text, wanted, 99, 99) == expected
