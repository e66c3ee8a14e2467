"""The encodings of the web: labels, reading, writing. The expected bytes were measured in Chromium (a.search)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.warc.charsets import charset_named, decode, encode_query


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("UTF-8", "utf-8"),
        (" utf8\n", "utf-8"),
        ("latin1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("l5", "windows-1254"),
        ("iso-8859-11", "windows-874"),
        ("gb2312", "gbk"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("big5-hkscs", "big5"),
        ("x-mac-ukrainian", "x-mac-cyrillic"),
        ("unicode", "utf-16le"),
        ("x-user-defined", "x-user-defined"),
        # labels of Python's, or of nobody
        ("cp437", None),
        ("utf-7", None),
        ("utf_8", None),
        ("latin-1", None),
        ("", None),
        ("é", None),
    ],
)
def test_labels_mean_what_they_mean_to_browsers(label: str, charset: str | None) -> None:
    assert charset_named(label) == charset


@pytest.mark.parametrize(
    ("charset", "text", "written"),
    [
        ("windows-1252", "é€\x81", "%E9%80%81"),
        ("windows-1252", "語", "%26%2335486%3B"),
        ("iso-8859-2", "łé€", "%B3%E9%26%238364%3B"),
        ("iso-8859-7", "€", "%A4"),
        ("koi8-u", "ўї", "%AE%A7"),
        ("windows-874", "ก€", "%A1%80"),
        ("macintosh", "é€", "%8E%DB"),
        ("x-user-defined", "\uf7e9é", "%E9%26%23233%3B"),
        ("gbk", "語é€", "%D5%5A%A8%A6%80"),
        ("gbk", "\u0e01", "%26%233585%3B"),
        ("gb18030", "語€\u0e01", "%D5%5A%A2%E3%81%32%CE%39"),
        ("gb18030", "ḿ︐", "%A8%BC%A6%D9"),
        ("big5", "語é€", "%BB%79%26%23233%3B%A3%E1"),
        ("big5", "·‧¢￠", "%A1%50%A1%45%26%23162%3B%A2%46"),
        ("big5", "十", "%A4%51"),
        ("euc-jp", "語①ｱ−", "%B8%EC%AD%A1%8E%B1%A1%DD"),
        ("euc-jp", "髙¥", "%FC%E2%5C"),
        ("euc-jp", "é", "%26%23233%3B"),
        ("shift_jis", "語表髙ｱ", "%8C%EA%95%5C%FB%FC%B1"),
        ("shift_jis", "¥‾−\x80", "%5C%7E%81%7C%80"),
        ("iso-2022-jp", "a語é語", "%61%1B%24%42%38%6C%1B%28%42%26%23233%3B%1B%24%42%38%6C%1B%28%42"),
        ("iso-2022-jp", "ｱ¥a~", "%1B%24%42%25%22%1B%28%4A%5C%61%1B%28%42%7E"),
        ("iso-2022-jp", "\x1bé", "%26%2365533%3B%26%23233%3B"),
        ("euc-kr", "語é한똠", "%E5%DE%26%23233%3B%C7%D1%8C%63"),
        ("utf-16le", "é", "%C3%A9"),
        ("utf-16be", "é", "%C3%A9"),
        ("utf-32le", "é", "%C3%A9"),
        ("hz-gb-2312", "é", "%C3%A9"),
        ("windows-1251", "\ud800", "%26%2365533%3B"),
        ("windows-1251", "😀я", "%26%23128512%3B%FF"),
        ("utf-8", "é", "%C3%A9"),
    ],
)
def test_a_query_is_written_as_browsers_write_it(charset: str, text: str, written: str) -> None:
    plain = written.replace("%26%23", "<").replace(
        "%3B", ">"
    )  # numbers of characters come escaped, bytes do not
    data = b""
    while plain:
        if plain[0] == "<":
            number, _, plain = plain[1:].partition(">")
            data += f"%26%23{number}%3B".encode()
        else:
            data, plain = data + bytes.fromhex(plain[1:3]), plain[3:]
    assert encode_query(text, charset) == data


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        ("windows-1252", b"\x81\x93", "\x81\u201c"),
        ("windows-1253", b"\xaa", "\ufffd"),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("x-user-defined", b"a\xe9", "a\uf7e9"),
        ("euc-jp", b"\xad\xa1\xfc\xe2", "①髙"),
        ("iso-2022-jp", b"\x1b$B-!8l\x1b(B.", "①語."),
        ("big5", b"\xa1\x45\xa3\xe1", "‧€"),
        ("gbk", b"\x80 \xff", "€ \ufffd"),
        ("gbk", b"\xfe\x59\xa6\xd9\xa3\xa0", "龴︐\u3000"),
        ("gb18030", b"\xa8\xbc\x81\x35\xf4\x37\x82\x35\x90\x37", "ḿ\ue7c7龴"),
        ("shift_jis", b"\x87\x40\x8c", "①\ufffd"),
        ("utf-16le", b"a\0b", "a\ufffd"),
    ],
)
def test_bytes_are_read_as_browsers_read_them(charset: str, data: bytes, text: str) -> None:
    assert decode(data, charset) == text


CHARSETS = [
    "windows-1250",
    "windows-1258",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "iso-2022-jp",
    "shift_jis",
    "euc-kr",
]


# Characters of private use that stood for those of the 2022 edition before.
PRIVATE = "\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864"


@pytest.mark.parametrize(
    ("charset", "otherwise"),
    [
        ("gbk", PRIVATE),
        ("gb18030", PRIVATE),
        ("big5", ""),
        ("euc-kr", ""),
        ("euc-jp", "\xa5\u203e\u2212"),
        ("shift_jis", "\xa5\u203e\u2212"),
    ],
)
def test_every_character_of_a_charset_is_read_back(charset: str, otherwise: str) -> None:
    characters = [chr(point) for point in range(0x80, 0x10000) if not 0xD800 <= point < 0xE000]
    written = [(one, data) for one in characters if b"%26%23" not in (data := encode_query(one, charset))]
    assert len(written) > 7000
    assert "".join(one for one, data in written if decode(data, charset) != one) == otherwise


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(CHARSETS), st.text(st.characters(codec="utf-8", categories=["L", "N"]), max_size=20))
def test_what_a_charset_has_is_read_back(charset: str, text: str) -> None:
    written = encode_query(text, charset)
    if b"%26%23" not in written:
        likeness = str.maketrans("−", "－")
        again = decode(written, charset).translate(likeness)
        half_width = charset == "iso-2022-jp" and any("\uff61" <= letter <= "\uff9f" for letter in text)
        assert half_width or again == text.translate(likeness)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([*CHARSETS, "x-user-defined", "hz-gb-2312", "iso-2022-kr", "utf-16be"]),
    st.binary(max_size=60),
)
def test_any_bytes_are_read_in_any_charset(charset: str, data: bytes) -> None:
    assert isinstance(decode(data, charset), str)
