"""The element texts of pages whose markup is nested so strictly that it needs no tree.

In most pages that programs write every element is closed where it should be, and stands where it may. The tree of
such a page is what its tags say, so that the tags can be read as they stand, and the quarter of all work that
building and writing a tree takes is saved. What is asked of a page is far more than what would do: an expression
that decides how it is written (each attribute in quotes, each reference whole, lower case, nothing that has a syntax
of its own), then rules, in array operations for a group of pages, for how its elements stand. A page that breaks one
goes to Lexbor as before, and nothing but time depends on which way is taken
(tests/indexer/text/test_nested.py).
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import lru_cache
from html.entities import html5

import numpy as np
import re2
from numpy.typing import NDArray

from indexer.text.elements import PageText
from indexer.text.flat import HIGH, LOW, PASS, Group, blanks, name_code, name_table
from indexer.text.sax import INLINE, html_bytes

# Classes of tags. Those of no rule are _FLOW; the void ones have no end tag.
_FLOW, _FORMAT, _BLOCK, _P, _HEADING, _FORM, _BUTTON, _PRE, _LIST, _ITEM, _TERMS, _TERM = range(12)
_TABLE, _CAPTION, _COLUMNS, _SECTION, _ROW, _CELL, _SELECT, _CHOICES, _OPTION = range(12, 21)
_HTML, _HEAD, _BODY, _TITLE, _NOSCRIPT = range(21, 26)
_VOID, _RULE, _COLUMN, _OF_HEAD, _DOCTYPE, _NOTHING = range(26, 32)
_CLASSES = 32

# what is opened again when a block closes the paragraph it stands in, and what else decides the element of its text
_FORMATTING = frozenset("a b big code em font i s small strike strong tt u dfn legend mark".split())
_NAMES_OF = {
    _FLOW: " ".join(sorted(INLINE - {"nobr", "rp", "rt", "ruby", "wbr"} - _FORMATTING))
    + " audio canvas datalist map meter object output picture progress textarea video",
    _FORMAT: " ".join(sorted(_FORMATTING)),
    _BLOCK: "address article aside blockquote center details dialog div fieldset figcaption figure footer header"
    " hgroup main nav section summary",
    _P: "p",
    _HEADING: "h1 h2 h3 h4 h5 h6",
    _FORM: "form",
    _BUTTON: "button",
    _PRE: "pre",
    _LIST: "ul ol menu dir",
    _ITEM: "li",
    _TERMS: "dl",
    _TERM: "dt dd",
    _TABLE: "table",
    _CAPTION: "caption",
    _COLUMNS: "colgroup",
    _SECTION: "thead tbody tfoot",
    _ROW: "tr",
    _CELL: "td th",
    _SELECT: "select",
    _CHOICES: "optgroup",
    _OPTION: "option",
    _HTML: "html",
    _HEAD: "head",
    _BODY: "body",
    _TITLE: "title",
    _NOSCRIPT: "noscript",
    _VOID: "area br embed iframe img input param source track wbr",
    _RULE: "hr",
    _COLUMN: "col",
    _OF_HEAD: "base link meta",
    _NOTHING: "script style",
}
_FACTOR, _NAMES, _CLASS_OF_NAME = name_table(
    {name: kind for kind, names in _NAMES_OF.items() for name in names.split()}
)

# -- how a page may be written

_SIGN = rb"\x00-\x08\x0b-\x1f"  # what no page holds; line ends are line feeds here
_REFERENCE = rb"&(?:#?[a-zA-Z0-9]+;| )"
_BLANKS = rb"[ \n\t]"
# Quotes around each value are needed: a line feed and a mark are written between it and the text behind its tag.
_ATTRIBUTES = (
    rb"(?:[ \n]" + _BLANKS + rb"*[a-z_:@][a-z0-9_:.@-]*"
    rb'(?:="(?:[^"<>&' + _SIGN + rb"]|" + _REFERENCE + rb')*"'
    rb"|='(?:[^'<>&" + _SIGN + rb"]|" + _REFERENCE + rb")*'"
    rb")?)*"
    rb"(?:[ \n]" + _BLANKS + rb"*)?"
)
# their text has a syntax of its own
_RAW = frozenset({"script", "style", "title", "textarea", "iframe"})
_TAGS = b"|".join(
    name.encode() for kind, names in _NAMES_OF.items() for name in names.split() if name not in _RAW
)
_TEXT = rb"(?:[^<>&" + _SIGN + rb"]|" + _REFERENCE + rb")"
_COMMENT = rb"<!--[^>-](?:[^-]|-[^-]|---*[^>!-])*---*>"
_WRITTEN_SO = (
    rb"(?s)\s*(?:" + _COMMENT + rb"|\s)*(?:<![dD][oO][cC][tT][yY][pP][eE][^<>]*>)?"
    rb"(?:" + _TEXT
    + rb"|<(?:" + _TAGS + rb")" + _ATTRIBUTES + rb"/?>"
    + rb"|</(?:" + _TAGS + rb")>"
    + b"".join(
        rb"|<" + name + _ATTRIBUTES + rb">" + _TEXT + rb"*</" + name + rb">"
        for name in (b"title", b"textarea")
    )
    # "</s", "<s" are left out: they might be </script> and what hides it
    + rb"|<script" + _ATTRIBUTES + rb">(?:[^<]|<+(?:[^</sS]|/+[^</sS]))*</script>"
    + rb"|<style" + _ATTRIBUTES + rb">(?:[^<]|<+(?:[^</]|/+[^</sS]))*</style>"
    + rb"|<iframe" + _ATTRIBUTES + rb">(?:[^<]|<+(?:[^</]|/+[^</iI]))*</iframe>"
    + rb"|" + _COMMENT
    + rb")*"
)  # fmt: skip


def _compiled() -> re2._Regexp:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    return re2.compile(_WRITTEN_SO, options)


_written_so = _compiled()
_REFERENCES = re.compile(b"&[^ ;]+;")
_OTHER_REFERENCE = re.compile("&(?!amp;)#?[a-zA-Z0-9]+;")
_ATTRIBUTE = re.compile(r"[ \n\t]([^\s=\"'/]+)(?:=(?:\"([^\"]*)\"|'([^']*)'))?")
# What references stand for: those met so far, "" for one that makes a page odd.
_characters: dict[bytes, str] = {}
_MOST_CHARACTERS = 10_000


def as_written(page: str) -> bytes | None:
    """Return the markup of a page that may be nested strictly, None if it is not written like that."""
    if "\r" in page:
        page = page.replace("\r\n", "\n").replace("\r", "\n")
    data = html_bytes(page.strip(" \n\t"))
    if data.startswith(b"<?xml"):
        data = data[data.find(b">") + 1 :].lstrip(b" \n\t")
    if not data.startswith(b"<") or not data.endswith(b">") or not _written_so.fullmatch(data):
        return None
    if b"&" in data and not all(map(_character, set(_REFERENCES.findall(data)))):
        return None
    return data


def _character(reference: bytes) -> str:
    found = _characters.get(reference)
    if found is None:
        text = reference.decode("ascii")
        found = html.unescape(text)
        if text[1] == "#":
            number = int(text[3:-1], 16) if text[2] in "xX" else int(text[2:-1])
            # numbers of Windows characters and of no character have rules of their own
            odd = number > 0x10FFFF or found != chr(number)
        else:
            odd = text[1:] not in html5
        if odd or (min(found) <= " " or "&" in found) and text != "&amp;":
            found = ""
        if len(_characters) >= _MOST_CHARACTERS:
            _characters.clear()
        _characters[reference] = found
    return found


@lru_cache(maxsize=10_000)
def _text_of(reference: str) -> str:
    return html.unescape(reference)


# -- where elements may stand


def _neighbours() -> NDArray[np.bool_]:
    """Return which tag may follow which: state of one, state of the next; a state is 2 * class + (is it an end tag).

    Inside tables, lists and <select> these are all that may stand there, so that nothing is moved or closed by
    what comes; elsewhere what is special about a page's start and end.
    """

    def start(*kinds: int) -> list[int]:
        return [2 * kind for kind in kinds]

    def end(*kinds: int) -> list[int]:
        return [2 * kind + 1 for kind in kinds]

    allowed = np.ones((2 * _CLASSES, 2 * _CLASSES), dtype=bool)
    allowed[:, end(_VOID, _RULE, _COLUMN, _OF_HEAD, _DOCTYPE, _NOTHING)] = False

    def only_behind(kinds: list[int], before: list[int]) -> None:
        allowed[:, kinds] = False
        allowed[np.array(before)[:, None], kinds] = True

    def only_before(kinds: list[int], behind: list[int]) -> None:
        others = np.setdiff1d(np.arange(2 * _CLASSES), behind)
        allowed[np.array(kinds)[:, None], others] = False

    in_table = start(_TABLE, _COLUMN) + end(_CAPTION, _COLUMNS, _SECTION)
    only_behind(start(_CAPTION, _COLUMNS, _SECTION), in_table)
    only_behind(start(_COLUMN), start(_TABLE, _COLUMNS, _COLUMN) + end(_CAPTION, _COLUMNS))
    only_behind(start(_ROW), in_table + start(_SECTION) + end(_ROW))
    only_behind(start(_CELL), start(_ROW) + end(_CELL))
    only_behind(start(_ITEM), start(_LIST) + end(_ITEM))
    only_behind(start(_TERM), start(_TERMS) + end(_TERM))
    only_behind(start(_CHOICES), start(_SELECT) + end(_OPTION, _CHOICES))
    only_behind(start(_OPTION), start(_SELECT, _CHOICES) + end(_OPTION, _CHOICES))
    only_behind(start(_DOCTYPE), end(_HTML))
    only_behind(start(_HTML), start(_DOCTYPE) + end(_HTML))
    only_behind(start(_HEAD), start(_HTML))
    only_behind(start(_BODY), end(_HEAD))
    only_behind(end(_HTML), end(_BODY))
    only_before(in_table, start(_CAPTION, _COLUMNS, _COLUMN, _SECTION, _ROW) + end(_TABLE, _COLUMNS))
    only_before(start(_COLUMNS), start(_COLUMN) + end(_COLUMNS))
    only_before(start(_SECTION), start(_ROW) + end(_SECTION))
    only_before(start(_ROW) + end(_CELL), start(_CELL) + end(_ROW))
    only_before(end(_ROW), start(_ROW) + end(_SECTION, _TABLE))
    only_before(start(_SELECT), start(_OPTION, _CHOICES) + end(_SELECT))
    only_before(start(_CHOICES), start(_OPTION) + end(_CHOICES))
    only_before(end(_CHOICES), start(_OPTION, _CHOICES) + end(_SELECT))
    only_before(start(_OPTION), end(_OPTION))
    only_before(end(_OPTION), start(_OPTION, _CHOICES) + end(_SELECT, _CHOICES))
    only_before(start(_DOCTYPE), start(_HTML))
    only_before(start(_HTML), start(_HEAD))
    only_before(end(_HEAD), start(_BODY))
    only_before(end(_BODY), end(_HTML))
    only_before(end(_HTML), start(_DOCTYPE, _HTML))
    return allowed


_MAY_FOLLOW = _neighbours().ravel()
# behind these stands nothing but blanks
_NO_TEXT = np.zeros(2 * _CLASSES, dtype=bool)
_NO_TEXT[[2 * kind for kind in (_TABLE, _COLUMN, _COLUMNS, _SECTION, _ROW, _SELECT, _CHOICES)]] = True
_NO_TEXT[[2 * kind + 1 for kind in (_CAPTION, _COLUMNS, _SECTION, _ROW, _CELL, _CHOICES, _OPTION)]] = True
_NO_TEXT[[2 * _DOCTYPE, 2 * _HTML, 2 * _HTML + 1, 2 * _HEAD + 1, 2 * _BODY + 1]] = True


def _marked(*kinds: int) -> NDArray[np.bool_]:
    marked = np.zeros(_CLASSES, dtype=bool)
    marked[list(kinds)] = True
    return marked


_HAS_NO_END = _marked(_VOID, _RULE, _COLUMN, _OF_HEAD, _DOCTYPE, _NOTHING)
_ENDS_P = _marked(
    _BLOCK, _P, _HEADING, _FORM, _PRE, _LIST, _ITEM, _TERMS, _TERM, _TABLE, _RULE
)  # fmt: skip
_IN_HEAD = _marked(_HEAD, _TITLE, _NOSCRIPT, _OF_HEAD)
_MOST_LEVELS = 60_000
_COMMENT_START = np.uint64(int.from_bytes(b"!--", "little"))
_PRE_CODE, _TEXTAREA_CODE = np.uint64(name_code("pre")), np.uint64(name_code("textarea"))


def read_nested(pages: Sequence[bytes | None]) -> list[PageText | None]:
    """Return the element texts of pages that as_written gave; None for those that need a tree after all."""
    found: list[PageText | None] = [None] * len(pages)
    chosen = [number for number, page in enumerate(pages) if page]
    if not chosen:
        return found
    group = _NestedGroup([page for page in pages if page])
    odd = group.odd_pages()
    if len(odd) == len(chosen):
        return found
    for place, (number, page) in enumerate(zip(chosen, group.pages(), strict=True)):
        if place not in odd:
            found[number] = page
    return found


class _NestedGroup(Group):
    """A group of pages read as they were written. Odd pages stay in it, but have no tags that do anything."""

    _known_links = {}
    _known_tags = {}

    def odd_pages(self) -> set[int]:
        everything = set(range(len(self._page_ends)))
        if self._wrong or not self._sound:  # not of pages that as_written gave
            return everything
        odd = self._not_nested()
        self._hide(odd)
        while more := super().odd_pages() - odd:
            odd |= more
            self._hide(more)
        return odd

    def _not_nested(self) -> set[int]:
        place = (self._code * _FACTOR) >> np.uint64(52)
        is_known = (_NAMES[place] == self._code) & (self._code != 0)
        kind = np.where(is_known, _CLASS_OF_NAME[place], np.uint8(_DOCTYPE))
        kind[self._is_comment()] = _NOTHING
        page_of = np.repeat(np.arange(len(self._page_ends)), np.diff(self._first))
        rows = np.flatnonzero(kind != _NOTHING)
        if not len(rows):
            return set(range(len(self._page_ends)))
        # for each tag, comment or script the last one that is something
        here = np.maximum(np.cumsum(kind != _NOTHING) - 1, 0)
        kind, closing, code, page = kind[rows], self._closing[rows], self._code[rows], page_of[rows]
        state = kind * np.uint8(2) + closing
        first = np.searchsorted(rows, self._first)
        wrong = np.zeros(len(self._page_ends), dtype=bool)
        follows = _MAY_FOLLOW[state[:-1].astype(np.int16) * np.int16(2 * _CLASSES) + state[1:]]
        wrong[page[1:][~follows & (page[1:] == page[:-1])]] = True
        whole = first[1:] > first[:-1]
        wrong |= ~whole
        begin, last = state[first[:-1][whole]], state[first[1:][whole] - 1]
        wrong[whole] |= ((begin != 2 * _DOCTYPE) & (begin != 2 * _HTML)) | (last != 2 * _HTML + 1)

        step = np.where(_HAS_NO_END[kind], 0, 1 - 2 * closing.astype(np.int32)).astype(np.int32)
        level = np.cumsum(step, dtype=np.int32)
        before = np.append(np.int32(0), level)[first]
        wrong |= np.diff(before) != 0
        level -= np.repeat(before[:-1], np.diff(first))
        wrong[page[(level < 0) | (level > _MOST_LEVELS)]] = True
        step[wrong[page]] = 0
        # the tags of a level in their order: start and end of one element, of the next, ...
        tags = np.flatnonzero(step)
        order = tags[np.argsort((level + closing)[tags].astype(np.uint16), kind="stable")]
        unlike = code[order[0::2]] != code[order[1::2]]
        wrong[page[order[0::2][unlike]]] = True
        wrong[page[order[1::2][unlike]]] = True

        def depth(of: int) -> NDArray[np.int32]:
            return np.cumsum(step * (kind == of), dtype=np.int32)

        in_p = depth(_P) - ((kind == _P) & ~closing)
        # a block closes a paragraph, and with it what is open in it
        bad = (in_p > 0) & (depth(_FORMAT) > 0) & ~closing & _ENDS_P[kind]
        for of in (_HEADING, _FORM, _BUTTON):
            bad |= depth(of) > 1
        in_head = depth(_HEAD) > 0
        bad |= in_head & ~_IN_HEAD[kind]
        wrong[page[bad]] = True
        no_text = (_NO_TEXT[state] | in_head) & (state != 2 * _TITLE)
        no_text = no_text[here] | (page[here] != page_of)
        begins, stops = self._ends + 1, np.append(self._starts[1:], len(self._data))
        texts = np.flatnonzero(no_text & (stops > begins))
        wrong[page_of[texts[~blanks(self._data, begins[texts], stops[texts])]]] = True
        return set(np.flatnonzero(wrong).tolist())

    def _stops(self) -> NDArray[np.uint64]:
        # what ends a name here is ">", or less than any letter or digit
        bracket = self._names ^ (LOW * np.uint64(ord(">")))
        less = (self._names - LOW * np.uint64(ord("0"))) & ~self._names
        stops: NDArray[np.uint64] = (((bracket - LOW) & ~bracket) | less) & HIGH
        return stops

    def _is_comment(self) -> NDArray[np.bool_]:
        is_comment: NDArray[np.bool_] = self._names & np.uint64(0xFFFFFF) == _COMMENT_START
        return is_comment

    def _hide(self, pages: set[int]) -> None:
        for page in pages:
            self._kind[self._first[page] : self._first[page + 1]] = PASS

    def _text_starts(self) -> NDArray[np.int64]:
        starts: NDArray[np.int64] = self._ends + 1
        rows = np.flatnonzero((self._code == _PRE_CODE) | (self._code == _TEXTAREA_CODE))
        rows = rows[~self._closing[rows]]
        # the first line feed is left out
        starts[rows] += self._data[np.minimum(starts[rows], len(self._data) - 1)] == ord("\n")
        return starts

    def _attributes_of(self, tag: str) -> dict[str, str]:
        return {
            name: self._unescaped(double or single)
            for name, double, single in reversed(_ATTRIBUTE.findall(tag))
        }

    def _places(self, tag: str) -> dict[str, tuple[int, int]]:
        found = reversed(list(_ATTRIBUTE.finditer(tag)))
        return {each[1]: each.span(each.lastindex or 0) if each.lastindex != 1 else (0, 0) for each in found}

    def _unescaped(self, text: str) -> str:
        if "&" not in text:
            return text
        text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
        if text.count("&") > text.count("&amp;"):
            text = _OTHER_REFERENCE.sub(lambda found: _text_of(found[0]), text)
        return text.replace("&amp;", "&")
