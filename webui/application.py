"""Joins the parts of the web front end to one Flask application; used by `webui.create_app`.

Holds what all views share: the settings in force, the index, the static files, the
error pages.
"""

from __future__ import annotations

import hashlib
import json
import logging
import mimetypes
import shlex
import threading
from collections.abc import Callable
from importlib import resources
from typing import Any

import flask
from flask import Flask, Response, make_response, redirect, render_template, request
from flask.sessions import NullSession, SessionInterface
from flask.templating import Environment
from jinja2 import StrictUndefined, nodes
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from archiver.errors import DiskFullError, FindingAidError
from indexer import IndexCorruptError, IndexError_, IndexMissingError, IndexVersionError
from webui import formats
from webui.addresses import cached_address, captures_address, replay_address
from webui.asked import is_for_a_program, vary_by, wants_json
from webui.errors import BadAddressError, BusyError
from webui.found_out import Request, app_now, request_now
from webui.i18n import N_, add_languages, language_name, said_of
from webui.i18n import gettext as _
from webui.index_access import IndexAccess, OpenIndex
from webui.limits import add_limits
from webui.preferences import chosen_language
from webui.processes import SharedMark, threads_of_each
from webui.security import SecurityMiddleware
from webui.setting_infos import SettingsError
from webui.settings import Settings
from webui.template_calls import add_template_calls
from webui.template_code import Inclusion, TemplateCode

log = logging.getLogger(__name__)

_ERROR_TITLES = {400: N_("That request cannot be read"), 403: N_("Not allowed"), 404: N_("Nothing here"),
                 405: N_("Not possible this way"), 413: N_("Too large"),
                 414: N_("The address is too long")}  # fmt: skip
# What Werkzeug says of a request, for readers.
_ERROR_MESSAGES = {400: N_("The request holds something that cannot be read."),
                   403: N_("This cannot be done from where the request came."),
                   404: N_("There is no page at this address of Finding Aid."),
                   405: N_("This address does not take requests of that kind."),
                   413: N_("More was sent than is read.")}  # fmt: skip


_WITH_TWIN = frozenset({"search.home", "search.search", "captures.captures", "cached.cached", "settings.show",
                        "search.similar", "crawls.show_all", "crawls.show_job",
                        "link_graph.show", "compare.compare", "graphs.crawl_graph"})  # fmt: skip


class SiteState:
    """What the views share: the settings in force and the index they name."""

    def __init__(self, settings: Settings, open_index: OpenIndex | None) -> None:
        self.settings = settings
        self.index_access = IndexAccess(settings, open_index)
        self.saving = threading.Lock()
        self._changes = SharedMark()
        self._seen = self._changes.get()

    def take_over(self) -> None:
        """Read the saved settings and put them in force, here and in the other processes that answer.

        Raises SettingsError when they cannot be read.
        """
        # the mark first: what another process saves while this one reads has a later mark, and is followed
        self._seen = self._changes.change()
        self._put_in_force(self.settings.reloaded())

    def follow(self) -> None:
        """Take over settings that were changed through another process."""
        if self._changes.get() == self._seen:
            return
        with self.saving:
            seen = self._changes.get()
            if seen != self._seen:
                try:
                    self._put_in_force(self.settings.reloaded())
                except SettingsError as error:
                    log.error("the settings are not read again: %s", error)
                self._seen = seen

    def _put_in_force(self, settings: Settings) -> None:
        # the index first: what is made of it under the old settings is kept with these, and forgotten
        self.index_access.configure(settings)
        self.settings = settings


def site() -> SiteState:
    """Return the shared state of the application that answers this request."""
    state: SiteState = app_now().extensions["findingaid"]
    return state


def command_options() -> str:
    """Return what has to follow a command on a page, so that it means the index that is served here.

    The place of an index, a folder or a settings file is not told to readers; a placeholder stands for it.
    """
    settings = site().settings
    if settings.index_option:
        return " --index INDEX-FOLDER"
    return _job_option(settings)


def crawl_options() -> str:
    """Return what has to follow `findingaid crawl` on a page, so that its pages are found here."""
    settings = site().settings
    return " --index-dir INDEX-FOLDER" if settings.index_option else f"{_job_option(settings)} --index"


def _job_option(settings: Settings) -> str:
    """Return the job to name where it is not the one of the settings file; of several, the first."""
    if settings.has_one_job and settings.origin("archive.job_id") != "option":
        return ""
    names = settings.job_ids or ("01",)
    return f" --job {shlex.quote(names[0])}"


class _Environment(Environment):
    code_generator_class = TemplateCode

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        found: nodes.Template = Inclusion(self._parsed).visit(super()._parse(source, name, filename))
        return found

    def _parsed(self, name: str) -> nodes.Template:
        assert self.loader is not None
        source, filename, _is_current = self.loader.get_source(self, name)
        return self._parse(source, name, filename)


class _NoSessions(SessionInterface):
    """Flask's sessions are not used, see `webui.access`: there is nothing to look for."""

    _none = NullSession()

    def open_session(self, app: Flask, request: flask.Request) -> NullSession:
        return self._none


class _FindingAid(Flask):
    request_class = Request
    session_interface = _NoSessions()
    jinja_environment = _Environment
    # Flask escapes by file suffix; here nothing is ever left unescaped, and a misspelt name is an error.
    jinja_options = {
        "undefined": StrictUndefined,
        "autoescape": True,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return what finds the view of a request: of what Werkzeug has found out already, and the host as it is."""
        if request is None or "HTTP_UPGRADE" in request.environ:
            return super().create_url_adapter(request)
        path = request.environ.get("PATH_INFO", "").encode("latin-1").decode("utf-8", "replace")
        query = request.query_string.decode("utf-8", "replace")
        return self.url_map.bind(
            request.host, request.root_path, "", request.scheme, request.method, path, query
        )

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function as it is: none here is a coroutine, for which Flask looks ten times a request."""
        return func


def build_application(settings: Settings, open_index: OpenIndex | None = None, processes: int = 1) -> Flask:
    """Return the application; see `webui.create_app`."""
    from webui import (
        access,
        cached,
        captures,
        cdx,
        compare,
        cors,
        crawls,
        feeds,
        graphs,
        link_graph,
        memento,
        openapi,
        operations,
        preferences,
        replay,
        results_html,
        search,
        settings_page,
    )

    pages = (access, cached, captures, cdx, compare, crawls, feeds, graphs, link_graph, memento, openapi,
             operations, preferences, replay, search, settings_page)  # fmt: skip

    app = _FindingAid("webui", static_folder=None)
    app.url_map.merge_slashes = False  # `http://` stands inside addresses
    app.config["MAX_CONTENT_LENGTH"] = 1_000_000
    app.extensions["findingaid"] = SiteState(settings, open_index)
    static_files = _StaticFiles()
    app.add_url_rule("/static/<digest>/<name>", "static", static_files.view)
    app.add_url_rule("/favicon.ico", "favicon", static_files.favicon)
    app.add_url_rule("/robots.txt", "robots", _robots)
    app.add_url_rule("/healthz", "healthz", _healthz)
    app.before_request(app.extensions["findingaid"].follow)
    add_limits(app, threads_of_each(settings.server.threads, processes))
    operations.add_metrics(app)
    cors.add_cors(app)
    access.add_access(app, processes)
    for page in pages:
        app.register_blueprint(page.blueprint)
    add_languages(app)
    _add_template_names(app, static_files)
    add_template_calls(app)
    results_html.add_frames(app)
    _add_error_pages(app)
    app.after_request(_add_fields)
    guarded = SecurityMiddleware(app.wsgi_app, host=settings.server.host, base_url=settings.server.base_url)
    app.wsgi_app = access.FrameKeyMiddleware(guarded)  # type: ignore[method-assign]
    return app


def _add_template_names(app: Flask, static_files: _StaticFiles) -> None:
    from webui import access, hits_html, results_html, words

    for function in (
        *(
            formats.clean,
            formats.commas,
            formats.date_in_words,
            formats.decimal,
            formats.time_utc,
            formats.iso_time,
        ),
        *(formats.breadcrumb, formats.host_of, formats.live_address, formats.month_name, formats.number),
        *(formats.readable, formats.shorten, formats.size_in_words, formats.type_name, language_name),
        *(words.crawl_word, words.element_name),
    ):
        app.jinja_env.filters[function.__name__] = function
    app.jinja_env.globals["crawl_words"] = words.crawl_words
    app.jinja_env.globals["hit_writer"] = hits_html.HitWriter
    app.jinja_env.globals["count_line"] = results_html.count_line
    app.jinja_env.globals["static_url"] = static_files.address
    app.jinja_env.globals["command_options"] = command_options
    app.jinja_env.globals["crawl_options"] = crawl_options

    @app.context_processor
    def names() -> dict[str, Any]:
        root = access.plain_root()
        framed = access.frame_root()
        return {
            "cached_url": lambda url, timestamp, **more: cached_address(url, timestamp, root, **more),
            "captures_url": lambda url, when="*": captures_address(url, when, root),
            "replay_url": lambda url, timestamp, modifier="mp_", **more: replay_address(
                url, timestamp, modifier, framed, **more
            ),
            "has_session": access.COOKIE in request.cookies,
        }


# ---------------------------------------------------------------- errors


def redirect_to(address: str, status: int = 303) -> Response:
    """Return a redirect to a page of ours; 303 after a form, 302 else."""
    response = redirect(address, status)
    assert isinstance(response, Response)
    return response


def as_json_response(value: object, status: int = 200) -> Response:
    """Return a value as JSON, escaped so that even a program that takes it for HTML meets no markup in it."""
    text = json.dumps(value, ensure_ascii=True)
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    response = make_response(text + "\n", status)
    response.headers["Content-Type"] = "application/json"
    return response


def json_error(status: int, message: str) -> Response:
    """Return an error in the one shape that all errors for programs have."""
    return as_json_response({"ok": False, "error": message, "errors": [message], "status": status}, status)


def error_response(status: int, title: str, message: str, steps: tuple[str, ...] = ()) -> Response:
    """Return an error as a page, as JSON where JSON was asked for, or as a plain page inside the frame.

    steps: what the reader can do now, a sentence each.
    """
    if request.path.startswith("/web/") or request.path == "/web":
        body = render_template(
            "frame_message.html", title=title, message=message, url="", others=[], steps=None
        )
        return make_response(body, status)
    if wants_json():
        return json_error(status, message)
    return make_response(render_template("error.html", title=title, message=message, steps=steps), status)


def _add_error_pages(app: Flask) -> None:
    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        status = error.code or 500
        if error.response is not None or status < 400:
            return make_response(error.get_response())
        message = _ERROR_MESSAGES.get(status, N_("The log of the server says why."))
        response = error_response(status, _(_ERROR_TITLES.get(status, N_("That did not work"))), _(message))
        for name, value in error.get_headers():
            if name.lower() in ("allow", "retry-after"):
                response.headers[name] = value
        return response

    @app.errorhandler(BadAddressError)
    def bad_address(error: BadAddressError) -> Response:
        too_long = "characters" in str(error)
        message = _("%(sentence)s.", sentence=said_of(error))
        return error_response(414 if too_long else 400, _("That is not the address of a page"), message)

    @app.errorhandler(BusyError)
    def busy(error: BusyError) -> Response:
        text = said_of(error)
        response = error_response(
            503, _("Much to do just now"), _("%(sentence)s.", sentence=text[:1].upper() + text[1:])
        )
        response.headers["Retry-After"] = "5"
        return response

    @app.errorhandler(DiskFullError)
    @app.errorhandler(IndexError_)
    def index_error(error: FindingAidError) -> Response:
        log.error("index: %s", error)
        steps: tuple[str, ...] = ()
        if isinstance(error, IndexMissingError):
            title, message = (
                _("There is no index yet"),
                _("Nothing has been indexed yet, so there is nothing to search."),
            )
            steps = ("findingaid index FOLDER-WITH-ARCHIVES" + command_options(),)
        elif isinstance(error, IndexVersionError):
            title = _("The index was made by another version of Finding Aid")
            message = _("The index has a format that this version does not read. Index the archives again.")
            steps = ("findingaid index --rebuild" + command_options(),)
        elif isinstance(error, IndexCorruptError):
            site().index_access.reopen()
            title = _("The index is damaged")
            message = _("A file of the index does not hold what it should. The log of the server says which.")
            steps = tuple(
                f"findingaid {command}{command_options()}" for command in ("check", "index --rebuild")
            )
        else:
            title, message = _("The index cannot be used now"), _("The log of the server says why.")
        return error_response(503, title, message, steps)

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        log.exception("%s %s: unexpected error", request.method, request.path[:200])
        return error_response(
            500, _("Something went wrong on our side"), _("The error was written to the log of the server.")
        )


def _add_fields(response: Response) -> Response:
    # Pages follow the index and the settings, which change under them.
    headers, endpoint = response.headers, request_now().endpoint
    if "Cache-Control" not in headers:
        headers.add("Cache-Control", "private, no-cache")
    differs_by = ["Accept"] if endpoint in _WITH_TWIN else []
    # what is archived has its own language
    if endpoint != "replay.replay" and headers.get("Content-Type", "").startswith("text/html"):
        headers["Content-Language"] = chosen_language()
        if not is_for_a_program():
            differs_by += "Cookie", "Accept-Language"
    if differs_by:
        vary_by(response, *differs_by)
    return response


# ---------------------------------------------------------------- static files


class _StaticFiles:
    """The files of `static/`, read once; a request can name none but these."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, str, str]] = {}
        for entry in resources.files("webui").joinpath("static").iterdir():
            if entry.is_file() and not entry.name.startswith("."):
                body = entry.read_bytes()
                kind = mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
                if kind.startswith("text/") or kind == "image/svg+xml":
                    kind += "; charset=utf-8"
                self._files[entry.name] = (body, kind, hashlib.sha256(body).hexdigest()[:12])

    def address(self, name: str) -> str:
        """Return the address of a file, with its content in the name, so that it can be kept for ever."""
        return f"{request.script_root}/static/{self._files[name][2]}/{name}"

    def view(self, digest: str, name: str) -> Response:
        if name not in self._files:
            return error_response(404, _("Nothing here"), _("There is no such file."))
        body, kind, current = self._files[name]
        response = make_response(body)
        response.headers["Content-Type"] = kind
        if digest == current:
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    def favicon(self) -> Response:
        return self.view(self._files["icon.svg"][2], "icon.svg")


def _robots() -> Response:
    response = make_response("User-agent: *\nDisallow: /\n")
    response.headers["Content-Type"] = "text/plain; charset=utf-8"
    return response


def _healthz() -> Response:
    response = make_response("ok\n")
    response.headers["Content-Type"] = "text/plain; charset=utf-8"
    return response
