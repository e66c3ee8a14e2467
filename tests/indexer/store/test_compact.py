"""Addresses and digests come back from the catalogue exactly as they went in."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiver.warc import urlkey
from indexer.store.compact import (
    address,
    compact_address,
    compact_digest,
    compact_digests,
    digest_text,
    kept_addresses,
    kept_page,
    kept_time,
    kept_times,
    sort_key,
    sort_key_of_kept,
    split_key,
)

SHA1 = "sha1:" + base64.b32encode(bytes(range(20))).decode()


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://example.org/a/b?c=d", 0),
        ("https://www.example.org/a/", 1 + 2 + 4),
        ("http://www.example.org/", 2),
        ("http://example.org/a/b?c=D", bytes([0, 25])),
        ("https://example.org/Q/aBC/", bytes([5, 20, 2, 0])),
        ("https://example.org/" + "a" * 600 + "Z", bytes([1, 255, 255, 110])),
        ("http://example.org/É", "http://example.org/É"),
        ("http://www2.example.org/", "http://www2.example.org/"),
        ("https://example.org:8443/", 1),
        ("http://192.0.2.7/x", 0),
        ("http://[2001:db8::1]:81/x", "http://[2001:db8::1]:81/x"),
        ("http://localhost/", 0),
        ("http://EXAMPLE.org/", bytes([0, 7, 0, 0, 0, 0, 0, 0])),
        ("HTTP://EXAMPLE.ORG", "HTTP://EXAMPLE.ORG"),
        ("http://user@example.org/", "http://user@example.org/"),
        ("http://example.org", "http://example.org"),
        ("http://a,b.example/", "http://a,b.example/"),
        ("http://www.www.example/", 2),
        ("http://example.org/a//", "http://example.org/a//"),
        ("https://example.org/?b&a", "https://example.org/?b&a"),
        ("urn:uuid:1", "urn:uuid:1"),
        ("0", "0"),
        ("", ""),
    ],
)
def test_an_address_is_written_once_where_its_urlkey_says_it(url: str, written: int | str) -> None:
    key, kept = compact_address(url)
    assert (key, kept) == (urlkey(url), written)
    assert address(key, kept) == url


@given(st.from_regex(r"(https?|ftp)://[a-z0-9.,:)\[\]@-]{0,12}(/[a-zA-Z%/.)?,]{0,8})?", fullmatch=True))
def test_every_address_comes_back(url: str) -> None:
    assert address(*compact_address(url)) == url


@given(
    st.one_of(
        st.from_regex(
            r"https?://(www[0-9]?\.){0,2}([a-z0-9_-]{1,3}\.){0,3}[a-z]{0,3}(/[a-zA-Z.~_%-]{0,3}){0,4}",
            fullmatch=True,
        ),
        st.from_regex(r"https?://[a-c.]{1,5}[:@?]?[0-9]{0,2}/[A-C./?#;]{0,8}", fullmatch=True),
        st.integers(230, 260).map(lambda length: f"http://www.{'a' * length}.org/A/"),
        st.from_regex(
            r"https?://[a:.]{1,4}(/(%2B|%3F|%2f|%252B|\.|\.\.|A|\+)){0,3}/[A-C.?]{0,5}", fullmatch=True
        ),
        st.sampled_from(["http://a.org/\n", "http://a.org/x\n", "http://a.org\n/", "HTTP://a.org/"]),
    )
)
def test_a_plain_address_is_kept_as_any_other(url: str) -> None:
    key, written = compact_address(url)
    odd = "http://a.example/\udc80?ü"
    assert kept_addresses([odd, url])[1] == (*split_key(key), written, kept_page(url))
    assert sort_key_of_kept(url) == sort_key(url)


def test_sha_1_takes_20_bytes_and_others_stay_as_they_are() -> None:
    assert compact_digest(SHA1) == bytes(range(20)) and digest_text(bytes(range(20))) == SHA1
    others = ["", "md5:aaaa", "sha1:short", SHA1.lower(), "sha256:" + 30 * "A"]
    # what int() would take for digits of base 32
    others += [
        "sha1:" + digits
        for digits in (32 * "!", 16 * "A_", 32 * "\u0664", " " + 31 * "A", "-" + 31 * "A", 32 * "1")
    ]
    for other in others:
        assert compact_digest(other) == other == digest_text(other)


@given(st.binary(min_size=20, max_size=20))
def test_every_sha_1_is_kept_as_its_bytes(digest: bytes) -> None:
    assert compact_digest("sha1:" + base64.b32encode(digest).decode()) == digest


@given(st.text("AZ27018_+- \t\nz=\u0661", min_size=30, max_size=34))
def test_whatever_looks_like_a_sha_1_comes_back(digits: str) -> None:
    assert digest_text(compact_digest(f"sha1:{digits}")) == f"sha1:{digits}"


@given(
    st.lists(
        st.binary(min_size=20, max_size=20).map(lambda data: "sha1:" + base64.b32encode(data).decode())
        | st.sampled_from(
            ["", "sha1:" + "A" * 31, "sha1:" + "A" * 33, "sha1:" + "a" * 32, "md5:" + "A" * 33, "é" * 37]
        )
        | st.text("ABZ1278sha:é", min_size=37, max_size=37),
        max_size=5,
    )
)
def test_digests_are_kept_alike_all_at_once_and_each_by_itself(payloads: list[str]) -> None:
    assert compact_digests(payloads) == list(map(compact_digest, payloads))


def test_a_digest_is_not_completed_by_the_next_one() -> None:
    """Together they are as long as two of SHA-1, and read like two of them; the first is short, the second long."""
    payloads = ["sha1:AAA", "B" * 29 + "sha1:" + "C" * 32]
    assert compact_digests(payloads) == payloads


@given(st.lists(st.sampled_from(["", "00000000000000", "20200101000000", "99999999999999"]), max_size=4))
def test_moments_are_kept_alike_all_at_once_and_each_by_itself(timestamps: list[str]) -> None:
    assert kept_times(timestamps) == list(map(kept_time, timestamps))
