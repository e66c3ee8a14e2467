"""Header sets, host check and protection against forged requests; wraps the whole application.

It is a WSGI middleware and no Flask hook, so that it also covers what Flask answers
by itself and nothing of the application runs for a request that is turned away.

Two header sets, told apart by the path alone:
- below /web/ archived bytes leave us: sandbox without scripts, so that a page of
  another's making, whatever its type, has no rights on this site (tried against a
  hostile page in `tests/browser/test_hostile_page.py`);
- everywhere else our own pages: nothing but our own files, no inline code.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, urlsplit

from webui.rewrite import FRAME_RIGHTS

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]

UI_HEADERS: dict[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: then our own forms would carry `Origin: null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": (
        "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), "
        "geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), "
        "payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), "
        "xr-spatial-tracking=()"
    ),
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
# No frame-ancestors and no Cross-Origin-Resource-Policy here: the origin of a sandboxed page is opaque,
# and either would block the frames and pictures inside archived pages.
REPLAY_HEADERS: dict[str, str] = {
    # The rewriter lets links lead to pages of ours only; what is not rewritten is sent as nothing that holds links.
    "Content-Security-Policy": (
        f"sandbox {FRAME_RIGHTS}; default-src 'none'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "font-src 'self' data:; media-src 'self' data: blob:; frame-src 'self'; script-src 'none'; "
        "connect-src 'none'; form-action 'none'; base-uri 'self'"
    ),
    # Some addresses are connected to before the policy above refuses them (frames); a browser that knows this
    # field connects to this server alone: https://github.com/WICG/connection-allowlists
    "Connection-Allowlist": "(response-origin)",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-DNS-Prefetch-Control": "off",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
# Fields that only the tables above may set, however an answer was made.
_OURS = frozenset(name.lower() for name in (*UI_HEADERS, *REPLAY_HEADERS)) | {
    "content-security-policy-report-only", "server", "x-powered-by", "clear-site-data", "refresh", "nel", "report-to",
}  # fmt: skip
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?", re.IGNORECASE)
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_OF_THE_ADDRESS = ("QUERY_STRING", "REQUEST_URI", "RAW_URI")


class SecurityMiddleware:
    """Turns away requests for other hosts and forged ones, and sets the header set of the path.

    host: the address that the server listens on. base_url: where readers reach it
    when a proxy stands before it, "" if none does.
    """

    def __init__(self, app: WsgiApp, *, host: str, base_url: str = "") -> None:
        self._app = app
        self._names = set(_LOOPBACK_NAMES)
        self._any_ip_address = host in ("", "*", "0.0.0.0", "::", "[::]")
        if not self._any_ip_address:
            self._names.add(f"[{host}]" if ":" in host and not host.startswith("[") else host.lower())
        self._base_netloc = urlsplit(base_url).netloc.lower() if base_url else ""

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        headers = header_set(environ)
        _write_out(environ)

        def start(status: str, fields: list[tuple[str, str]], exc_info: Any = None) -> Any:
            kept = [(name, value) for name, value in fields if name.lower() not in _OURS]
            return start_response(status, kept + list(headers.items()), exc_info)

        if not self.allows_host(environ):
            return _refuse(
                start, "421 Misdirected Request", "This server does not answer for that host name."
            )
        problem = forgery_problem(environ)
        if problem:
            return _refuse(start, "403 Forbidden", problem)
        return self._app(environ, start)

    def allows_host(self, environ: Environ) -> bool:
        """Tell whether the Host field names this server, against DNS rebinding and Host injection."""
        host = str(environ.get("HTTP_HOST", "")).lower()
        if self._base_netloc and host == self._base_netloc:
            return True
        match = _HOST.fullmatch(host)
        if not match:
            return False
        name, port = match[1], match[2]
        own_port = str(environ.get("SERVER_PORT", ""))
        if (port or ("443" if environ.get("wsgi.url_scheme") == "https" else "80")) != own_port:
            return False
        return name in self._names or (self._any_ip_address and _is_ip_address(name))


def _write_out(environ: Environ) -> None:
    """Percent-encode the bytes of an address that ought to be; leave out credentials that can be none.

    Not every client encodes what it sends, and Werkzeug raises errors at such bytes instead of refusing them.
    """
    for name in _OF_THE_ADDRESS:
        written = str(environ.get(name, ""))
        if not written.isascii():
            environ[name] = _BEYOND_ASCII.sub(
                lambda found: quote(found[0].encode("latin-1", "replace")), written
            )
    credentials = str(environ.get("HTTP_AUTHORIZATION", ""))
    if not credentials.isascii() and credentials[:6].lower() == "basic ":
        del environ["HTTP_AUTHORIZATION"]


def header_set(environ: Environ) -> dict[str, str]:
    """Return the header set for the path of a request."""
    path = str(environ.get("PATH_INFO", ""))
    return REPLAY_HEADERS if path == "/web" or path.startswith("/web/") else UI_HEADERS


def forgery_problem(environ: Environ) -> str:
    """Return why a request that changes something is not trusted, "" if it is.

    Browsers say where a request comes from: `Sec-Fetch-Site`, or, over plain HTTP to
    another machine, only `Origin`. A program that is no browser sends neither.
    """
    if str(environ.get("REQUEST_METHOD", "GET")).upper() in _SAFE_METHODS:
        return ""
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return (
            ""
            if site in ("same-origin", "none")
            else "This request came from another site; nothing was changed."
        )
    origin = environ.get("HTTP_ORIGIN")
    if origin is None:
        return ""
    own = f"{environ.get('wsgi.url_scheme', 'http')}://{environ.get('HTTP_HOST', '')}".lower()
    return "" if str(origin).lower() == own else "This request came from another site; nothing was changed."


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _refuse(start: StartResponse, status: str, message: str) -> Iterable[bytes]:
    body = (message + "\n").encode()
    start(status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
    return [body]
