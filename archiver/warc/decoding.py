"""Transfer and content codings of HTTP bodies, undone within limits. Used by `httpmessage.py`.

What a header declares is a claim: archives hold bodies that were unpacked before
they were stored, cut, packed twice, or never packed at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .decoders import (
    DECODER_ERRORS,
    BrotliDecoder,
    Decoder,
    GzipDecoder,
    ZlibDecoder,
    zstd_decoder,
)
from .limits import KIB, Limits

STEP = 16 * KIB
CHUNK_SIZE = re.compile(rb"[ \t]*(0{0,64}[0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]{0,1000})?(\r?\n)")
NO_CODINGS = ("", "identity", "none", "binary", "8bit", "7bit")
CODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


@dataclass(slots=True)
class Decoded:
    """A body and what was met on the way to it. truncated: a part is missing, by damage or by a limit."""

    body: bytes
    problems: list[str] = field(default_factory=list)
    truncated: bool = False


def undo_chunks(raw: bytes) -> Decoded:
    """Return the body of `Transfer-Encoding: chunked`; unchanged, with a problem, if it is not framed so."""
    first = CHUNK_SIZE.match(raw)
    if not first or not _is_framed(raw, first):
        return Decoded(raw, ["declared chunked, the body is not"])
    body = bytearray()
    place = 0
    while found := CHUNK_SIZE.match(raw, place):
        size = int(found[1], 16)
        start = found.end()
        if not size:
            return Decoded(bytes(body))
        if start + size > len(raw):
            body += memoryview(raw)[start:]
            return Decoded(
                bytes(body), [f"the last chunk has {len(raw) - start} of {size} bytes"], truncated=True
            )
        body += memoryview(raw)[start : start + size]
        place = start + size
        place += 2 if raw.startswith(b"\r\n", place) else raw.startswith(b"\n", place)
    if place < len(raw):
        body += memoryview(raw)[place:]
        return Decoded(
            bytes(body), [f"the chunks end at byte {place} of {len(raw)}; the rest is kept as it is"]
        )
    return Decoded(bytes(body), ["the chunks have no end mark"], truncated=True)


def _is_framed(raw: bytes, first: re.Match[bytes]) -> bool:
    """A page may begin with digits: so the first chunk must end with a line end, or with the data."""
    end = first.end() + int(first[1], 16)
    if end > len(raw):
        return first[2] == b"\r\n"
    return raw.startswith((b"\r\n", b"\n"), end) or end == len(raw) or end == first.end()


def undo_codings(raw: bytes, codings: list[str], limits: Limits) -> Decoded:
    """Return the body with its content codings undone, the last applied first."""
    result = Decoded(raw)
    undone = 0
    for coding in reversed(codings):
        name = coding.strip().lower()
        if name in NO_CODINGS:
            continue
        if undone == limits.encodings:
            result.problems.append(
                f"more than {limits.encodings} nested content codings; {name} is left as it is"
            )
            break
        if not result.body:
            break
        step = _undo(result.body, name, limits)
        if step.body is result.body:
            step = _undo_another(step, name, limits)
        undone += 1
        result.body = step.body
        result.problems += step.problems
        if step.truncated:
            result.truncated = True
    return result


def _undo(raw: bytes, name: str, limits: Limits) -> Decoded:
    if name in ("gzip", "x-gzip"):
        if raw.startswith(b"\x1f\x8b"):
            return _Unpacking(raw, name, limits, GzipDecoder, ZlibDecoder, b"\x1f\x8b").run()
    elif name == "deflate":
        return _undo_deflate(raw, limits)
    elif name == "br":
        return _checked_text(raw, _Unpacking(raw, name, limits, BrotliDecoder, BrotliDecoder).run(), name)
    elif name == "zstd":
        if raw.startswith(ZSTD_MAGIC):

            def decoder() -> Decoder:
                return zstd_decoder(limits.body_window_log)

            return _Unpacking(raw, name, limits, decoder, decoder, ZSTD_MAGIC).run()
    elif name == "chunked":  # some servers call the transfer coding one of the content
        return undo_chunks(raw)
    else:
        return Decoded(raw, [f"content coding {name[:40]!r} is not known; the body is left as it is"])
    return Decoded(raw, [f"declared {name}, the body is not"])


def _undo_another(step: Decoded, name: str, limits: Limits) -> Decoded:
    """Servers mix the names up: where the declared coding is not there, another may be, told by its magic number."""
    raw = step.body
    for other, magic in (("gzip", b"\x1f\x8b\x08"), ("zstd", ZSTD_MAGIC)):
        if name in CODINGS and name != other and raw.startswith(magic):
            another = _undo(raw, other, limits)
            if another.body is not raw:
                another.problems.insert(0, f"declared {name}, the body is {other}")
                return another
    if name in ("gzip", "x-gzip") and _is_zlib(raw):
        another = _undo_deflate(raw, limits)
        if not another.problems:
            another.problems.append(f"declared {name}, the body is deflate")
            return another
    return _undo_unmarked(step, name, limits) if name in CODINGS and not _is_text(raw[:200]) else step


def _undo_unmarked(step: Decoded, name: str, limits: Limits) -> Decoded:
    """Brotli and raw deflate data have no magic number: they are what unpacks without an error and to its last byte."""
    for other, decoder in (("br", BrotliDecoder), ("deflate", _raw_deflate)):
        if other == name:
            continue
        another = _Unpacking(step.body, other, limits, decoder, decoder)
        if another.is_whole():
            return Decoded(b"".join(another.parts), [f"declared {name}, the body is {other}"])
    return step


def _raw_deflate() -> Decoder:
    return ZlibDecoder(-15)


def _is_zlib(raw: bytes) -> bool:
    return len(raw) > 1 and raw[0] & 15 == 8 and (raw[0] << 8 | raw[1]) % 31 == 0


def _undo_deflate(raw: bytes, limits: Limits) -> Decoded:
    """`deflate` means zlib data by the standard and raw deflate data by some servers."""
    if _is_zlib(raw):
        return _Unpacking(raw, "deflate", limits, lambda: ZlibDecoder(15), lambda: ZlibDecoder(15)).run()
    result = _Unpacking(raw, "deflate", limits, _raw_deflate, _raw_deflate).run()
    return _checked_text(raw, result, "deflate")


def _checked_text(raw: bytes, result: Decoded, name: str) -> Decoded:
    """For codings without a magic number: text that happens to begin like packed data is told by its failure."""
    broken = result.truncated and bool(result.problems)
    if broken and (not result.body or _is_text(raw[:200])) and "limit" not in result.problems[0]:
        return Decoded(raw, [f"declared {name}, the body is not"])
    return result


def _is_text(data: bytes) -> bool:
    return not any(byte < 32 and byte not in b"\t\n\r\f" for byte in data)


class _Unpacking:
    """One coding of one body being undone, part by part, so that a bomb never takes more than its limit."""

    def __init__(
        self,
        raw: bytes,
        name: str,
        limits: Limits,
        fast: Callable[[], Decoder],
        slow: Callable[[], Decoder],
        next_magic: bytes = b"",
    ) -> None:
        self.raw = raw
        self.name = name
        self.fast = fast
        self.slow = slow
        self.next_magic = next_magic
        self.most = limits.body_bytes
        self.why = f"the limit of {limits.body_bytes >> 20} MiB"
        ratio_bytes = max(limits.body_ratio_from, limits.body_ratio * len(raw))
        if ratio_bytes < self.most:
            self.most = ratio_bytes
            self.why = f"the limit of {limits.body_ratio} times its packed size"
        self.parts: list[bytes] = []
        self.size = 0

    def run(self) -> Decoded:
        start = 0
        while True:
            used, problem = self._member(start)
            if problem:
                return self._result([problem])
            start += used
            if not self.next_magic or not self.raw.startswith(self.next_magic, start):
                return self._result([])

    def is_whole(self) -> bool:
        """Unpack; tell whether the body is one member from its first to its last byte, without an error."""
        used, problem = self._member(0)
        return not problem and used == len(self.raw) and self.size > 0

    def _result(self, problems: list[str]) -> Decoded:
        body = self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)
        return Decoded(body[: self.most] if len(body) > self.most else body, problems, bool(problems))

    def _member(self, start: int) -> tuple[int, str]:
        """Unpack one member; return how many packed bytes it took, and what broke it."""
        decoder = self.fast()
        view = memoryview(self.raw)
        place = start
        parts, size = len(self.parts), self.size
        fed_from = place
        try:
            while not decoder.eof:
                packed = view[place : place + STEP] if decoder.needs_input else view[:0]
                fed_from = place
                place += len(packed)
                data = decoder.decompress(packed, 4 * STEP)
                if data:
                    self.parts.append(data)
                    self.size += len(data)
                    if self.size > self.most:
                        return 0, f"the {self.name} body unpacks beyond {self.why}; the rest is cut off"
                elif not packed and decoder.needs_input and not decoder.eof and place >= len(view):
                    return 0, f"the {self.name} body ends early"
        except DECODER_ERRORS as error:
            del self.parts[parts:]
            self.size = size
            self._salvage(start, fed_from, place)
            return 0, f"the {self.name} body is broken: {error}"
        return place - start - len(decoder.unused_data), ""

    def _salvage(self, start: int, good_to: int, end: int) -> None:
        """Unpack again, byte by byte where it failed: the output of the call that fails is lost."""
        decoder = self.slow()
        view = memoryview(self.raw)
        place = start
        try:
            while place < end and not decoder.eof and self.size < self.most:
                step = min(STEP, good_to - place) if place < good_to else 1
                packed = view[place : place + step]
                place += step
                while packed or not decoder.needs_input:
                    data = decoder.decompress(packed, 4 * STEP)
                    packed = view[:0]
                    self.parts.append(data)
                    self.size += len(data)
                    if decoder.eof or self.size >= self.most:
                        break
        except DECODER_ERRORS:
            pass
