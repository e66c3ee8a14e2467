"""Which of several Content-Type fields and values counts, and what of them; by the Fetch standard."""

from __future__ import annotations

import pytest

from archiver.warc import Headers, content_type_of, media_type_of


def of(*fields: str) -> str:
    return content_type_of(Headers([("content-TYPE", field) for field in fields]))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([], ""),
        ([""], ""),
        (["text/html"], "text/html"),
        ([" Text/HTML ;Charset=UTF-8 ; x=y"], "text/html; charset=UTF-8"),
        # the last that can be read counts, in one field or in several
        (["text/plain", "text/html"], "text/html"),
        (["text/html", "text/plain"], "text/plain"),
        (["text/html, text/plain"], "text/plain"),
        (["text/html", ""], "text/html"),
        (["text/html", "*/*"], "text/html"),
        (["text/html", "*/*;charset=gbk"], "text/html"),
        (["text/html", "cannot-parse"], "text/html"),
        (["text/html, text/"], "text/html"),
        (["text/html", "/html"], "text/html"),
        (["text/html,,,"], "text/html"),
        (["*/*"], ""),
        (["html"], ""),
        (["te<xt/html"], ""),
        # the charset of an earlier value stays while the type stays the same
        (["text/html;charset=gbk", "text/html"], "text/html; charset=gbk"),
        (["text/html;charset=gbk", "text/html;x=y"], "text/html; charset=gbk"),
        (["text/html;charset=gbk", "text/html;charset=utf-8"], "text/html; charset=utf-8"),
        (["text/html;charset=gbk", "text/plain", "text/html"], "text/html"),
        (["text/html;charset=gbk", "cannot-parse", "text/html"], "text/html; charset=gbk"),
        (["text/plain;charset=gbk", "text/html"], "text/html"),
        # quotes hold commas and semicolons, and what is never closed holds all that follows
        (['text/html;x="a,text/plain;charset=gbk"'], "text/html"),
        (['text/html;x="a\\",text/plain"'], "text/html"),
        (['text/html;x="', "text/plain"], "text/html"),
        (['text/html;x="a" ,text/plain'], "text/plain"),
        # which charset
        (["text/html; charset=gbk; charset=utf-8"], "text/html; charset=gbk"),
        (['text/html; charset="g\\bk"'], "text/html; charset=gbk"),
        (['text/html; charset="gbk'], "text/html; charset=gbk"),
        (['text/html; charset="gbk"x'], "text/html; charset=gbk"),
        (['text/html; x="charset=gbk"; charset=utf-8'], "text/html; charset=utf-8"),
        (["text/html; xcharset=gbk"], "text/html"),
        (["text/html; charset"], "text/html"),
        (["text/html; charset=; charset=gbk"], "text/html; charset=gbk"),
        (["text/html; charset='gbk'"], "text/html; charset=gbk"),
        # no standard reads these, yet real archives have them: only where nothing else can be read
        (["text/html charset=utf-8"], "text/html; charset=utf-8"),
        (["text/html charset=utf-8", "text/plain"], "text/plain"),
        (["text/plain", "text/html charset=utf-8"], "text/plain"),
    ],
)
def test_content_types(fields: list[str], expected: str) -> None:
    assert of(*fields) == expected
    assert media_type_of(Headers([("Content-Type", field) for field in fields])) == expected.partition(";")[0]
    assert of(of(*fields)) == expected
