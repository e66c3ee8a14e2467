"""Two captures of one page side by side: words and links that came and went; where a phrase first stood.

/compare?url=&a=&b=&view=inline|side     a, b: as in addresses, TIMESTAMP or TIMESTAMP;d=DIGEST
/compare?url=&phrase=                    the versions of the page that hold a phrase
/compare.json                            the same for programs
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from archiver.crawl.links import LinkKind, extract_links
from archiver.notices import Notice
from archiver.warc import ArchiveError
from indexer import Capture, Index
from indexer.text.analysis import words_of
from indexer.text.charset import decode_html
from webui.addresses import Extras, archived_url, cached_address, parse_dated, short_digest
from webui.application import as_json_response, error_response, json_error, site
from webui.asked import wants_json
from webui.errors import BadAddressError
from webui.i18n import gettext as _
from webui.json_shapes import capture_as_json
from webui.next_steps import next_steps
from webui.page_text import text_of_html
from webui.stored import captures_of, closest, is_text, naming_digest, read_stored
from webui.textdiff import DiffRow, TextDiff, text_diff

blueprint = Blueprint("compare", __name__)

MAX_CHOICES = 400
MAX_CHARS = 500_000  # of the text of one capture
MAX_LINES = 50_000  # of the text of one capture, the title before it; each takes some hundred bytes
MAX_LINKS_SHOWN = 200
MAX_VERSIONS_READ = 500
MAX_SEARCH_S = 5.0
MAX_PHRASE_CHARS = 300
_AROUND = 2  # unchanged paragraphs that are shown beside a change
VIEWS = ("inline", "side")
_PIECE_CHARS = 20_000
_GAP = re.compile(r"[\s.,;:!?。、，؟।]")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two captures. key: how the form names it; text, links: what the page says and points to.

    problem: "unreadable", "no text" or "".
    """

    capture: Capture
    key: str
    address: str
    problem: str
    text: str
    links: dict[str, None]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One capture in the lists to choose from."""

    key: str
    capture: Capture
    version: int


@dataclass(frozen=True, slots=True)
class PhraseFinds:
    """Where a phrase stands. found: (capture that first shows the version, whether it holds the phrase), oldest first.

    versions: how many there are; fewer in `found` when time ran out. unreadable: how many could not be read.
    """

    phrase: str
    found: tuple[tuple[Choice, bool], ...]
    versions: int
    unreadable: int

    @property
    def holding(self) -> list[Choice]:
        return [choice for choice, holds in self.found if holds]

    @property
    def changes(self) -> list[tuple[Choice, bool]]:
        """The versions at which the phrase appears or vanishes."""
        changes = []
        held = False
        for choice, holds in self.found:
            if holds != held:
                changes.append((choice, holds))
            held = holds
        return changes


@blueprint.get("/compare.json", endpoint="compare_json")
@blueprint.get("/compare")
def compare() -> Response:
    written = request.args.get("url", "").strip()
    view = request.args.get("view", VIEWS[0])
    if view not in VIEWS:
        return error_response(400, _("That request cannot be read"), _("view: expected inline or side."))
    if not written and wants_json():
        return error_response(
            400, _("That request cannot be read"), _("url: the address of a page is missing.")
        )
    if not written:
        return make_response(render_template("compare.html", url="", choices=[], left=None, view=view))
    url = archived_url(written)
    captures = captures_of(url)
    if not captures and wants_json():
        return json_error(404, _("The archive holds no copy of this address."))
    if not captures:
        page = render_template("not_archived.html", url=url, when="", captures=[], steps=next_steps(url))
        return make_response(page, 404)
    choices = _choices(captures)
    phrase = " ".join(request.args.get("phrase", "")[:MAX_PHRASE_CHARS].split())
    with site().index_access.lease() as index:
        likely = [capture for capture in captures if capture.status == 200 and capture.timestamp] or captures
        left = _side(index, url, captures, request.args.get("a", ""), likely[0])
        right = _side(index, url, captures, request.args.get("b", ""), likely[-1])
        finds = find_phrase(index, phrase, choices) if phrase else None
    if left.capture.timestamp > right.capture.timestamp:
        left, right = right, left
    diff = text_diff(left.text, right.text)
    gone = [link for link in left.links if link not in right.links]
    come = [link for link in right.links if link not in left.links]
    if wants_json():
        return as_json_response(
            {
                "url": url,
                "a": _side_as_json(left),
                "b": _side_as_json(right),
                "gone_words": diff.gone_words,
                "new_words": diff.new_words,
                "is_coarse": diff.is_coarse,
                "changes": [_row_as_json(row) for row in diff.rows if not row.is_same],
                "links_gone": gone,
                "links_new": come,
                "phrase": _finds_as_json(finds) if finds else None,
            }
        )
    page = render_template(
        "compare.html",
        url=url,
        choices=_shortened(choices, left.key, right.key),
        left=left,
        right=right,
        view=view,
        diff=diff,
        sections=list(_sections(diff)),
        links_gone=gone[:MAX_LINKS_SHOWN],
        links_come=come[:MAX_LINKS_SHOWN],
        more_links=(max(0, len(gone) - MAX_LINKS_SHOWN), max(0, len(come) - MAX_LINKS_SHOWN)),
        phrase=phrase,
        finds=finds,
    )
    return make_response(page)


# ---------------------------------------------------------------- the two captures


def _side(index: Index, url: str, captures: list[Capture], asked: str, default: Capture) -> Side:
    """Return the capture that the form names, read; raises BadAddressError for a name that is none."""
    capture: Capture | None = default
    if asked:
        target = parse_dated(f"{asked}/{url}")
        if target.timestamp == "*":
            raise BadAddressError(Notice("a, b: expected a timestamp of up to 14 digits"))
        capture = closest(index, url, target.timestamp, target.extras.digest) or default
    assert capture is not None
    key = _key(capture, naming_digest(capture, captures))
    address = cached_address(
        capture.url, capture.timestamp, request.script_root, digest=naming_digest(capture, captures)
    )
    try:
        text, links = _read(index, capture)
    except (ArchiveError, OSError):
        return Side(capture, key, address, "unreadable", "", {}, False)
    if text is None:
        return Side(capture, key, address, "no text", "", {}, False)
    compared = _compared(text)
    return Side(capture, key, address, "", compared, links, len(text) > len(compared))


def _compared(text: str) -> str:
    """Return as much of a text as is compared."""
    text = text[:MAX_CHARS]
    if text.count("\n") < MAX_LINES:
        return text
    return "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])


def _read(index: Index, capture: Capture, *, with_links: bool = True) -> tuple[str | None, dict[str, None]]:
    """Return the text of a capture, None when it has none, and the addresses that it links to."""
    stored = read_stored(index, capture, for_text=True)
    if stored is None or not (stored.is_html or is_text(stored.mime)):
        return None, {}
    written = decode_html(stored.body, stored.content_type)[0]
    if not stored.is_html:
        return written, {}
    page = text_of_html(written)
    found = extract_links(written, capture.url) if with_links else []
    links = {link.url: None for link in found if link.kind == LinkKind.PAGE}
    return f"{page.title or ''}\n{page.text}", links


def _key(capture: Capture, digest: str) -> str:
    return f"{capture.timestamp or '0'}{Extras(digest=short_digest(digest))}"


def _choices(captures: list[Capture]) -> list[Choice]:
    """Return the captures to choose from, oldest first; version: a number that equal contents share."""
    numbers: dict[str, int] = {}
    digests: dict[str, set[str]] = {}
    for capture in captures:
        digests.setdefault(capture.timestamp, set()).add(capture.digest)
    choices: dict[str, Choice] = {}
    for capture in captures:
        version = numbers.setdefault(capture.digest, len(numbers) + 1)
        key = _key(capture, capture.digest if len(digests[capture.timestamp]) > 1 else "")
        choices.setdefault(key, Choice(key, capture, version))
    return list(choices.values())


def _shortened(choices: list[Choice], *kept: str) -> list[Choice]:
    """Return at most about MAX_CHOICES: the first of each version, evenly taken, and those that are `kept`."""
    if len(choices) <= MAX_CHOICES:
        return choices
    firsts = list({choice.version: choice for choice in reversed(choices)}.values())[::-1]
    step = -(-len(firsts) // MAX_CHOICES)
    shown = {choice.key for choice in firsts[::step]} | set(kept)
    return [choice for choice in choices if choice.key in shown]


def _side_as_json(side: Side) -> dict[str, Any]:
    return {
        **capture_as_json(side.capture, site().settings.archives_path, request.script_root),
        "cached_url": side.address,
        "key": side.key,
        "problem": side.problem,
        "is_cut": side.is_cut,
    }


def _row_as_json(row: DiffRow) -> dict[str, Any]:
    return {
        name: [{"t": part.text, "kind": part.kind} for part in getattr(row, name)] for name in ("old", "new")
    }


def _finds_as_json(finds: PhraseFinds) -> dict[str, Any]:
    return {
        "phrase": finds.phrase,
        "versions": finds.versions,
        "unreadable": finds.unreadable,
        "found": [{"timestamp": choice.capture.timestamp, "holds": holds} for choice, holds in finds.found],
    }


# ---------------------------------------------------------------- the difference


@dataclass(frozen=True, slots=True)
class Section:
    """Rows to be shown, or a number of unchanged ones that are passed over."""

    rows: tuple[DiffRow, ...]
    skipped: int


def _sections(diff: TextDiff) -> Iterator[Section]:
    """Give the changed rows with a little of what stands around them."""
    near: set[int] = set()
    for number, row in enumerate(diff.rows):
        if not row.is_same:
            near.update(range(number - _AROUND, number + _AROUND + 1))
    rows: list[DiffRow] = []
    skipped = 0
    for number, row in enumerate(diff.rows):
        if number in near:
            if skipped:
                yield Section((), skipped)
                skipped = 0
            rows.append(row)
        else:
            if rows:
                yield Section(tuple(rows), 0)
                rows = []
            skipped += 1
    if rows:
        yield Section(tuple(rows), 0)
    if skipped:
        yield Section((), skipped)


# ---------------------------------------------------------------- a phrase through all versions


def find_phrase(index: Index, phrase: str, choices: list[Choice]) -> PhraseFinds:
    """Look for a phrase in each version of a page, oldest first; words as they are compared in a search, no stems.

    Versions are read one after the other: a phrase may come and go, so halving would not do.
    """
    wanted = words_of(phrase)
    firsts: dict[int, Choice] = {}
    for choice in choices:
        firsts.setdefault(choice.version, choice)
    found: list[tuple[Choice, bool]] = []
    unreadable = 0
    end = time.monotonic() + MAX_SEARCH_S
    for choice in list(firsts.values())[:MAX_VERSIONS_READ]:
        if time.monotonic() > end:
            break
        text = _text_of(index, choice.capture)
        if text is None:
            unreadable += 1
        else:
            found.append((choice, _holds(text, wanted)))
    return PhraseFinds(phrase, tuple(found), len(firsts), unreadable)


def _holds(text: str, phrase: list[str]) -> bool:
    """Tell whether the words of a phrase stand in a row in a text."""
    row: deque[str] = deque(maxlen=len(phrase))
    for piece in _in_pieces(text) if phrase else ():
        for word in words_of(piece):
            row.append(word)
            if word == phrase[-1] and list(row) == phrase:
                return True
    return False


def _in_pieces(text: str) -> Iterator[str]:
    """Cut a text between words into pieces of some size: its words take up to 200 times its room."""
    start = 0
    while len(text) - start > _PIECE_CHARS:
        gap = _GAP.search(text, start + _PIECE_CHARS)
        end = min(gap.end() if gap else len(text), start + 2 * _PIECE_CHARS)
        yield text[start:end]
        start = end
    yield text[start:]


def _text_of(index: Index, capture: Capture) -> str | None:
    try:
        text, _links = _read(index, capture, with_links=False)
    except (ArchiveError, OSError):
        return None
    return None if text is None else text[:MAX_CHARS]
