"""One spelling for each URL.

`canonical_url` for pages (http and https), `surt_key` to sort them by site, and
`capture_key` to name any capture, also dns:, urn:, ftp: and broken addresses.
Normalisation is that of RFC 3986 section 6.2.2 and 6.2.3, and what browsers do
with blanks and backslashes; the query keeps its order and its letter case.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from urllib.parse import urljoin

import idna

DEFAULT_PORTS = {"http": "80", "https": "443"}
ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
PATH_KEEP = UNRESERVED | frozenset(b"!$&'()*+,;=:@/%")
QUERY_KEEP = PATH_KEEP | frozenset(b"?")
EDGES = "".join(map(chr, range(33)))
LINE_BREAKS = re.compile(r"[\t\r\n]")
SPLIT = re.compile(r"(https?):/{2}([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE)
AUTHORITY = re.compile(r"(?:(.*)@)?(\[[^\[\]@]*\]|[^:@\[\]]*)(?::(\d*))?", re.DOTALL)
HOST = re.compile(r"[a-z0-9_!$&'()*+,;=~.\-]+")
SCHEME_ONLY = re.compile(r"https?:(?!//)", re.IGNORECASE)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def canonical_url(url: str, base: str | None = None) -> str:
    """Return the one spelling of a page's address; canonical_url(canonical_url(x)) == canonical_url(x).

    base: the address that a relative `url` is relative to.

    Raises ValueError for what is no address of a page: other schemes, no host,
    a host or port that cannot be.
    """
    text = _clean(url)
    if base is not None and (not SCHEME.match(text) or SCHEME_ONLY.match(text)):
        text = _clean(urljoin(_clean(base), text))
    parts = SPLIT.match(text)
    if not parts:
        raise ValueError(f"not an http or https address: {url[:200]!r}")
    scheme, authority, path, query = parts.groups()
    scheme = scheme.lower()
    path = _remove_dot_segments(_escape(path, PATH_KEEP)) or "/"
    query = _escape(query[1:], QUERY_KEEP) if query else ""
    return f"{scheme}://{_authority(authority, scheme, url)}{path}{'?' + query if query else ''}"


def surt_key(url: str) -> str:
    """Return the sort key of a page: host turned round, scheme and user left out: "com,example)/path?query".

    Raises ValueError as `canonical_url` does.
    """
    _, _, rest = canonical_url(url).partition("://")
    authority, slash, path = rest.partition("/")
    host, port = _split_port(authority.rpartition("@")[2])
    if not host.startswith("[") and not _is_ipv4(host):
        host = ",".join(reversed(host.split(".")))
    return f"{host}{':' + port if port else ''}){slash}{path}"


def capture_key(url: str) -> str:
    """Return the canonical URL, or for other schemes and broken addresses the URL itself without outer blanks."""
    try:
        return canonical_url(url)
    except ValueError:
        return _clean(url)


def _clean(url: str) -> str:
    """Blanks around an address and line breaks inside are dropped, as the URL standard says."""
    text = LINE_BREAKS.sub("", url).strip(EDGES)
    if "\\" in text and re.match(r"(https?:)?[/\\]", text, re.IGNORECASE):
        path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        text = path.replace("\\", "/") + mark + rest
    return text


def _escape(text: str, keep: frozenset[int]) -> str:
    """Return `text` with every byte escaped that needs it and none that does not; escapes in capitals."""
    if text.isascii() and text.isalnum():
        return text
    raw = STRAY_PERCENT.sub("%25", text).encode("utf-8", "surrogatepass")
    raw = ESCAPE.sub(_normal_escape, raw)
    return _all_but(keep).sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")


@cache
def _all_but(keep: frozenset[int]) -> re.Pattern[bytes]:
    """Return a pattern of one byte that is not in `keep`."""
    return re.compile(b"[^" + b"".join(re.escape(bytes((byte,))) for byte in sorted(keep)) + b"]", re.DOTALL)


def _normal_escape(escape: re.Match[bytes]) -> bytes:
    byte = int(escape[1], 16)
    return bytes((byte,)) if byte in UNRESERVED else escape[0].upper()


def _remove_dot_segments(path: str) -> str:
    """RFC 3986, section 5.2.4."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _authority(text: str, scheme: str, url: str) -> str:
    parts = AUTHORITY.fullmatch(text)
    if not parts:
        raise ValueError(f"the host cannot be read in {url[:200]!r}")
    user, host, port = parts.groups()
    host = _host(host, url)
    if port:
        number = int(port) if len(port) < 20 else 1 << 16
        if number > 65535:
            raise ValueError(f"port {port[:20]} is not between 0 and 65535 in {url[:200]!r}")
        port = "" if str(number) == DEFAULT_PORTS[scheme] else str(number)
    user = _escape(user, PATH_KEEP - frozenset(b"/@")) + "@" if user else ""
    return f"{user}{host}{':' + port if port else ''}"


def _host(host: str, url: str) -> str:
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host[1:-1]).compressed}]"
        except ValueError:
            raise ValueError(f"{host[:60]!r} is not an IPv6 address in {url[:200]!r}") from None
    if "%" in host:
        raw = ESCAPE.sub(lambda escape: bytes((int(escape[1], 16),)), host.encode("utf-8", "surrogatepass"))
        host = raw.decode("utf-8", "replace")
    host = host.lower()
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode()
        except (idna.IDNAError, UnicodeError) as error:
            raise ValueError(f"host {host[:60]!r} cannot be: {error}") from None
    host = host.rstrip(".")
    if not HOST.fullmatch(host) or len(host) > 253:
        raise ValueError(f"no host in {url[:200]!r}")
    return host


def _split_port(authority: str) -> tuple[str, str]:
    host, colon, port = authority.rpartition(":")
    return (host, port) if colon and not authority.endswith("]") else (authority, "")


def _is_ipv4(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and all(part.isdigit() for part in parts)
