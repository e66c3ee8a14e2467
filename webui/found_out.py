"""What is found out once a request, and asked for a hundred times on a page: in which form, for whom.

It is kept with the request itself. Flask's `request` and `g` stand for objects that they find anew for each attribute,
in three calls of Python; a page of results asked for 64 of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import flask
from flask.globals import _cv_app, _cv_request

if TYPE_CHECKING:
    from webui.preferences import Reader


class Request(flask.Request):
    """A request, with what was found out of it so far; None for what was not.

    began: when the first of it was seen, by the clock of `time.perf_counter`. The others: see `webui.asked` and
    `webui.preferences`. blueprints: those with functions for their requests alone, for which Flask looks three times a
    request: none of ours.
    """

    blueprints: list[str] = []
    began: float | None = None
    form_asked: str | None = None
    is_for_a_program: bool | None = None
    reader: Reader | None = None


def request_now() -> Request:
    """Return the request that is answered; raises LookupError where there is none."""
    return _cv_request.get().request  # type: ignore[return-value]


def request_if_any() -> Request | None:
    """Return the request that is answered, None where there is none."""
    context = _cv_request.get(None)
    return context.request if context is not None else None  # type: ignore[return-value]


def app_now() -> flask.Flask:
    """Return the application that answers; raises LookupError where there is none."""
    return _cv_app.get().app
