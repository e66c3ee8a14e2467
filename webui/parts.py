"""What an archived page is made of: which of its pictures, styles and frames are archived, and from when."""

from __future__ import annotations

from dataclasses import dataclass

from archiver.warc import ArchiveError
from indexer import Capture, Index
from indexer.text.charset import decode_css
from webui.addresses import without_fragment
from webui.formats import number
from webui.i18n import gettext as _
from webui.i18n import ngettext
from webui.rewrite_context import RewriteContext
from webui.rewrite_css import rewrite_css
from webui.stored import as_seconds, closest, read_stored

MAX_PARTS = 300
MAX_SHEETS = 20


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a page. timestamp: of the capture shown; "" when there is none.

    kind: picture, style, frame or other, in the reader's language.
    drift_s: seconds from the page to the part, negative for an older part.
    """

    url: str
    kind: str
    timestamp: str
    status: int
    drift_s: float

    @property
    def is_missing(self) -> bool:
        return not self.timestamp or self.status >= 400

    @property
    def drift(self) -> str:
        """How far the part lies from its page, in words: "2 h later"."""
        if abs(self.drift_s) < 1:
            return _("same second")
        apart = duration_in_words(abs(self.drift_s))
        return _("%(time)s later", time=apart) if self.drift_s > 0 else _("%(time)s earlier", time=apart)


@dataclass(frozen=True, slots=True)
class PartsReport:
    """The parts of a page, missing ones first, then by their distance in time. left_out: beyond those looked up."""

    parts: tuple[Part, ...]
    left_out: int

    @property
    def missing(self) -> int:
        return sum(part.is_missing for part in self.parts)

    @property
    def widest_s(self) -> float:
        return max((abs(part.drift_s) for part in self.parts if not part.is_missing), default=0.0)

    def in_words(self) -> str:
        """Return the sentence that stands in the bar."""
        total = len(self.parts)
        if not total:
            return _("The page has no pictures, styles or frames.")
        if self.missing:
            said = ngettext(
                "%(missing)s of %(count)s part was not archived",
                "%(missing)s of %(count)s parts were not archived",
                total,
                missing=number(self.missing),
            )
        else:
            said = ngettext("Its one part is archived", "All %(count)s parts are archived", total)
        if self.missing < total and self.widest_s >= 1:
            drift = duration_in_words(self.widest_s)
            return _("%(parts)s; the farthest in time is %(drift)s apart.", parts=said, drift=drift)
        return _("%(sentence)s.", sentence=said)


def parts_report(index: Index, capture: Capture, parts: dict[str, str]) -> PartsReport:
    """Look up the parts of a page, and what its style sheets name; at most MAX_PARTS of them.

    parts: address -> modifier, as `RewriteContext` collects them.
    """
    kinds = {"im_": _("picture"), "cs_": _("style"), "if_": _("frame"), "fr_": _("frame")}
    when = as_seconds(capture.timestamp)
    archived, left_out = find_parts(index, capture, parts)
    found = []
    for url, modifier, part in archived:
        drift = as_seconds(part.timestamp) - when if part is not None and when else 0.0
        kind = kinds.get(modifier, _("other"))
        found.append(Part(url, kind, part.timestamp if part else "", part.status if part else 0, drift))
    found.sort(key=lambda part: (not part.is_missing, -abs(part.drift_s), part.url))
    return PartsReport(tuple(found), left_out)


def find_parts(
    index: Index, capture: Capture, parts: dict[str, str]
) -> tuple[list[tuple[str, str, Capture | None]], int]:
    """Return (address, modifier, capture nearest in time or None) of each part of a page, and how many are left out.

    What the style sheets name is among them; at most MAX_PARTS are looked up.
    """
    wanted = dict(parts)
    found: list[tuple[str, str, Capture | None]] = []
    sheets = 0
    queue = list(wanted.items())
    for url, modifier in queue:
        if len(found) == MAX_PARTS:
            break
        part = closest(index, url, capture.timestamp)
        found.append((url, modifier, part))
        if part is not None and modifier == "cs_" and sheets < MAX_SHEETS:
            sheets += 1
            for address, own in _parts_of_sheet(index, part).items():
                if address not in wanted:
                    wanted[address] = own
                    queue.append((address, own))
    return found, len(queue) - len(found)


def _parts_of_sheet(index: Index, capture: Capture) -> dict[str, str]:
    try:
        stored = read_stored(index, capture)
    except (ArchiveError, OSError):
        return {}
    if stored is None or stored.status >= 300:
        return {}
    text, charset = decode_css(stored.body, stored.content_type)
    context = RewriteContext(capture.url, capture.timestamp, charset=charset)
    rewrite_css(text, context)
    return {without_fragment(url): modifier for url, modifier in context.parts.items()}


def duration_in_words(seconds: float) -> str:
    """Return a length of time in its largest unit: "2 h", "3 days"."""
    if seconds < 60:
        return _("%(count)s s", count=number(round(seconds)))
    if seconds < 3600:
        return _("%(count)s min", count=number(round(seconds / 60)))
    if seconds < 2 * 86400:
        return _("%(count)s h", count=number(round(seconds / 3600)))
    days = round(seconds / 86400)
    if days < 2 * 365:
        return ngettext("%(count)s day", "%(count)s days", days)
    return ngettext("%(count)s year", "%(count)s years", round(days / 365.25))
