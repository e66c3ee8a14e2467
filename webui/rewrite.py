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

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from archiver.warc.charsets import UTF_8
from indexer.search.marking import Marker
from indexer.text.page_parts import MAX_SRCDOC_CHARS, MAX_SRCDOC_DEPTH, MAX_SRCDOCS
from webui.addresses import without_fragment
from webui.marks import mark_words
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
# Elements whose text is no markup to a parser; in the same looks.
_WRITTEN_AS = {"xmp": "pre", "plaintext": "pre", "listing": "pre"}
_EMPTY = frozenset({
    "area", "basefont", "br", "col", "frame", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
})  # fmt: skip
_FOREIGN = frozenset({"svg", "math"})
_KEPT_METAS = frozenset({"viewport", "color-scheme", "description", "keywords", "author", "generator"})
_TAG_NAME = re.compile(r"[a-zA-Z][\w:.-]*")
_DOCTYPE = re.compile(r"\s*(?:<!--.*?-->\s*|<\?.*?>\s*)*(<!doctype[^<>]{0,400}>)", re.IGNORECASE | re.DOTALL)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*$", re.IGNORECASE | re.DOTALL)
# In XHTML `<script/>` and `<div/>` are whole elements; an HTML parser would take all that follows as their content.
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|frame)\b)"
    r"([a-zA-Z][\w:-]*)((?:\s[^<>]*?)?)\s*/>"
)
_LOSES_LINE_BREAK = re.compile(r"<(?:pre|textarea)[ >]")
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
    if marker is not None and not context.parts_only:
        context.hits = mark_words(tree, marker)
    page = _Page(tree, context, depth)
    page.write(root, around)
    # Lexbor writes each doctype as the short one, which would change how old pages are laid out.
    doctype = _DOCTYPE.match(html)
    return "" if context.parts_only else (doctype[1] if doctype else "") + "".join(page.written)


class _Page:
    """Writes one page. depth: frames around it whose page lies in an attribute."""

    def __init__(self, tree: LexborHTMLParser, context: RewriteContext, depth: int) -> None:
        self._context, self._depth = context, depth
        self.written: list[str] = []
        base = tree.css_first("base[href]", default=None)
        if base is not None:
            context.base = context.absolute(base.attributes.get("href") or "") or context.base
        base = tree.css_first("base[target]", default=None)
        self._target = (base.attributes.get("target") or "") if base is not None else ""
        self._frame_names = {
            node.attributes.get("name") or "" for node in tree.css("iframe[name], frame[name]")
        } - {""}
        self._refresh = "" if context.parts_only else self._refresh_target(tree)
        self._foreign = 0
        self._forms = 0

    def write(self, root: LexborNode, around: _Around) -> None:
        """Write an element with all that it holds.

        What is kept for each open element is its tag alone: a page may open a quarter of a million of them.
        """
        open_tags: list[str] = []
        node: LexborNode | None = root
        while node is not None:
            tag = self._open(node, around, len(open_tags) == 1)
            below = node.first_child if tag is not None else None
            if tag is not None and below is not None:
                open_tags.append(tag)
                node = below
                continue
            if tag is not None:
                self._close(tag, around)
            while open_tags and node is not None and (behind := node.next) is None:
                node = node.parent
                self._close(open_tags.pop(), around)
            node = behind if open_tags else None

    def _open(self, node: LexborNode, around: _Around, is_head_or_body: bool) -> str | None:
        """Write a text, or the start of an element; return the tag that ends it, "" for none.

        None when there is nothing inside to be written.
        """
        out = self.written
        name = node.tag or "-"
        if name[0] == "-":
            if name == "-text" and not self._context.parts_only:
                self._text(node.text_content or "")
            return None
        lower = name.lower()
        if lower in _DROPPED:
            if lower == "script":
                self._context.count("script")
            return None
        is_inner_form = lower == "form" and self._forms > 0
        if lower in _UNWRAPPED or is_inner_form or not _TAG_NAME.fullmatch(name):
            return ""
        attributes = self._attributes(lower, node.attributes)
        if attributes is None:
            return None
        name = _WRITTEN_AS.get(lower, name)
        if lower in _EMPTY and self._foreign:
            out.append(_start_tag(name, attributes, "/>"))
            return ""
        out.append(_start_tag(name, attributes))
        if lower == "style":
            out += (as_element_text(rewrite_css(node.text(deep=True), self._context)), "</style>")
        elif lower == "iframe":
            out.append("</iframe>")
        elif lower not in _EMPTY:
            self._foreign += lower in _FOREIGN
            self._forms += lower == "form"
            if is_head_or_body:
                self._begin(lower, around)
            return name
        return None

    def _close(self, tag: str, around: _Around) -> None:
        if not tag:
            return
        self._foreign -= tag in _FOREIGN
        self._forms -= tag == "form"
        if around.imprint and tag == "head":
            self.written.append(_IMPRINT_SHEET)
        elif around.imprint and tag == "body":
            self.written.append(f'<div class="finding-aid-imprint">{escaped(around.imprint)}</div>')
        self.written.append(f"</{tag}>")

    def _begin(self, tag: str, around: _Around) -> None:
        """Write what stands first in head and body."""
        if tag == "head":
            self.written.append('<meta charset="utf-8">')
        elif tag == "body" and (around.notice or self._refresh):
            self.written.append(_start_tag("div", {"style": _NOTICE_STYLE}))
            if around.notice:
                self.written.append(f"{escaped(around.notice)} ")
            if self._refresh:
                link = _start_tag("a", self._link_attributes(self._refresh, "href", ""))
                self.written.append(f"This page sends its visitors on to {link}{escaped(self._refresh)}</a>")
            self.written.append("</div>")

    def _text(self, text: str) -> None:
        out = self.written
        if text[:1] == "\n" and out and _LOSES_LINE_BREAK.match(out[-1]):
            out.append("\n")  # the parser leaves out the first line break in these
        out.append(escaped(text))

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
