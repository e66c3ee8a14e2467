"""Search results as a WACZ file, to keep or for a player: /search.wacz; `findingaid export wacz` has no limits."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from typing import IO

from flask import Response, request

from archiver.errors import FindingAidError
from archiver.notices import Notice
from archiver.warc.wacz_writer import WaczWriter
from indexer import Index, Results
from webui.application import error_response
from webui.exports import WaczExport, captures_of_hits
from webui.i18n import gettext as _
from webui.limits import Slots
from webui.search_request import SearchRequest

log = logging.getLogger(__name__)

MOST_BYTES = 300_000_000
_PIECE_BYTES = 1 << 16
_exports = Slots(1, Notice("exports"))


class _TooLargeError(Exception):
    """What was asked for is more than a request may take."""


def results_as_wacz(index: Index, results: Results, wanted: SearchRequest) -> Response:
    """Return the captures of the hits, with their pictures, styles and frames, as a file to be kept.

    Raises BusyError while another export is made.
    """
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        # it costs much, and another site has no use for it but that
        return error_response(403, _("Not allowed"), _("An export is asked for from a page of this site."))
    if not results.hits:
        return error_response(404, _("Nothing to export"), _("No page was found."))
    with _exports.take(), tempfile.TemporaryDirectory(prefix="findingaid-") as folder:
        path = os.path.join(folder, "results.wacz")
        try:
            _write(index, results, wanted, path)
        except _TooLargeError:
            return error_response(
                413, _("Too large"),
                _("More than %(size)s MB: ask for fewer pages, or use findingaid export wacz on the server.",
                  size=MOST_BYTES // 1_000_000),
            )  # fmt: skip
        except (FindingAidError, OSError) as error:
            log.error("an export failed: %s", error)
            return error_response(503, _("That did not work"), _("The log of the server says why."))
        size = os.path.getsize(path)
        # the name goes with the folder, the open file stays until it is sent
        file = open(path, "rb")  # noqa: SIM115
    response = Response(_pieces(file), mimetype="application/wacz")
    response.call_on_close(file.close)
    response.headers["Content-Disposition"] = "attachment; filename=results.wacz"
    response.content_length = size
    return response


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while data := file.read(_PIECE_BYTES):
            yield data


def _write(index: Index, results: Results, wanted: SearchRequest, path: str) -> None:
    def check(writer: WaczWriter) -> None:
        if writer.size > MOST_BYTES:
            raise _TooLargeError

    query = " ".join(part for part in (wanted.query, wanted.filters()) if part)
    about = {
        "findingaid": {"chosen_by": "query", "query": query, "total": results.total, "offset": wanted.offset}
    }
    with WaczWriter(path, title=query or "All pages", software="findingaid", about=about) as writer:
        export = WaczExport(index, writer)
        export.add_all(captures_of_hits(index, results.hits), check)
        if export.left_out.count:
            log.warning("export: %d captures could not be read", export.left_out.count)
