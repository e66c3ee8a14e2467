"""The web front end: search, cached pages, settings.

Public names: `create_app(settings)` gives the Flask application;
`webui.server.run_server` serves it; `webui.settings` is the model of the settings;
`webui.json_shapes` holds the JSON that command line and web share. Importing
this package costs nothing: Flask comes in only inside `create_app`.

    request -> security.py -> search.py / replay.py / settings_page.py -> index_access.py -> indexer
                                  |             |
                              templates/    rewrite.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webui.errors import BadAddressError, PortTakenError, WebError

if TYPE_CHECKING:
    from flask import Flask

    from webui.index_access import OpenIndex
    from webui.settings import Settings

__all__ = ["BadAddressError", "PortTakenError", "WebError", "create_app"]


def create_app(settings: Settings, open_index: OpenIndex | None = None, *, processes: int = 1) -> Flask:
    """Return the web application for the index that the settings name.

    The index need not exist yet: the home page then says how to make it, and it is
    used as soon as it is there. open_index: for tests, in place of `indexer.open_index`.
    processes: how many this one will be split into; they share threads and tries of a password.
    """
    from webui.application import build_application

    return build_application(settings, open_index, processes)
