"""What is known of each language: its stemmer (Snowball, through PyStemmer) and its stop words."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

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
# The languages whose words are stemmed, in the order of their numbers
STEMMED = tuple(sorted(name for name, algorithm in STEMMERS.items() if algorithm in _KNOWN_ALGORITHMS))
NUMBERS = {language: number for number, language in enumerate(STEMMED)}
NO_NUMBER = 255
_local = threading.local()
_Words = TypeVar("_Words", str, bytes)


def has_stemmer(language: str) -> bool:
    """Tell whether words of this language are stemmed."""
    return language in NUMBERS


def stem_words(language: str, words: list[_Words]) -> list[_Words]:
    """Return the stem of each word in a language, as text or in UTF-8; the words themselves where it has no stemmer."""
    if not has_stemmer(language):
        return words
    stems: list[_Words] = _stemmers()[NUMBERS[language]].stemWords(words)
    return stems


def stems_of(word: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return the stem of a word in some languages of STEMMED, by their numbers."""
    stemmers = _stemmers()
    return {number: stemmers[number].stemWord(word) for number in numbers}


def languages_of_stem(word: str, stems: Mapping[int, str], numbers: int) -> int:
    """Return in which languages a word has a stem, given by their numbers: a bit for each.

    stems: the stem by language; numbers: of the languages that are asked about, a bit for each.
    """
    stemmers, found = _stemmers(), 0
    for number, stem in stems.items():
        if numbers >> number & 1 and stemmers[number].stemWord(word) == stem:
            found |= 1 << number
    return found


def _stemmers() -> list[Stemmer.Stemmer]:
    """Return the stemmers of all languages, for this thread: a Stemmer is not safe in several."""
    stemmers: list[Stemmer.Stemmer] | None = _local.__dict__.get("stemmers")
    if stemmers is None:
        stemmers = _local.stemmers = [Stemmer.Stemmer(STEMMERS[language], 0) for language in STEMMED]
    return stemmers


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
