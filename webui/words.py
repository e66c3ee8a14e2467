"""Words that programs use and readers see: states and reasons of a crawl, parts of a page; in the reader's language."""

from __future__ import annotations

from archiver.crawl.reasons import Reason
from webui.i18n import N_
from webui.i18n import gettext as _

# What archiver.crawl writes into its state file and its log, and what that is called; a test compares the states.
CRAWL_WORDS: dict[str, str] = {word: word for word in (
    # states
    N_("queued"), N_("running"), N_("pausing"), N_("paused"), N_("stopping"), N_("finished"), N_("crashed"),
    N_("its process is gone; the same crawl command goes on from here"),
    # how far it goes
    N_("page"), N_("subtree"), N_("host"), N_("domain"), N_("web"),
    # what became of an address
    N_("skipped"), N_("failed"),
)} | {str(reason): reason.text for reason in Reason}  # fmt: skip
# Of indexer.ELEMENTS; a test compares.
ELEMENT_NAMES = frozenset({
    N_("title"), N_("heading"), N_("anchor"), N_("emphasis"), N_("description"), N_("keywords"), N_("body"), N_("url"),
    N_("alt"), N_("inlink"),
})  # fmt: skip

# Of webui.setting_infos; a test compares.
UNITS = frozenset({N_("s"), N_("seconds"), N_("kB"), N_("MB")})


def crawl_word(text: str) -> str:
    """Return a word of the crawler in the reader's language; what is no such word comes back as it is."""
    return _(CRAWL_WORDS[text]) if text in CRAWL_WORDS else text


def crawl_words() -> dict[str, str]:
    """Return the words of the crawler with what they are in the reader's language, for scripts."""
    return {word: _(text) for word, text in sorted(CRAWL_WORDS.items())}


def element_name(name: str) -> str:
    """Return the name of a part of a page, such as "heading", in the reader's language."""
    return _(name) if name in ELEMENT_NAMES else name
