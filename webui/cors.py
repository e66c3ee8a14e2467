"""Which answers the pages of other sites may read (CORS): none, unless `server.cors_origins` names these sites.

These are the answers for programs and archived files, to be read and nothing else. Pages of other sites are never
let in by what the browser keeps for us (cookies, a password that was typed): with a password set they have to send it.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Flask, Response, make_response, request

from webui.application import site
from webui.asked import asked_format, is_for_a_program
from webui.found_out import request_now

# What is for this site alone: who is let in, what is set, and what the server does.
_CLOSED = frozenset({"access", "preferences", "settings", "crawls", "graphs", "operations"})
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "Accept, Accept-Datetime, Authorization, If-Modified-Since, If-None-Match, Range",
    "Access-Control-Max-Age": "600",
}
_EXPOSED = (
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Link, Memento-Datetime, Retry-After, "
    "X-Archive-Orig-Status"
)
_USUAL_PORTS = {"http": "80", "https": "443"}


def add_cors(app: Flask) -> None:
    """Have the application say what other sites may read; to be called before a password is asked for."""

    @app.before_request
    def answer_preflight() -> Response | None:
        request = request_now()
        if request.method != "OPTIONS":
            return None
        asked = request.headers.get("Access-Control-Request-Method")
        if asked not in ("GET", "HEAD") or not _is_door() or not _allowed():
            return None  # an answer without these fields is a no
        response = make_response("", 204)
        response.headers.update(_PREFLIGHT)
        response.headers["Access-Control-Allow-Origin"] = _allowed()
        response.vary.add("Origin")
        return response

    @app.after_request
    def add_fields(response: Response) -> Response:
        if not site().settings.server.cors_origins:
            return response
        request = request_now()
        if request.method not in ("GET", "HEAD") or not _is_door():
            return response
        if request.blueprint == "replay" or request.endpoint == "search.suggest" or is_for_a_program():
            response.vary.add("Origin")
            if _allowed():
                response.headers["Access-Control-Allow-Origin"] = _allowed()
                response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        return response


def _is_door() -> bool:
    """Tell whether the address is one that other sites may have something to do with. WACZ files cost too much."""
    return request.blueprint is not None and request.blueprint not in _CLOSED and asked_format() != "wacz"


def _allowed() -> str:
    """Return which site may read the answer to this request: "*" for all, "" for none."""
    return allowed_origin(request.headers.get("Origin", ""), site().settings.server.cors_origins)


def allowed_origin(origin: str, allowed: Sequence[str]) -> str:
    """Return what Access-Control-Allow-Origin is to say to a page of `origin`, "" when it may read nothing."""
    if "*" in allowed:
        return "*"
    return origin if origin and _plain(origin) in map(_plain, allowed) else ""


def _plain(origin: str) -> str:
    """Return an origin as browsers write it: in small letters, without the usual port."""
    scheme, _, rest = origin.lower().partition("://")
    return f"{scheme}://{rest.removesuffix(':' + _USUAL_PORTS.get(scheme, ''))}"
