"""What is found out once a request, and asked for a hundred times on a page: language, locale, preferences.

It is kept in `flask.g`. To ask that way for each of 300 texts took a twentieth of a page of results, for `g` finds out
anew each time which request it belongs to, in six calls of Python; here it is one.
"""

from __future__ import annotations

from typing import Any

from flask.globals import _cv_app


def known(name: str) -> Any:
    """Return what `flask.g` keeps by a name; None where it keeps nothing, or there is no request."""
    context = _cv_app.get(None)
    return context.g.get(name) if context is not None else None
