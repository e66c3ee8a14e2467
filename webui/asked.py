"""In which form the answer to a request is wanted, and whether a program reads it: errors and language follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from flask import Response
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from webui.found_out import Request, request_now

_FORMS_OF_PROGRAMS = ("json", "csv", "rss", "wacz")
# Doors that only programs use: what they answer is the same for everybody.
_FOR_PROGRAMS = frozenset({"cdx", "feeds", "memento", "openapi", "operations"})
_FILES = frozenset({"link_graph.export", "graphs.export"})
_LONGEST_KEPT = 500
Found = TypeVar("Found")


def asked_format() -> str:
    """Return in which form an answer is wanted, "html" if nothing else is said.

    By the end of the address, else by `format`, else by the Accept field of a program that takes JSON and no HTML.
    """
    request = request_now()
    if request.form_asked is None:
        request.form_asked = _asked_format(request)  # each of a dozen places asks
    return request.form_asked


def _asked_format(request: Request) -> str:
    # the rule, not the path: that may end with an archived address, or with the name of a job
    rule = request.url_rule
    address = rule.rule if rule is not None else request.path
    ending = address.rpartition(".")[2]
    if ending in _FORMS_OF_PROGRAMS:
        return ending
    arguments = request.args
    if "format" in arguments and (asked := arguments["format"]):
        return asked
    return "json" if wants_json_by_field() else "html"


def wants_json_by_field() -> bool:
    """Tell whether the Accept field prefers JSON; for pages whose address ends with an archived address."""
    return _prefers_json(request_now().environ.get("HTTP_ACCEPT", ""))


def remembered(function: Callable[[str], Found]) -> Callable[[str], Found]:
    """Remember what a function makes of the fields that browsers send: the same few again and again.

    Long ones are not kept, they may be anything.
    """
    kept = lru_cache(maxsize=256)(function)
    return lambda text: kept(text) if len(text) <= _LONGEST_KEPT else function(text)


@remembered
def _prefers_json(accept: str) -> bool:
    accepted = parse_accept_header(accept, MIMEAccept)
    return bool(accepted["application/json"] > accepted["text/html"])


def wants_json() -> bool:
    """Tell whether the request asks for JSON, or for another form that only programs read: its errors are JSON."""
    return asked_format() in _FORMS_OF_PROGRAMS or ";view=json/" in request_now().path


def is_for_a_program() -> bool:
    """Tell whether the answer to this request is read by a program: JSON, CSV, feeds, the doors of an archive."""
    request = request_now()
    if request.is_for_a_program is None:
        request.is_for_a_program = _is_for_a_program(request)
    return request.is_for_a_program


def _is_for_a_program(request: Request) -> bool:
    arguments = request.args
    # a script of a page of ours shows them to its reader
    if "texts" in arguments and arguments["texts"] == "page":
        return False
    endpoint = request.endpoint or ""
    return endpoint.rpartition(".")[0] in _FOR_PROGRAMS or endpoint in _FILES or wants_json()


def vary_by(response: Response, *fields: str) -> None:
    """Tell caches by which fields of a request an answer differs, beside those that it names already."""
    headers = response.headers
    if "Vary" not in headers:
        headers.add("Vary", ", ".join(fields))
        return
    there = headers["Vary"]
    named = there.lower().replace(" ", "").split(",")
    more = [field for field in fields if field.lower() not in named]
    headers["Vary"] = ", ".join([there, *more] if there else more)
