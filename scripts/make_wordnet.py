"""Make indexer/search/wordnet.gz, the synonyms that a query can be widened by, from the files of WordNet 3.0.

    python scripts/make_wordnet.py FOLDER indexer/search/wordnet.gz

FOLDER holds data.*, index.* and *.exc of nouns, verbs and adjectives, and cntlist.rev, as Debian's package wordnet-base
has them in /usr/share/wordnet. Left out: adverbs, examples, all relations but the first broader term, words without any
synonym, and definitions of what has one sense only.

The file, once decompressed, is UTF-8 text: first a line for each synset, then an empty line, then the other lines in
the order of their bytes. Numbers count the lines of synsets from 0:

    synset   LEMMA|LEMMA TAB NUMBER OF THE BROADER SYNSET, or empty TAB WORDS OF THE DEFINITION
    lemma    LEMMA TAB NUMBERS OF ITS SYNSETS, parted by blanks, the most frequent sense first
    form     IRREGULAR FORM TAB > TAB LEMMA|LEMMA; no lemma: the word is no form of another (river of rive)
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from indexer.search.wordnet import bases_of
from indexer.text.analysis import words_of
from indexer.text.languages import STOP_WORDS

MOST_WORDS = 12  # of a definition
PARTS = ("noun", "verb", "adj")
_PART_OF_TYPE = {"1": "noun", "2": "verb", "3": "adj", "5": "adj"}
_LETTER = {"n": "noun", "v": "verb"}


def main(folder: Path, target: Path) -> None:
    """Write the file."""
    lines = [(part, line) for part in PARTS for line in _lines(folder / f"data.{part}")]
    number_of = {(part, line[:8]): number for number, (part, line) in enumerate(lines)}
    synsets = [_synset(line, number_of) for _, line in lines]
    all_senses = _senses(folder, number_of)
    senses = {
        lemma: numbers
        for lemma, numbers in all_senses.items()
        if any(len(synsets[number].lemmas) > 1 for number in numbers)
    }
    # definitions tell the senses of a word apart: where all words of a synset have one sense, none is needed
    told_apart = {number for numbers in senses.values() if len(numbers) > 1 for number in numbers}
    kept = {number for numbers in senses.values() for number in numbers}
    kept |= {up for number in told_apart if (up := synsets[number].broader) is not None}
    new = {number: place for place, number in enumerate(sorted(kept))}
    rows = [
        synsets[number].row(new) if number in told_apart else "|".join(synsets[number].lemmas) + "\t\t"
        for number in new
    ]
    entries = {
        lemma: f"{lemma}\t{' '.join(str(new[number]) for number in numbers)}"
        for lemma, numbers in senses.items()
    }
    for part in PARTS:
        for line in _lines(folder / f"{part}.exc"):
            form, *bases = (_lemma(word) for word in line.split())
            bases = [base for base in bases if base in senses]
            if bases and form not in entries:
                entries[form] = f"{form}\t>\t{'|'.join(bases)}"
    for lemma in all_senses:
        if lemma not in senses and any(base in senses for base in bases_of(lemma)):
            entries.setdefault(lemma, f"{lemma}\t>\t")
    text = "\n".join([*rows, "", *(entries[key] for key in sorted(entries, key=str.encode))]) + "\n"
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@dataclass
class Synset:
    lemmas: list[str]
    broader: int | None
    words: list[str]

    def row(self, new: dict[int, int]) -> str:
        up = "" if self.broader is None else str(new[self.broader])
        return f"{'|'.join(self.lemmas)}\t{up}\t{' '.join(self.words[:MOST_WORDS])}"


def _synset(line: str, number_of: dict[tuple[str, str], int]) -> Synset:
    facts, _, gloss = line.partition(" | ")
    fields = facts.split()
    lemmas = dict.fromkeys(_lemma(fields[4 + 2 * place]) for place in range(int(fields[3], 16)))
    broader = re.search(r" @i? (\d{8}) ([nv]) ", facts)
    up = number_of[_LETTER[broader.group(2)], broader.group(1)] if broader else None
    definition = words_of(gloss.split('"')[0])
    words = dict.fromkeys(word for word in definition if len(word) > 1 and word not in STOP_WORDS["en"])
    return Synset(list(lemmas), up, list(words))


def _senses(folder: Path, number_of: dict[tuple[str, str], int]) -> dict[str, list[int]]:
    """Return the synsets of each lemma; senses of all parts of speech by how often texts were tagged with them."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for line in _lines(folder / "cntlist.rev"):
        key, sense, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest[0] in _PART_OF_TYPE:
            counts[_lemma(lemma), _PART_OF_TYPE[rest[0]], int(sense)] = int(count)
    senses: dict[str, list[tuple[int, int, int]]] = {}  # lemma -> (count below 0, place, synset)
    for part in PARTS:
        for line in _lines(folder / f"index.{part}"):
            fields = line.split()
            lemma = _lemma(fields[0])
            for place, offset in enumerate(fields[-int(fields[2]) :], start=1):
                entry = (-counts[lemma, part, place], place, number_of[part, offset])
                senses.setdefault(lemma, []).append(entry)
    return {lemma: [number for *_, number in sorted(held)] for lemma, held in senses.items()}


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file of WordNet without those of its licence, which begin with two blanks."""
    for line in path.read_text(encoding="latin-1").splitlines():
        if line and not line.startswith("  "):
            yield line


def _lemma(word: str) -> str:
    return re.sub(r"\((a|p|ip)\)$", "", word).replace("_", " ").lower()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
