"""What is known of each language: its stemmer (Snowball, through PyStemmer) and its stop words."""

from __future__ import annotations

import threading
import unicodedata
from pathlib import Path

import Stemmer

# ISO 639-1 code -> Snowball algorithm, for every language PyStemmer has; pages whose language
# cannot be told are stemmed like English ones
STEMMERS = {
    "ar": "arabic",
    "hy": "armenian",
    "eu": "basque",
    "ca": "catalan",
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "eo": "esperanto",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hi": "hindi",
    "hu": "hungarian",
    "id": "indonesian",
    "ga": "irish",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "no": "norwegian",
    "fa": "persian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "": "english",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
    "cs": "czech",
}
_KNOWN_ALGORITHMS = frozenset(Stemmer.algorithms())
_local = threading.local()


def has_stemmer(language: str) -> bool:
    """Tell whether words of this language are stemmed."""
    return STEMMERS.get(language) in _KNOWN_ALGORITHMS


def stem_words(language: str, words: list[str]) -> list[str]:
    """Return the stem of each word in a language; the words themselves where it has no stemmer."""
    if not has_stemmer(language):
        return words
    stemmers = _local.__dict__.setdefault("stemmers", {})  # a Stemmer is not safe in several threads
    if language not in stemmers:
        stemmers[language] = Stemmer.Stemmer(STEMMERS[language], 0)
    stems: list[str] = stemmers[language].stemWords(words)
    return stems


def is_stemmable(word: str) -> bool:
    """Tell whether a word is made of letters, with the vowel signs and other marks that belong to them."""
    return word.isalpha() or (
        not word.isascii()
        and word[:1].isalpha()
        and all(letter.isalpha() or unicodedata.category(letter)[0] == "M" for letter in word)
    )


def _read_stop_words() -> dict[str, frozenset[str]]:
    words: dict[str, set[str]] = {}
    text = Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            language, *here = line.split()
            words.setdefault(language, set()).update(here)
    return {language: frozenset(all_) for language, all_ in words.items()}


# For each language with a stemmer. indexer/text/stop_words.txt says where the lists are from.
STOP_WORDS: dict[str, frozenset[str]] = _read_stop_words()
