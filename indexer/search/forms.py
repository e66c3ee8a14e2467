"""The spellings that a word of a query stands for in the segments of an index."""

from __future__ import annotations

from indexer.core.forms import ALWAYS, FOLD, WAYS, Dictionaries, Forms, Lookup, stemmed_forms, strings
from indexer.search.nodes import Word
from indexer.store.columns import FOLDS, PAIRS, stem_name
from indexer.store.stems import stemmers_for_queries
from indexer.text.analysis import is_paired
from indexer.text.folding import folds_of
from indexer.text.languages import STEMMED, is_stemmable, languages_of_stem, stems_of

_STEMS = (1 << len(STEMMED)) - 1  # the ways that are stems, one for each of these languages
_BEGINS = {**dict(enumerate(STEMMED)), FOLD: FOLDS, ALWAYS: PAIRS}
_NAMES = strings([stem_name(_BEGINS.get(way, ""), "") for way in range(WAYS)])


def forms_of(leaf: Word, dictionaries: Dictionaries, fold: float, other_forms: float = 1.0) -> Forms:
    """Return the spellings that a word stands for in each of some dictionaries, in order of their text.

    A version matches when it holds the word itself, a word with the same stem in the version's language, which counts
    `other_forms` times as much, or the word with other accents or none: that counts `fold` times as much, and nothing
    when fold is 0. An exact word is only itself. One character of a script without spaces is every pair that starts
    with it. Raises queries.DamagedError.
    """
    text = leaf.text
    is_pair = is_paired(text)
    others = 1.0 if is_pair else other_forms
    has_pairs = is_pair and len(text) == 1 and not leaf.exact
    has_stems = not (leaf.exact or has_pairs) and is_stemmable(text)
    if has_stems and not fold:
        in_use, stemmers = stemmers_for_queries()
        if stemmers.stem:  # else Python alone can stem
            with in_use:
                return stemmed_forms(dictionaries, _NAMES, stemmers, text, others)
    stems: dict[int, str] = {}  # by the number of its language
    folds: tuple[str, ...] = ()
    given, ways = {text: 0}, []
    if has_pairs:
        ways.append((ALWAYS, 0))
    elif has_stems:
        stems = stems_of(text, dictionaries.stems)
        ways = [(number, given.setdefault(stem, len(given))) for number, stem in stems.items()]
    if fold > 0 and not leaf.exact:
        folds = (text, *folds_of(text))
        ways += [(FOLD, given.setdefault(spelling, len(given))) for spelling in folds]
    found = Lookup(dictionaries, _NAMES, list(given), ways)
    belonging = [
        _belonging(spelling, by, text, stems, folds) if by else 0
        for spelling, by in zip(found.spellings, found.ways, strict=True)
    ]
    return found.forms(belonging, fold, others)


def _belonging(spelling: str, ways: int, text: str, stems: dict[int, str], folds: tuple[str, ...]) -> int:
    """Return by which of the ways that a spelling was found it does belong to a word; keys may be equal by chance."""
    if spelling == text:
        return ways
    found = 0
    if ways & _STEMS and is_stemmable(spelling):
        found = languages_of_stem(spelling, stems, ways)
    if ways >> FOLD & 1 and (spelling in folds or not set(folds).isdisjoint(folds_of(spelling))):
        found |= 1 << FOLD
    if ways >> ALWAYS & 1 and len(spelling) == 2 and spelling.startswith(text):
        found |= 1 << ALWAYS
    return found
