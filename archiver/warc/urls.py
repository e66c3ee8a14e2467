"""One spelling for each URL, and the keys by which addresses are found.

`canonical_url` for pages (http and https), `asked_url` for what a browser asks a
server for, `surt_key` to know a page whatever its spelling, and `capture_key` to
name any capture, also dns:, urn:, ftp: and broken addresses.
Normalisation is that of RFC 3986 section 6.2.2 and 6.2.3, and what browsers do
with blanks and backslashes; the query keeps its order and its letter case.

`urlkey` is coarser: the key that web-archive tools share, in CDX and CDXJ.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from functools import cache
from urllib.parse import quote_from_bytes, urljoin, urlsplit

import idna

from .charsets import UTF_8, encode_query

DEFAULT_PORTS = {"http": "80", "https": "443"}
ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
PATH_KEEP = UNRESERVED | frozenset(b"!$&'()*+,;=:@/%")
QUERY_KEEP = PATH_KEEP | frozenset(b"?")
_NOT_IN_QUERY = re.compile(rb"[\0- \"#<>'\x7f-\xff]")
EDGES = "".join(map(chr, range(33)))
LINE_BREAKS = re.compile(r"[\t\r\n]")
SPLIT = re.compile(r"(https?):/{2}([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE)
AUTHORITY = re.compile(r"(?:(.*)@)?(\[[^\[\]@]*\]|[^:@\[\]]*)(?::(\d*))?", re.DOTALL)
HOST = re.compile(r"[a-z0-9_!$&'()*+,;=~.\-]+")
WEB_SCHEME = re.compile(r"(https?):", re.IGNORECASE)
ASKED_PATH = re.compile(rb"[\0- \"#<>?^`{}\x7f-\xff]")
ASKED_QUERY = re.compile(rb"[\0- \"#<>\x7f-\xff]")
DOT = re.compile(r"%2e", re.IGNORECASE)
_BEFORE_QUERY = re.compile(r"([^?#]*)([?#]?)(.*)", re.DOTALL)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
# a page's address in which nothing is to be mended; most are, and it takes a tenth of the time
_PLAIN_PAGE = re.compile(
    r"(https?)://((?:[a-z0-9_-]+\.)+[a-z]{2,})"
    r"((?:/(?:[A-Za-z0-9_~!$&'()*+,;=:@-][A-Za-z0-9_~!$&'()*+,;=:@.-]*)?)*)(\?[A-Za-z0-9_~!$&'()*+,;=:@./?-]+)?"
)
_LONGEST_NAME = 253


def canonical_url(url: str, base: str | None = None) -> str:
    """Return the one spelling of a page's address; canonical_url(canonical_url(x)) == canonical_url(x).

    base: the address that a relative `url` is relative to.

    Raises ValueError for what is no address of a page: other schemes, no host,
    a host or port that cannot be.
    """
    if base is None and (plain := _PLAIN_PAGE.fullmatch(url)) and len(plain[2]) <= _LONGEST_NAME:
        return url if plain[3] else f"{plain[1]}://{plain[2]}/{plain[4] or ''}"
    scheme, authority, path, query = _parts(url, base)
    path = _remove_dot_segments(_escape(path, PATH_KEEP)) or "/"
    query = _escape(query[1:], QUERY_KEEP)
    return f"{scheme}://{_authority(authority, scheme, url)}{path}{'?' + query if query else ''}"


def asked_url(url: str, base: str | None = None) -> str:
    """Return the address that a browser asks for: made absolute, and otherwise as it was written.

    By the URL standard escapes, their letter case and an empty query stay, and only what cannot stand in an address is
    escaped; to a server "/%61" and "/a", "/x?" and "/x" may be different pages. canonical_url(asked_url(x)) is
    canonical_url(x). base: the address that a relative `url` is relative to. Raises ValueError as `canonical_url` does.
    """
    scheme, authority, path, query = _parts(url, base)
    path = _remove_dot_segments(_written(path, ASKED_PATH)) or "/"
    return f"{scheme}://{_authority(authority, scheme, url)}{path}{_written(query, ASKED_QUERY)}"


def _parts(url: str, base: str | None) -> tuple[str, str, str, str]:
    """Return scheme, authority, path and query (with its question mark) of an address made absolute."""
    parts = SPLIT.match(resolve(url, base))
    if not parts:
        raise ValueError(f"not an http or https address: {url[:200]!r}")
    scheme, authority, path, query = parts.groups("")
    return scheme.lower(), authority, path, query


def resolve(link: str, base: str | None = None) -> str:
    """Return a link as an absolute address, else spelt as it is written; other schemes as they are.

    base: the web address that a relative link is relative to; without it such a link comes out relative.

    By the URL standard blanks around the link and line breaks inside are dropped, backslashes before the query are
    slashes, and before a host it does not matter how many slashes there are: "http:///a.example" and "https:a.example"
    name a host, unless the base has the same scheme and less than two follow: then "http:b" and "http:/b" are relative.

    Raises ValueError for a web address without a host, and for what cannot be joined to its base.
    """
    text = LINE_BREAKS.sub("", link.strip(EDGES)).strip(EDGES)
    found = WEB_SCHEME.match(text)
    if not found and (SCHEME.match(text) or base is None):
        return text
    if "\\" in text:
        path, mark, rest = _BEFORE_QUERY.match(text).groups()  # type: ignore[union-attr]
        text = path.replace("\\", "/") + mark + rest
    base = resolve(base) if base is not None else None
    base_scheme = base.partition(":")[0].lower() if base else ""
    if found:
        scheme, rest = found[1].lower(), text[found.end() :]
        if scheme != base_scheme or rest.startswith("//"):
            return _checked(f"{scheme}://{rest.lstrip('/')}")
        text = f"./{rest}" if SCHEME.match(rest) else rest
    if text.startswith("//") and base_scheme in DEFAULT_PORTS:
        return _checked(f"{base_scheme}://{text.lstrip('/')}")
    return _joined(base or "", text)


def _joined(base: str, link: str) -> str:
    """Return a relative link made absolute; urljoin drops empty queries and steps, and a semicolon at the end."""
    parts = SPLIT.match(base)
    if not parts:
        return urljoin(base, link)
    scheme, authority, path, query = parts.groups("")
    link_path, mark, rest = _BEFORE_QUERY.match(link).groups()  # type: ignore[union-attr]
    if link_path:
        path = link_path if link_path.startswith("/") else (path[: path.rfind("/") + 1] or "/") + link_path
    if link_path or mark == "?":
        query = ""
    return f"{scheme}://{authority}{_remove_dot_segments(path)}{query}{mark}{rest}"


def _checked(address: str) -> str:
    if not urlsplit(
        address
    ).netloc:  # it raises ValueError itself for brackets that hold no address of a machine
        raise ValueError(f"no host in {address[:200]!r}")
    return address


def in_charset(link: str, charset: str) -> str:
    """Return a link so that it means in any page what it means in one with this charset.

    By the URL standard the query of a web link goes in the charset of its page, all else in UTF-8; what the charset
    lacks goes as the number of the character. Such a query comes out escaped, any other link as it is.
    """
    return link if charset == UTF_8 else escaped_query(link, charset)


def escaped_query(link: str, charset: str) -> str:
    """Return a link with a query as a page in a charset sends it: it means the same in every page; see `in_charset`."""
    if link.isascii():
        return link
    text = LINE_BREAKS.sub("", link).strip(EDGES)
    found = SCHEME.match(text)
    if found and found[0].lower() not in ("http:", "https:"):
        return link
    page, mark, place = text.partition("#")
    path, question, query = page.partition("?")
    if query.isascii():
        return link
    raw = _NOT_IN_QUERY.sub(lambda found: b"%%%02X" % found[0][0], encode_query(query, charset))
    return f"{path}{question}{raw.decode('ascii')}{mark}{place}"


def base_of(page_url: str, href: str | None, charset: str = UTF_8) -> str:
    """Return what links of a page are relative to: the address that its base element names, else its own.

    href: of the first base element that has one, as written; None where there is none.
    """
    if not href:
        return page_url
    try:
        return asked_url(in_charset(href, charset), page_url)
    except ValueError:
        return page_url


def surt_key(url: str) -> str:
    """Return the sort key of a page: host turned round, scheme and user left out: "com,example)/path?query".

    Raises ValueError as `canonical_url` does.
    """
    if (plain := _PLAIN_PAGE.fullmatch(url)) and len(plain[2]) <= _LONGEST_NAME:
        return f"{','.join(reversed(plain[2].split('.')))}){plain[3] or '/'}{plain[4] or ''}"
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
        return LINE_BREAKS.sub("", url).strip(EDGES)


def _written(text: str, escaped: re.Pattern[bytes]) -> str:
    """Return `text` with the bytes escaped that match, all others as they are."""
    if text.isascii() and text.isalnum():
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return escaped.sub(lambda found: b"%%%02X" % found[0][0], raw).decode("ascii")


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
    """RFC 3986, section 5.2.4; a dot may be written as an escape."""
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    last = ""
    for segment in segments:
        last = DOT.sub(".", segment) if len(segment) < 7 else segment
        if last == "..":
            if kept:
                kept.pop()
        elif last != ".":
            kept.append(segment)
    if last in (".", ".."):
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
    if not HOST.fullmatch(host) or len(host) > _LONGEST_NAME:
        raise ValueError(f"no host in {url[:200]!r}")
    return host


def _split_port(authority: str) -> tuple[str, str]:
    host, colon, port = authority.rpartition(":")
    return (host, port) if colon and not authority.endswith("]") else (authority, "")


def _is_ipv4(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and all(part.isdigit() for part in parts)


# ---------------------------------------------------------------- the key of web-archive tools

# an address in which nothing is to be mended but letter case, and the order of the query
_PLAIN = re.compile(
    r"https?://(?:www[0-9]*\.)?+((?:[a-z0-9_-]+\.)+[a-z]{2,})"
    r"(/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*/)*(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)?)?(?:\?([A-Za-z0-9_~.=&/:-]*))?"
)
_MAY_BE_SESSION = re.compile("sid=|session|cftoken=", re.IGNORECASE)
_STRAY_BREAKS = re.compile(rb"[\t\r\n]")
_BEFORE_COLON = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*:")
_SCHEMES_IN_FRONT = re.compile(rb"\A(?:https?://)+(?=https?://)")
_PARTS = re.compile(rb"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_NUMBER_AS_HOST = re.compile(rb"[1-9][0-9]*(?:\.[0-9]+){0,3}|0[0-7]*(?:\.[0-7]+){0,3}")
_LONGEST_HOST = 1000  # bytes; the time that encodings takes for more is not worth it: there is no such host
_WWW = re.compile(rb"\Awww\d*\.")
_KEPT_IN_KEY = bytes(byte for byte in range(33, 127) if byte not in b"#%")
_PATH_SESSIONS = (
    re.compile(rb"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/"),  # /(S(...24 letters...))/page.aspx
    re.compile(rb"(?<=/)\([0-9a-z]{24}\)/"),
)
_QUERY_SESSIONS = tuple(
    re.compile(rb"(.*)" + name + rb"(?:&(.*))?", re.IGNORECASE | re.DOTALL)
    for name in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
    )
)


def urlkey(url: str) -> str:
    """Return the key by which web-archive tools sort and find an address (SURT): one ASCII word, never empty.

    It is coarser than `surt_key`, so that different pages may share one: letter case, "www.", a slash at the end, the
    order of the query, session ids, escapes and empty steps of a path do not count. An address without a host stays
    as it is but for its path: "urn:pageinfo:http://example.org". Byte for byte it is what the package `surt` gives,
    and with it pywb and cdxj-indexer; an address that they cannot read is its own key, escaped.
    """
    if plain := _PLAIN.fullmatch(url):  # most are; it takes a quarter of the time
        host, path, query = plain[1], (plain[2] or "/").lower(), plain[3]
        if not query or not _MAY_BE_SESSION.search(query):
            key = f"{','.join(reversed(host.split('.')))}){path.removesuffix('/') if len(path) > 1 else path}"
            return f"{key}?{'&'.join(_sorted_pairs(query.lower()))}" if query else key
    if url.startswith("filedesc"):
        return _one_word(url.encode("utf-8", "surrogatepass"))
    return _urlkey_of_bytes(_STRAY_BREAKS.sub(b"", url.encode("utf-8", "surrogatepass").strip()))


def _urlkey_of_bytes(raw: bytes) -> str:
    if not raw:
        return "-"
    if not _BEFORE_COLON.match(raw):
        raw = b"http://" + raw
    parts = _PARTS.match(_SCHEMES_IN_FRONT.sub(b"", raw))
    assert parts is not None  # everything in it may be missing
    scheme, authority, path, query = parts.groups(b"")
    try:
        host, port = _host_and_port(authority)
        if not host and path and scheme.startswith(b"http"):
            host, _, path = path.lstrip(b"/").partition(b"/")
            path = b"/" + path
        host = _host_in_key(host)
    except ValueError:
        return _one_word(raw)
    path = _unescaped(path)
    if host:
        path = _path_in_key(path)
    path = _without_path_session(_escaped(path).lower())
    if len(path) > 1:
        path = path.removesuffix(b"/")
    query = _query_in_key(query)
    if host:
        is_default = str(port) == DEFAULT_PORTS.get(scheme.lower().decode("ascii"))
        front = b",".join(reversed(host.split(b".")))
        front += b")" if is_default or not port else b":%d)" % port
    else:
        front = scheme + b":"
    return (front + (path or b"/"[: bool(query)]) + (b"?" + query if query else b"")).decode("ascii")


def _host_and_port(authority: bytes) -> tuple[bytes, int]:
    """Return (host in small letters, port), 0 for no port; ValueError for a port that cannot be."""
    place = authority.rstrip(b":").rpartition(b"@")[2]
    if b"[" in place:
        host, _, rest = place.partition(b"[")[2].partition(b"]")
        port = rest.partition(b":")[2]
    else:
        host, _, port = place.partition(b":")
    digits = port.lstrip(b"0") or b"0"
    number = int(digits) if digits.isdigit() and len(digits) < 6 else 1 << 16
    if number > 65535:
        raise ValueError(f"no port: {port[:20]!r}")
    name, percent, zone = host.partition(b"%")  # the zone of an IPv6 address keeps its letters
    return name.lower() + percent + zone, number


def _host_in_key(host: bytes) -> bytes:
    """Return a host as keys name it: without escapes, in ASCII, an address of numbers in four bytes, without www."""
    host = _unescaped(host)
    if not host.isascii() and len(host) <= _LONGEST_HOST:
        try:
            # not the newer rules of the package idna: those that the other tools follow
            host = host.decode("utf-8", "ignore").encode("idna")
        except ValueError:
            pass
    host = host.replace(b"..", b".").strip(b".")
    if host.isdigit():
        host = socket.inet_ntoa((int(host) & 0xFFFFFFFF).to_bytes(4, "big")).encode("ascii")
    elif _NUMBER_AS_HOST.fullmatch(host):
        try:
            host = socket.inet_ntoa(socket.inet_aton(host.decode("ascii"))).encode("ascii")
        except OSError:
            pass
    host = _escaped(host.lower()).lower()
    return _WWW.sub(b"", host)


def _path_in_key(path: bytes) -> bytes:
    """Return a path without empty steps, and with those up taken; one step up from the root stays."""
    kept: list[bytes] = []
    for step in path.split(b"/")[1:]:
        if step == b".." and kept:
            kept.pop()
        elif step != b".":
            kept.append(step)
    return b"/" + b"/".join([step for step in kept[:-1] if step] + kept[-1:])


def _without_path_session(path: bytes) -> bytes:
    """Return a path (lower case) without the session that ASP.NET puts in front of a page."""
    for session in _PATH_SESSIONS if b".aspx" in path else ():
        # the last one that a page stands behind, with no question mark between
        end = len(path)
        while end > 0:
            start = path.rfind(b"?", 0, end) + 1
            page = path.rfind(b".aspx", start, end)
            found = [each for each in session.finditer(path, start, end) if each.end() < page]
            if found:
                path = path[: found[-1].start()] + path[found[-1].end() :]
                break
            end = start - 1
    return path


def _query_in_key(query: bytes) -> bytes:
    query = _escaped(_unescaped(query))
    if _MAY_BE_SESSION.search(query.decode("ascii")):
        for session in _QUERY_SESSIONS:
            found = session.fullmatch(query)
            if found:
                query = found[1] + (found[2] or b"")
        query = _without_coldfusion(query)
    return "&".join(_sorted_pairs(query.lower().decode("ascii"))).encode("ascii")


def _sorted_pairs(query: str) -> list[str]:
    """Return the pairs of a query by name, then value; a name without a value comes before one with an empty value."""
    return sorted(query.split("&"), key=lambda pair: pair.split("=", 1)) if "&" in query else [query]


def _without_coldfusion(query: bytes) -> bytes:
    """Return a query without the last pair cfid=...&cftoken=..., whatever the first begins with."""
    pairs = query.split(b"&")
    for place in range(len(pairs) - 2, -1, -1):
        start = pairs[place].lower().rfind(b"cfid=", 0, -1)
        if start >= 0 and len(pairs[place + 1]) > 8 and pairs[place + 1].lower().startswith(b"cftoken="):
            before = b"&".join([*pairs[:place], pairs[place][:start]])
            return before + b"&".join(pairs[place + 2 :])
    return query


def _unescaped(raw: bytes) -> bytes:
    """Undo escapes until none is left, also those that appear by it; in one pass, however often they are nested."""
    raw = ESCAPE.sub(lambda escape: bytes((int(escape[1], 16),)), raw)
    if b"%" not in raw:
        return raw
    out = bytearray()
    for byte in raw:
        out.append(byte)
        while len(out) > 2 and out[-3] == 0x25 and _HEX.issuperset(out[-2:]):
            out[-3:] = bytes((int(out[-2:], 16),))
    return bytes(out)


_HEX = frozenset(b"0123456789abcdefABCDEF")


def _escaped(raw: bytes) -> bytes:
    """Escape what cannot stand in a key: blanks, controls, what is not ASCII, # and %."""
    return quote_from_bytes(raw, safe=_KEPT_IN_KEY).encode("ascii")


def _one_word(raw: bytes) -> str:
    return "".join(chr(byte) if 0x20 < byte < 0x7F else f"%{byte:02X}" for byte in raw)


# ---------------------------------------------------------------- the key of ReplayWeb.page

_WWW_IN_FRONT = re.compile(r"\A(https?://)www[0-9]*\.")
_CODED_IN_PATH = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\\\]_a-z|~]")
_CODED_IN_QUERY = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]")


def player_key(url: str) -> str:
    """Return the key by which ReplayWeb.page looks for the block of an index that holds an address: one ASCII word.

    It is as `urlkey`, but a browser reads the address: escapes, empty steps and the slash at the end stay as they are.
    """
    try:
        text = resolve(url).partition("#")[0]
        parts = SPLIT.fullmatch(_WWW_IN_FRONT.sub(r"\1", text).lower())
        if parts is None:
            raise ValueError("not for a browser")
        scheme, authority, path, query = parts.groups("")
        host, port = _split_port(_authority(authority, scheme, url).rpartition("@")[2])
    except ValueError:
        return _one_word(url.encode("utf-8", "surrogatepass"))
    path = _remove_dot_segments(_CODED_IN_PATH.sub(_as_escapes, path)) or "/"
    query = "&".join(sorted(_CODED_IN_QUERY.sub(_as_escapes, query[1:]).split("&")))
    key = f"{','.join(reversed(host.split('.')))}{':' + port if port else ''}){path}"
    return f"{key}?{query}" if query else key


def _as_escapes(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))
