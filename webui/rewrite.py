"""Makes archived pages and style sheets fit for the sandboxed frame; used by `replay.py`.

Every link and every part of a page is pointed at the archive (`/web/TIMESTAMPmod_/URL`),
and all that acts is taken out: scripts, handlers, forms' targets, refreshes, plug-ins.
What keeps a hostile page in is the header set of `security.py`, not this file: an
address that slips through here is stopped there. So the aim here is a page that
looks right and works without script.

Parser: Lexbor builds the same tree as browsers do (a page that Lexbor and the browser read
differently would show what we did not look at). BeautifulSoup on lxml needs 4 to 15 times
as long (`benchmarks/rewrite.py`) and mends framesets and misnested tables differently.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborAttributes, LexborHTMLParser, LexborNode

from indexer.search.marking import Marker
from webui.marks import mark_words
from webui.plugins import replace_plugins
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css

# An element of the tree takes about 200 bytes, so a page is cut by its tags before its size.
MAX_PAGE_CHARS = 5_000_000
MAX_PAGE_TAGS = 250_000
# Two costs that grow with the square of what a page leaves open: the parser walks its stack of open blocks
# for each new one, and writes all open formatting elements again into each new paragraph
# (3,000 times `<font id=N><p>` is 40 kB of page and 1.5 GB of tree). Browsers cut nesting at 512 as well.
MAX_BLOCK_DEPTH = 2_000
MAX_REPEATED_ELEMENTS = 400_000
# The parser compares each attribute name of a tag with all before it: 200,000 of them take a minute.
MAX_ATTRIBUTES = 4_000

# object and applet: only those without fallback content are left when this counts.
_DROPPED = frozenset({"script", "base", "template", "embed", "param", "portal", "fencedframe", "bgsound", "keygen",
                      "object", "applet"})  # fmt: skip
_KEPT_METAS = frozenset({"viewport", "color-scheme", "description", "keywords", "author", "generator"})
_UNSAFE_ATTRIBUTES = frozenset({
    "srcdoc", "nonce", "integrity", "crossorigin", "ping", "formaction", "action", "formtarget", "autofocus",
    "autoplay", "manifest", "archive", "codebase", "classid", "profile", "attributionsrc", "allow",
    "allowfullscreen", "referrerpolicy", "http-equiv", "csp", "credentialless", "imagesrcset",
})  # fmt: skip
_ADDRESS_ATTRIBUTES = frozenset({
    "href", "xlink:href", "src", "srcset", "poster", "background", "data", "longdesc", "lowsrc", "dynsrc",
    "cite", "usemap", "icon",
})  # fmt: skip
_MODIFIER_BY_TAG = {"a": "mp_", "area": "mp_", "link": "cs_", "iframe": "if_", "frame": "fr_", "video": "oe_",
                    "audio": "oe_", "source": "oe_", "track": "oe_"}  # fmt: skip
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src")
_NESTING_TAG = re.compile(
    r"<(/?)(?:(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
    r"|(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figure|footer"
    r"|header|hgroup|main|menu|nav|ol|section|summary|ul))(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"""<([a-zA-Z][^\s/>]*)(?:[^"'>]|"[^"]*"|'[^']*')*+>?""")
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_DOCTYPE = re.compile(r"\s*(?:<!--.*?-->\s*|<\?.*?>\s*)*(<!doctype[^<>]{0,400}>)", re.IGNORECASE | re.DOTALL)
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?(.*?)[\"']?\s*$", re.IGNORECASE | re.DOTALL)
_SRCSET = re.compile(r"\s*,*\s*([^\s,]\S*[^\s,]|[^\s,])(\s+[^,]*)?\s*(?:,|$)")
_MARKUP_IN_CSS = re.compile(r"<(?=[a-zA-Z/!?])")
# In XHTML `<script/>` and `<div/>` are whole elements; an HTML parser would take all that follows as their content.
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|frame)\b)"
    r"([a-zA-Z][\w:-]*)((?:\s[^<>]*?)?)\s*/>"
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
    html, cut = _cut(html)
    html = _without_attribute_floods(_without_deep_nesting(html))
    if cut:
        notice = f"{notice} This page is very large; only its first part is shown.".strip()
    if is_xhtml:
        html = _SELF_CLOSED.sub(r"<\1\2></\1>", html)
    tree = LexborHTMLParser(html)
    root = tree.root
    if root is None or root.tag != "html":
        return ""
    base = tree.css_first("base[href]", default=None)
    if base is not None:
        context.base = context.absolute(base.attributes.get("href") or "") or context.base
    replace_plugins(tree)
    # No browser runs the old plug-ins any more; their fallback content is what a reader sees.
    tree.unwrap_tags(["object", "applet"])
    frame_names = {node.attributes.get("name") for node in tree.css("iframe[name], frame[name]")}
    dropped: list[LexborNode] = []
    refresh = ""
    for node in root.traverse(include_text=False):
        tag = node.tag or ""
        if tag == "link":
            _undo_late_loading(node)
        if tag in _DROPPED or (tag == "link" and not _is_stylesheet(node)):
            dropped.append(node)
            if tag == "script":
                context.count("script")
            continue
        if tag == "meta":
            refresh = refresh or _refresh_target(node, context)
            kept = (node.attributes.get("name") or "").strip().lower() in _KEPT_METAS
            if not kept or "http-equiv" in node.attributes:
                dropped.append(node)
                continue
        attributes = node.attributes
        if attributes:
            _rewrite_attributes(node.attrs, attributes, tag, context, frame_names)
        if tag == "style":
            _rewrite_style_element(node, context)
        elif tag == "iframe":
            node.attrs["sandbox"] = ""
        elif tag in ("video", "audio"):
            node.attrs["controls"] = ""  # the page's own buttons need script
    if context.parts_only:
        return ""
    _drop(dropped)
    if marker is not None:
        context.hits = mark_words(tree, marker)
    _put_on_top(tree, notice, refresh, context)
    _put_at_the_end(tree, imprint)
    # Lexbor writes each doctype as the short one, which would change how old pages are laid out.
    doctype = _DOCTYPE.match(html)
    return (doctype[1] if doctype else "") + (root.html or "")


# ---------------------------------------------------------------- attributes


def _rewrite_attributes(
    attrs: LexborAttributes,
    attributes: dict[str, str | None],
    tag: str,
    context: RewriteContext,
    frame_names: set[str | None],
) -> None:
    if tag == "img":
        _use_lazy_source(attrs, attributes)
    for name, written in attributes.items():
        value = written or ""
        if name == "style":
            rewritten = rewrite_css(value, context)
            if rewritten != value:
                attrs[name] = rewritten
        elif name in _ADDRESS_ATTRIBUTES:
            _set_or_drop(attrs, name, value, _rewritten_address(tag, name, value, context))
        elif name[:2] == "on":
            del attrs[name]
            context.count("handler")
        elif name in _UNSAFE_ATTRIBUTES:
            del attrs[name]
        elif name == "target" and value not in frame_names:
            # The sandbox lets a page steer its own frames only; any other target would make the link dead.
            del attrs[name]


def _set_or_drop(attrs: LexborAttributes, name: str, old: str, new: str | None) -> None:
    if new is None:
        del attrs[name]
    elif new != old:
        attrs[name] = new


def _rewritten_address(tag: str, name: str, value: str, context: RewriteContext) -> str | None:
    """Return what the attribute is to hold; None if it is to go."""
    if name == "srcset":
        return _rewrite_srcset(value, context)
    link = value.strip()
    if link.startswith("#") or (name == "usemap" and "#" in link):
        return value
    if name in ("cite", "longdesc", "data", "icon", "usemap"):
        return None
    if _SCHEME.match(link) and link[:5].lower() == "data:":
        # Pictures may lie in the page itself; a frame or a link from data: would be a page that we did not see.
        is_picture = tag in ("img", "image", "input", "source", "video", "audio") or name in (
            "poster",
            "background",
        )
        return value if is_picture else None
    if tag == "source" and name == "src":
        return context.address(link, "oe_")
    if name in ("background", "poster", "lowsrc", "dynsrc"):
        return context.address(link, "im_")
    return context.address(link, _MODIFIER_BY_TAG.get(tag, "im_" if name == "src" else "oe_"))


def _rewrite_srcset(value: str, context: RewriteContext) -> str | None:
    candidates = []
    for match in _SRCSET.finditer(value):
        link, size = match[1], (match[2] or "").strip()
        if link[:5].lower() == "data:":
            continue
        address = context.address(link, "im_")
        if address:
            candidates.append(f"{address.replace(',', '%2C')} {size}".strip())
    return ", ".join(candidates) or None


def _use_lazy_source(attrs: LexborAttributes, attributes: dict[str, str | None]) -> None:
    """Show pictures that the page's script would have filled in."""
    source = (attributes.get("src") or "").strip()
    if not source or source[:5].lower() == "data:":
        for name in _LAZY_SOURCES:
            lazy = (attributes.get(name) or "").strip()
            if lazy:
                attrs["src"] = lazy
                attributes["src"] = lazy
                break
    if not attributes.get("srcset") and attributes.get("data-srcset"):
        attrs["srcset"] = attributes["data-srcset"]
        attributes["srcset"] = attributes["data-srcset"]


# ---------------------------------------------------------------- elements


def _undo_late_loading(node: LexborNode) -> None:
    """Turn a style that the page's script would have switched on into a plain one.

    Two ways are common: `rel=preload as=style onload="this.rel='stylesheet'"`,
    and `media=print onload="this.media='all'"`.
    """
    attributes = node.attributes
    onload = (attributes.get("onload") or "").lower()
    if not onload:
        return
    is_preload = "preload" in (attributes.get("rel") or "").lower().split()
    if is_preload and (attributes.get("as") or "").lower() == "style" and "stylesheet" in onload:
        node.attrs["rel"] = "stylesheet"
        del node.attrs["as"]
    if "media" in onload and (attributes.get("media") or "").strip().lower() in ("print", "only x", "none"):
        del node.attrs["media"]


def _is_stylesheet(node: LexborNode) -> bool:
    attributes = node.attributes
    if "stylesheet" not in (attributes.get("rel") or "").lower().split():
        return False
    href = (attributes.get("href") or "").strip()
    return bool(href) and href[:5].lower() != "data:"


def _refresh_target(node: LexborNode, context: RewriteContext) -> str:
    """Return where a meta refresh would have gone, "" for nowhere else."""
    attributes = node.attributes
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return ""
    match = _REFRESH.match(attributes.get("content") or "")
    target = context.absolute(match[1]) if match and match[1] else None
    return "" if target is None or target == context.url else target


def _rewrite_style_element(node: LexborNode, context: RewriteContext) -> None:
    text = node.first_child
    if text is None:
        return
    css = node.text(deep=True)
    rewritten = rewrite_css(css, context)
    if "<" in css and _has_ancestor_tag(node, ("svg", "math")):
        # There "&lt;/style>" is text to us, and would be written out as the end of the element.
        rewritten = _MARKUP_IN_CSS.sub(r"\\3c ", rewritten)
    if rewritten != css:
        text.replace_with(rewritten)


def _drop(nodes: list[LexborNode]) -> None:
    """Take the elements out; one inside another goes with it (freeing it twice would crash)."""
    marked = {node.mem_id for node in nodes}
    outermost = [node for node in nodes if not _has_ancestor(node, marked)]
    for node in outermost:
        node.decompose()


def _has_ancestor(node: LexborNode, marked: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in marked:
            return True
        parent = parent.parent
    return False


def _has_ancestor_tag(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def _put_on_top(tree: LexborHTMLParser, notice: str, refresh: str, context: RewriteContext) -> None:
    head, body = tree.head, tree.body
    if head is not None:
        meta = tree.create_node("meta")
        meta.attrs["charset"] = "utf-8"
        _insert_first(head, meta)
    if body is None or body.tag != "body" or not (notice or refresh):
        return
    box = tree.create_node("div")
    box.attrs["style"] = (
        "all:initial;display:block;padding:.5em 1em;background:#fff8d6;color:#222;font:16px/1.4 sans-serif"
    )
    if notice:
        box.insert_child(notice + " ")
    if refresh:
        link = tree.create_node("a")
        link.attrs["href"] = context.address(refresh, "mp_") or ""
        link.insert_child(refresh)
        box.insert_child("This page sends its visitors on to ")
        box.insert_child(link)
    _insert_first(body, box)


def _put_at_the_end(tree: LexborHTMLParser, imprint: str) -> None:
    head, body = tree.head, tree.body
    if not imprint or head is None or body is None or body.tag != "body":
        return
    sheet = tree.create_node("style")
    sheet.insert_child(
        ".finding-aid-imprint{display:none}@media print{.finding-aid-imprint{all:initial;display:block;"
        "margin-top:2em;border-top:1px solid;font:12px/1.4 sans-serif;overflow-wrap:anywhere}}"
    )
    head.insert_child(sheet)
    line = tree.create_node("div")
    line.attrs["class"] = "finding-aid-imprint"
    line.insert_child(imprint)
    body.insert_child(line)


def _insert_first(parent: LexborNode, node: LexborNode) -> None:
    first = parent.first_child
    if first is None:
        parent.insert_child(node)
    else:
        first.insert_before(node)


# ---------------------------------------------------------------- limits


def _without_deep_nesting(html: str) -> str:
    """Return the page without the opening tags of elements nested absurdly deep; their text stays."""
    tags = html.count("<")
    if tags < 1_000:
        return html
    limits = (min(512, max(8, MAX_REPEATED_ELEMENTS // tags)), MAX_BLOCK_DEPTH)
    depths = [0, 0]

    def keep_or_drop(match: re.Match[str]) -> str:
        kind = 0 if match[2] else 1
        if match[1]:
            depths[kind] = max(0, depths[kind] - 1)
        elif depths[kind] >= limits[kind]:
            return ""
        else:
            depths[kind] += 1
        return match[0]

    return _NESTING_TAG.sub(keep_or_drop, html)


def _without_attribute_floods(html: str) -> str:
    if len(html) < 3 * MAX_ATTRIBUTES:
        return html

    def keep_or_empty(match: re.Match[str]) -> str:
        tag = match[0]
        if len(tag) > 3 * MAX_ATTRIBUTES and len(re.findall(r"[\s/]+[^\s/=]", tag)) > MAX_ATTRIBUTES:
            return f"<{match[1][:50]}>"
        return tag

    return _TAG.sub(keep_or_empty, html)


def _cut(html: str) -> tuple[str, bool]:
    cut = len(html) > MAX_PAGE_CHARS
    if cut:
        html = html[:MAX_PAGE_CHARS]
    if html.count("<") > MAX_PAGE_TAGS:
        at = -1
        for _ in range(MAX_PAGE_TAGS):
            at = html.index("<", at + 1)
        return html[:at], True
    return html, cut
