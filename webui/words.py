"""Words that programs use and readers see: states and reasons of a crawl, parts of a page; in the reader's language."""

from __future__ import annotations

from webui.i18n import N_
from webui.i18n import gettext as _

# As archiver.crawl writes them into its state file and its log; a test compares.
CRAWL_WORDS = frozenset({
    # states
    N_("queued"), N_("running"), N_("pausing"), N_("paused"), N_("stopping"), N_("finished"), N_("crashed"),
    # why it ended or waits
    N_("done"), N_("page_limit"), N_("byte_limit"), N_("time_limit"), N_("disk_full"), N_("user"), N_("error"),
    N_("asked to"), N_("its process is gone; the same crawl command goes on from here"),
    # how far it goes
    N_("page"), N_("subtree"), N_("host"), N_("domain"), N_("web"),
    # why an address was left out
    N_("trap"), N_("robots"), N_("blocked-address"), N_("depth"), N_("scope"), N_("excluded"), N_("requisite"),
    N_("off-topic"),
    # what became of an address
    N_("skipped"), N_("failed"),
    # why nothing came
    N_("timeout"), N_("refused"), N_("dns"), N_("disconnect"), N_("reset"), N_("address"), N_("tls"), N_("http"),
    N_("not http"), N_("header"), N_("connect"), N_("internal"),
    # why it was not had whole
    N_("length"), N_("time"), N_("unspecified"), N_("links"), N_("sitemap"), N_("redirect loop"),
    # what the log says of an answer
    N_("revisit"), N_("none"),
})  # fmt: skip
# Of indexer.ELEMENTS; a test compares.
ELEMENT_NAMES = frozenset({
    N_("title"), N_("heading"), N_("anchor"), N_("emphasis"), N_("description"), N_("keywords"), N_("body"), N_("url"),
    N_("alt"), N_("inlink"),
})  # fmt: skip

# Of webui.setting_infos; a test compares.
UNITS = frozenset({N_("s"), N_("seconds"), N_("kB"), N_("MB")})


def crawl_word(text: str) -> str:
    """Return a word of the crawler in the reader's language; what is no such word comes back as it is."""
    return _(text) if text in CRAWL_WORDS else text


def crawl_words() -> dict[str, str]:
    """Return the words of the crawler with what they are in the reader's language, for scripts."""
    return {word: _(word) for word in sorted(CRAWL_WORDS)}


def element_name(name: str) -> str:
    """Return the name of a part of a page, such as "heading", in the reader's language."""
    return _(name) if name in ELEMENT_NAMES else name
