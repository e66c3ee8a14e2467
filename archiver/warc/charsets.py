"""The encodings of the web, by the Encoding standard: labels, reading bytes, and writing the query of a link.

A charset goes by the standard's name in lower case ("windows-1252", "shift_jis", "gbk"). Python's codecs do the
work; where they and browsers differ, the difference stands here. Used for pages (`indexer.text.charset`) and for the
addresses in them (`urls.in_charset`).
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

UTF_8 = "utf-8"

# Charsets and the Python codecs that read them. What browsers do not read at all (the last four) archives still hold.
_CODECS = {
    UTF_8: "utf-8", "ibm866": "cp866", "koi8-r": "koi8-r", "koi8-u": "koi8-u", "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic", "windows-874": "cp874", "gbk": "gb18030", "gb18030": "gb18030",
    "big5": "big5hkscs", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "shift_jis": "cp932", "euc-kr": "cp949",
    "utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "x-user-defined": "ascii",
    "iso-2022-kr": "iso2022_kr", "hz-gb-2312": "hz", "utf-32le": "utf-32-le", "utf-32be": "utf-32-be",
}  # fmt: skip
_CODECS |= {f"windows-{page}": f"cp{page}" for page in range(1250, 1259)}
_CODECS |= {f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
_SINGLE_BYTE = frozenset(
    name for name in _CODECS if name.startswith(("iso-8859-", "windows-", "koi8-", "ibm", "mac", "x-"))
)
# Charsets in which Python finds errors that are none to browsers; in a text with more errors than this many the errors
# are of another kind, and looking at each would take long.
_MENDED, _MOST_MENDED = frozenset({"gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp"}), 10_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Names that the label table of resiliparse gives otherwise, and labels that it lacks.
_NAMES = {codec: name for name, codec in _CODECS.items()} | {
    "gbk": "gbk", "gb18030": "gb18030", "big5": "big5", "shift_jis": "shift_jis", "euc_kr": "euc-kr",
    "iso8859-11": "windows-874",
}  # fmt: skip
_FURTHER_LABELS = {
    "x-mac-cyrillic": "x-mac-cyrillic", "x-mac-ukrainian": "x-mac-cyrillic", "x-user-defined": "x-user-defined",
    "iso-2022-kr": "iso-2022-kr", "csiso2022kr": "iso-2022-kr", "hz-gb-2312": "hz-gb-2312",
}  # fmt: skip
# What Python's codecs read as another sign than browsers do: two letters as parts of frames, signs of the same look.
_OTHERWISE: dict[str, Mapping[int, int | str]] = {
    "koi8-u": str.maketrans("\u255d\u256c", "\u045e\u040e"),
    "big5": str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡"),
    "euc-jp": str.maketrans("〜‖−¢£¬", "～∥－￠￡￢"),
}
_OTHERWISE["iso-2022-jp"] = _OTHERWISE["euc-jp"]
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd]")
_JIS_ROWS = range(1, 95)
_NEC_SELECTED = range(89, 93)  # rows that repeat others; Shift_JIS does not write them
_NO_BIG5 = 0xA1  # below this lead byte stand the characters of Hong Kong, which are read, not written
_LAST_IN_BIG5 = "\u2550\u255e\u2561\u256a\u5341\u5345"  # of two places for these the later one is written
# What the 2022 edition of GB 18030 writes in two bytes; Python goes by the one of 2000.
_GB_2022 = {
    "\u1e3f": "a8bc", "\u9fb4": "fe59", "\u9fb5": "fe61", "\u9fb6": "fe66", "\u9fb7": "fe67", "\u9fb8": "fe6d",
    "\u9fb9": "fe7e", "\u9fba": "fe90", "\u9fbb": "fea0", "\ufe10": "a6d9", "\ufe11": "a6db", "\ufe12": "a6da",
    "\ufe13": "a6dc", "\ufe14": "a6dd", "\ufe15": "a6de", "\ufe16": "a6df", "\ufe17": "a6ec", "\ufe18": "a6ed",
    "\ufe19": "a6f3",
}  # fmt: skip
# Python reads these as characters of private use, and one the other way round; both editions write 0xA3A0 as such a
# character, browsers read a space of full width.
_OTHERWISE["gb18030"] = {0x1E3F: "\ue7c7", 0xE5E5: "\u3000"} | {
    ord(bytes.fromhex(data).decode("gb18030")): sign for sign, data in _GB_2022.items()
}
_OTHERWISE["gbk"] = _OTHERWISE["gb18030"]


@lru_cache(256)
def charset_named(label: str) -> str | None:
    """Return the charset that browsers read under a label, None for a label that means nothing to them."""
    label = label.strip("\t\n\f\r ").lower()
    if label in _FURTHER_LABELS:
        return _FURTHER_LABELS[label]
    if not label.isascii():
        return None
    from resiliparse.parse.encoding import map_encoding_to_html5  # a search needs none of it

    codec = map_encoding_to_html5(label, fallback_utf8=False)
    return _NAMES.get(codec) if codec else None


def decode(data: bytes, charset: str) -> str:
    """Return bytes in a charset as text; what is wrong there becomes U+FFFD."""
    if charset == UTF_8:
        return data.decode(UTF_8, "replace")
    if charset in _SINGLE_BYTE:
        return codecs.charmap_decode(data, "strict", _characters(charset))[0]
    text = data.decode(_CODECS[charset], "replace")
    if charset in _MENDED and 0 < text.count("\ufffd") <= _MOST_MENDED:
        text = data.decode(_CODECS[charset], _AS_ON_THE_WEB)
    return text.translate(_OTHERWISE[charset]) if charset in _OTHERWISE and not text.isascii() else text


def encode_query(query: str, charset: str) -> bytes:
    """Return the query of a link as a page in a charset sends it; what the charset lacks becomes `%26%23N%3B`.

    Other bytes that must not stand in an address are not escaped yet. Charsets that browsers do not write give UTF-8.
    """
    query = _LONE_SURROGATE.sub("\ufffd", query)
    if charset == "iso-2022-jp":
        return b"".join(_iso_2022_jp(query))
    if charset in _SINGLE_BYTE:
        written = _bytes_of(charset)
        return b"".join(written.get(character) or _as_number(character) for character in query)
    if charset in _WRITERS:
        return b"".join(_WRITERS[charset](character) or _as_number(character) for character in query)
    return query.encode()


@cache
def _characters(charset: str) -> str:
    """Return the characters of the 256 bytes of a charset with one byte a character."""
    if charset == "x-user-defined":
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    text = "".join(bytes((byte,)).decode(_CODECS[charset], "replace") for byte in range(256))
    text = "".join(chr(at) if at < 0xA0 and sign == "\ufffd" else sign for at, sign in enumerate(text))
    return text.translate(_OTHERWISE.get(charset, {}))


_AS_ON_THE_WEB = "as-on-the-web"


def _read_anyway(error: UnicodeError) -> tuple[str, int]:
    """Give what browsers read where a Python codec finds an error, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    start, wrong = error.start, error.object[error.start : error.start + 2]
    if error.encoding == "gb18030" and wrong[0] == 0x80:
        return "€", start + 1
    if error.encoding == "big5hkscs" and len(wrong) == 2:
        if wrong[0] == 0xA3 and 0xC0 <= wrong[1] <= 0xE0:
            return chr(0x2421 if wrong[1] == 0xE0 else 0x2340 + wrong[1]), start + 2
        elsewhere = wrong.decode("cp950", "ignore")
        return (elsewhere, start + 2) if len(elsewhere) == 1 and elsewhere > "\x80" else ("\ufffd", error.end)
    if error.encoding in ("euc_jp", "iso2022_jp") and len(wrong) == 2:
        found = _jis_0208().get((wrong[0] & 0x7F, wrong[1] & 0x7F))
        if found and (wrong[0] < 0x80) == (wrong[1] < 0x80) == (error.encoding == "iso2022_jp"):
            return found, start + 2
    return "\ufffd", error.end


codecs.register_error(_AS_ON_THE_WEB, _read_anyway)


@cache
def _jis_0208() -> Mapping[tuple[int, int], str]:
    """Return the characters of JIS X 0208 with the rows of NEC and IBM, by their bytes in ISO-2022-JP."""
    found = {}
    for row in _JIS_ROWS:
        for cell in range(1, 95):
            try:
                found[row + 0x20, cell + 0x20] = _shift_jis_bytes(row, cell).decode("cp932")
            except UnicodeDecodeError:
                continue
    return found


def _shift_jis_bytes(row: int, cell: int) -> bytes:
    lead, second = divmod(row - 1, 2)
    trail = cell - 1 + 94 * second
    return bytes((lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)))


def _first(pairs: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Return the first bytes that stand for each character."""
    found: dict[str, bytes] = {}
    for character, data in pairs:
        found.setdefault(character, data)
    return found


@cache
def _jis_places() -> Mapping[str, bytes]:
    return _first((character, bytes(place)) for place, character in _jis_0208().items())


@cache
def _shift_jis_places() -> Mapping[str, bytes]:
    rows = (row for row in range(1, 121) if row not in _NEC_SELECTED)
    places = (_shift_jis_bytes(row, cell) for row in rows for cell in range(1, 95))
    return _first(
        (character, data) for data in places if not _PRIVATE.match(character := decode(data, "shift_jis"))
    )


@cache
def _big5_places() -> Mapping[str, bytes]:
    trails = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
    places = (bytes((lead, trail)) for lead in range(_NO_BIG5, 0xFF) for trail in trails)
    pairs = [(character, data) for data in places if len(character := decode(data, "big5")) == 1]
    found = _first(pairs)
    return found | {character: data for character, data in pairs if character in _LAST_IN_BIG5}


def _shift_jis(character: str) -> bytes | None:
    if character in "\xa5\u203e":
        return b"\\" if character == "\xa5" else b"~"
    if character <= "\x80":
        return character.encode("latin-1")
    if "\uff61" <= character <= "\uff9f":
        return character.encode("cp932")
    return _shift_jis_places().get(_full_width_minus(character))


def _euc_jp(character: str) -> bytes | None:
    if character in "\xa5\u203e":
        return b"\\" if character == "\xa5" else b"~"
    if character < "\x80" or "\uff61" <= character <= "\uff9f":
        return character.encode("euc_jp")
    place = _jis_places().get(_full_width_minus(character))
    return bytes(byte | 0x80 for byte in place) if place else None


def _iso_2022_jp(text: str) -> Iterator[bytes]:
    """Yield the bytes of a text, with the escapes between ASCII, JIS X 0201 and JIS X 0208."""
    ascii_, roman, double = b"\x1b(B", b"\x1b(J", b"\x1b$B"
    state = ascii_
    for character in text:
        written, wanted = b"", ascii_
        if character in "\x0e\x0f\x1b":
            written = _as_number("\ufffd")
        elif character < "\x80":
            wanted = roman if state == roman and character not in "\\~" else ascii_
            written = character.encode()
        elif character in "\xa5\u203e":
            written, wanted = (b"\\" if character == "\xa5" else b"~"), roman
        else:
            place = _jis_places().get(_full_width_katakana(_full_width_minus(character)))
            written, wanted = (place, double) if place else (_as_number(character), ascii_)
            if not place and state == roman:
                wanted = roman
        if wanted != state:
            yield wanted
            state = wanted
        yield written
    if state != ascii_:
        yield ascii_


def _full_width_minus(character: str) -> str:
    return "\uff0d" if character == "\u2212" else character


def _full_width_katakana(character: str) -> str:
    if not "\uff61" <= character <= "\uff9f":
        return character
    return {"\uff9e": "\u309b", "\uff9f": "\u309c"}.get(character) or unicodedata.normalize("NFKC", character)


def _big5(character: str) -> bytes | None:
    return character.encode() if character < "\x80" else _big5_places().get(character)


def _gb18030(character: str) -> bytes | None:
    if character in _GB_2022:
        return bytes.fromhex(_GB_2022[character])
    if character == "\ue7c7":
        return b"\x81\x35\xf4\x37"  # the two bytes that Python gives it are of another character now
    return None if character == "\ue5e5" else character.encode("gb18030")


def _gbk(character: str) -> bytes | None:
    written = b"\x80" if character == "€" else _gb18030(character)
    return written if written and len(written) < 4 else None


def _euc_kr(character: str) -> bytes | None:
    try:
        return character.encode("cp949")
    except UnicodeEncodeError:
        return None


_WRITERS = {
    "shift_jis": _shift_jis, "euc-jp": _euc_jp, "big5": _big5, "gb18030": _gb18030, "gbk": _gbk, "euc-kr": _euc_kr,
}  # fmt: skip


@cache
def _bytes_of(charset: str) -> Mapping[str, bytes]:
    return {sign: bytes((at,)) for at, sign in enumerate(_characters(charset)) if sign != "\ufffd"}


def _as_number(character: str) -> bytes:
    return b"%%26%%23%d%%3B" % ord(character)
