"""Makes archived pages fit for the sandboxed frame; used by `replay.py`.

Every part of a page is pointed at the archive (`/web/TIMESTAMPmod_/URL`), every link at the cached page of its goal
(`/cached/TIMESTAMP/URL`, in place of the whole page with its bar), and all that acts is taken out: scripts, handlers,
forms' targets, refreshes, plug-ins.

Parser: Lexbor builds the same tree as browsers do (a page that Lexbor and the browser read differently would show what
we did not look at). BeautifulSoup on lxml needs 4 to 15 times as long (`benchmarks/rewrite.py`) and mends framesets and
misnested tables differently.

Writer: our own, for what HTML parsers make of a written tree is not always that tree again; on such differences rest
the attacks called mutation XSS. In what is written here no `<` that could begin markup stands in text, attributes
or style sheets, there are no comments, and elements whose content is not read as markup are written empty or as
others. So whatever state a parser is in, all tags that it can find are those that we wrote, each of them harmless
wherever it may end up; a parser can differ from us in their nesting only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser

from archiver.warc.charsets import UTF_8
from indexer.search.marking import Marker, Span
from indexer.text.page_parts import MAX_SRCDOC_CHARS, MAX_SRCDOC_DEPTH, MAX_SRCDOCS
from webui.addresses import without_fragment
from webui.marks import MARK_ID, SHEET, START, mark_words
from webui.page_pieces import EMPTY, Pieces, PlainLinks, attributes_of, name_of, pieces_of
from webui.plugins import replace_plugins
from webui.rewrite_attributes import (
    ANIMATIONS,
    LINKS,
    Attributes,
    animates_what_acts,
    link_of,
    safe_attributes,
    use_lazy_source,
)
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import as_element_text, rewrite_css
from webui.rewrite_limits import bounded, cut

# What a frame may do: lead the whole window to another page when the reader clicks (all links lead to pages of ours).
FRAME_RIGHTS = "allow-top-navigation-by-user-activation"

_DROPPED = frozenset({
    "script", "base", "template", "embed", "param", "portal", "fencedframe", "bgsound", "keygen", "noembed", "noframes",
    "mglyph", "malignmark", "annotation-xml", "handler", "listener",
})  # fmt: skip
# Their content is shown without them: what stands in for a plug-in or a script, which there is none of.
_UNWRAPPED = frozenset({"object", "applet", "noscript"})
_DROPPED_EMPTY = frozenset({"script", "noembed", "noframes"})  # `pieces_of` has left out what they hold
# What they are written as depends on more than their tag.
_ONE_BY_ONE = frozenset({"style", "iframe", "form", "head", "body"})
# Elements whose text is no markup to a parser; in the same looks.
_WRITTEN_AS = {"xmp": "pre", "plaintext": "pre", "listing": "pre"}
_KEPT_METAS = frozenset({"viewport", "color-scheme", "description", "keywords", "author", "generator"})
_DOCTYPE = re.compile(r"\s*(?:<!--.*?-->\s*|<\?.*?>\s*)*(<!doctype[^<>]{0,400}>)", re.IGNORECASE | re.DOTALL)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*$", re.IGNORECASE | re.DOTALL)
# In XHTML `<script/>` and `<div/>` are whole elements; an HTML parser would take all that follows as their content.
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|frame)\b)"
    r"([a-zA-Z][\w:-]*)((?:\s[^<>]*?)?)\s*/>"
)
# A parser leaves out the first line break in these. No attribute that we write holds one of these signs.
_LOSES_LINE_BREAK = re.compile(r"<(?:pre|textarea)(?: [^<>]*)?>(?=\n)")
_SPECIAL = re.compile(r"[&<>\"\r\x00]")
_WRITTEN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\x00": "\ufffd"}
_IMPRINT_SHEET = (
    "<style>.finding-aid-imprint{display:none}@media print{.finding-aid-imprint{all:initial;display:block;"
    "margin-top:2em;border-top:1px solid;font:12px/1.4 sans-serif;overflow-wrap:anywhere}}</style>"
)
_NOTICE_STYLE = (
    "all:initial;display:block;padding:.5em 1em;background:#fff8d6;color:#222;font:16px/1.4 sans-serif"
)


def rewrite_page(
    html: str,
    context: RewriteContext,
    *,
    notice: str = "",
    is_xhtml: bool = False,
    marker: Marker | None = None,
    imprint: str = "",
) -> str:
    """Return the page for the frame: links into the archive, nothing that acts.

    html: the decoded text. notice: a plain sentence to stand on top of the page,
    such as that the stored copy is cut short. marker: marks the words of a query.
    imprint: a line that a printed page ends with, such as where and when it was archived.
    "" when the context wants the parts of the page only.
    """
    html, is_cut = cut(html)
    around = _Around(notice, imprint)
    if is_cut:
        around.say_cut()
    return _rewritten(html, context, around, marker, is_xhtml, 0)


class _Around:
    """What is put around the content of a page: a sentence above, a line below when it is printed."""

    def __init__(self, notice: str = "", imprint: str = "") -> None:
        self.notice, self.imprint = notice, imprint

    def say_cut(self) -> None:
        """Say in the notice that not all is shown."""
        said = "This page is very large; only its first part is shown."
        if said not in self.notice:
            self.notice = f"{self.notice} {said}".strip()


def _rewritten(
    html: str, context: RewriteContext, around: _Around, marker: Marker | None, is_xhtml: bool, depth: int
) -> str:
    if is_xhtml:
        html = _SELF_CLOSED.sub(r"<\1\2></\1>", html)
    html, is_cut = bounded(html)
    if is_cut:
        around.say_cut()
    tree = LexborHTMLParser(html)
    root = tree.root
    if root is None or root.tag != "html":
        return ""
    replace_plugins(tree)
    page = _Page(tree, context, around, depth)
    language = root.attributes.get("lang") or root.attributes.get("xml:lang") or ""
    pieces = pieces_of(tree, root, html)
    if context.parts_only:
        page.write(pieces, ())
        return ""
    marks = mark_words(pieces, language, marker) if marker is not None else ()
    if marker is not None:
        context.hits = len(marks)
    # Lexbor writes each doctype as the short one, which would change how old pages are laid out.
    doctype = _DOCTYPE.match(html)
    return (doctype[1] if doctype else "") + page.write(pieces, marks)


class _LeftOut(Exception):
    """An element is to go with all that it holds."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _Known(dict[str, str]):
    """Tags, and what is written for each wherever it stands; the page is asked for others."""

    def __init__(self, page: _Page) -> None:
        super().__init__()
        self._page = page

    def __missing__(self, tag: str) -> str:
        return self._page.tag(tag)


class _Page:
    """Writes one page. depth: frames around it whose page lies in an attribute."""

    def __init__(self, tree: LexborHTMLParser, context: RewriteContext, around: _Around, depth: int) -> None:
        self._context, self._around, self._depth = context, around, depth
        base = tree.css_first("base[href]", default=None)
        if base is not None:
            context.base = context.absolute(base.attributes.get("href") or "") or context.base
        base = tree.css_first("base[target]", default=None)
        self._target = (base.attributes.get("target") or "") if base is not None else ""
        self._frame_names = {
            node.attributes.get("name") or "" for node in tree.css("iframe[name], frame[name]")
        } - {""}
        self._refresh = "" if context.parts_only else self._refresh_target(tree)
        self._known = _Known(self)
        self._begun: set[str] = set()  # head and body, once they have begun
        self._forms: list[bool] = []  # of each open form, whether it is written
        self._sheets: Iterator[str] = iter(())
        self._has_marks = False

    def write(self, pieces: Pieces, marks: Sequence[Span]) -> str:
        """Return the page. marks: in its visible text."""
        self._has_marks = bool(marks)
        split = pieces.split(marks, START, MARK_ID, self._plain_links())
        self._sheets = iter(pieces.sheets)
        texts, judged = split[::2], split[1::2]
        written: list[str] = []
        tags = iter(judged)
        while len(written) < len(judged):
            try:
                written.extend(map(self._known.__getitem__, tags))  # what came before an exception stays
            except _LeftOut as left_out:
                open_inside = 1
                for tag in itertools.chain([""], tags):
                    open_inside += self._step_inside(tag, left_out.name) if tag else 0
                    written.append("")
                    if not open_inside:
                        break
                    texts[len(written)] = ""
        self._known.clear()  # it refers to the page: what it holds would live until Python looks for circles
        split[::2], split[1::2] = texts, written
        page = "".join(split)
        return _LOSES_LINE_BREAK.sub(r"\g<0>\n", page)

    def _step_inside(self, tag: str, name: str) -> int:
        """Return how many more elements of a name are open behind a tag that is not written."""
        own = name_of(tag)
        if own == "style" and tag[1] != "/":
            next(self._sheets, None)
        if own != name:
            return 0
        return -1 if tag[1] == "/" else int(_has_end(tag, name))

    def tag(self, tag: str) -> str:
        """Return what is written for a tag. Raises _LeftOut where an element is to go with all that it holds."""
        if (found := self._tag(tag)) is None:
            raise _LeftOut(name_of(tag))
        return found

    def _tag(self, tag: str) -> str | None:
        name = name_of(tag)
        lower = name.lower()
        if not name:
            return ""
        if tag[1] == "/":
            return self._end(tag, name, lower)
        if lower in _DROPPED:
            if lower == "script":
                self._context.count("script")
            return None if _has_end(tag, lower) and lower not in _DROPPED_EMPTY else ""
        if lower in _UNWRAPPED or (lower == "form" and any(self._forms)):
            if lower == "form":
                self._forms.append(False)
            return ""
        handlers = self._context.removed.get("handler", 0)
        attributes = self._attributes(lower, attributes_of(tag))
        if attributes is None:
            return None if _has_end(tag, lower) else ""
        written = _start_tag(_WRITTEN_AS.get(lower, name), attributes, "/>" if tag.endswith("/>") else ">")
        if lower in _ONE_BY_ONE:
            return written + self._inside(lower)
        if handlers == self._context.removed.get("handler", 0):
            self._known[tag] = written
        return written

    def _inside(self, tag: str) -> str:
        """Return what stands first in an element; tag: one of _ONE_BY_ONE."""
        if tag == "style":
            return as_element_text(rewrite_css(next(self._sheets, ""), self._context))
        if tag == "form":
            self._forms.append(True)
        elif tag in ("head", "body") and tag not in self._begun:
            self._begun.add(tag)
            return self._begin(tag)
        return ""

    def _end(self, tag: str, name: str, lower: str) -> str:
        if lower == "form":
            return "</form>" if not self._forms or self._forms.pop() else ""
        if lower in _DROPPED or lower in _UNWRAPPED or lower in EMPTY:
            written = ""
        else:
            written = f"</{_WRITTEN_AS.get(lower, name)}>"
        if lower == "head":
            written = (SHEET if self._has_marks else "") + (
                f"{_IMPRINT_SHEET}{written}" if self._around.imprint else written
            )
        elif lower == "body" and self._around.imprint:
            written = f'<div class="finding-aid-imprint">{escaped(self._around.imprint)}</div>{written}'
        self._known[tag] = written
        return written

    def _begin(self, tag: str) -> str:
        """Return what stands first in head and body."""
        if tag == "head":
            return '<meta charset="utf-8">'
        if not self._around.notice and not self._refresh:
            return ""
        written = [_start_tag("div", {"style": _NOTICE_STYLE})]
        if self._around.notice:
            written.append(f"{escaped(self._around.notice)} ")
        if self._refresh:
            link = _start_tag("a", self._link_attributes(self._refresh, "href", ""))
            written.append(f"This page sends its visitors on to {link}{escaped(self._refresh)}</a>")
        return "".join([*written, "</div>"])

    def _attributes(self, tag: str, attributes: Attributes) -> Attributes | None:
        """Return the attributes that an element is written with; None when the whole element is to go."""
        if tag == "meta":
            name = (attributes.get("name") or "").strip().lower()
            if name not in _KEPT_METAS or "http-equiv" in attributes:
                return None
            return {"name": name, "content": attributes.get("content")}
        if tag == "link":
            _undo_late_loading(attributes)
            if not _is_stylesheet(attributes):
                return None
            rel = (attributes.get("rel") or "").lower().split()
            attributes["rel"] = "alternate stylesheet" if "alternate" in rel else "stylesheet"
        elif tag == "img":
            use_lazy_source(attributes)
        elif tag in ANIMATIONS and animates_what_acts(attributes):
            return None
        if not attributes and tag not in ("iframe", "video", "audio"):
            return attributes
        if tag in LINKS:
            return self._attributes_of_link(tag, attributes)
        if tag == "iframe" and "srcdoc" in attributes:
            attributes.pop("src", None)
        kept = safe_attributes(tag, attributes, self._context)
        if tag == "iframe":
            kept["sandbox"] = FRAME_RIGHTS
            if "srcdoc" in attributes:
                kept["srcdoc"] = self._page_in_attribute(attributes["srcdoc"] or "")
        elif tag in ("video", "audio"):
            kept["controls"] = ""  # the page's own buttons need script
        return kept

    # ------------------------------------------------------------ links

    def _attributes_of_link(self, tag: str, attributes: Attributes) -> Attributes:
        name, link = link_of(attributes)
        others = {
            other: value for other, value in attributes.items() if other.rpartition(":")[2].lower() != "href"
        }
        kept = safe_attributes(tag, others, self._context)
        if name and not self._context.parts_only:
            target = attributes.get("target")
            kept |= self._link_attributes(link, name, self._target if target is None else target)
        return kept

    def _plain_links(self) -> PlainLinks | None:
        """Return how `_link_attributes` writes plain links; None where some of them stay in frames of the page."""
        context = self._context
        stays = (context.is_part or self._depth) and self._target.lower() in ("", "_self")
        if context.parts_only or stays or self._target in self._frame_names:
            return None
        return context.plain_links(is_whole=self._depth == 0)

    def _link_attributes(self, link: str, name: str, target: str) -> Attributes:
        """Return what a link says about its goal: none for a goal that is no web address.

        A page in the frame cannot tell the bar around it that another page is shown. So links lead the whole window
        to the cached page of their goal, but for those that steer frames of their own page and, in such frames,
        those that stay in their frame.
        """
        context = self._context
        if link.startswith("#"):
            return {name: link}
        goal = context.absolute(link)
        if goal is None:
            return {}
        page, mark, place = goal.partition("#")
        if mark and page == without_fragment(context.url) and self._depth == 0:
            return {name: f"#{place}"}
        if target in self._frame_names:
            return {name: context.frame_address(goal, "fr_"), "target": target}
        if (context.is_part or self._depth) and target.lower() in ("", "_self"):
            return {name: context.frame_address(goal, "if_")}
        return {name: context.page_address(goal), "target": "_top"}

    def _refresh_target(self, tree: LexborHTMLParser) -> str:
        """Return where a meta refresh would have gone, "" for nowhere else."""
        for node in tree.css("meta[http-equiv]"):
            attributes = node.attributes
            if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
                match = _REFRESH.match(attributes.get("content") or "")
                target = self._context.absolute(match[1]) if match and match[1] else None
                if target is not None and target != self._context.url:
                    return target
        return ""

    # ------------------------------------------------------------ frames

    def _page_in_attribute(self, html: str) -> str:
        """Return the page of a frame that lies in its srcdoc, made fit as the page around it was."""
        context = self._context
        if self._depth == MAX_SRCDOC_DEPTH or context.srcdocs == MAX_SRCDOCS:
            return "Not shown: this page has too many frames inside of frames."
        context.srcdocs += 1
        base, charset = context.base, context.charset
        context.charset = UTF_8  # that of every page in an attribute, whatever the page around it has
        notice = "Only the first part of this frame is shown." if len(html) > MAX_SRCDOC_CHARS else ""
        page = _rewritten(
            html[:MAX_SRCDOC_CHARS], context, _Around(notice), None, is_xhtml=False, depth=self._depth + 1
        )
        context.base, context.charset = base, charset
        return page


# ---------------------------------------------------------------- writing


def _has_end(tag: str, name: str) -> bool:
    """Tell whether an end tag follows on a start tag among the pieces of a page."""
    return name.lower() not in EMPTY or tag.endswith("/>")


def _start_tag(name: str, attributes: Attributes, end: str = ">") -> str:
    if not attributes:
        return f"<{name}{end}"
    written = "".join(
        [f' {key}="{escaped(value)}"' if value else f' {key}=""' for key, value in attributes.items()]
    )
    return f"<{name}{written}{end}"


def escaped(text: str) -> str:
    """Return text as it stands in HTML, in elements and in attributes; no `<` and no quotation mark is left in it."""
    return _SPECIAL.sub(_written_form, text) if _SPECIAL.search(text) else text


def _written_form(match: re.Match[str]) -> str:
    return _WRITTEN[match[0]]


# ---------------------------------------------------------------- style sheets


def _undo_late_loading(attributes: Attributes) -> None:
    """Turn a style that the page's script would have switched on into a plain one.

    Two ways are common: `rel=preload as=style onload="this.rel='stylesheet'"`,
    and `media=print onload="this.media='all'"`.
    """
    onload = (attributes.get("onload") or "").lower()
    if not onload:
        return
    is_preload = "preload" in (attributes.get("rel") or "").lower().split()
    if is_preload and (attributes.get("as") or "").lower() == "style" and "stylesheet" in onload:
        attributes["rel"] = "stylesheet"
        del attributes["as"]
    if "media" in onload and (attributes.get("media") or "").strip().lower() in ("print", "only x", "none"):
        del attributes["media"]


def _is_stylesheet(attributes: Attributes) -> bool:
    if "stylesheet" not in (attributes.get("rel") or "").lower().split():
        return False
    href = (attributes.get("href") or "").strip()
    return bool(href) and href[:5].lower() != "data:"
