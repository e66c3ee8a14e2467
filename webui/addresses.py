"""Addresses of archived pages on our own site: how they are written and how they are read back.

    /web/20150503140211mp_/http://host/page?x=1      rewritten, for the frame
    /web/20150503140211id_/http://host/page?x=1      the stored payload, untouched
    /cached/20150503140211/http://host/page?x=1      the page with the bar around that frame
    /captures/2015/http://host/page?x=1              what there is of it in 2015; `*` for all years
    /cached/20150503140211;q=dawn;view=text/http://host/page?x=1

An address never holds a file path or a number of the index, so links outlive a
re-index. The query string belongs to the archived address, so what these pages are
told beside it stands behind the timestamp: `;q=WORDS` to be marked, `;view=NAME`
of the cached page, `;d=DIGEST` where several captures share the second, `;at=PLACE`
of the page to be shown: what a link says behind its `#` is sent to no server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from archiver.notices import Notice
from webui.errors import BadAddressError

MAX_URL_CHARS = 8_000
# The modifiers of the Wayback Machine and pywb. All but `id_` mean "made fit for showing", and say for what.
MODIFIERS = ("mp_", "id_", "im_", "cs_", "js_", "if_", "fr_", "oe_")
_RAW = re.compile(r"(\d{1,14})(mp_|id_|im_|cs_|js_|if_|fr_|oe_)?((?:;[a-z]+=[^/;]*)*)/(.+)", re.DOTALL)
_DATED = re.compile(r"(\*|%2A|\d{1,14})((?:;[a-z]+=[^/;]*)*)/(.+)", re.DOTALL)
_DIGEST_CHARS = 12
MAX_QUERY_CHARS = 1_000
MAX_PLACE_CHARS = 500
_MERGED_SLASHES = re.compile(r"^(https?):/+(?=[^/])", re.IGNORECASE)
_WHOLLY_ESCAPED = re.compile(r"https?%3a%2f%2f", re.IGNORECASE)
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
# Everything that may stand in a URL stays as it is: written otherwise it would be another address to the index.
_KEPT = "%/:?#[]@!$&'()*+,;=~-._"
_AS_IT_MUST_BE = re.compile(rf"[A-Za-z0-9{re.escape(_KEPT)}]*+")
_PLAIN_IN_QUERY = "!$'()*,/:;?@"  # what Werkzeug leaves as it is
_ALL_PLAIN = re.compile(rf"[A-Za-z0-9_.~{re.escape(_PLAIN_IN_QUERY)}-]*+")
_ALWAYS_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*+")


@dataclass(frozen=True, slots=True)
class Extras:
    """What an address says beside timestamp and URL; "" for what it does not say.

    query: words to be marked in the page. digest: how the digest of the payload begins,
    without the name of its algorithm. view: which tab of the cached page. place: a
    fragment of the page, percent-encoded as it stood behind its `#`.
    """

    query: str = ""
    digest: str = ""
    view: str = ""
    place: str = ""

    def __str__(self) -> str:
        values = (("q", self.query), ("d", self.digest), ("view", self.view), ("at", self.place))
        return "".join([f";{name}={_as_extra(value)}" for name, value in values if value])


def _as_extra(value: str) -> str:
    if _ALWAYS_PLAIN.fullmatch(value.replace(" ", "")):
        return value.replace(" ", "%20")
    return quote(value, safe="")


@dataclass(frozen=True, slots=True)
class ReplayTarget:
    """What a request below /web/ asks for; `modifier` is "" for the page with the bar."""

    timestamp: str
    modifier: str
    url: str
    extras: Extras = Extras()


@dataclass(frozen=True, slots=True)
class DatedTarget:
    """What a request below /cached/ or /captures/ asks for; the timestamp may be `*`."""

    timestamp: str
    url: str
    extras: Extras = Extras()


def quote_url(url: str) -> str:
    """Return `url` with everything percent-encoded that must not stand in an address, nothing twice."""
    # most are as they must be, and a page holds hundreds
    return url if _AS_IT_MUST_BE.fullmatch(url) else quote(url, safe=_KEPT, errors="replace")


def quoted(text: str) -> str:
    """Return a value as it stands in the query of an address."""
    return text if _ALL_PLAIN.fullmatch(text) else _quoted(text)


@lru_cache(maxsize=4096)
def _quoted(text: str) -> str:
    if _ALL_PLAIN.fullmatch(text.replace(" ", "")):  # `quote` looks at each letter of the words asked for
        return text.replace(" ", "+")
    return quote_plus(text, safe=_PLAIN_IN_QUERY)


def short_digest(digest: str) -> str:
    """Return as much of a payload digest as tells captures of one second apart in an address."""
    sum_ = digest.rpartition(":")[2]
    if not (sum_.isalnum() and sum_.isascii()):
        sum_ = re.sub(r"[^A-Za-z0-9]", "", sum_)
    return sum_[:_DIGEST_CHARS]


def replay_address(
    url: str, timestamp: str, modifier: str = "mp_", root: str = "", *, query: str = "", digest: str = ""
) -> str:
    """Return the address below /web/ of the capture of `url` nearest to `timestamp`.

    query: words to be marked; digest: of the payload, when the timestamp alone does not name the capture.
    """
    extras = Extras(query, short_digest(digest))
    return f"{root}/web/{timestamp or '0'}{modifier}{extras}/{quote_url(url)}"


def cached_address(
    url: str,
    timestamp: str,
    root: str = "",
    *,
    query: str = "",
    digest: str = "",
    view: str = "",
    place: str = "",
) -> str:
    """Return the address of the cached page with its bar; query, digest: as in `replay_address`, place: in `Extras`."""
    extras = Extras(query, short_digest(digest), view, place)
    return f"{root}/cached/{timestamp or '0'}{extras}/{quote_url(without_fragment(url))}"


def captures_address(url: str, when: str = "*", root: str = "") -> str:
    """Return the address of the captures of `url`: all, or those whose timestamp starts with `when`."""
    return f"{root}/captures/{when}/{quote_url(without_fragment(url))}"


def without_fragment(url: str) -> str:
    """Return `url` without its `#...` part."""
    return url.partition("#")[0]


def parse_replay(rest: str) -> ReplayTarget:
    """Read what follows /web/; raises BadAddressError.

    `*/URL` gives the timestamp "*".
    """
    match = _RAW.fullmatch(rest)
    if match:
        return ReplayTarget(match[1], match[2] or "", archived_url(match[4]), _extras(match[3]))
    if rest.startswith("*/"):
        return ReplayTarget("*", "", archived_url(rest[2:]))
    raise BadAddressError(Notice("expected /web/TIMESTAMP/ADDRESS with a timestamp of up to 14 digits"))


def parse_dated(rest: str) -> DatedTarget:
    """Read `TIMESTAMP/URL` or `*/URL`, with or without extras; raises BadAddressError."""
    match = _DATED.fullmatch(rest)
    if not match:
        raise BadAddressError(Notice("expected a timestamp of up to 14 digits, then the address of a page"))
    return DatedTarget("*" if match[1] == "%2A" else match[1], archived_url(match[3]), _extras(match[2]))


def _extras(written: str) -> Extras:
    """Read `;name=value;name=value`; what is not known is passed over."""
    values = dict(part.partition("=")[::2] for part in written.split(";") if part)
    query = unquote(values.get("q", "")).replace("\x00", " ")[:MAX_QUERY_CHARS].strip()
    place = unquote(values.get("at", ""))[:MAX_PLACE_CHARS]
    return Extras(query, short_digest(unquote(values.get("d", ""))), values.get("view", ""), place)


def archived_url(text: str) -> str:
    """Return the address of an archived page as it was meant; raises BadAddressError.

    Proxies turn `http://` into `http:/`, and people leave the scheme out; both are mended.
    Other schemes are left as they are: archives also hold `urn:` and `metadata:` records,
    and the index says whether there is such a one.
    """
    text = without_fragment(text.strip())
    if len(text) > MAX_URL_CHARS:
        raise BadAddressError(
            Notice(
                "the address has %(length)s characters, at most %(most)s are read",
                length=len(text),
                most=MAX_URL_CHARS,
            )
        )
    if _WHOLLY_ESCAPED.match(text):
        text = unquote(text)  # a program that takes the address for one part of a path
    text = _MERGED_SLASHES.sub(lambda match: match[1].lower() + "://", text)
    text = with_scheme(text)
    scheme, _, rest = text.partition(":")
    if not rest.strip("/. "):
        raise BadAddressError(Notice("expected the address of a page, such as http://example.org/page"))
    return text


def with_scheme(text: str) -> str:
    """Return an address with http:// in front if it names no scheme."""
    return text if _SCHEME.match(text) else "http://" + text.lstrip("/")


def raw_target(environ: Mapping[str, Any], prefix: str) -> str:
    """Return the request target behind `prefix` exactly as it was sent, with its query string.

    PATH_INFO would not do: it is percent-decoded, and `%2F` or `%3F` in an archived
    address mean something else than `/` or `?`.
    """
    target = str(environ.get("REQUEST_URI") or environ.get("RAW_URI") or "")
    target = re.sub(r"^https?://[^/?#]*", "", target, flags=re.IGNORECASE)
    start = quote(str(environ.get("SCRIPT_NAME", ""))) + prefix
    if target.startswith(start):
        return target[len(start) :]
    path = str(environ.get("PATH_INFO", "")).encode("latin-1", "replace")
    rest = quote(path[len(prefix) :], safe="/:@!$&()*+,;=~-._")
    query = str(environ.get("QUERY_STRING", ""))
    return f"{rest}?{query}" if query else rest
