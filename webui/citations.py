"""Citations of a capture, ready to copy: plain, BibTeX, wiki, and a link that survives its page."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from indexer import Capture
from webui.addresses import Extras, quote_url, short_digest
from webui.formats import clean, date_in_words, english_date, shorten, time_utc
from webui.i18n import gettext as _

_TEX = re.compile(r"[\\{}$&#%_^~]")
_TEX_NAMES = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


@dataclass(frozen=True, slots=True)
class Citation:
    """One way to cite. name: of the form, for a heading; text: to be copied as it stands."""

    name: str
    text: str


def citations(capture: Capture, base: str, digest: str = "") -> list[Citation]:
    """Return the citations of a capture.

    base: the address of this site, with scheme. digest: of the payload where the time alone names several captures.
    """
    when = f"{capture.timestamp or '0'}{Extras(digest=short_digest(digest))}"
    link = f"{base.rstrip('/')}/web/{when}/{quote_url(capture.url)}"
    title = shorten(" ".join(clean(capture.title or capture.url).split()), 300)
    url = quote_url(clean(capture.url))
    when = f"{date_in_words(capture.timestamp)} {time_utc(capture.timestamp)}".strip()
    day = f"{capture.timestamp[:4]}-{capture.timestamp[4:6]}-{capture.timestamp[6:8]}"
    return [
        Citation(
            _("Plain text"),
            _(
                "%(title)s. Archived %(when)s from %(url)s. %(link)s",
                title=title,
                when=when,
                url=url,
                link=link,
            ),
        ),
        Citation("BibTeX", _bibtex(capture, title, url, link)),
        Citation(
            "Wikipedia",
            f"{{{{cite web |title={_wiki(title)} |url={_wiki(url)} |archive-url={_wiki(link)} |archive-date={day} "
            "|url-status=unknown}}",
        ),
        Citation(
            _("Robust link (HTML)"),
            f'<a href="{html.escape(link)}" data-originalurl="{html.escape(url)}" '
            f'data-versionurl="{html.escape(link)}" data-versiondate="{day}">{html.escape(title)}</a>',
        ),
    ]


def _bibtex(capture: Capture, title: str, url: str, link: str) -> str:
    when = f"{english_date(capture.timestamp)} {time_utc(capture.timestamp)}".strip()
    host = re.sub(r"[^a-z0-9]", "", capture.url.split("/")[2].lower() if "//" in capture.url else "capture")
    return (
        f"@misc{{{host[:30]}{capture.timestamp},\n"
        f"  title = {{{_tex(title)}}},\n"
        f"  year = {{{capture.timestamp[:4]}}},\n"
        f"  howpublished = {{\\url{{{_tex_address(url)}}}}},\n"
        f"  note = {{Archived {when}: \\url{{{_tex_address(link)}}}}},\n"
        "}"
    )


def _tex(text: str) -> str:
    return _TEX.sub(lambda match: _TEX_NAMES.get(match[0], "\\" + match[0]), text)


def _tex_address(address: str) -> str:
    """Return an address for \\url{}, where only braces and backslashes are not taken as they stand."""
    return address.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")


def _wiki(text: str) -> str:
    return text.replace("|", "{{!}}").replace("[", "&#91;").replace("]", "&#93;").replace("\n", " ")
