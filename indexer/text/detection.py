"""The language of a page: what it declares, checked against its text."""

from __future__ import annotations

from functools import cache

from resiliparse.parse.lang import detect_fast

from indexer.core.intake import LanguageCode, LanguageRules
from indexer.core.language import MOST_SAMPLE, Sample, StopWords
from indexer.text.elements import PageText
from indexer.text.languages import STOP_WORDS

_SAME_AS = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "jp": "ja", "cn": "zh", "cz": "cs",
    "gr": "el", "ind": "id", "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "por": "pt",
    "ita": "it", "jpn": "ja", "zho": "zh", "chi": "zh", "kor": "ko", "rus": "ru", "pol": "pl", "nld": "nl", "dut": "nl",
}  # fmt: skip
# What is looked at: some text from the middle, since menus stand first and say little.
SAMPLE, _DETECT_AT_LEAST = MOST_SAMPLE, 120
# detect_fast gives the distance of a text to a language's usual letters; beyond these it is a guess.
_NEAR_LATIN, _NEAR = 700, 1000
_SILENT = 0.03  # share of stop words below which a text is none of a language that has them
_FEW_WORDS = 12  # a text with fewer cannot contradict what the page declares
# Share of stop words in running text that settles the matter; and, of those that the other language lacks
# ("a" and "do" are both English and Portuguese), the share and how many times more of them contradict.
_SPEAKS, _CONTRADICTS, _TIMES = 0.3, 0.12, 3
# In a text with fewer words letters say little: only stop words tell, and only if the next language has far fewer.
_MANY_WORDS, _CLEARLY = 60, 1.3

# Scripts that one language is written in, and the share of letters that tells it: kana, Hangul, Han and so on, counted
# by indexer/core/language.c in this order.
_SCRIPTS = (
    ("ja", 0.05),
    ("ko", 0.3),
    ("zh", 0.5),
    ("th", 0.5),
    ("el", 0.5),
    ("hy", 0.5),
    ("ka", 0.5),
    ("ta", 0.5),
    ("lo", 0.5),
    ("km", 0.5),
    ("my", 0.5),
)
_FOREIGN, _FEW_LETTERS = 0.3, 4  # share of letters of other than Latin scripts; as many tell a script
_WRITTEN_OTHERWISE = frozenset(
    "ja ko zh th el hy ka ta lo km my ar fa ur he yi hi ne mr bn ru uk bg mk".split()
)


_BIT_OF = {language: 1 << number for number, language in enumerate(STOP_WORDS)}


@cache
def _stop_words() -> StopWords:
    """Return for each stop word the languages that it is one of."""
    found: dict[str, int] = {}
    for language, words in STOP_WORDS.items():
        for word in words:
            found[word] = found.get(word, 0) | _BIT_OF[language]
    return StopWords(found)


@cache
def rules() -> LanguageRules:
    """Return what the core tells the language of a page by, as `language_of` does, unless letters have to tell it."""
    codes = [
        LanguageCode(code, told, _BIT_OF.get(told, 0), told in _WRITTEN_OTHERWISE)
        for code in sorted({*_SAME_AS, *STOP_WORDS, *_WRITTEN_OTHERWISE})
        for told in [_SAME_AS.get(code, code)]
    ]
    return LanguageRules(
        _stop_words(),
        codes,
        _SCRIPTS,
        few_words=_FEW_WORDS,
        many_words=_MANY_WORDS,
        few_letters=_FEW_LETTERS,
        few_characters=_DETECT_AT_LEAST,
        foreign=_FOREIGN,
        speaks=_SPEAKS,
        contradicts=_CONTRADICTS,
        times=_TIMES,
        clearly=_CLEARLY,
        near=_NEAR,
        near_latin=_NEAR_LATIN,
        silent=_SILENT,
    )


class _Sample:
    """Some text from the middle of a page, in small letters, and what is counted in it."""

    def __init__(self, text: str, counts: Sample) -> None:
        self.text, self._counts = text, counts
        self.words = counts.words
        # signs of other than Latin scripts for each letter
        self.share_of_foreign = counts.foreign / counts.letters if counts.letters else 0.0
        kinds = counts.speaker_count
        self._speakers = list(zip(counts.speakers[:kinds], counts.speaking[:kinds], strict=True))

    def share_of_stop_words(self, language: str, without: str = "") -> float:
        """Return the share of words that are stop words of a language and not of another one."""
        own, other = _BIT_OF.get(language, 0), _BIT_OF.get(without, 0)
        found = sum(count for bits, count in self._speakers if bits & own and not bits & other)
        return found / self.words if self.words else 0.0

    @property
    def script(self) -> str:
        """The language that alone is written in the script of most letters; "" for scripts of several languages."""
        if self.share_of_foreign < _FOREIGN:
            return ""
        for (language, share), count in zip(_SCRIPTS, self._counts.scripts, strict=True):
            if count >= max(share * self._counts.letters, _FEW_LETTERS):
                return language
        return ""


def language_of(page: PageText) -> str:
    """Return the language of a page as a lower-case code ("en", "pt", "zh"), "" when it cannot be told.

    The page's own word (lang attribute) holds unless the text clearly contradicts it: written in another script, or
    full of another language's most common words and nearly free of its own. Many pages declare "en" because the
    program that made them does. Without a declaration the text tells, if there is enough of it; some twenty words do
    only where nearly every other one is a stop word of one language alone.
    """
    middle = max(0, (len(page.text) - SAMPLE) // 2)
    text = page.text[middle : middle + SAMPLE].lower()
    return _language_of_sample(_declared(page.language), text, _stop_words().sample(text))


def _language_of_sample(declared: str, text: str, counts: Sample) -> str:
    """Return the language of a page as `language_of` tells it.

    declared: its code, "" for none. text: SAMPLE characters from the middle, in small letters. counts: of the text.
    """
    sample = _Sample(text, counts)
    if declared:
        if sample.words < _FEW_WORDS and sample.text.isascii():
            return declared
        if sample.share_of_stop_words(declared) >= _SPEAKS:
            return declared
        found = sample.script or _detected(sample)
        return found if found and _contradicts(declared, found, sample) else declared
    return sample.script or _detected(sample)


def _declared(language: str) -> str:
    code = language.replace("_", "-").split("-")[0].strip().lower()
    if 2 <= len(code) <= 3 and code.isascii() and code.isalpha():
        return _SAME_AS.get(code, code)
    return ""


def _contradicts(declared: str, found: str, sample: _Sample) -> bool:
    if found == declared:
        return False
    if found in _WRITTEN_OTHERWISE:
        # related languages share a script, and a Japanese page may hold few kana: the page knows better
        return declared not in _WRITTEN_OTHERWISE and sample.share_of_foreign > 0.5
    share = sample.share_of_stop_words(found, without=declared)
    own = sample.share_of_stop_words(declared, without=found)
    return sample.words >= _FEW_WORDS and share >= _CONTRADICTS and share >= _TIMES * own


def letters_of(text: str) -> tuple[str, int]:
    """Return the language that the letters of a text look like ("unknown" for none), and how far they are from it."""
    found: tuple[str, int] = detect_fast(text)
    return found


def _detected(sample: _Sample) -> str:
    if len(sample.text) < _DETECT_AT_LEAST:
        return ""
    foreign = sample.share_of_foreign > _FOREIGN
    if sample.words < _MANY_WORDS and not foreign:
        return _spoken(sample)
    name, distance = letters_of(sample.text)
    if name == "unknown":
        return ""
    found = _SAME_AS.get(name, name)
    if distance > (_NEAR if foreign or len(sample.text) < 3 * _DETECT_AT_LEAST else _NEAR_LATIN):
        return ""
    if not foreign and found in STOP_WORDS and sample.share_of_stop_words(found) < _SILENT:
        return ""  # program code and lists of names look like some language or other
    if not foreign and found not in STOP_WORDS:
        return _spoken(sample) or found  # English without many of its usual letters was taken for Latin
    return found


def _spoken(sample: _Sample) -> str:
    """Return the language whose stop words make up running text; "" where they are few, or two languages share them."""
    shares = sorted((sample.share_of_stop_words(language), language) for language in STOP_WORDS)
    (next_share, _), (share, language) = shares[-2:]
    return language if share >= _SPEAKS and share >= _CLEARLY * next_share else ""
