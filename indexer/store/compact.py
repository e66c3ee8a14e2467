"""Addresses and digests as the catalogue keeps them: in fewer bytes, and exactly as they were.

An address and its urlkey mostly say the same, so only the urlkey is kept with a number for what it leaves out, or with
the places of its capital letters; an address that is not what these give is kept as it is. The urlkey is parted into a
folder, which many addresses share, and the name in it. SHA-1 is kept as 20 bytes, a moment as a number.
"""

from __future__ import annotations

import base64
import re
import sqlite3
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.core.kept import ODD, keep_addresses
from indexer.core.stems import keys_of

_HTTPS, _WWW, _SLASH = 1, 2, 4  # bits of what is written beside a urlkey
_SHA1 = "sha1:"
_SHA1_IN_BASE32 = re.compile(r"sha1:[A-Z2-7]{32}")
_SHA1_LETTERS = len(_SHA1) + 32
_DIGITS = np.full(256, 255, dtype=np.uint8)
_DIGITS[np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", dtype=np.uint8)] = np.arange(32)
_DIGITS_OF_PYTHON = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789abcdefghijklmnopqrstuv")
_UNKNOWN = -1  # as a time: the archive gives none
_CAPITAL = re.compile("[A-Z]")
_FAR = 255  # in a list of capitals: so many letters further, and then what follows
# The name of an address that is kept whole, where what it begins with tells its keys: most are such a one, or plain.
_STEP = "[A-Za-z0-9_~-][A-Za-z0-9_~.-]*"
_PLAIN_NAME = re.compile(rf"(https?://[^/?#\\]+/(?:[^?#]*/)?)({_STEP})")


class KeptAddress(NamedTuple):
    """An address as the catalogue keeps it: folder and name of its urlkey, what is written beside it, its page."""

    folder: str
    name: str
    written: int | bytes | str
    page: int


def kept_addresses(urls: Sequence[str]) -> list[KeptAddress]:
    """Return addresses as the catalogue keeps them: see `compact_address`, `split_key` and `kept_page`."""
    keys, written, found = keep_addresses(urls)
    rows: list[tuple[str, str, int | bytes | str, int]] = []
    for url, (page, begin, folder, name, capitals, bits, how) in zip(urls, found, strict=True):
        if how == ODD:
            rows.append(_kept_oddly(url))
            continue
        middle = begin + folder
        beside = written[begin : begin + capitals] if capitals else bits
        rows.append((keys[begin:middle], keys[middle : middle + name], beside, page))
    return list(map(_as_kept, rows))


_as_kept = partial(tuple.__new__, KeptAddress)  # `_make` takes three times as long


def _kept_oddly(url: str) -> KeptAddress:
    if fronts := _fronts_of(url):
        name = url[url.rfind("/") + 1 :]
        return KeptAddress(fronts[0], name.lower(), url, _md5_64(fronts[1] + name, signed=True))
    key, written = compact_address(url)
    return KeptAddress(*split_key(key), written, kept_page(url))


def _fronts_of(url: str) -> tuple[str, str] | None:
    """Return what urlkey and sort key of an address begin with before its name, if that is plain and it is kept whole.

    Names of one folder stand together: so the keys are worked out once a folder that has escapes.
    """
    found = _PLAIN_NAME.fullmatch(url)
    return _fronts_of_folder(found[1]) if found and ".asp" not in found[2].lower() else None


@lru_cache(maxsize=4096)
def _fronts_of_folder(folder: str) -> tuple[str, str] | None:
    name = "X"  # in small letters in a key, unless the address cannot be read
    key, written = compact_address(folder + name)
    page = sort_key(folder + name)
    if not isinstance(written, str) or split_key(key) != (key[:-1], "x") or not page.endswith("/X"):
        return None
    bits = _bits_of(folder + name, key)
    is_whole = address(key, bits)[:-1] not in (folder, folder.lower())
    return (key[:-1], page[:-1]) if is_whole else None


def sort_key(url: str) -> str:
    """Return the key that all spellings of the address of one page share, http and https alike."""
    from archiver.warc import capture_key, surt_key

    try:
        return surt_key(url)
    except ValueError:
        return capture_key(url)


def doc_keys(urls: list[str]) -> NDArray[np.uint64]:
    """Return for each address 64 bits of its MD5, which order pages of equal score."""
    return keys_of(urls)


def page_number(sort_key: str) -> int:
    """Return the 64 bits of the MD5 of a sort key by which links and the catalogue know a page.

    Whoever wants the page itself compares the sort key as well.
    """
    return _md5_64(sort_key)


def _md5_64(text: str, *, signed: bool = False) -> int:
    import hashlib  # takes some milliseconds, and a search has no need of it

    digest = hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big", signed=signed)


def sort_key_of_kept(url: str) -> str:
    """Return the sort key of an address that is kept as it is; sooner than `sort_key` for many of one folder."""
    fronts = _fronts_of(url)
    return fronts[1] + url[url.rfind("/") + 1 :] if fronts else sort_key(url)


def kept_page(url: str) -> int:
    """Return the number of the page of an address as the catalogue keeps it."""
    return _md5_64(sort_key(url), signed=True)


def signed(number: int) -> int:
    """Return 64 bits as SQLite keeps them."""
    return number - (1 << 64) if number >> 63 else number


def unsigned(kept: int) -> int:
    """Return the number that `signed` was given."""
    return kept & ((1 << 64) - 1)


def compact_address(url: str) -> tuple[str, int | bytes | str]:
    """Return (urlkey, what is written beside it): see `address`."""
    from archiver.warc import urlkey

    key = urlkey(url)
    bits = _bits_of(url, key)
    plain = address(key, bits)
    if plain == url:
        return key, bits
    if url.isascii() and plain == url.lower():
        capitals = _with_capitals(bits, url)
        if len(capitals) < len(url):
            return key, capitals
    return key, url


def _bits_of(url: str, key: str) -> int:
    rest = url.partition("://")[2]
    bits = _HTTPS * url.startswith("https:") | _WWW * rest.startswith("www.")
    return bits | _SLASH * (url.endswith("/") and not key.endswith(")/"))


def _with_capitals(bits: int, url: str) -> bytes:
    """Return bits, and behind them the places of the capital letters, as how many others stand before each."""
    kept, place = bytearray([bits]), 0
    for found in _CAPITAL.finditer(url):
        gap = found.start() - place
        place = found.end()
        while gap >= _FAR:
            kept.append(_FAR)
            gap -= _FAR
        kept.append(gap)
    return bytes(kept)


def address(key: str, written: int | bytes | str) -> str:
    """Return the address that compact_address was given.

    written: bits for https, www. and a slash at the end; or a byte with these and the places of capital letters; or the
    address.
    """
    if isinstance(written, int):
        host, _, path = key.partition(")")
        return _front_of(host, written & (_HTTPS | _WWW)) + path + ("/" if written & _SLASH else "")
    if isinstance(written, bytes):
        letters, place = list(address(key, written[0])), 0
        for gap in written[1:]:
            place += gap
            if gap < _FAR:
                letters[place] = letters[place].upper()
                place += 1
        return "".join(letters)
    return written


@lru_cache(maxsize=4096)
def _front_of(host: str, bits: int) -> str:
    """Return what an address begins with: pages of one host come together."""
    if "," in host:
        name, colon, port = host.partition(":")
        host = ".".join(reversed(name.split(","))) + colon + port
    return f"{'https' if bits & _HTTPS else 'http'}://{'www.' if bits & _WWW else ''}{host}"


def split_key(key: str) -> tuple[str, str]:
    """Return a urlkey as folder and name: parted behind the last slash before a query, or else behind the host."""
    path = key.partition("?")[0]
    end = path.rfind("/") + 1 or path.find(")") + 1
    return key[:end], key[end:]


def folders_above(key: str) -> list[str]:
    """Return what may be folders of keys that begin as this one does: the longest last, itself not."""
    path = key.partition("?")[0]
    ends = {0, path.find(")") + 1} | {place + 1 for place, letter in enumerate(path) if letter == "/"}
    return [key[:end] for end in sorted(ends) if end < len(key)]


def kept_time(timestamp: str) -> int:
    """Return a timestamp of 14 digits, or "" for an unknown one, as the catalogue keeps it: a number."""
    return int(timestamp) if timestamp else _UNKNOWN


def kept_times(timestamps: Sequence[str]) -> list[int]:
    """Return what `kept_time` returns of each."""
    return list(map(int if all(timestamps) else kept_time, timestamps))


def timestamp_of(time: int) -> str:
    """Return the timestamp that kept_time was given, in 14 digits."""
    return f"{time:014d}" if time >= 0 else ""


def compact_digest(payload: str) -> bytes | str:
    """Return a payload digest as the catalogue keeps it: SHA-1 as 20 bytes, any other as it is."""
    if not _SHA1_IN_BASE32.fullmatch(payload):
        return payload
    # 32 digits of 5 bits are 20 bytes exactly; base64.b32decode takes twenty times as long
    return int(payload[5:].translate(_DIGITS_OF_PYTHON), 32).to_bytes(20, "big")


def compact_digests(payloads: Sequence[str]) -> list[bytes | str]:
    """Return what `compact_digest` returns of each; of many in a tenth of the time where all are SHA-1."""
    text = "".join(payloads)
    if set(map(len, payloads)) != {_SHA1_LETTERS} or not text.isascii():
        return list(map(compact_digest, payloads))
    letters = np.frombuffer(text.encode("ascii"), dtype=np.uint8).reshape(-1, _SHA1_LETTERS)
    digits = _DIGITS[letters[:, len(_SHA1) :]]
    if (letters[:, : len(_SHA1)] != np.frombuffer(_SHA1.encode("ascii"), dtype=np.uint8)).any() or (
        digits > 31
    ).any():
        return list(map(compact_digest, payloads))
    # eight digits of 5 bits are five bytes
    numbers = np.zeros((len(payloads), 4), dtype=">u8")
    for place in range(8):
        numbers = numbers << np.uint64(5) | digits[:, place::8]
    data = np.ascontiguousarray(numbers.astype(">u8").view(np.uint8).reshape(-1, 4, 8)[:, :, 3:]).tobytes()
    return [data[at : at + 20] for at in range(0, len(data), 20)]


@lru_cache(maxsize=4096)  # captures of a page often hold the same bytes
def digest_text(kept: bytes | str) -> str:
    """Return the payload digest that compact_digest was given."""
    return kept if isinstance(kept, str) else _SHA1 + base64.b32encode(kept).decode("ascii")


def add_functions(connection: sqlite3.Connection) -> None:
    """Let SQL on a connection read what is kept: address(urlkey, written), sort_key(address), digest_text(payload)."""
    connection.create_function("address", 2, address, deterministic=True)
    connection.create_function("sort_key", 1, sort_key, deterministic=True)
    connection.create_function("digest_text", 1, digest_text, deterministic=True)
