"""The language of a page: what it declares, checked against its text."""

from __future__ import annotations

import re
from functools import lru_cache

from resiliparse.parse.lang import detect_fast

from indexer.text.elements import PageText
from indexer.text.languages import STOP_WORDS

_SAME_AS = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "jp": "ja", "cn": "zh", "cz": "cs",
    "gr": "el", "ind": "id", "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "por": "pt",
    "ita": "it", "jpn": "ja", "zho": "zh", "chi": "zh", "kor": "ko", "rus": "ru", "pol": "pl", "nld": "nl", "dut": "nl",
}  # fmt: skip
# What is looked at: some text from the middle, since menus stand first and say little.
_SAMPLE, _DETECT_AT_LEAST = 1500, 120
# detect_fast gives the distance of a text to a language's usual letters; beyond these it is a guess.
_NEAR_LATIN, _NEAR = 700, 1000
_WORD = re.compile(r"[^\W\d_]+")
# the same for text in ASCII, at a fifth of the time: blanks for all but letters
_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}
_FEW_WORDS = 12  # a text with fewer cannot contradict what the page declares
# Share of stop words in running text that settles the matter; and, of those that the other language lacks
# ("a" and "do" are both English and Portuguese), the share and how many times more of them contradict.
_SPEAKS, _CONTRADICTS, _TIMES = 0.3, 0.12, 3
# In a text with fewer words letters say little: only stop words tell, and only if the next language has far fewer.
_MANY_WORDS, _CLEARLY = 60, 1.3

# Scripts that one language (or a few, named by the detector) is written in.
_FOREIGN = re.compile("[\u0370-\uffff]")
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja", 0.05),
    (re.compile("[\u1100-\u11ff\uac00-\ud7ff]"), "ko", 0.3),
    (re.compile("[\u3400-\u9fff]"), "zh", 0.5),
    (re.compile("[\u0e00-\u0e7f]"), "th", 0.5),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "el", 0.5),
    (re.compile("[\u0530-\u058f]"), "hy", 0.5),
    (re.compile("[\u10a0-\u10ff]"), "ka", 0.5),
    (re.compile("[\u0b80-\u0bff]"), "ta", 0.5),
    (re.compile("[\u0e80-\u0eff]"), "lo", 0.5),
    (re.compile("[\u1780-\u17ff]"), "km", 0.5),
    (re.compile("[\u1000-\u109f]"), "my", 0.5),
)
_WRITTEN_OTHERWISE = frozenset(
    "ja ko zh th el hy ka ta lo km my ar fa ur he yi hi ne mr bn ru uk bg mk".split()
)


def language_of(page: PageText) -> str:
    """Return the language of a page as a lower-case code ("en", "pt", "zh"), "" when it cannot be told.

    The page's own word (lang attribute) holds unless the text clearly contradicts it: written in another script, or
    full of another language's most common words and nearly free of its own. Many pages declare "en" because the
    program that made them does. Without a declaration the text tells, if there is enough of it; some twenty words do
    only where nearly every other one is a stop word of one language alone.
    """
    declared = _declared(page.language)
    text = page.text
    middle = max(0, (len(text) - _SAMPLE) // 2)
    sample = text[middle : middle + _SAMPLE].lower()
    words = sample.translate(_LETTERS).split() if sample.isascii() else _WORD.findall(sample)
    if declared:
        if len(words) < _FEW_WORDS and sample.isascii():
            return declared
        if _share_of_stop_words(words, declared) >= _SPEAKS:
            return declared
        found = _of_script(sample) or _detected(sample, words)
        return found if found and _contradicts(declared, found, sample, words) else declared
    return _of_script(sample) or _detected(sample, words)


def _declared(language: str) -> str:
    code = language.replace("_", "-").split("-")[0].strip().lower()
    if 2 <= len(code) <= 3 and code.isascii() and code.isalpha():
        return _SAME_AS.get(code, code)
    return ""


def _share_of_stop_words(words: list[str], language: str, without: str = "") -> float:
    """Return the share of words that are stop words of a language and not of another one."""
    stops = STOP_WORDS.get(language, frozenset())
    if without:
        stops = stops - STOP_WORDS.get(without, frozenset())
    return sum(map(stops.__contains__, words)) / len(words) if words else 0.0


def _contradicts(declared: str, found: str, sample: str, words: list[str]) -> bool:
    if found == declared:
        return False
    if found in _WRITTEN_OTHERWISE:
        # related languages share a script, and a Japanese page may hold few kana: the page knows better
        return declared not in _WRITTEN_OTHERWISE and _share_of_foreign(sample) > 0.5
    share = _share_of_stop_words(words, found, without=declared)
    own = _share_of_stop_words(words, declared, without=found)
    return len(words) >= _FEW_WORDS and share >= _CONTRADICTS and share >= _TIMES * own


@lru_cache(maxsize=2)  # asked again and again for one page
def _share_of_foreign(sample: str) -> float:
    if sample.isascii():
        return 0.0
    letters = sum(map(str.isalpha, sample))
    return len(_FOREIGN.findall(sample)) / letters if letters else 0.0


def _of_script(sample: str) -> str:
    """Return the language that alone is written in the script of most letters; "" for scripts of several languages."""
    if sample.isascii() or _share_of_foreign(sample) < 0.3:
        return ""
    letters = sum(map(str.isalpha, sample))
    for script, language, share in _SCRIPTS:
        if len(script.findall(sample)) >= max(share * letters, 4):
            return language
    return ""


def _detected(sample: str, words: list[str]) -> str:
    if len(sample) < _DETECT_AT_LEAST:
        return ""
    if len(words) < _MANY_WORDS and _share_of_foreign(sample) <= 0.3:
        return _spoken(words)
    name, distance = detect_fast(sample)
    if name == "unknown":
        return ""
    found = _SAME_AS.get(name, name)
    foreign = _share_of_foreign(sample) > 0.3
    if distance > (_NEAR if foreign or len(sample) < 3 * _DETECT_AT_LEAST else _NEAR_LATIN):
        return ""
    if not foreign and found in STOP_WORDS and _share_of_stop_words(words, found) < 0.03:
        return ""  # program code and lists of names look like some language or other
    if not foreign and found not in STOP_WORDS:
        return _spoken(words) or found  # English without many of its usual letters was taken for Latin
    return found


def _spoken(words: list[str]) -> str:
    """Return the language whose stop words make up running text; "" where they are few, or two languages share them."""
    shares = sorted((_share_of_stop_words(words, language), language) for language in STOP_WORDS)
    (next_share, _), (share, language) = shares[-2:]
    return language if share >= _SPEAKS and share >= _CLEARLY * next_share else ""
