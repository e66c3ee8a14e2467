"""What the attributes of an archived page become; used by `rewrite.py`.

The rules go by the name of the attribute, whatever element it stands at and in whichever namespace, so that they hold
for every tree that a browser may build from what is written. Of a name with a prefix (`xlink:href`) the part
behind it counts.
"""

from __future__ import annotations

import re

from indexer.text.page_parts import HREF_PARTS, PICTURE_STYLES, picture_of, srcset_of
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css

Attributes = dict[str, str | None]

LINKS = frozenset({"a", "area"})
ANIMATIONS = frozenset({"animate", "animatecolor", "animatemotion", "animatetransform", "set"})
_DROPPED = frozenset({
    "srcdoc", "nonce", "integrity", "crossorigin", "ping", "formaction", "action", "formtarget", "autofocus", "target",
    "autoplay", "manifest", "archive", "codebase", "classid", "profile", "attributionsrc", "allow", "sandbox", "base",
    "allowfullscreen", "referrerpolicy", "http-equiv", "csp", "credentialless", "imagesrcset", "download", "code",
    "lowsrc", "dynsrc", "cite", "longdesc", "data", "icon", "object", "altimg", "schemalocation", "browsingtopics",
    "sharedstoragewritable", "adauctionheaders", "privatetoken", "shadowrootmode", "attributionsourceid",
})  # fmt: skip
_ADDRESSES = frozenset({"href", "src", "srcset", "poster", "background", "usemap"})
# Values that may hold url(): those of drawings, and what an animation makes of them.
_STYLES = PICTURE_STYLES | {"values", "from", "to", "by"}
_TEXTS = frozenset({
    "abbr", "alt", "class", "content", "for", "headers", "id", "itemprop", "label", "name", "placeholder", "summary",
    "title", "value",
})  # fmt: skip
_SLASHES = re.compile(r"[/\\\\]\s*[/\\\\]")
_POINTED_INSIDE = re.compile(r'\("[^"]*"\)')
_MODIFIER_OF_SRC = {
    "img": "im_", "input": "im_", "image": "im_", "iframe": "if_", "frame": "fr_", "video": "oe_", "audio": "oe_",
    "source": "oe_", "track": "oe_",
}  # fmt: skip
_MODIFIER_OF_HREF = dict.fromkeys(HREF_PARTS, "oe_") | {"link": "cs_", "image": "im_", "feimage": "im_"}
_SHOW_DATA = frozenset({"img", "image", "feimage", "input", "source", "video", "audio"})
_NAME = re.compile(r"[^\x00-\x20\"'<>/=&`\x7f]+")
_ATTRIBUTE = re.compile(r"[a-z-]+")


def safe_attributes(tag: str, attributes: Attributes, context: RewriteContext) -> Attributes:
    """Return the attributes that an element is written with, but for those that lead the reader to another page.

    tag: in lower case. Addresses point into the archive; handlers, and what sends something or acts, are left out.
    """
    kept: Attributes = {}
    for name, value in attributes.items():
        local = name.rpartition(":")[2].lower()
        if local[:2] == "on" or name[:2].lower() == "on":
            context.count("handler")
        elif local in _DROPPED or not _NAME.fullmatch(name):
            pass
        elif not value:
            if local not in _ADDRESSES:
                kept[name] = value
        elif local == "style":
            kept[name] = rewrite_css(value, context, in_attribute=True)
        elif local in _STYLES:
            styled = rewrite_css(value, context, in_attribute=True)
            if not _SLASHES.search(_POINTED_INSIDE.sub("", styled)):
                kept[name] = styled
        elif local == "attributename" and _acts(value):
            pass
        elif local in _ADDRESSES:
            address = _address(tag, local, value, context)
            if address is not None:
                kept[name] = address
        elif local in _TEXTS or local[:5] == "aria-" or not _SLASHES.search(value):
            # no browser loads anything for the rest, and without script an address there is of no use
            kept[name] = value
    return kept


def animates_what_acts(attributes: Attributes) -> bool:
    """Tell whether an animation would write an attribute that is not free to be written."""
    for name, value in attributes.items():
        if name.lower() == "attributename":
            return _acts(value or "")
    return False


def _acts(name: str) -> bool:
    local = name.strip().rpartition(":")[2].lower()
    return (
        not _ATTRIBUTE.fullmatch(local)
        or local[:2] == "on"
        or local in _DROPPED
        or local in _ADDRESSES
        or local == "style"
    )


def link_of(attributes: Attributes) -> tuple[str, str]:
    """Return name and value of the attribute that says where a link leads; ("", "") when none does.

    `href` goes before `xlink:href` (SVG 2), whichever comes first.
    """
    named = {name.rpartition(":")[2].lower(): name for name in attributes if name != "href"}
    name = "href" if "href" in attributes else named.get("href", "")
    return name, (attributes.get(name) or "").strip()


def use_lazy_source(attributes: Attributes) -> None:
    """Show pictures that the page's script would have filled in."""
    for name, value in zip(("src", "srcset"), picture_of(attributes), strict=True):
        if value:
            attributes[name] = value


def _address(tag: str, local: str, value: str, context: RewriteContext) -> str | None:
    """Return what an attribute that holds an address is to hold; None if it is to go."""
    if local == "srcset":
        return _rewritten_srcset(value, context)
    link = value.strip()
    if link.startswith("#"):
        return link
    if local == "usemap":
        return link[link.index("#") :] if "#" in link else None
    if local in ("poster", "background"):
        modifier: str | None = "im_"
    else:
        modifier = (_MODIFIER_OF_HREF if local == "href" else _MODIFIER_OF_SRC).get(tag)
    if modifier is None:
        return None
    if link[:5].lower() == "data:":
        # Pictures may lie in the page itself; a frame or a link from data: would be a page that we did not see.
        return link if tag in _SHOW_DATA or modifier == "im_" else None
    return context.address(link, modifier)


def _rewritten_srcset(value: str, context: RewriteContext) -> str | None:
    candidates = []
    for link, size in srcset_of(value):
        address = context.address(link, "im_")
        if address:
            candidates.append(f"{address.replace(',', '%2C')} {size}".strip())
    return ", ".join(candidates) or None
