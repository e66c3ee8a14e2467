"""Who may do what: the password, sessions, read-only mode. Without a password all of this lets everybody in.

A session is a signed cookie; the key comes from the password's hash, so a new password ends all sessions.
Programs send the password by HTTP Basic. Archived pages in their frame have no origin and send no cookie:
they are reached below /k/KEY/, an address that only a page of ours knows.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from flask import Blueprint, Flask, Response, make_response, render_template, request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from werkzeug.security import check_password_hash

from webui.application import error_response, redirect_to, site
from webui.client_address import client_address
from webui.found_out import request_now
from webui.i18n import gettext as _
from webui.preferences import SESSION_COOKIE

blueprint = Blueprint("access", __name__)

COOKIE = SESSION_COOKIE
SESSION_S = 14 * 24 * 3600
LONGEST_PASSWORD = 1024
_OPEN = frozenset(
    {
        "access.login",
        "access.log_in",
        "preferences.save_language",
        "static",
        "favicon",
        "robots",
        "healthz",
        "operations.readyz",
    }
)
_CHANGING_LOOKS = frozenset(
    {"access.log_in", "access.log_out", "preferences.save", "preferences.save_language"}
)
# A quarter of a second of work is what one wrong password costs; 20 in a row, then one every ten seconds.
_FREE_TRIES, _TRY_EVERY_S = 20, 10.0
_FRAME_PREFIX = "/k/"


class Throttle:
    """Lets a number of tries pass at once, then one in a while; shared by all clients, who can change addresses."""

    def __init__(self, free: int = _FREE_TRIES, every_s: float = _TRY_EVERY_S) -> None:
        self._most, self._every_s = float(free), every_s
        self._left, self._since = float(free), time.monotonic()
        self._lock = threading.Lock()

    def may_try(self) -> bool:
        """Take one try; False when none is left."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self._most, self._left + (now - self._since) / self._every_s)
            self._since = now
            if self._left < 1:
                return False
            self._left -= 1
            return True

    def forgive(self) -> None:
        """Give a try back: it was the right password."""
        with self._lock:
            self._left = min(self._most, self._left + 1)


class Access:
    """What the password in the settings lets pass."""

    def __init__(self, processes: int = 1) -> None:
        # each process counts by itself: together they let no more pass than one would
        self.throttle = Throttle(max(1, _FREE_TRIES // processes), _TRY_EVERY_S * processes)
        self._known: tuple[str, bytes] = (
            "",
            b"",
        )  # (password hash, digest of the Basic credentials that fit it)

    def accepts(self, password: str) -> bool:
        """Tell whether a password is the right one; slow on purpose."""
        stored = site().settings.server.password
        return len(password) <= LONGEST_PASSWORD and check_password_hash(stored, password)

    def session(self) -> str:
        """Return the cookie of a new session."""
        return str(_serializer().dumps("reader"))

    def is_known(self) -> bool:
        """Tell whether this request comes from somebody who knows the password."""
        try:
            _serializer().loads(request.cookies.get(COOKIE, "")[:500], max_age=SESSION_S)
            return True
        except BadSignature:
            pass
        if request.environ.get("findingaid.frame_key") is not None:
            return request.endpoint == "replay.replay" and hmac.compare_digest(
                str(request.environ["findingaid.frame_key"]).encode(), frame_key().encode()
            )
        return self._knows_password()

    def _knows_password(self) -> bool:
        sent = request.authorization
        if sent is None or sent.type != "basic" or not sent.password:
            return False
        stored = site().settings.server.password
        digest = hmac.digest(_key("basic"), sent.password.encode("utf-8", "replace"), "sha256")
        if self._known[0] == stored and hmac.compare_digest(self._known[1], digest):
            return True  # a program sends it with each request; once is enough to find out
        if not self.throttle.may_try() or not self.accepts(sent.password):
            return False
        self.throttle.forgive()
        self._known = (stored, digest)
        return True


def _key(purpose: str) -> bytes:
    return hashlib.sha256(f"findingaid {purpose} {site().settings.server.password}".encode()).digest()


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(
        _key("session"), salt="session", signer_kwargs={"digest_method": hashlib.sha256}
    )


def frame_key() -> str:
    """Return what stands behind /k/ in the addresses of archived bytes, "" when there is no password."""
    return (
        hmac.digest(_key("frame"), b"frame", "sha256").hex()[:32] if site().settings.server.password else ""
    )


def plain_root() -> str:
    """Return what addresses of our own pages begin with, also for a request from inside a frame."""
    return request_now().root_path.partition(_FRAME_PREFIX)[0]


def frame_root() -> str:
    """Return what an address below /web/ begins with on a page of ours."""
    key = frame_key()
    root = plain_root()
    return f"{root}{_FRAME_PREFIX}{key}" if key else root


class FrameKeyMiddleware:
    """Takes /k/KEY off the path, so that the addresses inside an archived page carry it along."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = str(environ.get("PATH_INFO", ""))
        if path.startswith(_FRAME_PREFIX):
            key, slash, rest = path.removeprefix(_FRAME_PREFIX).partition("/")
            if slash and rest.startswith("web/"):
                environ["findingaid.frame_key"] = key
                environ["SCRIPT_NAME"] = str(environ.get("SCRIPT_NAME", "")) + _FRAME_PREFIX + key
                environ["PATH_INFO"] = "/" + rest
        return self._app(environ, start_response)


def add_access(app: Flask, processes: int = 1) -> None:
    """Ask for the password before anything else is done, where there is one."""
    access = Access(processes)
    app.extensions["findingaid.access"] = access

    @app.before_request
    def check() -> Response | None:
        settings = site().settings.server
        if settings.read_only and request.method == "POST" and request.endpoint not in _CHANGING_LOOKS:
            return error_response(
                403, _("Read only"), _("Nothing can be changed here: the server is read-only.")
            )
        if not settings.password or request.endpoint in _OPEN or access.is_known():
            return None
        if request.endpoint == "operations.show_metrics" and has_metrics_token():
            return None
        if _comes_from_a_frame():
            return make_response(render_template("once_more.html"))
        if (
            request.method == "GET"
            # what a browser prefers is not told by `best`: image types with a parameter come first there
            and any(value == "text/html" for value, _quality in request.accept_mimetypes)
            and not request.authorization
        ):
            return redirect_to(f"{request.script_root}/login")
        refusal = error_response(401, _("Password needed"), _("This server asks for a password."))
        refusal.headers["WWW-Authenticate"] = 'Basic realm="Finding Aid", charset="UTF-8"'
        return refusal


def has_metrics_token() -> bool:
    """Tell whether the request brings the token of the settings, where there is one."""
    token = site().settings.server.metrics_token
    # not by Werkzeug, which takes a token with a "=" inside for something else
    scheme, _blank, sent = request.headers.get("Authorization", "").partition(" ")
    return (
        bool(token)
        and scheme.lower() == "bearer"
        and hmac.compare_digest(sent.strip().encode("latin-1", "replace"), token.encode())
    )


def is_from_this_machine() -> bool:
    """Tell whether a request comes from a program on this machine, and not through a proxy for somebody else.

    Behind a proxy, which `base_url` tells of, that can be told only if the settings name the proxy: it may be one that
    says nothing of itself.
    """
    settings = site().settings.server
    if settings.base_url and not settings.proxies:
        return False
    address = client_address(request.environ, settings.proxies)
    return address is not None and address.is_loopback


def _comes_from_a_frame() -> bool:
    """Tell whether a link in an archived page may have led here: the browser then keeps the cookie back.

    A page in a sandbox has no site, so to the browser (SameSite=Strict) its links come from another one.
    """
    sent = request.headers
    return (
        request.method == "GET"
        and COOKIE not in request.cookies
        and sent.get("Sec-Fetch-Site") == "cross-site"
        and (sent.get("Sec-Fetch-Mode"), sent.get("Sec-Fetch-Dest")) == ("navigate", "document")
    )


@blueprint.get("/login")
def login() -> Response:
    if not site().settings.server.password:
        return redirect_to(f"{request.script_root}/")
    return make_response(render_template("login.html", problem=""))


@blueprint.post("/login")
def log_in() -> Response:
    access = _access()
    if not access.throttle.may_try():
        response = make_response(
            render_template("login.html", problem=_("Too many tries; wait a little.")), 429
        )
        response.headers["Retry-After"] = str(int(_TRY_EVERY_S))
        return response
    if not access.accepts(request.form.get("password", "")):
        return make_response(render_template("login.html", problem=_("That is not the password.")), 403)
    access.throttle.forgive()
    answer = redirect_to(f"{request.script_root}/")
    answer.set_cookie(
        COOKIE, access.session(), max_age=SESSION_S, path=f"{request.script_root}/", secure=request.is_secure,
        httponly=True, samesite="Strict",
    )  # fmt: skip
    return answer


@blueprint.post("/logout")
def log_out() -> Response:
    response = redirect_to(f"{request.script_root}/login")
    response.delete_cookie(COOKIE, path=f"{request.script_root}/", httponly=True, samesite="Strict")
    return response


def _access() -> Access:
    from flask import current_app

    access = current_app.extensions["findingaid.access"]
    assert isinstance(access, Access)
    return access
