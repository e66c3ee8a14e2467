"""What an archived page shows by a plug-in: pictures and pages are shown without one, files are linked."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from archiver.warc import HTML_TYPES

_PICTURE = re.compile(r"\.(?:png|gif|jpe?g|svgz?|webp|avif|bmp|ico)$", re.IGNORECASE)
_KEPT = ("width", "height", "align", "hspace", "vspace", "border", "class", "id", "style", "title", "name")


def replace_plugins(tree: LexborHTMLParser) -> None:
    """Replace object and embed elements, where their content can be shown or linked.

    A picture becomes an img, a page an iframe; of any other file without content in its place a link is left.
    Addresses stay as written: they are rewritten with all others.
    """
    for node in tree.css("object[data], embed[src]"):
        attributes = node.attributes
        link = (attributes.get("data" if node.tag == "object" else "src") or "").strip()
        if not link or link[:5].lower() in ("data:", "javas", "about"):
            continue
        kind = (attributes.get("type") or "").strip().lower()
        path = re.split(r"[?#]", link)[0]
        if kind.startswith("image/") or (not kind and _PICTURE.search(path)):
            _replace(tree, node, "img", "src", link)
        elif kind in HTML_TYPES:
            _replace(tree, node, "iframe", "src", link)
        elif node.tag == "embed" or not _has_content(node):
            if node.tag == "embed" and _is_inside_object(node):
                continue  # the object around it says the same
            label = path.rstrip("/").rpartition("/")[2][:80] or "file"
            _replace(tree, node, "a", "href", link, label)


def _replace(
    tree: LexborHTMLParser, node: LexborNode, tag: str, name: str, link: str, label: str = ""
) -> None:
    new = tree.create_node(tag)
    for kept in _KEPT:
        value = node.attributes.get(kept)
        if value is not None and tag != "a":
            new.attrs[kept] = value
    new.attrs[name] = link
    if label:
        new.insert_child(label)
    node.insert_before(new)  # a copy: what is done to `new` from here on is not seen
    if node.tag == "embed":
        node.remove()
    else:
        # its fallback content goes with it
        for child in list(node.iter(include_text=True)):
            child.remove()


def _has_content(node: LexborNode) -> bool:
    return any(
        child.tag not in ("param", "-text", "-comment")
        or (child.tag == "-text" and (child.text_content or "").strip())
        for child in node.iter(include_text=True)
    )


def _is_inside_object(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag == "object":
            return True
        parent = parent.parent
    return False
