"""Results pages made lately, kept with the state of the index they tell of: asked for again, they are there.

A reader who comes back from a cached page, or pages to and fro, asks for the very same page. It depends on its
address, on what the reader likes, on the settings in force and on the last commit, and on nothing else.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from flask import Response, make_response
from werkzeug.datastructures import Headers

from indexer import Index, Results
from indexer.store.recent import Recent
from webui.application import site
from webui.found_out import request_now
from webui.preferences import reader
from webui.settings import Settings

KEPT_BYTES = 4 << 20  # of each process; a page takes some 35 kB
_ROOM_OF_KEY = 500
_ETAG_BYTES = 10
_CONDITIONS = frozenset({"HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"})  # those that go by the name of a page


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it left, and the name of just these bytes."""

    body: bytes
    etag: str


class _Answer(Response):
    """A page as an answer whose fields are all there. Werkzeug copies them, to look for what it has to work out."""

    def __init__(self, page: KeptPage) -> None:
        fields = Headers()
        fields.add("Content-Type", "text/html; charset=utf-8")
        fields.add("Content-Length", str(len(page.body)))
        fields.add("ETag", f'"{page.etag}"')
        super().__init__([page.body], headers=fields)

    def get_wsgi_response(
        self, environ: dict[str, Any]
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        if self.status_code != 200 or environ["REQUEST_METHOD"] != "GET":
            return super().get_wsgi_response(environ)
        return self.iter_encoded(), self.status, self.headers.to_wsgi_list()


class KeptPages:
    """The pages made under some settings of one state of the index; safe to use from many threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pages: Recent[KeptPage] = Recent(KEPT_BYTES, lambda page: len(page.body) + _ROOM_OF_KEY)

    def find(self) -> Response | None:
        """Return the page that this request asks for, or that it has not changed; None when it is not kept."""
        page = self._pages.find(_asked())
        return _answer(page) if page is not None else None

    def keep(self, body: bytes, results: Results) -> Response:
        """Return a page just made, as an answer; it is kept where the same request would make the same page.

        Not an answer that time cut short, nor one whose archives could not be read: that may be better next time.
        """
        is_whole = bool(results.hits) and not results.timed_out and all(hit.snippet for hit in results.hits)
        if not is_whole:
            return make_response(body)
        # no other page has this name; one that is made of the page takes as long as some of its hits
        page = KeptPage(body, secrets.token_hex(_ETAG_BYTES))
        self._pages.keep(_asked(), page)
        return _answer(page)


def kept_pages(index: Index) -> KeptPages:
    """Return the pages kept for the newest state of the index and the settings in force.

    To be asked before the search: a commit that comes in between leaves what is kept here behind.
    """
    settings, derived = site().settings, index.derived()
    kept: KeptPages | None = derived.get("results pages")
    if kept is None or kept.settings is not settings:
        kept = derived["results pages"] = KeptPages(settings)
    return kept


def _asked() -> Hashable:
    """Return all of a request that a results page depends on."""
    environ = request_now().environ
    return reader(), environ.get("PATH_INFO"), environ.get("QUERY_STRING")


def _answer(page: KeptPage) -> Response:
    response = _Answer(page)
    request = request_now()
    if not _CONDITIONS.isdisjoint(request.environ):
        response.make_conditional(request)  # takes longer than all else here
    return response
